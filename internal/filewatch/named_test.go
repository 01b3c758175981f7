package filewatch

import (
	"io"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// TestStatusDuringLoad asks for the status of a file and of a folder while they are loaded: a
// scrape of metrics must not wait for a list with millions of entries.
func TestStatusDuringLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	put(t, path, "a b")
	var file *File[[]string]
	asked := 0
	file = NewFile(path, 0, func(r io.Reader) ([]string, Result, error) {
		asked += int(file.Status().Loads) // waits forever if a load holds the status
		return words(r)
	})
	file.Refresh()
	put(t, path, "a b c")
	file.Refresh()
	if s := file.Status(); asked != 1 || s.Loads != 2 || s.Entries != 3 {
		t.Errorf("%d loads before, %+v", asked, s)
	}
	var folder *Folder[[]string]
	folder = NewFolder(filepath.Dir(path), FolderOptions[[]string]{
		Key: func(name string) (string, bool) { return name, true },
		Parse: func(_ string, r io.Reader) ([]string, Result, error) {
			asked += folder.Status().Files
			return words(r)
		},
	})
	folder.Refresh()
	put(t, path, "a")
	folder.Refresh()
	if s := folder.Status(); asked != 2 || s.Loads != 2 || s.Entries != 1 {
		t.Errorf("%d files before, %+v", asked-1, s)
	}
}

// TestNews loads, breaks, repairs and forgets files: each change is news once.
func TestNews(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "list")
	put(t, path, "a b")
	file := NewFile(path, 0, words)
	folder := NewFolder(filepath.Join(dir, "folder"), FolderOptions[[]string]{
		Key:   func(name string) (string, bool) { return name, true },
		Parse: func(_ string, r io.Reader) ([]string, Result, error) { return words(r) },
	})
	now := time.Now()
	var news News
	step := func(what string, want ...string) {
		t.Helper()
		file.Refresh()
		folder.Refresh()
		status := folder.Status()
		list := file.Status().Named(KindList, "words")
		list.MaxAge = 2 * time.Hour
		var got []string
		for _, f := range news.Of([]Named{list, status.Named(KindSupply, "folder")}, now) {
			got = append(got, f.Kind+" "+f.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: news about %q, want %q", what, got, want)
		}
	}
	step("at first", "list words", "supply folder")
	step("nothing new")
	put(t, path, "bad")
	step("a bad line", "list words")
	step("the same bad line")
	put(t, path, "worse\nbad")
	step("another line", "list words")
	put(t, path, "a b")
	step("repaired", "list words")
	now = now.Add(3 * time.Hour)
	step("old", "list words")
	step("still old")
	now = now.Add(-3 * time.Hour)
	step("young again", "list words")
	if got := news.Of(nil, now); len(got) != 0 {
		t.Errorf("files that are gone: %v", got)
	}
	step("back", "list words", "supply folder")
}
