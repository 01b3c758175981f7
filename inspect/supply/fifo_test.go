//go:build unix

package supply

import (
	"path/filepath"
	"syscall"
	"testing"
)

// TestFIFO has pipes without a writer in the folders.
func TestFIFO(t *testing.T) {
	folder := tree(t, map[string]string{"ads_txt/a.com": record("1")})
	for _, name := range []string{"ads_txt/pipe.com", "sellers/pipe.com.json"} {
		check(t, syscall.Mkfifo(filepath.Join(folder, name), 0o600))
	}
	s, err := Open(folders(folder))
	check(t, err)
	relation(t, s.Snapshot().AdsTxt("a.com"), "a.com", "1")
	if s.Status()[NameAdsTxt].Refused != 1 || s.Status()[NameSellers].Refused != 1 {
		t.Errorf("%+v", s.Status())
	}
}
