package main

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
)

// file is a file of an archive.
type file struct {
	name string // with slashes
	mode int64
	data []byte
}

// The modes of files.
const (
	modeFile    = 0o644
	modeProgram = 0o755
)

// pack makes a compressed archive in which every name begins with prefix.
func pack(files []file, prefix string, changed time.Time) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression) // its header has neither a name nor a time
	if err != nil {
		return nil, err
	}
	if err := errors.Join(writeTar(w, files, prefix, changed), w.Close()); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// writeTar writes an archive. It has the same bytes for the same files: they are sorted, belong
// to user 0, and have the same time.
func writeTar(w io.Writer, files []file, prefix string, changed time.Time) error {
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b file) int { return cmp.Compare(a.name, b.name) })
	out := tar.NewWriter(w)
	for i, f := range files {
		if i > 0 && files[i-1].name == f.name {
			return fmt.Errorf("two files are called %s", f.name)
		}
		header := &tar.Header{Typeflag: tar.TypeReg, Name: prefix + f.name, Mode: f.mode, Size: int64(len(f.data)), ModTime: changed}
		if err := out.WriteHeader(header); err != nil {
			return err
		}
		if _, err := out.Write(f.data); err != nil {
			return err
		}
	}
	return out.Close()
}
