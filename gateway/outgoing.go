package gateway

import (
	"strconv"

	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/internal/serving/balance"
	"github.com/rtbwire/rtbwire/wire"
)

// outgoing is the request to an upstream: the document that goes on, and what differs in the head
// from the request that came.
type outgoing struct {
	from     *request
	reading  answerReader
	to       destination
	asked    *balance.Endpoint // that has answered
	trace    *trace            // nil for most requests
	answer   *fasthttp.Response
	document []byte // the body
	replaced bool   // it is not the body as it was sent
	trusted  bool   // the peer is a trusted proxy: what it says about others goes on
	forUs    bool   // Authorization has a partner's token

	responseMax int

	drop fieldNames // fields that do not go on
	ours []byte     // fields of our own

	message   []byte // what is written first: the head, and the body or its beginning
	spliced   []byte // memory for the document with edits
	edits     []wire.Edit
	tmaxText  []byte
	forwarded []byte // X-Forwarded-For
}

// begin starts a request that goes on as it came.
func (o *outgoing) begin(r *request) { o.from, o.document = r, r.http.Body() }

// end forgets the request, except for memory for the next one.
func (o *outgoing) end() {
	clear(o.edits) // values can be parts of the text
	*o = outgoing{
		drop: o.drop[:0], ours: keep(o.ours), message: keep(o.message), spliced: keep(o.spliced),
		edits: o.edits[:0], tmaxText: keep(o.tmaxText), forwarded: keep(o.forwarded),
	}
}

// edit makes the document what edits leave of the decoded one. Without edits, one that was sent
// compressed goes on inflated, unless the options say otherwise.
func (o *outgoing) edit(edits []wire.Edit, forwardGzip bool) error {
	if len(edits) > 0 {
		all := inspect.Verdict{Edits: edits}
		out, err := all.Apply(o.spliced[:0], o.from.body)
		if err != nil {
			return err
		}
		o.spliced = out
		o.document, o.replaced = out, true
	} else if o.from.head.encoding != encodingPlain && !forwardGzip {
		o.document, o.replaced = o.from.body, true
	}
	return nil
}

// addHead notes what differs in the head.
func (o *outgoing) addHead(p *plan) {
	h := &o.from.http.Header
	o.trusted = p.trusts(o.from.sender.peer)
	o.forUs = p.tokens && p.isToken(h.Peek(fasthttp.HeaderAuthorization))
	if !o.from.head.plain {
		for _, name := range h.PeekTrailerKeys() { // fasthttp has made headers of them
			o.drop.add(name)
		}
		for name, value := range h.All() {
			if kindOf(name) == headerOptions {
				o.drop.addOptions(value)
			}
		}
	}
	if len(h.ContentType()) == 0 && h.IsPost() {
		o.addField(fasthttp.HeaderContentType, mimeJSON)
	}
	o.addField(headerRequestID, mem.String(o.from.traceID))
	o.addForwardedFor()
}

// addTrace tells the upstream where the request is in a trace, if there is one.
func (o *outgoing) addTrace(t *trace) {
	if o.trace = t; t != nil {
		t.tell(&o.from.http.Header)
	}
}

// addForwardedFor adds the peer to X-Forwarded-For.
func (o *outgoing) addForwardedFor() {
	b, peer := o.forwarded[:0], o.from.sender.peer
	if o.trusted && o.from.head.forwarded {
		for _, value := range o.from.http.Header.PeekAll(fasthttp.HeaderXForwardedFor) {
			b = append(append(b, value...), ", "...)
		}
	}
	switch {
	case peer.IsValid():
		b = peer.AppendTo(b)
	case len(b) > 0:
		b = b[:len(b)-len(", ")]
	}
	if o.forwarded = b; len(b) > 0 {
		o.addField(fasthttp.HeaderXForwardedFor, mem.String(b))
	}
}

// addVerdict tells the core what was decided.
func (o *outgoing) addVerdict(v *inspect.Verdict) {
	o.addField(headerAction, v.Action.String())
	o.addNumber(headerScore, v.Score)
	if o.from.partner != nil {
		o.addField(headerPartner, o.from.partner.Name)
	}
	refused := v.Decision
	if refused.Action != inspect.ActionRefuse {
		refused = v.WouldRefuse()
	}
	if refused.Action != inspect.ActionRefuse && v.Shadow != nil {
		refused = v.Shadow.Decision
	}
	if refused.Action == inspect.ActionRefuse {
		o.addField(headerReason, refused.Reason)
		o.addNumber(headerNBR, int(refused.NBR))
	}
}

// addResponses tells the core that its answer is judged, and in which mode. Of one that is enforced
// nothing is asked for that can't be read: it would be no bid.
func (o *outgoing) addResponses(mode ResponseMode, gzip bool) {
	if mode == ResponsesOff {
		return
	}
	o.addField(headerResponses, string(mode))
	if mode != ResponsesEnforce {
		return
	}
	h := &o.from.http.Header
	h.Del(fasthttp.HeaderAcceptEncoding)
	if gzip {
		h.SetBytesV(fasthttp.HeaderAcceptEncoding, nameGzip)
	} else {
		h.SetBytesV(fasthttp.HeaderAcceptEncoding, nameIdentity)
	}
}

// addField notes a field of our own.
func (o *outgoing) addField(name, value string) {
	o.ours = append(append(o.ours, name...), ':', ' ')
	at := len(o.ours)
	o.ours = append(o.ours, value...)
	for i, c := range o.ours[at:] {
		if c < ' ' || c == 0x7f {
			o.ours[at+i] = ' ' // names of a configuration can't end the line
		}
	}
	o.ours = append(o.ours, '\r', '\n')
}

// addNumber is addField for a number.
func (o *outgoing) addNumber(name string, n int) {
	o.ours = strconv.AppendInt(append(append(o.ours, name...), ':', ' '), int64(n), 10)
	o.ours = append(o.ours, '\r', '\n')
}

// stops reports whether a field of the request does not go on as it is.
func (o *outgoing) stops(name []byte) bool {
	switch string(name) {
	case fasthttp.HeaderHost, fasthttp.HeaderContentLength, headerRequestID:
		return true
	case fasthttp.HeaderContentEncoding:
		return o.replaced
	case fasthttp.HeaderAuthorization:
		if o.forUs {
			return true
		}
	}
	if o.from.head.plain {
		return false
	}
	switch kindOf(name) {
	case headerHop, headerOptions, headerOurs:
		return true
	case headerProxy:
		return !o.trusted || string(name) == fasthttp.HeaderXForwardedFor
	case headerPasses:
	}
	return o.drop.has(name)
}
