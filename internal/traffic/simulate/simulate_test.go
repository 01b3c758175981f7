package simulate

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/testkit"
)

var update = flag.Bool("update", false, "rewrite golden files and generated documents")

// TestGolden holds the bytes of all shapes. Who changes them on purpose runs go test
// ./internal/traffic/simulate -run Golden -update; files that users have made before then differ.
func TestGolden(t *testing.T) {
	const file = "testdata/golden.txt"
	got := new(strings.Builder)
	for _, s := range Shapes() {
		h := sha256.New()
		each(mustNew(t, faulty(26, s)), 5000, func(text []byte, l Label) {
			h.Write(append(text, '\n'))
			h.Write(append(l.AppendJSON(nil), '\n'))
		})
		fmt.Fprintf(got, "%s  %v\n", hex.EncodeToString(h.Sum(nil)), s)
	}
	if *update {
		if err := os.WriteFile(file, []byte(got.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("the same seed makes other requests than before (-update, if that is meant):\ngot\n%swant\n%s", got, want)
	}
}

// TestAlone checks that a request depends on its number alone, and that dst is appended to.
func TestAlone(t *testing.T) {
	for _, s := range Shapes() {
		g, again := mustNew(t, faulty(3, s)), mustNew(t, faulty(3, s))
		var all [][]byte
		each(g, 300, func(text []byte, _ Label) { all = append(all, bytes.Clone(text)) })
		for n := 299; n >= 0; n -= 7 {
			text, l := again.AppendRequest([]byte("before"), uint64(n))
			if !bytes.Equal(text, append([]byte("before"), all[n]...)) || l.N != uint64(n) {
				t.Fatalf("%v: request %d is another one when it is made alone:\n%s\n%s", s, n, text, all[n])
			}
		}
	}
}

// TestSeeds checks that seeds have nothing in common, and that faults leave the others as they are.
func TestSeeds(t *testing.T) {
	ids := map[string]bool{}
	for seed := range uint64(20) {
		each(mustNew(t, Config{Seed: seed}), 500, func(text []byte, l Label) {
			if ids[l.ID()] {
				t.Fatalf("seed %d: the id %s has been there before", seed, l.ID())
			}
			ids[l.ID()] = true
		})
	}
	clean := mustNew(t, Config{Seed: 1})
	each(mustNew(t, faulty(1, Mixed)), 3000, func(text []byte, l Label) {
		if l.Class != Clean {
			return
		}
		if want, _ := clean.AppendRequest(nil, l.N); !bytes.Equal(text, want) {
			t.Fatalf("request %d is clean, and another one than without faults", l.N)
		}
	})
}

// TestSharesAreKept checks that the shares are those that were asked for, and that every fault
// occurs.
func TestSharesAreKept(t *testing.T) {
	count := testkit.Scale(t, 40_000, 60_000, 1_000_000)
	classes, kinds, encoding := map[Class]int{}, map[string]int{}, map[string]int{}
	each(mustNew(t, faulty(5, Mixed)), uint64(count), func(_ []byte, l Label) {
		classes[l.Class]++
		kinds[l.What]++
		encoding[l.How]++
	})
	for class, percent := range map[Class]int{Clean: 50, Defect: 20, Payload: 10, Fraud: 20} {
		want := count * percent / 100
		if got := classes[class]; got < want*95/100 || got > want*105/100 {
			t.Errorf("%d of %d requests are %v, want about %d", got, count, class, want)
		}
	}
	for _, k := range Kinds() {
		if kinds[k.ID] < count/2000 {
			t.Errorf("%v %s occurs %d times", k.Class, k.ID, kinds[k.ID])
		}
	}
	for _, e := range Encodings() {
		if encoding[e.ID] < count/1000 {
			t.Errorf("the encoding %s occurs %d times", e.ID, encoding[e.ID])
		}
	}
}

// TestLabels checks the labels' JSON, and that the id is the request's.
func TestLabels(t *testing.T) {
	each(mustNew(t, faulty(6, Mixed)), 5000, func(text []byte, l Label) {
		var label struct {
			N                   *uint64
			ID, Kind, What, How *string
		}
		if err := json.Unmarshal(l.AppendJSON(nil), &label); err != nil || label.N == nil || label.ID == nil || label.Kind == nil || label.What == nil {
			t.Fatalf("%s: %v", l.AppendJSON(nil), err)
		}
		if *label.N != l.N || *label.ID != l.ID() || *label.Kind != l.Class.String() || *label.What != l.What || (label.How != nil) != (l.Class == Payload) {
			t.Errorf("%s is not %+v", l.AppendJSON(nil), l)
		}
		var doc struct{ ID string }
		if l.Class == Clean || l.Class == Fraud {
			if err := json.Unmarshal(text, &doc); err != nil || doc.ID != l.ID() || doc.ID == "" {
				t.Errorf("%v: the label's id is %q: %s", err, l.ID(), text)
			}
		}
	})
}

func TestNewRefuses(t *testing.T) {
	for _, c := range []Config{{Shape: 99}, {Defects: All, Fraud: 1}, {Defects: Percent(60), Payloads: Percent(30), Fraud: Percent(20)}} {
		if _, err := New(c); err == nil {
			t.Errorf("New(%+v) has no error", c)
		}
	}
	if c := (Config{Seed: 5, Shape: CTV}); mustNew(t, c).Config() != c {
		t.Error("Config is another one than that of New")
	}
}

func TestNames(t *testing.T) {
	for _, s := range Shapes() {
		if got, err := ParseShape(s.String()); got != s || err != nil || s.About() == "" {
			t.Errorf("ParseShape(%q) = %v, %v", s.String(), got, err)
		}
	}
	if _, err := ParseShape("radio"); err == nil || !strings.Contains(err.Error(), "mixed") {
		t.Errorf("ParseShape of an unknown name: %v", err)
	}
	if Shape(77).String() != "Shape(77)" || Class(77).String() != "Class(77)" || Fraud.String() != "fraud" {
		t.Error("names of unknown values")
	}
	ids := map[string]bool{}
	for _, k := range Kinds() {
		if ids[k.ID] || k.About == "" || k.Class == Clean || strings.HasSuffix(k.About, ".") {
			t.Errorf("kind %+v", k)
		}
		ids[k.ID] = true
	}
}

func TestParseShare(t *testing.T) {
	for text, want := range map[string]Share{
		"0": 0, "0%": 0, "3%": 30_000, "0.03": 30_000, ".5": 500_000, "100%": All, "1": All, "1.0": All, "0.5%": 5_000, "12.3456%": 123_456, "0.000001": 1, " 7% ": 70_000, "0.10%": 1000,
	} {
		if got, err := ParseShare(text); got != want || err != nil {
			t.Errorf("ParseShare(%q) = %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "%", ".", "x", "-1%", "101%", "1.1", "2", "0.0000001", "3%%", "1e3", "0x1", "+1", "12.34567%", "3 %", "1_0%", "99999999999999999999"} {
		if got, err := ParseShare(text); err == nil {
			t.Errorf("ParseShare(%q) = %v, want an error", text, got)
		}
	}
	for s, want := range map[Share]string{0: "0%", 30_000: "3%", 5_000: "0.5%", 1: "0.0001%", All: "100%", 123_456: "12.3456%"} {
		if got := s.String(); got != want {
			t.Errorf("Share(%d) reads %s, want %s", uint32(s), got, want)
		}
	}
}

// TestAllocations checks that requests cost no memory.
func TestAllocations(t *testing.T) {
	if testkit.Race {
		t.Skip("the race detector allocates")
	}
	for _, s := range Shapes() {
		g := mustNew(t, faulty(8, s))
		text := make([]byte, 0, 64<<10)
		n := uint64(0)
		if got := testing.AllocsPerRun(3000, func() {
			text, _ = g.AppendRequest(text[:0], n)
			n++
		}); got != 0 {
			t.Errorf("%v: %v allocations for a request", s, got)
		}
	}
}

// BenchmarkAppendRequest makes requests of each shape.
func BenchmarkAppendRequest(b *testing.B) {
	for _, s := range Shapes() {
		b.Run("shape="+s.String(), func(b *testing.B) {
			b.ReportAllocs()
			g := mustNew(b, Config{Seed: 26, Shape: s, Defects: Percent(3), Payloads: 5000, Fraud: Percent(2)})
			var text []byte
			total, n := 0, uint64(0)
			for b.Loop() {
				text, _ = g.AppendRequest(text[:0], n)
				total += len(text)
				n++
			}
			b.SetBytes(int64(total) / int64(n))
		})
	}
}
