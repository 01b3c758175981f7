package replay

import (
	"errors"

	"github.com/rtbwire/rtbwire/internal/serving/guard"
)

// The errors of answers. They are counted, so each is one value.
var (
	errHTTP  = errors.New("not an HTTP/1.1 response")
	errSize  = errors.New("larger than MaxResponse")
	errExtra = errors.New("more bytes than the answer")
)

// response is an answer that is being read. It is ready for the next after [response.reset].
//
// Package guard reads it, as strictly as the gateway reads those of its upstreams: what servers and
// proxies could read differently is an error, not a guess.
type response struct {
	limits *guard.Options // of which BodyBytes counts for every body
	answer guard.Answer
	body   []byte
	owned  []byte // memory for bodies that come in pieces
}

// keptMax is how much memory a connection keeps for the next answer, in bytes.
const keptMax = 64 << 10

// responseLimits returns the limits of answers whose bodies have up to some bytes.
func responseLimits(bodyBytes int) *guard.Options {
	return &guard.Options{HeadBytes: HeadMax, Fields: HeadMax, BodyBytes: int64(bodyBytes)} // the head's size limits fields
}

func (r *response) reset() {
	r.body, r.owned = nil, r.owned[:0]
	if cap(r.owned) > keptMax {
		r.owned = nil
	}
	r.answer.Begin(false)
}

// feed reads more of the answer, and returns how many bytes of text belong to it: all, unless the
// answer is complete. If it is, body may be part of text.
func (r *response) feed(text []byte) (used int, done bool, err error) {
	for used < len(text) && !r.answer.Done() {
		n, data, err := r.answer.Next(text[used:], r.limits)
		switch {
		case err != nil:
			return used, false, refusalOf(err)
		case r.answer.Done() && r.answer.Status() < 200: // more interim answers than anybody sends
			return used, false, errHTTP
		case !r.answer.Done() && r.answer.Length() > r.limits.BodyBytes, int64(len(r.owned)+len(data)) > r.limits.BodyBytes:
			return used, false, errSize
		}
		used += n
		if r.answer.Done() && len(r.owned) == 0 {
			r.body = data // the usual case: nothing is copied
			break
		}
		r.owned = append(r.owned, data...)
		r.body = r.owned
	}
	return used, r.answer.Done(), nil
}

// refusalOf returns which of our errors a refusal is.
func refusalOf(err error) error {
	var r *guard.Refusal
	if errors.As(err, &r) && r.Code == "body.size" {
		return errSize
	}
	return errHTTP
}

// finish completes the answer at the end of the connection. It reports whether it could.
func (r *response) finish() bool { return r.answer.End() }

// status returns the status of the answer.
func (r *response) status() int { return r.answer.Status() }

// closes reports whether the connection can't be used after the answer.
func (r *response) closes() bool { return r.answer.Closes() }
