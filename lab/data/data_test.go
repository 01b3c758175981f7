package data_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/rtbwire/rtbwire/lab/data"
	"github.com/rtbwire/rtbwire/openrtb"
)

func load(t *testing.T) []data.Set {
	t.Helper()
	sets, err := data.Load("")
	if err != nil {
		t.Fatal(err)
	}
	return sets
}

func find(t *testing.T, sets []data.Set, name string) *data.Set {
	t.Helper()
	s, ok := data.Find(sets, name)
	if !ok {
		t.Fatalf("there is no set %s", name)
	}
	return s
}

// The same documents are loaded each time.
func TestLoadIsDeterministic(t *testing.T) {
	a, b := load(t), load(t)
	for i := range a {
		for j := range a[i].Docs {
			if !bytes.Equal(a[i].Docs[j], b[i].Docs[j]) {
				t.Fatalf("%s: document %d differs:\n%s\n%s", a[i].Name, j, a[i].Docs[j], b[i].Docs[j])
			}
		}
	}
}

// Traffic is valid, no two requests are alike, and there are small and large ones.
func TestTraffic(t *testing.T) {
	traffic := find(t, load(t), "traffic")
	n := len(traffic.Docs)
	small, large := 0, 0
	distinct := map[string]bool{}
	for _, text := range traffic.Docs {
		if _, err := openrtb.Parse(text); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		if err := json.Unmarshal(text, new(openrtb.BidRequest)); err != nil {
			t.Fatalf("encoding/json: %v: %s", err, text)
		}
		distinct[string(text)] = true
		if len(text) < 1400 {
			small++
		}
		if len(text) > 2000 {
			large++
		}
	}
	if n != 1000 || len(distinct) != n || small < n/4 || large < n/100 || large > n/4 {
		t.Errorf("%d small and %d large ones of %d, %d distinct", small, large, n, len(distinct))
	}
}

// No decoder may accept a broken request, and there are as many with each fault.
func TestBrokenRequests(t *testing.T) {
	const n = 40
	broken, err := data.BrokenRequests(n)
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, r := range broken {
		count[r.Fault]++
		if _, err := openrtb.Parse(r.Text); err == nil {
			t.Errorf("rtbwire accepts %s: %s", r.Fault, r.Text)
		}
		if json.Unmarshal(r.Text, new(openrtb.BidRequest)) == nil {
			t.Errorf("encoding/json accepts %s: %s", r.Fault, r.Text)
		}
	}
	if len(count) != 8 {
		t.Errorf("%d faults: %v", len(count), count)
	}
	for fault, got := range count {
		if got != n {
			t.Errorf("%d with %s, asked for %d", got, fault, n)
		}
	}
}

func TestSets(t *testing.T) {
	sets := load(t)
	for name, size := range map[string][2]float64{"banner": {804, 804}, "app": {4000, 4500}, "ctv": {7500, 9000}, "large": {1 << 20, 1.2e6}} {
		if s := find(t, sets, name); s.Bytes() < size[0] || s.Bytes() > size[1] {
			t.Errorf("%s has %v bytes, not %v", name, s.Bytes(), size)
		}
	}
	if mixed := find(t, sets, "mixed"); len(mixed.Docs) < 1900 || mixed.LeftOut > 100 {
		t.Errorf("mixed has %d documents, %d are left out", len(mixed.Docs), mixed.LeftOut)
	}
	large, err := openrtb.Parse(find(t, sets, "large").Docs[0])
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for i := range large.Imp {
		ids[large.Imp[i].ID] = true
	}
	if len(ids) != len(large.Imp) || len(ids) < 500 || large.App == nil {
		t.Errorf("large has %d impressions with %d ids", len(large.Imp), len(ids))
	}
}

// Sets can be loaded by name. They are the same as among all.
func TestLoadNames(t *testing.T) {
	all := load(t)
	some, err := data.Load("", "mixed_shuffled", "absent", "banner")
	if err != nil || len(some) != 2 {
		t.Fatalf("%d sets, %v", len(some), err)
	}
	for _, got := range some {
		want := find(t, all, got.Name)
		if got.About != want.About || got.LeftOut != want.LeftOut || !slices.EqualFunc(got.Docs, want.Docs, bytes.Equal) {
			t.Errorf("%s alone differs from what it is among all", got.Name)
		}
	}
}
