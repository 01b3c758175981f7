package gateway

import (
	"fmt"

	"github.com/valyala/fasthttp"
)

// This file has sentences for people who look for what is wrong with their request. A partner gets
// none: exchanges go by the status.

// rejectionTexts are for partners too: the status alone does not say which header is meant.
var rejectionTexts = map[string]string{
	reasonTwice:      "a header that this gateway decides by occurs more than once: send it once\n",
	reasonUnderscore: "a header that this gateway decides by is spelled with an underscore for a hyphen, or the reverse: send only the right spelling\n",
}

// strangerTexts are for senders that are no partner.
var strangerTexts = map[string]string{
	reasonPath:     "there is nothing at this path: bid requests are posted to " + PathDefault + ", or where the configuration says\n",
	reasonType:     "expected a bid request with Content-Type: application/json, in UTF-8\n",
	reasonEncoding: "expected no Content-Encoding, or gzip, once\n",
}

// explain returns what a sender is told about a message of HTTP that is rejected, "" for nothing.
func (r *request) explain(p *plan, f failure) string {
	if text := rejectionTexts[f.reason]; text != "" {
		return text
	}
	if r.maybePartner(p) {
		return ""
	}
	switch {
	case f.reason == reasonMethod:
		return fmt.Sprintf("this path takes %s only\n", p.methods[string(r.head.path)])
	case f.reason == reasonSize && f.status == fasthttp.StatusRequestEntityTooLarge:
		return p.explainSize()
	}
	return strangerTexts[f.reason]
}

// explainSize returns what is wrong with a body that is too long.
func (p *plan) explainSize() string {
	return fmt.Sprintf("the body is longer than %d bytes (gateway.max.body)\n", p.options.BodyMax)
}

// explainUnread is explainSize for a request that nobody has read, so that its sender is not known:
// if there are partners, it may be one.
func (p *plan) explainUnread() string {
	if len(p.partners) > 0 {
		return ""
	}
	return p.explainSize()
}

// maybePartner reports whether the sender is a partner, or can prove that it is one, although this
// request is not one of the partner's.
func (r *request) maybePartner(p *plan) bool {
	if r.partner != nil || r.identify(p, r.head.path) && r.partner != nil {
		return true
	}
	for _, own := range r.sender.candidates(p) {
		if own.Match.MTLS != "" || len(own.Match.From) > 0 {
			return true
		}
	}
	return p.tokens && p.isToken(r.http.Header.Peek(fasthttp.HeaderAuthorization))
}
