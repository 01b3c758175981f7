package coder

import (
	"io"
	"sync"
	"sync/atomic"
)

// JSONAppender is what generated encoders give to types.
type JSONAppender interface {
	AppendJSON(dst []byte) ([]byte, error)
}

// WriteJSON writes v to out in one call of Write.
func WriteJSON(out io.Writer, v JSONAppender) (int64, error) {
	buf := buffers.Get().(*[]byte)
	b, err := v.AppendJSON((*buf)[:0])
	if err != nil {
		buffers.Put(buf)
		return 0, err
	}
	n, err := out.Write(b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	if cap(b) <= bufferKeep {
		*buf = b
		buffers.Put(buf)
	}
	return int64(n), err
}

var buffers = sync.Pool{New: func() any { return new([]byte) }}

// bufferKeep is the largest buffer that is kept for the next value.
const bufferKeep = 1 << 20

// Estimate learns how long the text of a type's values is, so that a fresh buffer is
// allocated once.
type Estimate struct{ n atomic.Int64 }

// Buffer returns dst, or a buffer if dst has no memory.
func (e *Estimate) Buffer(dst []byte) []byte {
	if cap(dst) != 0 {
		return dst
	}
	n := e.n.Load()
	return make([]byte, 0, n+n/8+256)
}

// Learn takes note of the length of a text in a fresh buffer, and returns it in one that fits if
// the estimate was far too large: a kept text should not hold several times its size.
func (e *Estimate) Learn(b []byte) []byte {
	n, l := e.n.Load(), int64(len(b))
	if l > n {
		e.n.Store(min(l, bufferKeep))
	} else if l < n {
		e.n.Store(n - (n-l+7)/8)
	}
	const tolerated = 1024
	if cap(b) > 2*len(b)+tolerated {
		return append(make([]byte, 0, len(b)), b...)
	}
	return b
}
