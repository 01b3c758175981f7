package gateway

import (
	"bytes"
	"errors"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/wire"
)

var (
	encodingGzip     = []byte("gzip")
	encodingXGzip    = []byte("x-gzip") // RFC 9110, section 8.4.1.3: the same
	encodingIdentity = []byte("identity")
)

// encoded says how the body came.
func encoded(value []byte) (compressed, known bool) {
	switch {
	case len(value) == 0, bytes.EqualFold(value, encodingIdentity):
		return false, true
	case bytes.EqualFold(value, encodingGzip), bytes.EqualFold(value, encodingXGzip):
		return true, true
	}
	return false, false
}

// inflate finds the document. It reports false if it has answered the request.
func (x *exchange) inflate() bool {
	x.body = x.req.Body()
	compressed, known := encoded(x.req.Header.ContentEncoding())
	switch {
	case !known:
		x.decline(fasthttp.StatusUnsupportedMediaType, reasonEncoding)
		return false
	case !compressed:
		return true
	}
	o := &x.plan.options
	limit := min(o.BodyMax, len(x.body)*o.RatioMax)
	var err error
	x.inflated, err = gunzip(x.inflated[:0], x.body, limit)
	switch {
	case errors.Is(err, wire.CodeSize):
		x.decline(fasthttp.StatusRequestEntityTooLarge, reasonSize)
		return false
	case err != nil:
		x.decline(fasthttp.StatusBadRequest, reasonGzip)
		return false
	}
	x.body = x.inflated
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
