package gateway

import (
	"bytes"
	"errors"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/wire"
)

// encoding is how a body was sent.
type encoding int

const (
	encodingPlain encoding = iota
	encodingGzip
	encodingUnknown
)

var (
	nameGzip     = []byte("gzip")
	nameXGzip    = []byte("x-gzip") // the same (RFC 9110, section 8.4.1.3)
	nameIdentity = []byte("identity")
)

// encodingNamed returns the encoding that a value of Content-Encoding names.
func encodingNamed(value []byte) encoding {
	switch {
	case len(value) == 0, bytes.EqualFold(value, nameIdentity):
		return encodingPlain
	case bytes.EqualFold(value, nameGzip), bytes.EqualFold(value, nameXGzip):
		return encodingGzip
	}
	return encodingUnknown
}

// inflate finds the document.
func (r *request) inflate(o *Options) (f failure, ok bool) {
	r.body = r.http.Body()
	if r.head.encoding == encodingPlain {
		return f, true
	}
	limit, tooLong := o.BodyMax, fasthttp.StatusRequestEntityTooLarge
	if byRatio := len(r.body) * o.RatioMax; byRatio < limit {
		limit, tooLong = byRatio, fasthttp.StatusBadRequest // no document is like that
	}
	var err error
	r.inflated, err = gunzip(r.inflated[:0], r.body, limit)
	switch {
	case errors.Is(err, wire.CodeSize):
		return rejected(tooLong, reasonSize), false
	case err != nil:
		return rejected(fasthttp.StatusBadRequest, reasonGzip), false
	}
	r.body = r.inflated
	if r.memory.hold(int64(len(r.body))) && len(r.body) > heldMin {
		return failCapacity, false
	}
	return f, true
}

// inflater is a reader of gzip with the reader that it reads from.
type inflater struct {
	from bytes.Reader
	gzip gzip.Reader
}

var inflaters = sync.Pool{New: func() any { return new(inflater) }}

// gunzip appends the document in data to dst. One longer than the limit is an error with
// [wire.CodeSize].
func gunzip(dst, data []byte, limit int) ([]byte, error) {
	z := inflaters.Get().(*inflater)
	defer inflaters.Put(z)
	z.from.Reset(data)
	defer z.from.Reset(nil)
	if err := z.gzip.Reset(&z.from); err != nil {
		return dst, err
	}
	return wire.ReadAll(dst, &z.gzip, int64(limit))
}
