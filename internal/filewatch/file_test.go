package filewatch

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// words is the parser of these tests: the words of a text. The word "bad" is refused.
func words(r io.Reader) ([]string, Result, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, Result{}, err
	}
	if before, _, ok := bytes.Cut(text, []byte("bad")); ok {
		return nil, Result{}, &LineError{1 + bytes.Count(before, []byte("\n")), errors.New("expected a good word")}
	}
	w := strings.Fields(string(text))
	return w, Result{Entries: len(w)}, nil
}

// old is a time before the window in which changes could be missed.
var old = time.Now().Add(-time.Hour)

// put replaces the file by renaming, with a time that differs from those before.
func put(tb testing.TB, path, text string) {
	tb.Helper()
	write(tb, path+".new", text)
	if err := os.Rename(path+".new", path); err != nil {
		tb.Fatal(err)
	}
}

// write writes into the file.
func write(tb testing.TB, path, text string) {
	tb.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		tb.Fatal(err)
	}
	old = old.Add(time.Second)
	if err := os.Chtimes(path, old, old); err != nil {
		tb.Fatal(err)
	}
}

func expect(t *testing.T, f *File[[]string], news bool, want, err string) {
	t.Helper()
	if got := f.Refresh(); got != news {
		t.Errorf("Refresh() = %v, want %v", got, news)
	}
	text := "nothing"
	if v := f.Value(); v != nil {
		text = strings.Join(*v, " ")
	}
	if text != want {
		t.Errorf("the value is %q, want %q", text, want)
	}
	message := fmt.Sprint(f.Status().Err)
	if message = strings.ReplaceAll(message, f.Path(), "PATH"); message != orNil(err) {
		t.Errorf("the error is %s, want %s", message, orNil(err))
	}
}

func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "words")
	f := NewFile(path, 100, words)
	expect(t, f, true, "nothing", "PATH: no such file or directory")
	if !errors.Is(f.Status().Err, fs.ErrNotExist) {
		t.Errorf("%v is not fs.ErrNotExist", f.Status().Err)
	}
	expect(t, f, false, "nothing", "PATH: no such file or directory")
	put(t, path, "")
	expect(t, f, true, "", "")
	put(t, path, "a b")
	expect(t, f, true, "a b", "")
	expect(t, f, false, "a b", "")
	put(t, path, "c\nbad")
	expect(t, f, true, "a b", "PATH:2: expected a good word")
	expect(t, f, false, "a b", "PATH:2: expected a good word")
	put(t, path, strings.Repeat("x", 101))
	expect(t, f, true, "a b", "PATH: "+ErrTooLarge.Error())
	expect(t, f, false, "a b", "PATH: "+ErrTooLarge.Error())
	put(t, path, "")
	expect(t, f, true, "a b", "PATH: "+ErrEmptied.Error())
	put(t, path, strings.Repeat("y", 100))
	expect(t, f, true, strings.Repeat("y", 100), "")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	expect(t, f, true, strings.Repeat("y", 100), "PATH: no such file or directory")
	put(t, path, "z")
	expect(t, f, true, "z", "")

	s := f.Status()
	if s.Loads != 4 || s.Failures != 6 || s.Entries != 1 || s.Path != path || !s.Modified.Equal(old) || time.Since(s.LoadedAt) > time.Hour || time.Since(s.FailedAt) > time.Hour {
		t.Errorf("%+v", s)
	}
}

// TestFailedAt: an error that is seen again does not become newer.
func TestFailedAt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	f := NewFile(path, 100, words)
	expect(t, f, true, "nothing", "PATH: no such file or directory")
	at := f.Status().FailedAt
	expect(t, f, false, "nothing", "PATH: no such file or directory")
	if s := f.Status(); s.FailedAt != at || s.Failures != 2 || at.IsZero() {
		t.Errorf("%+v, want the failure of %v", s, at)
	}
	put(t, path, "bad")
	f.Refresh()
	if s := f.Status(); !s.FailedAt.After(at) {
		t.Errorf("%+v: another error is not newer than %v", s, at)
	}
}

// TestFileInPlace changes the file without replacing it.
func TestFileInPlace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "words")
	f := NewFile(path, 0, words)
	write(t, path, "a")
	expect(t, f, true, "a", "")
	write(t, path, "b")
	expect(t, f, true, "b", "")
}

// TestFileSameTime changes a file so soon that its time and size stay the same.
func TestFileSameTime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "words")
	f := NewFile(path, 0, words)
	now := time.Now()
	for _, text := range []string{"a", "b"} {
		write(t, path, text)
		if err := os.Chtimes(path, now, now); err != nil {
			t.Fatal(err)
		}
		expect(t, f, true, text, "")
	}
	expect(t, f, false, "b", "")
	if got := f.Status().Loads; got != 2 {
		t.Errorf("%d loads, want 2: the third look read the same content", got)
	}
	defer func(before time.Time) { old = before }(old)
	old = now.Add(-2 * racyWindow)
	write(t, path, "c")
	expect(t, f, true, "c", "")
	expect(t, f, false, "c", "")
}

// TestWhileReading changes the file in the middle of a load.
func TestWhileReading(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(t *testing.T, path string)
		want   string
		err    string
	}{
		{"deleted", func(t *testing.T, path string) { check(t, os.Remove(path)) }, "one two", ""},
		{"replaced", func(t *testing.T, path string) { put(t, path, "three") }, "one two", ""},
		{"truncated", func(t *testing.T, path string) { check(t, os.Truncate(path, 2)) }, "first", "PATH: " + ErrChanging.Error()},
		{"appended", func(t *testing.T, path string) { write(t, path, "one two three") }, "first", "PATH: " + ErrChanging.Error()},
		{"written", func(t *testing.T, path string) { write(t, path, "six ten") }, "first", "PATH: " + ErrChanging.Error()},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "words")
			var change func()
			f := NewFile(path, 0, func(r io.Reader) ([]string, Result, error) {
				start := make([]byte, 4)
				n, err := io.ReadFull(r, start)
				if change != nil {
					change()
					change = nil
				}
				if err != nil {
					return nil, Result{}, err
				}
				return words(io.MultiReader(bytes.NewReader(start[:n]), r))
			})
			put(t, path, "first")
			expect(t, f, true, "first", "")
			put(t, path, "one two")
			change = func() { c.change(t, path) }
			expect(t, f, true, c.want, c.err)
			put(t, path, "good again")
			expect(t, f, true, "good again", "")
		})
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestNotRegular refuses what is not a regular file, without waiting for it.
func TestNotRegular(t *testing.T) {
	folder := t.TempDir()
	loop := filepath.Join(folder, "loop")
	check(t, os.Symlink(loop, loop))
	for path, want := range map[string]string{folder: ErrNotRegular.Error(), loop: "too many levels of symbolic links", filepath.Join(folder, "no", "file"): "no such file or directory"} {
		if runtime.GOOS != "linux" && path != folder {
			continue // the message is the system's
		}
		expect(t, NewFile(path, 0, words), true, "nothing", "PATH: "+want)
	}
	if runtime.GOOS == "linux" {
		expect(t, NewFile("/dev/zero", 0, words), true, "nothing", "PATH: "+ErrNotRegular.Error())
	}
}

// TestSymlinks replaces the folder that a link in the path leads to, as Kubernetes does with
// configuration.
func TestSymlinks(t *testing.T) {
	folder := t.TempDir()
	path := mounted(t, folder)
	f := NewFile(path, 0, words)
	expect(t, f, true, "v1", "")
	swap(t, folder, "v2")
	expect(t, f, true, "v2", "")
}

// mounted makes a folder as the kubelet does: words -> ..data/words, ..data -> ..v1.
func mounted(tb testing.TB, folder string) (path string) {
	tb.Helper()
	swap(tb, folder, "v1")
	path = filepath.Join(folder, "words")
	if err := os.Symlink(filepath.Join("..data", "words"), path); err != nil {
		tb.Fatal(err)
	}
	return path
}

func swap(tb testing.TB, folder, version string) {
	tb.Helper()
	for _, err := range []error{
		os.Mkdir(filepath.Join(folder, ".."+version), 0o700),
		os.WriteFile(filepath.Join(folder, ".."+version, "words"), []byte(version), 0o600),
		os.Symlink(".."+version, filepath.Join(folder, "..new")),
		os.Rename(filepath.Join(folder, "..new"), filepath.Join(folder, "..data")),
	} {
		if err != nil {
			tb.Fatal(err)
		}
	}
}

func TestErrors(t *testing.T) {
	cause := errors.New("cause")
	for err, want := range map[error]string{
		&Error{Path: "a", Err: cause}: "a: cause", &Error{Path: "a", Line: 3, Err: cause}: "a:3: cause", &LineError{3, cause}: "line 3: cause",
	} {
		if err.Error() != want || !errors.Is(err, cause) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
