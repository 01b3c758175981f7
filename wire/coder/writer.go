package coder

import (
	"github.com/rtbwire/rtbwire/wire"
)

// This file writes values for generated encoders. Each member is written with a comma before
// it; the first one's is then turned into the opening brace.

// Writer is what generated encoders write with: the options, and whether something could not
// be written. The zero value has the default options.
type Writer struct {
	wire.EncodeOptions
	failed wire.Code
	depth  int
	raw    *validator // from the pool, from the first raw value on
}

// Fail notes that something can't be written.
func (w *Writer) Fail(code wire.Code) {
	if w.failed == 0 {
		w.failed = code
	}
}

// Enter is called by encoders of types that can contain themselves, and reports whether they
// may go on; Leave ends what Enter has begun.
func (w *Writer) Enter() bool {
	if w.depth == wire.DepthMax {
		w.Fail(wire.CodeDepth)
	}
	if w.failed != 0 { // a cyclic value would never end
		return false
	}
	w.depth++
	return true
}

// Leave ends what Enter has begun.
func (w *Writer) Leave() { w.depth-- }

// Finish returns what was appended to dst, or dst and why it could not be done; v is what was
// to be written.
func (w *Writer) Finish(dst, out []byte, v any) ([]byte, error) {
	if w.raw != nil {
		w.raw.release()
		w.raw = nil
	}
	if w.failed != 0 {
		return dst, locate(v, w.EncodeOptions, w.failed)
	}
	return out, nil
}

// CloseObject ends the object whose members were appended from start on.
func CloseObject(b []byte, start int) []byte {
	if len(b) == start {
		return append(b, '{', '}')
	}
	b[start] = '{'
	return append(b, '}')
}

// CloseArray ends the array whose elements were appended from start on.
func CloseArray(b []byte, start int) []byte {
	if len(b) == start {
		return append(b, '[', ']')
	}
	b[start] = '['
	return append(b, ']')
}

// Strings appends an array of strings.
func (w *Writer) Strings(b []byte, s []string) []byte {
	start := len(b)
	for i := range s {
		b = w.String(append(b, ','), s[i])
	}
	return CloseArray(b, start)
}

// AppendBool appends true or false.
func AppendBool[T ~bool](b []byte, v T) []byte {
	if v {
		return append(b, "true"...)
	}
	return append(b, "false"...)
}
