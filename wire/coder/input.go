package coder

import (
	"io"

	"github.com/rtbwire/rtbwire/internal/options"
	"github.com/rtbwire/rtbwire/wire"
)

// ParseReader reads a document of up to most bytes into a buffer that is used again, and parses
// it. So parse has to copy what the value refers to.
func ParseReader[T any](r io.Reader, most int64, parse func([]byte) (*T, error)) (*T, error) {
	buf := buffers.Get().(*[]byte)
	b, err := wire.ReadAll((*buf)[:0], r, most)
	var v *T
	if err == nil {
		v, err = parse(b)
	}
	if cap(b) <= bufferKeep {
		*buf = b
		buffers.Put(buf)
	}
	return v, err
}

// MaxSize is the limit of the options on the length of a document.
func MaxSize(opts ...wire.Option) int64 {
	o := options.New()
	for _, opt := range opts {
		if opt != nil {
			opt(&o)
		}
	}
	return int64(o.Size)
}
