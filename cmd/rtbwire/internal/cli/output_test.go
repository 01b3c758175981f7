package cli

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
)

func content(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestCreateOutput: a file that was there stays until its successor is complete.
func TestCreateOutput(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(name, []byte("older"), 0o600); err != nil {
		t.Fatal(err)
	}
	begin := func() Output {
		out, err := CreateOutput(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(out, "newer"); err != nil {
			t.Fatal(err)
		}
		if got := content(t, name); got != "older" {
			t.Fatalf("the file has %q while it is written", got)
		}
		return out
	}
	begin().Discard()
	out := begin()
	if err := out.Commit(); err != nil {
		t.Fatal(err)
	}
	out.Discard()
	if got := content(t, name); got != "newer" {
		t.Errorf("the file has %q", got)
	}
	if _, err := CreateOutput(filepath.Dir(name)); err == nil {
		t.Error("a folder is written")
	}
}

// TestCreateOutputDirectly: an open file of the process is written where it is, after what it has.
func TestCreateOutputDirectly(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("open files have such names on Linux alone")
	}
	f, err := os.Create(filepath.Join(t.TempDir(), "a"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString("before "); err != nil {
		t.Fatal(err)
	}
	out, err := CreateOutput(filepath.Join("/proc/self/fd", strconv.Itoa(int(f.Fd()))))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(out, "after"); err != nil {
		t.Fatal(err)
	}
	if err := out.Commit(); err != nil {
		t.Fatal(err)
	}
	out.Discard()
	if got := content(t, f.Name()); got != "before after" {
		t.Errorf("the file has %q", got)
	}
	full, err := CreateOutput("/dev/full")
	if err != nil {
		t.Fatal(err)
	}
	defer full.Discard()
	if _, err := io.WriteString(full, "x"); err == nil || errors.Is(err, os.ErrNotExist) {
		t.Errorf("a full device: %v", err)
	}
}
