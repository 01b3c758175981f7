package openrtb_test

import (
	"os"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/openrtb"
)

// skipAllocs skips tests that count allocations in builds that allocate more on purpose.
func skipAllocs(t *testing.T) {
	t.Helper()
	if raceEnabled || !mem.ZeroCopy || poisoned {
		t.Skip("this build copies strings, loses pooled memory, or never uses it twice")
	}
}

// TestArenasDoNotAllocate decodes every document of the corpus in arenas that are warm.
func TestArenasDoNotAllocate(t *testing.T) {
	skipAllocs(t)
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // it would empty the pools
	docs := realDocuments(t)
	d, rd := openrtb.NewDecoder(), openrtb.NewResponseDecoder()
	for _, c := range []struct {
		name   string
		docs   [][]byte
		decode func([]byte) error
	}{
		{"ParseFastArena", docs.requests, func(data []byte) error {
			v, err := openrtb.ParseFastArena(data)
			openrtb.ReleaseArena(v)
			return err
		}},
		{"Decoder.Decode", docs.requests, func(data []byte) error { _, err := d.Decode(data); return err }},
		{"ParseResponseFastArena", docs.responses, func(data []byte) error {
			v, err := openrtb.ParseResponseFastArena(data)
			openrtb.ReleaseResponseArena(v)
			return err
		}},
		{"ResponseDecoder.Decode", docs.responses, func(data []byte) error { _, err := rd.Decode(data); return err }},
	} {
		for range 2 { // warm
			for _, data := range c.docs {
				_ = c.decode(data)
			}
		}
		worst := 0
		for i, data := range c.docs {
			if c.decode(data) != nil {
				continue // an error is allocated
			}
			if n := testing.AllocsPerRun(1, func() { _ = c.decode(data) }); n != 0 {
				// Once more: something in the background may have allocated.
				if n = testing.AllocsPerRun(3, func() { _ = c.decode(data) }); n != 0 {
					if worst++; worst < 5 {
						t.Errorf("%s allocates %v times for document %d: %s", c.name, n, i, abridged(data))
					}
				}
			}
		}
	}
}

// TestAllocsOfBanner holds the ways in whose results own memory to few allocations.
func TestAllocsOfBanner(t *testing.T) {
	skipAllocs(t)
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	banner, err := os.ReadFile("../testdata/bench/banner.json")
	if err != nil {
		t.Fatal(err)
	}
	response := []byte(`{"id":"1","cur":"USD","seatbid":[{"seat":"s","bid":[{"id":"1","impid":"1","price":1.25,"adm":"<a>","adomain":["a.example"],"crid":"c","w":300,"h":250}]}]}`)
	for _, c := range []struct {
		name string
		most float64
		f    func() error
	}{
		{"Parse", 4, func() error { _, err := openrtb.Parse(banner); return err }},
		{"ParseFast", 3, func() error { _, err := openrtb.ParseFast(banner); return err }},
		{"ParseResponse", 4, func() error { _, err := openrtb.ParseResponse(response); return err }},
		{"ParseResponseFast", 3, func() error { _, err := openrtb.ParseResponseFast(response); return err }},
		{"ParseFastArena", 0, func() error {
			v, err := openrtb.ParseFastArena(banner)
			openrtb.ReleaseArena(v)
			return err
		}},
	} {
		if err := c.f(); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		n := testing.AllocsPerRun(20, func() { _ = c.f() })
		t.Logf("%s: %v allocations", c.name, n)
		if n > c.most {
			t.Errorf("%s allocates %v times, the most is %v", c.name, n, c.most)
		}
	}
}

// TestEscapesDoNotAllocate decodes documents whose unescaped strings do not fit into the first memory for them, nor into
// what they grow it to: the second decoding has enough, and keeps it.
func TestEscapesDoNotAllocate(t *testing.T) {
	skipAllocs(t)
	r := newRand(1)
	for range 300 {
		var b strings.Builder
		b.WriteString(`{"cur":[`)
		for range 1 + r.IntN(20) {
			b.WriteString(`"\n` + strings.Repeat("a", r.IntN(1<<r.IntN(14))) + `",`)
		}
		b.WriteString(`"\t"]}`)
		data := []byte(b.String())
		d := openrtb.NewDecoder()
		for range 2 {
			if _, err := d.Decode(data); err != nil {
				t.Fatal(err)
			}
		}
		if n := testing.AllocsPerRun(3, func() { _, _ = d.Decode(data) }); n != 0 {
			t.Fatalf("%v allocations for %d bytes", n, len(data))
		}
	}
}
