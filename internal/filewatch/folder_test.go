package filewatch

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// newFolder is a folder of words: files N and N.txt have the key N.
func newFolder(path string) *Folder[[]string] {
	return NewFolder(path, FolderOptions[[]string]{
		Key: func(name string) (string, bool) {
			return strings.TrimSuffix(name, ".txt"), !strings.HasPrefix(name, ".")
		},
		Parse:    func(_ string, r io.Reader) ([]string, Result, error) { return words(r) },
		FilesMax: 15, SizeMax: 100,
	})
}

// expectFolder refreshes the folder and compares its values, as "key:words", and its errors.
func expectFolder(t *testing.T, f *Folder[[]string], news bool, want, errs string) {
	t.Helper()
	if got := f.Refresh(); got != news {
		t.Errorf("Refresh() = %v, want %v", got, news)
	}
	values := f.Values()
	var got []string
	for _, key := range slices.Sorted(maps.Keys(values)) {
		got = append(got, key+":"+strings.Join(values[key], " "))
	}
	if got := strings.Join(got, ", "); got != want {
		t.Errorf("the values are %q, want %q", got, want)
	}
	s := f.Status()
	message := strings.ReplaceAll(fmt.Sprint(errors.Join(append(s.Problems, s.Err)...)), f.Path(), "PATH")
	if message != orNil(errs) {
		t.Errorf("the errors are %s, want %s", message, orNil(errs))
	}
}

func TestFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "folder")
	f := newFolder(path)
	expectFolder(t, f, true, "", "PATH: no such file or directory")
	expectFolder(t, f, false, "", "PATH: no such file or directory")
	check(t, os.Mkdir(path, 0o700))
	expectFolder(t, f, true, "", "")
	expectFolder(t, f, false, "", "")

	a, b := filepath.Join(path, "a"), filepath.Join(path, "b.txt")
	put(t, a, "1 2")
	put(t, b, "3")
	put(t, filepath.Join(path, ".hidden"), "bad")
	expectFolder(t, f, true, "a:1 2, b:3", "")
	before := f.Values()
	expectFolder(t, f, false, "a:1 2, b:3", "")
	put(t, b, "4 5")
	expectFolder(t, f, true, "a:1 2, b:4 5", "")
	if before["b"][0] != "3" {
		t.Error("values that were returned before have changed")
	}
	put(t, b, "x\nbad")
	expectFolder(t, f, true, "a:1 2, b:4 5", "PATH/b.txt:2: expected a good word")
	expectFolder(t, f, false, "a:1 2, b:4 5", "PATH/b.txt:2: expected a good word")
	if s := f.Status(); s.Files != 2 || s.Refused != 1 || s.Entries != 4 || s.Loads != 3 || s.Failures != 3 || s.LoadedAt.IsZero() || s.FailedAt.IsZero() || s.Named("", "").FailedAt != s.FailedAt {
		t.Errorf("%+v", s)
	}
	check(t, os.Remove(b))
	expectFolder(t, f, true, "a:1 2", "")

	check(t, os.Rename(path, path+".away"))
	expectFolder(t, f, true, "a:1 2", "PATH: no such file or directory")
	check(t, os.Mkdir(path, 0o700))
	expectFolder(t, f, true, "a:1 2", "PATH: "+ErrFolderEmptied.Error())
	put(t, filepath.Join(path, ".empty"), "")
	expectFolder(t, f, true, "", "")
}

// TestFolderTwoNames has two files with one key: the first name in order counts.
func TestFolderTwoNames(t *testing.T) {
	path := t.TempDir()
	f := newFolder(path)
	put(t, filepath.Join(path, "a.txt"), "second")
	expectFolder(t, f, true, "a:second", "")
	put(t, filepath.Join(path, "a"), "first")
	expectFolder(t, f, true, "a:first", "")
	expectFolder(t, f, false, "a:first", "")
	put(t, filepath.Join(path, "a.txt"), "third")
	expectFolder(t, f, false, "a:first", "")
	check(t, os.Remove(filepath.Join(path, "a")))
	expectFolder(t, f, true, "a:third", "")
	// A new name with a bad file keeps the value.
	check(t, os.Remove(filepath.Join(path, "a.txt")))
	put(t, filepath.Join(path, "a"), "bad")
	expectFolder(t, f, true, "a:third", "PATH/a:1: expected a good word")
}

func TestFolderOfManyFiles(t *testing.T) {
	path := t.TempDir()
	f := newFolder(path)
	want := []string{}
	for i := range 15 {
		name := fmt.Sprintf("f%02d", i)
		put(t, filepath.Join(path, name), "w")
		want = append(want, name+":w")
	}
	expectFolder(t, f, true, strings.Join(want, ", "), "")
	extra := filepath.Join(path, "more")
	put(t, extra, "w")
	expectFolder(t, f, true, strings.Join(want, ", "), "PATH: the folder has more than 15 files")
	expectFolder(t, f, false, strings.Join(want, ", "), "PATH: the folder has more than 15 files")
	check(t, os.Remove(extra))
	expectFolder(t, f, true, strings.Join(want, ", "), "")
	for i := range 15 {
		put(t, filepath.Join(path, fmt.Sprintf("f%02d", i)), "bad")
	}
	var errs []string
	for i := range problemsMax {
		errs = append(errs, fmt.Sprintf("PATH/f%02d:1: expected a good word", i))
	}
	expectFolder(t, f, true, strings.Join(want, ", "), strings.Join(errs, "\n"))
	if s := f.Status(); s.Refused != 15 {
		t.Errorf("%d refused, want 15", s.Refused)
	}
}

// TestFolderOfOthers has files of every kind that is not a regular one.
func TestFolderOfOthers(t *testing.T) {
	path := t.TempDir()
	f := newFolder(path)
	put(t, filepath.Join(path, "ok"), "w")
	put(t, filepath.Join(path, "large"), strings.Repeat("x", 101))
	check(t, os.Mkdir(filepath.Join(path, "sub"), 0o700))
	check(t, os.Symlink("ok", filepath.Join(path, "link")))
	check(t, os.Symlink("loop", filepath.Join(path, "loop")))
	f.Refresh()
	if got := len(f.Values()); got != 2 || f.Values()["link"] == nil {
		t.Errorf("the values are %v, want those of ok and link", f.Values())
	}
	if s := f.Status(); s.Files != 5 || s.Refused != 3 || !errors.Is(s.Problems[0], ErrTooLarge) || !errors.Is(s.Problems[2], ErrNotRegular) {
		t.Errorf("%+v", s)
	}
	expectNothing := newFolder(filepath.Join(path, "ok"))
	if !expectNothing.Refresh() || expectNothing.Status().Err == nil {
		t.Error("a file is no folder, and there is no error")
	}
}

func TestFolderSkipped(t *testing.T) {
	path := t.TempDir()
	f := NewFolder(path, FolderOptions[int]{
		Key: func(name string) (string, bool) { return name, true },
		Parse: func(key string, _ io.Reader) (int, Result, error) {
			return 1, Result{Entries: 1, Skipped: 2, SkippedFirst: &LineError{3, errors.New("in " + key)}}, nil
		},
	})
	for _, name := range []string{"b", "a", "c"} {
		put(t, filepath.Join(path, name), "w")
	}
	f.Refresh()
	s := f.Status()
	if want := filepath.Join(path, "a") + ":3: in a"; s.Entries != 3 || s.Skipped != 6 || s.SkippedFirst.Error() != want {
		t.Errorf("%+v, want skipped entries, the first %s", s, want)
	}
}
