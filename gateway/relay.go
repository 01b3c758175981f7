package gateway

import (
	"bytes"
	"errors"

	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/inspect"
)

// relay makes the upstream's head ours. It reports false if there is no valid answer.
func (a *answer) relay() bool {
	if a.http.StatusCode() < 200 { // 101: no request asks for another protocol
		return false
	}
	h := &a.http.Header
	a.drop = a.drop[:0]
	for _, name := range h.PeekTrailerKeys() {
		a.drop.add(name)
	}
	for name, value := range h.All() {
		if len(value) > 0 && string(name) == headerVersion {
			a.versioned = true
		}
		switch kindOf(name) {
		case headerOptions:
			a.drop.addOptions(value)
			a.drop.add(name)
		case headerHop, headerOurs:
			a.drop.add(name)
		}
	}
	for i := range a.drop {
		h.DelBytes(a.drop[i])
	}
	// The upstream's connection is not the sender's, which an HTTP/1.0 status line would end too.
	h.ResetConnectionClose()
	h.SetProtocol(protocolHTTP)
	h.SetNoDefaultContentType(true)
	return true
}

var protocolHTTP = []byte("HTTP/1.1")

var errCoding = errors.New("unknown content coding")

// plain returns the upstream's body without its content coding, and whether it had to be inflated.
func (a *answer) plain(o *Options) (body []byte, inflated bool, err error) {
	body = a.http.Body()
	switch coding := a.http.Header.ContentEncoding(); {
	case len(coding) == 0, bytes.EqualFold(coding, nameIdentity):
		return body, false, nil
	case !bytes.EqualFold(coding, nameGzip) && !bytes.EqualFold(coding, nameXGzip):
		return nil, false, errCoding
	}
	a.inflated, err = gunzip(a.inflated[:0], body, min(o.ResponseMax, len(body)*o.RatioMax))
	return a.inflated, true, err
}

// withheld is the reason for which an answer is not sent; the zero value means none.
type withheld struct {
	reason string
	nbr    adcom.NoBidReason
}

// enforce makes the body what a verdict leaves of it.
func (a *answer) enforce(v *inspect.ResponseVerdict, plain []byte, inflated bool) withheld {
	switch {
	case v.Action == inspect.ActionRefuse:
		return withheld{v.Reason, v.NBR}
	case len(v.Edits) > 0:
		out, err := v.Apply(a.edited[:0], plain)
		if err != nil { // the answer may have what was to be removed
			return withheld{failEdits.reason, adcom.NoBidReasonTechnicalError}
		}
		a.edited = out
		a.replaceBody(&a.edited)
	case inflated && !a.gzip:
		a.replaceBody(&a.inflated)
	}
	return withheld{}
}

// replaceBody makes a buffer the body. The answer is written after the exchange has ended, so it
// gets a copy, or the buffer itself if that is not kept anyway.
func (a *answer) replaceBody(b *[]byte) {
	h := &a.http.Header
	again := a.gzip && len(h.ContentEncoding()) > 0 && !bytes.EqualFold(h.ContentEncoding(), nameIdentity)
	for _, name := range ofBody {
		h.Del(name)
	}
	if cap(*b) > keepMax {
		a.http.SwapBody(nil)
		a.http.SetBodyRaw(*b)
		*b = nil
	} else {
		a.http.SetBody(*b)
	}
	if again {
		a.compress(CompressMinDefault)
	}
}

// ofBody are the headers that say something about the bytes of the upstream's body.
var ofBody = []string{
	fasthttp.HeaderContentEncoding, fasthttp.HeaderETag, "Content-Md5", "Digest", "Content-Digest", "Repr-Digest",
}

// disown drops a large body after it is written, so that the server does not keep its memory.
func (a *answer) disown() {
	if body := a.http.Body(); cap(body) > keepMax {
		a.http.SwapBody(nil)
		a.http.SetBodyRaw(body)
	}
}
