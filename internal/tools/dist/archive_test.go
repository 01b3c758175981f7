package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestPack: the order in which files come makes no difference, and nothing of this machine or of
// now is in the archive.
func TestPack(t *testing.T) {
	changed := time.Date(2026, 11, 27, 6, 43, 21, 0, time.UTC)
	files := []file{{"rtbwire", modeProgram, []byte("program")}, {"man/man1/rtbwire.1", modeFile, []byte("page")}, {"LICENSE", modeFile, []byte("text")}}
	one, err := pack(files, "rtbwire_v1/", changed)
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(files)
	if two, err := pack(files, "rtbwire_v1/", changed); err != nil || !bytes.Equal(one, two) {
		t.Errorf("another order of files makes another archive: %v", err)
	}
	z, err := gzip.NewReader(bytes.NewReader(one))
	if err != nil {
		t.Fatal(err)
	}
	if !z.ModTime.IsZero() || z.Name != "" {
		t.Errorf("the compressed file has the time %v and the name %q", z.ModTime, z.Name)
	}
	var names []string
	for in := tar.NewReader(z); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		names = append(names, h.Name)
		mode := int64(modeFile)
		if h.Name == "rtbwire_v1/rtbwire" {
			mode = modeProgram
		}
		if h.Mode != mode || h.Uid != 0 || h.Gid != 0 || h.Uname != "" || h.Gname != "" || !h.ModTime.Equal(changed) {
			t.Errorf("%+v", h)
		}
	}
	if want := []string{"rtbwire_v1/LICENSE", "rtbwire_v1/man/man1/rtbwire.1", "rtbwire_v1/rtbwire"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}

// TestPackTwice: of two files with one name, whoever unpacks them gets one.
func TestPackTwice(t *testing.T) {
	files := []file{{"man/a.1", modeFile, []byte("one")}, {"b", modeFile, nil}, {"man/a.1", modeFile, []byte("two")}}
	if _, err := pack(files, "", time.Unix(0, 0)); err == nil || !strings.Contains(err.Error(), "man/a.1") {
		t.Errorf("%v", err)
	}
}
