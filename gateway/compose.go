package gateway

import (
	"bytes"
	"errors"

	"github.com/valyala/fasthttp"
)

// errTooLong means that an answer is longer than ResponseMax.
var errTooLong = errors.New("the answer is too long")

// ask gives the request to a core, in place of an upstream.
func (o *outgoing) ask(core Core, resp *fasthttp.Response, b *timeBudget, responseMax int) error {
	timeout := b.left()
	if timeout <= 0 {
		return fasthttp.ErrTimeout
	}
	req := fasthttp.AcquireRequest()
	defer fasthttp.ReleaseRequest(req)
	o.compose(req)
	if err := core.Do(req, resp, timeout); err != nil {
		return err
	}
	size := len(resp.Body())
	if size > responseMax {
		return errTooLong
	}
	if o.from.memory.hold(int64(size)) && size > heldMin {
		return errMemory
	}
	return nil
}

// compose makes the request that write would send, for a core in Go.
func (o *outgoing) compose(req *fasthttp.Request) {
	from, h := &o.from.http.Header, &req.Header
	h.SetMethodBytes(from.Method())
	h.SetRequestURIBytes(from.RequestURI())
	h.SetHostBytes(from.Host())
	h.SetNoDefaultContentType(true)
	for name, value := range from.All() {
		if !o.stops(name) {
			h.AddBytesKV(name, value)
		}
	}
	for line := range bytes.Lines(o.ours) {
		name, value, _ := bytes.Cut(line, []byte(": "))
		h.AddBytesKV(name, bytes.TrimSuffix(value, []byte("\r\n")))
	}
	req.SetBodyRaw(o.document)
}
