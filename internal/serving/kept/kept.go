// Package kept copies requests for those who look at them later, when their own memory is used
// again.
package kept

import (
	"net/netip"

	"github.com/rtbwire/rtbwire/inspect"
)

// bufferMax is how large the buffer may be that is used again, in bytes.
const bufferMax = 64 << 10

// Request is a copy of a request and its facts. All of its text is in one buffer. The zero value is
// empty.
type Request struct {
	text      []byte // body, then publisher, user agent, and names and values of headers
	body      int    // the length of the body
	publisher int
	agent     int
	headers   []int // the lengths of names and values, in turn
	forwarded []netip.Addr
	vendors   []inspect.VendorAnswer
	facts     inspect.Facts // without what is in the buffer
}

// Fill copies a request. Names of partners and vendors are the configuration's, and are not copied.
func (r *Request) Fill(body []byte, f *inspect.Facts) {
	r.text = append(append(append(r.text[:0], body...), f.Publisher...), f.UserAgent...)
	r.body, r.publisher, r.agent = len(body), len(f.Publisher), len(f.UserAgent)
	r.headers = r.headers[:0]
	for n := range f.Headers {
		h := &f.Headers[n]
		r.text = append(append(r.text, h.Name...), h.Value...)
		r.headers = append(r.headers, len(h.Name), len(h.Value))
	}
	r.forwarded = append(r.forwarded[:0], f.Forwarded...)
	r.vendors = append(r.vendors[:0], f.Vendor...)
	r.facts = inspect.Facts{Partner: f.Partner, Peer: f.Peer, Time: f.Time, Seen: f.Seen, Counts: f.Counts}
}

// Body returns the copy of the body.
func (r *Request) Body() []byte { return r.text[:r.body] }

// Facts returns the facts. Their strings are copies; Forwarded and Vendor are the request's.
func (r *Request) Facts() inspect.Facts {
	f := r.facts
	rest := r.text[r.body:]
	take := func(n int) (s string) {
		s, rest = string(rest[:n]), rest[n:]
		return s
	}
	f.Publisher, f.UserAgent = take(r.publisher), take(r.agent)
	for n := 0; n < len(r.headers); n += 2 {
		f.Headers = append(f.Headers, inspect.Header{Name: take(r.headers[n]), Value: take(r.headers[n+1])})
	}
	f.Forwarded, f.Vendor = r.forwarded, r.vendors
	return f
}

// Size is how much text the copy has, in bytes.
func (r *Request) Size() int64 { return int64(len(r.text)) }

// Reset empties the copy. It keeps its memory, unless that is much.
func (r *Request) Reset() {
	if cap(r.text) > bufferMax {
		r.text = nil
	}
	clear(r.vendors)
	*r = Request{text: r.text[:0], headers: r.headers[:0], forwarded: r.forwarded[:0], vendors: r.vendors[:0]}
}
