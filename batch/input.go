package batch

import (
	"fmt"
	"io"
	"os"
	"sync/atomic"
)

// Input is a place to read documents from.
type Input struct {
	// Name stands for the input in results and errors. Its end (".gz", ".zst") counts only
	// where the content does not tell how it is compressed.
	Name string
	// Open returns the input's bytes. It is called once, when its turn has come, and what it
	// returns is closed when it has been read.
	Open func() (io.ReadCloser, error)
	// Live asks for results as soon as documents arrive, instead of after every chunk. It is
	// for terminals and pipes that may be slow.
	Live bool
}

// File is the file with the given name. What is no regular file (a pipe, a terminal) is live.
func File(name string) Input {
	info, err := os.Stat(name)
	return Input{
		Name: name,
		Live: err == nil && !info.Mode().IsRegular(),
		Open: func() (io.ReadCloser, error) {
			f, err := os.Open(name)
			if err != nil {
				return nil, err
			}
			if info, err := f.Stat(); err == nil && info.IsDir() {
				_ = f.Close() // nothing was read or written
				return nil, fmt.Errorf("%w: it is a directory, name the files in it", ErrFormat)
			}
			return f, nil
		},
	}
}

// From reads documents from r; it does not close it.
func From(name string, r io.Reader) Input {
	return Input{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(r), nil }}
}

// InputError says why an input could not be read to its end, and how far it was read.
// Everything complete before that place has been checked and reported.
type InputError struct {
	Input     string // the input's name
	Bytes     int64  // how much was read, after decompression
	Documents int64  // how many documents that was
	Line      int64  // the line in which reading stopped, from 1
	Err       error  // the cause; see [ErrFormat] and [ErrCorrupt]
}

// Error tells the place and the cause.
func (e *InputError) Error() string {
	if e.Bytes == 0 {
		return fmt.Sprintf("%s: %v", e.Input, e.Err)
	}
	return fmt.Sprintf("%s: %v; stopped in line %d, after %d documents and %d bytes of text", e.Input, e.Err, e.Line, e.Documents, e.Bytes)
}

// Unwrap returns the cause.
func (e *InputError) Unwrap() error { return e.Err }

// Progress shows how far a running check is. Its methods may be called at any time by any
// goroutine.
type Progress struct{ read, documents atomic.Int64 }

// Read returns the number of bytes read from inputs, before decompression.
func (p *Progress) Read() int64 { return p.read.Load() }

// Documents returns the number of documents that have been handled.
func (p *Progress) Documents() int64 { return p.documents.Load() }

// progressReader counts what is read.
type progressReader struct {
	r io.Reader
	p *Progress
	n int64 // of this input
}

func (r *progressReader) Read(b []byte) (int, error) {
	n, err := r.r.Read(b)
	r.n += int64(n)
	r.p.read.Add(int64(n))
	return n, err
}
