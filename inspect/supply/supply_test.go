package supply

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/rtbwire/rtbwire/internal/filewatch"
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
func parseAds(domain, text string) (*adsTxt, filewatch.Result, error) {
	p := &adsParser{entriesMax: 1000}
	return p.parse(domain, strings.NewReader(text))
}

// failing returns a reader of the text and then of the error.
func failing(text string, err error) io.Reader {
	return io.MultiReader(strings.NewReader(text), iotest.ErrReader(err))
}
