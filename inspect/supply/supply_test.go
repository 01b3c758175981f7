package supply

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/inspect/reload"
)

// tree writes files below a new folder, by path.
func tree(tb testing.TB, files map[string]string) (folder string) {
	tb.Helper()
	folder = tb.TempDir()
	for _, name := range []string{NameAdsTxt, NameAppAdsTxt, NameSellers} {
		check(tb, os.Mkdir(filepath.Join(folder, name), 0o700))
	}
	for path, text := range files {
		put(tb, filepath.Join(folder, path), text)
	}
	return folder
}

// old is a time before the window in which changes could be missed.
var old = time.Now().Add(-time.Hour)

// put replaces the file by renaming, with a time that differs from those before.
func put(tb testing.TB, path, text string) {
	tb.Helper()
	fresh := filepath.Join(filepath.Dir(path), ".new")
	check(tb, os.WriteFile(fresh, []byte(text), 0o600))
	old = old.Add(time.Second)
	check(tb, os.Chtimes(fresh, old, old))
	check(tb, os.Rename(fresh, path))
}

func check(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// folders are the options for all folders of a tree, and for its bundles if it has them.
func folders(folder string) Options {
	o := Options{
		AdsTxt: filepath.Join(folder, NameAdsTxt), AppAdsTxt: filepath.Join(folder, NameAppAdsTxt), Sellers: filepath.Join(folder, NameSellers),
	}
	if path := filepath.Join(folder, "bundles.csv"); fileExists(path) {
		o.Bundles = path
	}
	return o
}

func fileExists(path string) bool { _, err := os.Stat(path); return err == nil }

func open(tb testing.TB, files map[string]string) *Set {
	tb.Helper()
	s, err := Open(folders(tree(tb, files)))
	check(tb, err)
	return s
}

// parseAds reads an ads.txt file of the domain.
func parseAds(domain, text string) (*adsTxt, reload.Result, error) {
	p := &adsParser{entriesMax: 1000}
	return p.parse(domain, strings.NewReader(text))
}

func TestThin(t *testing.T) {
	s := open(t, map[string]string{
		"ads_txt/example.com.txt":   "# hi\nexchange.com, 1, DIRECT\nexchange.com,2,reseller,abc # c\nOWNERDOMAIN=example.com\n",
		"sellers/exchange.com.json": `{"version":"1.0","sellers":[{"seller_id":"1","seller_type":"PUBLISHER","domain":"example.com"}]}`,
	}).Snapshot()
	p := s.AdsTxt("https://www.Example.com/x")
	if r := p.Relation("exchange.com", "1"); r != Direct {
		t.Error(r)
	}
	if r := p.Relation("Exchange.com", " 2 "); r != Reseller {
		t.Error(r)
	}
	t.Logf("%+v", s.Seller("exchange.com", "1"))
}
