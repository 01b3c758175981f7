package batch

import (
	"fmt"
	"io"
	"os"
	"sync/atomic"
)

// Input is a place to read documents from.
type Input struct {
	// Name names the input in results and errors. Its extension (".gz", ".zst") counts only
	// if the content does not tell how it is compressed.
	Name string
	// Open returns the input's bytes. It is called once, after the inputs before it have been
	// read. The reader is closed after its last byte.
	Open func() (io.ReadCloser, error)
	// Live asks for results as soon as documents arrive, instead of after every chunk. It is
	// meant for terminals and slow pipes.
	Live bool
}

// File returns the file with the given name as an input. Pipes and terminals are treated as live.
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
				return nil, fmt.Errorf("%w: this is a directory; name the files in it", ErrFormat)
			}
			return f, nil
		},
	}
}

// From returns r as an input. It does not close r.
func From(name string, r io.Reader) Input {
	return Input{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(r), nil }}
}

// Text opens the input and returns its text, as [Check] and [Reader] read it: decompressed, and
// without a byte order mark. Its errors match [ErrFormat] and [ErrCorrupt]; the caller closes it.
func (in Input) Text() (io.ReadCloser, error) {
	file, err := in.Open()
	if err != nil {
		return nil, cause(err)
	}
	text, _, _, closeDecoder, err := decompress(file, in.Name)
	if err != nil {
		_ = file.Close() // the other error is the one to know
		return nil, cause(err)
	}
	return &inputText{text, closeDecoder, file}, nil
}

// inputText is the text of an open input.
type inputText struct {
	io.Reader
	closeDecoder func()
	file         io.Closer
}

func (t *inputText) Close() error {
	t.closeDecoder()
	return t.file.Close()
}

// InputError says why an input could not be read to its end, and how far it was read. All
// complete documents before that place have been checked and reported.
type InputError struct {
	Input     string // the input's name
	Bytes     int64  // how much was read, after decompression
	Documents int64  // how many documents that was
	Line      int64  // the line where reading stopped, from 1
	Err       error  // the cause; see [ErrFormat] and [ErrCorrupt]
}

// Error returns the place and the cause.
func (e *InputError) Error() string {
	if e.Bytes == 0 {
		return fmt.Sprintf("%s: %v", e.Input, e.Err)
	}
	return fmt.Sprintf("%s: %v; stopped in line %d, after %d documents and %d bytes of text", e.Input, e.Err, e.Line, e.Documents, e.Bytes)
}

// Unwrap returns the cause.
func (e *InputError) Unwrap() error { return e.Err }

// Progress counts what a running check has done. Any goroutine may call its methods at any time.
type Progress struct{ read, documents atomic.Int64 }

// Read returns the number of bytes read from inputs, before decompression.
func (p *Progress) Read() int64 { return p.read.Load() }

// Documents returns the number of documents handled.
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
