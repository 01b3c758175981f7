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

// inflate finds the document. It reports false if it has answered the request.
func (x *exchange) inflate() bool {
	x.body = x.req.Body()
	if x.head.encoding == encodingPlain {
		return true
	}
	o := &x.plan.options
	limit, tooLong := o.BodyMax, fasthttp.StatusRequestEntityTooLarge
	if most := len(x.body) * o.RatioMax; most < limit {
		limit, tooLong = most, fasthttp.StatusBadRequest // no document is like that
	}
	var err error
	x.inflated, err = gunzip(x.inflated[:0], x.body, limit)
	switch {
	case errors.Is(err, wire.CodeSize):
		x.decline(tooLong, reasonSize)
		return false
	case err != nil:
		x.decline(fasthttp.StatusBadRequest, reasonGzip)
		return false
	}
	x.body = x.inflated
	x.inflatedHeld = int64(len(x.body))
	if n := x.g.conns.held.Add(x.inflatedHeld); n > x.g.conns.heldMax && x.inflatedHeld > heldMin {
		x.shed(failCapacity)
		return false
	}
	return true
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
