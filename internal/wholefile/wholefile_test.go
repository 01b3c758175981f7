package wholefile

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// names returns the files of a folder.
func names(t *testing.T, folder string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func create(t *testing.T, name, text string) *File {
	t.Helper()
	w, err := Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return w
}

func content(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestWhole: nothing has the final name before Commit, and nothing else is left after it.
func TestWhole(t *testing.T) {
	folder := t.TempDir()
	name := filepath.Join(folder, "a")
	w := create(t, name, "first")
	if got := names(t, folder); !slices.Equal(got, []string{".a.part"}) {
		t.Errorf("while it is written: %q", got)
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	w.Discard() // does nothing now
	if got := names(t, folder); !slices.Equal(got, []string{"a"}) || content(t, name) != "first" {
		t.Errorf("%q, %q", got, content(t, name))
	}

	create(t, name, "second").Discard()
	if got := names(t, folder); !slices.Equal(got, []string{"a"}) || content(t, name) != "first" {
		t.Errorf("after Discard: %q, %q", got, content(t, name))
	}

	// A run that was killed has left something longer.
	if err := os.WriteFile(filepath.Join(folder, ".a.part"), []byte(strings.Repeat("x", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := create(t, name, "third").Commit(); err != nil || content(t, name) != "third" {
		t.Errorf("%v, %q", err, content(t, name))
	}
	if got := names(t, folder); !slices.Equal(got, []string{"a"}) {
		t.Errorf("%q", got)
	}
}

// TestBusy: two runs do not write the same file at once.
func TestBusy(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	w := create(t, name, "first")
	defer w.Discard()
	if _, err := Create(name); !errors.Is(err, ErrBusy) {
		t.Fatalf("got %v", err)
	}
	if err := w.Commit(); err != nil || content(t, name) != "first" {
		t.Fatalf("%v, %q", err, content(t, name))
	}
	if err := create(t, name, "second").Commit(); err != nil || content(t, name) != "second" {
		t.Errorf("%v, %q", err, content(t, name))
	}
}

// TestLock: one at a time has it, and nothing stays behind.
func TestLock(t *testing.T) {
	folder := t.TempDir()
	name := filepath.Join(folder, "a")
	lock, err := Acquire(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Acquire(name); !errors.Is(err, ErrBusy) {
		t.Errorf("the second one: %v", err)
	}
	lock.Release()
	lock.Release()
	again, err := Acquire(name)
	if err != nil {
		t.Fatal(err)
	}
	again.Release()
	if got := names(t, folder); len(got) > 0 {
		t.Errorf("left behind: %q", got)
	}
	if _, err := Acquire(filepath.Join(folder, "none", "a")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
}

func TestErrors(t *testing.T) {
	folder := t.TempDir()
	if _, err := Create(folder); !errors.Is(err, ErrNotFile) {
		t.Errorf("a folder: %v", err)
	}
	if _, err := Create(filepath.Join(folder, "none", "a")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
	name := filepath.Join(folder, "a")
	w := create(t, name, "x")
	if err := os.Mkdir(name, 0o700); err != nil { // what comes in between
		t.Fatal(err)
	}
	if err := w.Commit(); err == nil {
		t.Error("a file has replaced a folder")
	}
	if got := names(t, folder); !slices.Equal(got, []string{"a"}) {
		t.Errorf("%q", got)
	}
}

// TestPlanted puts what another user of the folder could put where the temporary file will be.
func TestPlanted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links take a privilege there")
	}
	folder := t.TempDir()
	victim, part := filepath.Join(folder, "victim"), filepath.Join(folder, ".a.part")
	if err := os.WriteFile(victim, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	for what, plant := range map[string]func() error{
		"a link to a file":   func() error { return os.Symlink(victim, part) },
		"a link to nothing":  func() error { return os.Symlink(filepath.Join(folder, "none"), part) },
		"a link to a device": func() error { return os.Symlink(os.DevNull, part) },
		"a folder":           func() error { return os.Mkdir(part, 0o700) },
	} {
		if err := plant(); err != nil {
			t.Fatal(err)
		}
		if w, err := Create(filepath.Join(folder, "a")); !errors.Is(err, ErrTaken) || !strings.Contains(err.Error(), ".a.part") {
			t.Errorf("%s: %v, %v", what, w, err)
		}
		if err := os.Remove(part); err != nil {
			t.Fatal(err)
		}
	}
	if got := content(t, victim); got != "precious" {
		t.Errorf("the target of the link has %q", got)
	}
}

// TestMode: what replaces a file that others may not read is not for them either.
func TestMode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes say less there")
	}
	name := filepath.Join(t.TempDir(), "a")
	for _, mode := range []os.FileMode{0o600, 0o640, 0o666} {
		if err := errors.Join(os.WriteFile(name, nil, mode), os.Chmod(name, mode)); err != nil {
			t.Fatal(err)
		}
		if err := create(t, name, "x").Commit(); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%v, %v, want %v", info.Mode(), err, mode)
		}
	}
}

func TestLink(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links take a privilege there")
	}
	folder := t.TempDir()
	target, link := filepath.Join(folder, "target"), filepath.Join(folder, "link")
	if err := errors.Join(os.WriteFile(target, nil, 0o600), os.Symlink(target, link)); err != nil {
		t.Fatal(err)
	}
	if err := create(t, link, "x").Commit(); err != nil || content(t, target) != "x" {
		t.Errorf("%v, %q", err, content(t, target))
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("%v, %v", info, err)
	}
}
