package record

import (
	"net/netip"
	"sync"

	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/inspect/scrub"
	"github.com/rtbwire/rtbwire/internal/legacy"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
	"github.com/rtbwire/rtbwire/wire/splice"
)

// Removed are the values that a [Redactor] removes from requests.
var Removed = []string{
	"/device/ifa", "/device/didsha1", "/device/didmd5", "/device/dpidsha1", "/device/dpidmd5", "/device/macsha1", "/device/macmd5",
	"/device/geo/lat", "/device/geo/lon", "/device/geo/accuracy", "/device/geo/lastfix", "/device/geo/zip", "/device/geo/ext", "/device/ext",
	"/user/id", "/user/buyeruid", "/user/yob", "/user/gender", "/user/keywords", "/user/kwarray", "/user/customdata",
	"/user/geo", "/user/data", "/user/eids", "/user/ext",
	"/ext/eids", "/ext/user", "/ext/device", // copies that some senders write
}

// Truncated are the addresses that a [Redactor] shortens, as scrubs do: IPv4 to 24 bits, IPv6
// to 56.
var Truncated = []string{"/device/ip", "/device/ipv6"}

// program is compiled when it is needed first.
var program = sync.OnceValue(func() *scrub.Program {
	p, err := scrub.Compile(scrub.Spec{Remove: Removed, Truncate: Truncated})
	if err != nil {
		panic(err) // not reached: a test compiles it
	}
	return p
})

// Redactor takes personal data out of requests and facts. The zero value is ready to use, by one
// goroutine at a time.
//
// It removes [Removed] with all copies of them and their places in other versions of OpenRTB, and
// truncates [Truncated]. Identifiers, addresses and coordinates that were taken out and occur at
// other places too, in the URL of a page, say, are overwritten there, also where JSON escapes or
// percent-encoding spell them, up to three of these around each other. A consent string stays.
// What it does not find: values of fewer than 6 bytes at other places, values in another encoding,
// such as Base64 or a hash, and personal data that are nowhere in the fields above. A request with
// more than 256 different identifiers is an error.
type Redactor struct {
	scratch  scrub.Scratch
	edits    []wire.Edit
	scrubbed []byte
	residue  residue
}

// Request appends a request without personal data to dst. req is the same request, decoded. After
// an error nothing may be kept.
func (r *Redactor) Request(dst, body []byte, req *openrtb.BidRequest) (out []byte, err error) {
	if r.edits, err = program().Append(r.edits[:0], body, &r.scratch, nil); err != nil {
		return dst, err
	}
	if r.scrubbed, err = splice.Apply(r.scrubbed[:0], body, r.edits...); err != nil {
		return dst, err
	}
	if err = r.residue.find(body); err != nil {
		return dst, err
	}
	from := len(dst)
	if consent := extConsent(req); consent != "" {
		out, err = splice.Apply(dst, r.scrubbed, wire.Set("/user/ext", []byte(`{"consent":"`+consent+`"}`)))
		if err != nil {
			return dst, err
		}
	} else {
		out = append(dst, r.scrubbed...)
	}
	r.residue.overwrite(out[from:])
	return out, nil
}

// extConsent returns the consent string of a request that has it in user.ext alone, as most have.
func extConsent(req *openrtb.BidRequest) string {
	if req.User == nil || req.User.Consent != "" {
		return ""
	}
	consent, ok, _ := legacy.Consent(req)
	if !ok {
		return ""
	}
	for _, c := range []byte(consent) {
		if c-'a' > 25 && c-'A' > 25 && c-'0' > 9 && c != '-' && c != '_' && c != '.' && c != '~' {
			return "" // TCF strings have no others
		}
	}
	return consent
}

// Facts returns facts without personal data: addresses are truncated, headers left out.
func (r *Redactor) Facts(f rule.Facts) rule.Facts {
	f.Peer, f.Headers = truncated(f.Peer), nil
	var forwarded []netip.Addr
	for _, a := range f.Forwarded {
		forwarded = append(forwarded, truncated(a))
	}
	f.Forwarded = forwarded
	return f
}

// truncated shortens an address as scrubs do.
func truncated(a netip.Addr) netip.Addr {
	bits := scrub.IPv6BitsDefault
	a = a.Unmap().WithZone("")
	if a.Is4() {
		bits = scrub.IPv4BitsDefault
	}
	if p, err := a.Prefix(bits); err == nil {
		return p.Addr()
	}
	return netip.Addr{}
}
