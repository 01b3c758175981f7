package gateway

import (
	"encoding/binary"
	"math/rand/v2"
	"time"

	"github.com/valyala/fasthttp"
)

// request is a request as it was read: the message, its sender and the document in it.
type request struct {
	http  *fasthttp.Request
	began time.Time // when the first byte was read
	read  time.Time // when the whole message was

	head        head
	sender      *sender
	partner     *partner // nil if none
	passthrough bool     // forwarded undecoded

	body     []byte // the document, after inflation
	inflated []byte // memory for that
	memory   holder // counts what comes from the request
	traceID  []byte // X-Request-Id
}

// begin takes a message that was read.
func (r *request) begin(m *fasthttp.Request, s *sender, memory holder, began time.Time) {
	r.http, r.sender, r.memory, r.began, r.read = m, s, memory, began, time.Now()
}

// end forgets the request, except for memory for the next one.
func (r *request) end() {
	if cap(r.http.Body()) > keepMax {
		r.http.SwapBody(nil)
	}
	*r = request{inflated: keep(r.inflated), traceID: keep(r.traceID)}
}

// isPartnersBid reports whether the request is a partner's bid request, which a no-bid answers.
func (r *request) isPartnersBid() bool { return r.partner != nil && !r.passthrough }

// partnerName is the name of the request's partner, "" if it has none.
func (r *request) partnerName() string {
	if r.partner == nil {
		return ""
	}
	return r.partner.Name
}

// requestIDMax is the length of the longest X-Request-Id that is kept.
const requestIDMax = 128

// trace keeps the X-Request-Id, or makes one.
func (r *request) trace() {
	if r.head.ids == 1 && plainID(r.head.id) {
		r.traceID = append(r.traceID[:0], r.head.id...)
		return
	}
	r.traceID = r.traceID[:0]
	for range 2 {
		n := rand.Uint64()
		r.traceID = binary.BigEndian.AppendUint64(r.traceID, hexDigits(uint32(n>>32)))
		r.traceID = binary.BigEndian.AppendUint64(r.traceID, hexDigits(uint32(n)))
	}
}

// hexDigits returns the eight hexadecimal digits of n, one in each byte.
func hexDigits(n uint32) uint64 {
	const ones = 0x0101010101010101
	x := uint64(n)
	x = (x | x<<16) & 0x0000ffff0000ffff
	x = (x | x<<8) & 0x00ff00ff00ff00ff
	x = (x | x<<4) & 0x0f0f0f0f0f0f0f0f
	letters := (x + 6*ones) >> 4 & ones // 1 where the digit is a letter
	return x + '0'*ones + letters*('a'-'0'-10)
}

// plainID reports whether an id is kept: visible ASCII, not too long.
func plainID(id []byte) bool {
	for _, c := range id {
		if c <= ' ' || c > '~' {
			return false
		}
	}
	return len(id) > 0 && len(id) <= requestIDMax
}
