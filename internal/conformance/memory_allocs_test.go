package conformance

import (
	"os"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
)

// skipAllocs skips a test that counts allocations, in builds that allocate more on purpose.
func skipAllocs(t *testing.T) {
	t.Helper()
	if testkit.Race || !mem.ZeroCopy || testkit.Poisoned {
		t.Skip("this build copies strings or does not reuse memory")
	}
}

// TestArenasDoNotAllocate decodes every document of the corpus in warm arenas.
func TestArenasDoNotAllocate(t *testing.T) {
	skipAllocs(t)
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // it would empty the pools
	requests, responses := testkit.Requests(t), testkit.Responses(t)
	d, rd := openrtb.NewDecoder(), openrtb.NewResponseDecoder()
	for _, c := range []struct {
		name   string
		docs   [][]byte
		decode func([]byte) error
	}{
		{"ParseFastArena", requests, func(data []byte) error {
			v, err := openrtb.ParseFastArena(data)
			openrtb.ReleaseArena(v)
			return err
		}},
		{"Decoder.Decode", requests, func(data []byte) error { _, err := d.Decode(data); return err }},
		{"ParseResponseFastArena", responses, func(data []byte) error {
			v, err := openrtb.ParseResponseFastArena(data)
			openrtb.ReleaseResponseArena(v)
			return err
		}},
		{"ResponseDecoder.Decode", responses, func(data []byte) error { _, err := rd.Decode(data); return err }},
	} {
		for range 2 { // warm
			for _, data := range c.docs {
				_ = c.decode(data)
			}
		}
		worst := 0
		for i, data := range c.docs {
			if c.decode(data) != nil {
				continue // errors are allocated
			}
			if n := testkit.Allocs(func() { _ = c.decode(data) }); n != 0 {
				if worst++; worst < 5 {
					t.Errorf("%s allocates %v times for document %d: %s", c.name, n, i, testkit.Abridged(data))
				}
			}
		}
	}
}

// TestAllocsOfBanner limits the allocations of each function.
func TestAllocsOfBanner(t *testing.T) {
	skipAllocs(t)
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	banner, err := os.ReadFile(testkit.Path(t, "testdata/bench/banner.json"))
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
			t.Errorf("%s allocates %v times, want at most %v", c.name, n, c.most)
		}
	}
}

// TestEscapesDoNotAllocate decodes documents with more unescaped text than a decoder first has room
// for. The second decoding has enough, so the third allocates nothing.
func TestEscapesDoNotAllocate(t *testing.T) {
	skipAllocs(t)
	r := testkit.Rand(1)
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
