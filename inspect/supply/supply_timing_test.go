package supply

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/cputime"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
)

// random is a number for n, always the same.
func random(n int) uint64 { return rand.New(rand.NewPCG(uint64(n), 1)).Uint64() } //nolint:gosec // test data

// site, system and sellerOf make names of the lengths that are usual.
func site(n int) string     { return fmt.Sprintf("site%d-%x.com", n, random(n)>>44) }
func system(n int) string   { return fmt.Sprintf("exchange%d.com", n%300) }
func sellerOf(n int) string { return fmt.Sprintf("pub-%d", random(n)>>12) }

// writeAds writes an ads.txt file of so many records; the first is account n.
func writeAds(tb testing.TB, folder string, n, records int) {
	tb.Helper()
	var b strings.Builder
	for i := range records {
		fmt.Fprintf(&b, "%s, %s, %s, f08c47fec0942fa0\n", system(n+i), sellerOf(n+i), []string{"DIRECT", "RESELLER"}[min(i, 1)])
	}
	check(tb, os.WriteFile(filepath.Join(folder, site(n)+".txt"), []byte(b.String()), 0o600))
}

// writeSellers writes a sellers.json file.
func writeSellers(tb testing.TB, path string, sellers int) {
	tb.Helper()
	out, err := os.Create(path)
	check(tb, err)
	w := bufio.NewWriter(out)
	fmt.Fprint(w, `{"version":"1.0","sellers":[`)
	for n := range sellers {
		if n > 0 {
			fmt.Fprint(w, ",\n")
		}
		fmt.Fprintf(w, `{"seller_id": %q, "name": "Publisher Number %d, Inc.", "domain": %q, "seller_type": "PUBLISHER"}`, sellerOf(n), n, site(n))
	}
	fmt.Fprint(w, `]}`)
	check(tb, w.Flush())
	check(tb, out.Close())
}

func heap() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc) //nolint:gosec // fits
}

// watchHeap returns a function that says how large the heap was at most until then.
func watchHeap() (peak func() int) {
	stop, done := make(chan struct{}), make(chan int)
	go func() {
		top := 0
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			top = max(top, int(m.HeapAlloc)) //nolint:gosec // fits
			select {
			case <-stop:
				done <- top
				return
			case <-time.After(10 * time.Millisecond):
			}
		}
	}()
	return func() int { close(stop); return <-done }
}

// TestBigFolders loads folders of production size, and holds memory and times to limits. It prints
// them.
func TestBigFolders(t *testing.T) {
	if !testkit.Long(t) {
		t.Skip("writes half a gigabyte and takes a minute: RTBWIRE_LONG=1")
	}
	t.Run("files", func(t *testing.T) { bigFolder(t, 100_000, 1, 1100) })
	t.Run("records", func(t *testing.T) { bigFolder(t, 5000, 1000, 9.2) })
	t.Run("sellers", bigSellers)
}

// bigFolder holds what a record takes, with its share of the file.
func bigFolder(t *testing.T, files, records int, bytesMax float64) {
	folder := t.TempDir()
	for n := range files {
		writeAds(t, folder, n, records)
	}
	time.Sleep(3 * time.Second) // no file is so new that it must be read again
	before := heap()
	var s *Set
	took := cputime.Of(func() {
		var err error
		s, err = Open(Options{AdsTxt: folder})
		check(t, err)
	})
	bytes := float64(heap()-before) / float64(files*records)
	again := cputime.Of(s.Refresh)
	writeAds(t, folder, 0, records+1)
	changed := cputime.Of(s.Refresh)
	t.Logf("%d files of %d records: loaded in %v, %.1f bytes a record; a refresh without changes %v, with one %v", files, records, took, bytes, again, changed)
	if status := s.Status()[NameAdsTxt]; status.Files != files || status.Refused != 0 || status.Entries != files*records+1 {
		t.Errorf("%+v", status)
	}
	if bytes > bytesMax {
		t.Errorf("a record takes %.1f bytes, want at most %v", bytes, bytesMax)
	}
	if again > time.Second {
		t.Errorf("a refresh without changes takes %v of CPU time", again)
	}
	now := s.Snapshot()
	lookups(t, "relation, listed", files, func(n names) bool {
		return now.AdsTxt(n.site).Relation(n.system, n.seller) == Direct
	})
	lookups(t, "relation by a subdomain, not listed", files, func(n names) bool {
		return now.AdsTxt(n.subdomain).Relation(n.system, n.other) == Unauthorized
	})
}

func bigSellers(t *testing.T) {
	folder := t.TempDir()
	const sellers = 1_000_000
	path := filepath.Join(folder, "exchange0.com.json")
	writeSellers(t, path, sellers)
	info, err := os.Stat(path)
	check(t, err)
	before := heap()
	peak := watchHeap()
	var s *Set
	took := cputime.Of(func() {
		s, err = Open(Options{Sellers: folder})
		check(t, err)
	})
	top := float64(peak()-before) / sellers
	bytes := float64(heap()-before) / sellers
	t.Logf("%d sellers, %d MB: loaded in %v, %.1f bytes each, at most %.1f while loading", sellers, info.Size()>>20, took, bytes, top)
	if bytes > 35 || top > 150 {
		t.Errorf("a seller takes %.1f bytes, and %.1f while loading", bytes, top)
	}
	now := s.Snapshot()
	lookups(t, "seller, listed", sellers, func(n names) bool { return now.Seller("exchange0.com", n.seller).Domain == n.site })
	lookups(t, "seller, not listed", sellers, func(n names) bool {
		return now.Seller("exchange0.com", n.other).Type == SellerNotListed
	})
}

// names are the names of a lookup.
type names struct{ site, subdomain, system, seller, other string }

// lookups prints the CPU time of a lookup, and holds it to a limit.
func lookups(t *testing.T, name string, of int, do func(n names) bool) {
	t.Helper()
	all := make([]names, 1<<14)
	for i := range all {
		n := int(random(i)>>1) % of //nolint:gosec // fits
		all[i] = names{site(n), "www." + site(n), system(n), sellerOf(n), sellerOf(n + of)}
	}
	best := time.Hour
	for range 10 {
		best = min(best, cputime.Of(func() {
			for _, n := range all {
				if !do(n) {
					t.Fatalf("%s: another answer", name)
				}
			}
		})/time.Duration(len(all)))
	}
	t.Logf("%s: %v", name, best)
	if best > 2*time.Microsecond {
		t.Errorf("%s takes %v of CPU time", name, best)
	}
}

func BenchmarkLookup(b *testing.B) {
	s := open(b, chainFiles).Snapshot()
	request := &openrtb.BidRequest{Site: &openrtb.Site{Domain: "www.examplepublisher.com"}}
	chain := chainOf("1!adnetwork.com,1200,1!exchange.com,184033B,1")
	publisher := s.Publisher(request)
	for name, do := range map[string]func(){
		"Publisher": func() { s.Publisher(request) },
		"Relation":  func() { publisher.Relation("exchange.com", "184003") },
		"Seller":    func() { s.Seller("exchange.com", "184003") },
		"Judge":     func() { s.Judge(chain, publisher) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				do()
			}
		})
	}
}

// BenchmarkParse reads files of 1,000 lines or sellers.
func BenchmarkParse(b *testing.B) {
	folder := b.TempDir()
	writeAds(b, folder, 0, 1000)
	writeSellers(b, filepath.Join(folder, "sellers.json"), 1000)
	ads, err := os.ReadFile(filepath.Join(folder, site(0)+".txt"))
	check(b, err)
	sellers, err := os.ReadFile(filepath.Join(folder, "sellers.json"))
	check(b, err)
	b.Run("AdsTxt", func(b *testing.B) {
		p := &adsParser{entriesMax: 10_000}
		b.SetBytes(int64(len(ads)))
		for b.Loop() {
			_, _, err := p.parse("example.com", strings.NewReader(string(ads)))
			check(b, err)
		}
	})
	b.Run("Sellers", func(b *testing.B) {
		p := &sellersParser{entriesMax: 10_000}
		b.SetBytes(int64(len(sellers)))
		for b.Loop() {
			_, _, err := p.parse("exchange.com", strings.NewReader(string(sellers)))
			check(b, err)
		}
	})
}
