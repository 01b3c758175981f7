package supply

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/filewatch"
	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/openrtb"
)

// TestRefresh adds, changes, breaks and removes files.
func TestRefresh(t *testing.T) {
	folder := tree(t, map[string]string{
		"ads_txt/a.com.txt": record("1"), "ads_txt/b.com": record("2"), "app_ads_txt/dev.com": record("3"),
		"sellers/exchange.com.json": file(`{"seller_id":"1","seller_type":"PUBLISHER"}`), "bundles.csv": "app,dev.com\n",
	})
	var reports []string
	o := folders(folder)
	o.Report = func(name string, s filewatch.FolderStatus) {
		reports = append(reports, fmt.Sprintf("%s: %d of %d refused, %d entries", name, s.Refused, s.Files, s.Entries))
	}
	s, err := Open(o)
	check(t, err)
	expect := func(what string, wantReports []string, wants ...string) {
		t.Helper()
		s.Refresh()
		slices.Sort(reports)
		if !slices.Equal(reports, wantReports) {
			t.Errorf("%s: reports %q, want %q", what, reports, wantReports)
		}
		reports = nil
		now := s.Snapshot()
		developer, _ := now.Developer("app")
		got := []string{
			now.AdsTxt("a.com").Relation("exchange.com", "1").String(), now.AdsTxt("b.com").Relation("exchange.com", "2").String(),
			now.AppAdsTxt("dev.com").Relation("exchange.com", "3").String(), now.Seller("exchange.com", "1").Type.String(), developer,
		}
		if !slices.Equal(got, wants) {
			t.Errorf("%s: %q, want %q", what, got, wants)
		}
	}
	expect("at first", nil, "direct", "direct", "direct", "PUBLISHER", "dev.com")
	before := s.Snapshot()

	a := filepath.Join(folder, "ads_txt", "a.com.txt")
	put(t, a, "exchange.com,1,RESELLER")
	put(t, filepath.Join(folder, "sellers", "exchange.com.json"), file(`{"seller_id":"1","seller_type":"BOTH"}`))
	expect("changed", []string{"ads_txt: 0 of 2 refused, 2 entries", "sellers: 0 of 1 refused, 1 entries"}, "reseller", "direct", "direct", "BOTH", "dev.com")
	put(t, a, "<html>")
	put(t, filepath.Join(folder, "ads_txt", "b.com"), "")
	put(t, filepath.Join(folder, "sellers", "exchange.com.json"), `{"sellers":[{"seller_id"`)
	put(t, filepath.Join(folder, "bundles.csv"), "app,not a domain")
	expect("broken", []string{"ads_txt: 2 of 2 refused, 2 entries", "bundles: 1 of 1 refused, 1 entries", "sellers: 1 of 1 refused, 1 entries"}, "reseller", "direct", "direct", "BOTH", "dev.com")
	expect("broken still", nil, "reseller", "direct", "direct", "BOTH", "dev.com")
	put(t, filepath.Join(folder, "ads_txt", "b.com"), "# nobody any more")
	check(t, os.Remove(a))
	check(t, os.Rename(filepath.Join(folder, "app_ads_txt"), filepath.Join(folder, "gone")))
	put(t, filepath.Join(folder, "bundles.csv"), "app,other.com")
	expect("removed", []string{"ads_txt: 0 of 1 refused, 0 entries", "app_ads_txt: 0 of 1 refused, 1 entries", "bundles: 0 of 1 refused, 1 entries"}, "unknown", "unknown", "direct", "BOTH", "other.com")

	if r := before.AdsTxt("a.com").Relation("exchange.com", "1"); r != Direct {
		t.Errorf("a snapshot has changed: %v", r)
	}
	status := s.Status()
	if len(status) != 4 || !errors.Is(status[NameAppAdsTxt].Err, fs.ErrNotExist) || status[NameAdsTxt].Err != nil || status[NameBundles].Loads != 2 {
		t.Errorf("%+v", status)
	}
	if got := s.Paths(); len(got) != 4 || got[0] != o.AdsTxt {
		t.Errorf("the paths are %q", got)
	}
}

func TestOpen(t *testing.T) {
	folder := tree(t, map[string]string{"bad.csv": "app", "ads_txt/a.com": "<html>", "big.csv": "a,b.com\nc,d.com\n", "nul.csv": "a,b.com\n\x00"})
	absent := filepath.Join(folder, "absent")
	for name, c := range map[string]struct {
		o    Options
		want string
	}{
		"no folder":        {Options{AdsTxt: absent, Sellers: absent, AppAdsTxt: absent}, "ads_txt: PATH/absent: no such file or directory\napp_ads_txt: PATH/absent: no such file or directory\nsellers: PATH/absent: no such file or directory"},
		"no bundles":       {Options{Bundles: absent}, "bundles: PATH/absent: no such file or directory"},
		"bad bundles":      {Options{Bundles: filepath.Join(folder, "bad.csv")}, "bundles: PATH/bad.csv:1: " + errBundle.Error()},
		"too many bundles": {Options{Bundles: filepath.Join(folder, "big.csv"), Limits: Limits{EntriesMax: 1}}, "bundles: PATH/big.csv:2: the file has more than 1 bundles"},
		"binary bundles":   {Options{Bundles: filepath.Join(folder, "nul.csv")}, "bundles: PATH/nul.csv:2: " + filewatch.ErrBinary.Error()},
		"a limit":          {Options{Limits: Limits{FilesMax: -1}}, "supply: a limit is negative"},
		"nothing":          {Options{}, ""},
		"a bad file":       {Options{AdsTxt: filepath.Join(folder, "ads_txt")}, ""},
	} {
		s, err := Open(c.o)
		message := ""
		if err != nil {
			message = strings.ReplaceAll(err.Error(), folder, "PATH")
		}
		if message != c.want {
			t.Errorf("%s: the error is %s, want %s", name, message, c.want)
		}
		if (s == nil) != (c.want != "") {
			t.Errorf("%s: the set is %v", name, s)
		}
	}
}

// TestNothingOpened has a set without folders.
func TestNothingOpened(t *testing.T) {
	s, err := Open(Options{})
	check(t, err)
	s.Refresh()
	now := s.Snapshot()
	if now.AdsTxt("a.com").Known() || now.AppAdsTxt("a.com").Known() || now.Seller("a.com", "1").Type != SellerUnknown || len(s.Status()) != 0 {
		t.Error("a set without folders knows something")
	}
}

// TestWatched changes a file below a watcher.
func TestWatched(t *testing.T) {
	folder := tree(t, map[string]string{"ads_txt/a.com.txt": record("1")})
	s, err := Open(folders(folder))
	check(t, err)
	w := filewatch.Watch(filewatch.Options{Rescan: time.Hour, Quiet: time.Millisecond}, s)
	defer w.Close()
	put(t, filepath.Join(folder, "ads_txt", "b.com.txt"), record("2"))
	for timeout := time.After(time.Minute); s.Snapshot().AdsTxt("b.com").Relation("exchange.com", "2") != Direct; {
		select {
		case <-timeout:
			t.Fatal("the new file was not seen")
		case <-time.After(time.Millisecond):
		}
	}
}

// TestSwap changes two files of different folders together while many goroutines ask: they see
// the old ones or the new ones.
func TestSwap(t *testing.T) {
	folder := tree(t, nil)
	version := func(n int) {
		name := fmt.Sprint(n)
		put(t, filepath.Join(folder, "ads_txt", "a.com.txt"), record(name)+"exchange.com,all,DIRECT\n")
		put(t, filepath.Join(folder, "sellers", "exchange.com.json"), file(`{"seller_id":"`+name+`","seller_type":"BOTH"},{"seller_id":"all","seller_type":"PUBLISHER"}`))
	}
	version(0)
	s, err := Open(folders(folder))
	check(t, err)
	chain := chainOf("1!exchange.com,all,1")
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				now := s.Snapshot()
				publisher := now.AdsTxt("www.a.com")
				found := -1
				for n := range 20 {
					name := fmt.Sprint(n)
					a, b := publisher.Relation("exchange.com", name) == Direct, now.Seller("exchange.com", name).Type == SellerBoth
					if a != b {
						t.Errorf("version %d: ads.txt has it: %v, sellers.json: %v", n, a, b)
						return
					}
					if a {
						found = n
					}
				}
				if c := now.Judge(chain, publisher); found < 0 || c.Signs != 0 {
					t.Errorf("version %d, signs %v", found, c.Signs)
					return
				}
			}
		})
	}
	for n := range 20 {
		version(n)
		s.Refresh()
	}
	close(stop)
	readers.Wait()
}

// TestNoAllocations holds lookups to no allocation.
func TestNoAllocations(t *testing.T) {
	if !mem.ZeroCopy {
		t.Skip("this build copies bytes to make strings")
	}
	files := map[string]string{}
	for _, m := range []map[string]string{websites, chainFiles} {
		maps.Copy(files, m)
	}
	s := open(t, files).Snapshot()
	site := &openrtb.BidRequest{Site: &openrtb.Site{Domain: "https://WWW.shared.com/", InventoryPartnerDomain: "Examplepublisher.com"}}
	app := &openrtb.BidRequest{App: &openrtb.App{Bundle: "com.example.game"}}
	chain := chainOf("1!Adnetwork.com,1200,1!exchange.com,184033B,1")
	for name, do := range map[string]func(){
		"AdsTxt":    func() { s.AdsTxt("https://www.Example.com/") },
		"AppAdsTxt": func() { s.AppAdsTxt("www.games.dev.com") },
		"Relation":  func() { s.AdsTxt("examplepublisher.com").Relation("Exchange.com", " 184003 ") },
		"Seller":    func() { s.Seller("Sub.Exchange.com", "184003") },
		"Judge":     func() { s.Judge(chain, s.Publisher(site)) },
		"Publisher": func() { s.Publisher(app) },
		"unknown":   func() { s.AdsTxt("a.b.unknown.example").Relation("exchange.com", "1") },
	} {
		if n := testing.AllocsPerRun(100, do); n != 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}
