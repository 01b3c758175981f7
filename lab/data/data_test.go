package data_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/rtbwire/rtbwire/lab/data"
	"github.com/rtbwire/rtbwire/openrtb"
)

// The same seed makes the same traffic. Another seed makes other traffic.
func TestTrafficIsDeterministic(t *testing.T) {
	a, b, c := data.New(data.Config{Seed: 1, Broken: 0.1}), data.New(data.Config{Seed: 1, Broken: 0.1}), data.New(data.Config{Seed: 2, Broken: 0.1})
	differ := 0
	for i := range 500 {
		x, y, z := a.Next(), b.Next(), c.Next()
		if !bytes.Equal(x.Text, y.Text) || x.Fault != y.Fault {
			t.Fatalf("request %d differs:\n%s\n%s", i, x.Text, y.Text)
		}
		if !bytes.Equal(x.Text, z.Text) {
			differ++
		}
	}
	if differ < 490 {
		t.Errorf("another seed made %d other requests only", differ)
	}
}

// Requests are valid, except the share that is broken, which no decoder may accept.
func TestTraffic(t *testing.T) {
	const n = 2000
	traffic := data.New(data.Config{Seed: 3, Broken: 0.2})
	broken, small, large := 0, 0, 0
	for range n {
		r := traffic.Next()
		_, err := openrtb.Parse(r.Text)
		if (err != nil) != (r.Fault != "") {
			t.Fatalf("fault %q, error %v: %s", r.Fault, err, r.Text)
		}
		if plain := json.Unmarshal(r.Text, new(openrtb.BidRequest)); (plain != nil) != (r.Fault != "") {
			t.Fatalf("fault %q, error of encoding/json %v: %s", r.Fault, plain, r.Text)
		}
		if r.Fault != "" {
			broken++
			continue
		}
		if len(r.Text) < 1400 {
			small++
		}
		if len(r.Text) > 3000 {
			large++
		}
	}
	if broken < n/6 || broken > n/4 {
		t.Errorf("%d of %d are broken, asked for a fifth", broken, n)
	}
	if small < n/4 || large < n/100 || large > n/4 {
		t.Errorf("%d small and %d large ones of %d", small, large, n)
	}
}

func TestSets(t *testing.T) {
	sets, err := data.Load("")
	if err != nil {
		t.Fatal(err)
	}
	for name, size := range map[string][2]float64{"banner": {804, 804}, "app": {4000, 4500}, "ctv": {7500, 9000}, "large": {1e6, 1.2e6}} {
		s, ok := data.Find(sets, name)
		if !ok || s.Bytes() < size[0] || s.Bytes() > size[1] {
			t.Errorf("%s is missing or has another size than %v", name, size)
		}
	}
	mixed, _ := data.Find(sets, "mixed")
	if len(mixed.Docs) < 1900 || mixed.LeftOut > 100 {
		t.Errorf("mixed has %d documents, %d are left out", len(mixed.Docs), mixed.LeftOut)
	}
}
