package gateway

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/inspect/vendor"
)

// Partner is a sender of requests.
type Partner struct {
	// Name is the name in the engine's configuration.
	Name string
	// Match says which requests are the partner's.
	Match Match
	// NoBid is how refusals are answered. Default: [NoBid204].
	NoBid NoBid
	// Limits are those of all requests of the partner, Publishers those of its publishers.
	Limits     Limits
	Publishers map[string]Limits
	// Responses says how answers to the partner are inspected. Default: that of [Options].
	Responses Responses
	// TMaxMs is the time in milliseconds that the partner gives, where a request gives none or
	// more. 0 means that the requests say it.
	TMaxMs int
	// UpstreamTimeout and Reserve take the place of the gateway's, if they are not 0.
	UpstreamTimeout, Reserve time.Duration
	// CaptureShares take the place of the gateway's, if they are not nil.
	CaptureShares *Shares
	// Vendors are the services that are asked about the partner's requests. Nil means all.
	Vendors []string
}

// Match says which requests are a partner's. All that is set must hold, and a path or a header
// alone proves nothing. The zero value matches no request.
type Match struct {
	Path    string         // of the URL
	MTLS    string         // a name in the client's certificate; *.example is any name of one label more
	From    []netip.Prefix // ranges, one of which has the peer's address
	Token   string         // a bearer token
	Headers []Header       // with their values
}

// Header is a header of a request.
type Header struct{ Name, Value string }

// empty reports whether the match has no key.
func (m *Match) empty() bool {
	return m.Path == "" && m.MTLS == "" && len(m.From) == 0 && m.Token == "" && len(m.Headers) == 0
}

// partner is a compiled Partner.
type partner struct {
	*Partner
	limits     *limiter
	publishers map[string]*limiter
	token      [sha256.Size]byte // the keyed hash of the token, if there is one
	vendors    *vendor.Group
	requests   outcomes
}

// newPartners compiles partners. Limits that stay the same keep their counts.
func newPartners(list []Partner, vendors *vendor.Group, key []byte, before *plan) ([]*partner, error) {
	var out []*partner
	names := map[string]bool{}
	for i := range list {
		source := list[i]
		if source.Name == "" || names[source.Name] {
			return nil, fmt.Errorf("gateway: partner %d has the name %q, which is empty or taken", i, source.Name)
		}
		names[source.Name] = true
		if !source.NoBid.valid() {
			return nil, fmt.Errorf("gateway: partner %s: unknown no-bid answer %q", source.Name, source.NoBid)
		}
		if source.CaptureShares != nil && !source.CaptureShares.valid() {
			return nil, fmt.Errorf("gateway: partner %s: CaptureShares %+v are not from 0 to 1", source.Name, *source.CaptureShares)
		}
		if source.UpstreamTimeout < 0 || source.Reserve < 0 {
			return nil, fmt.Errorf("gateway: partner %s: a negative time", source.Name)
		}
		if source.NoBid == "" {
			source.NoBid = NoBid204
		}
		p := &partner{Partner: &source, publishers: map[string]*limiter{}}
		p.vendors = vendors
		if source.Vendors != nil {
			var err error
			if p.vendors, err = vendors.Select(source.Vendors...); err != nil {
				return nil, fmt.Errorf("gateway: partner %s: %w", source.Name, err)
			}
		}
		old := before.partner(source.Name)
		p.limits = keepLimiter(source.Limits, old, "")
		for id, limits := range source.Publishers {
			p.publishers[id] = keepLimiter(limits, old, id)
		}
		if source.Match.Token != "" {
			p.token = tokenHash(key, []byte(source.Match.Token))
		}
		out = append(out, p)
	}
	return out, nil
}

// keepLimiter returns the limiter of the old partner, or of its publisher, if the limits are the
// same.
func keepLimiter(l Limits, old *partner, publisher string) *limiter {
	if old != nil {
		before := old.limits
		if publisher != "" {
			before = old.publishers[publisher]
		}
		if before != nil && before.Limits == l {
			return before
		}
	}
	return newLimiter(l)
}

// tokenHash is what tokens are compared by, so that the time it takes says nothing about them.
func tokenHash(key, token []byte) [sha256.Size]byte {
	return sha256.Sum256(append(slices.Clip(key), token...))
}

// newTokenKey returns a key for hashes.
func newTokenKey() []byte {
	key := make([]byte, 16)
	_, _ = rand.Read(key) // never fails
	return key
}

// candidates returns the partners that the peer of a connection may be.
func (p *plan) candidates(s *sender) (list []*partner) {
	for _, own := range p.partners {
		m := &own.Match
		if m.empty() || m.MTLS != "" && !s.hasName(m.MTLS) ||
			len(m.From) > 0 && !slices.ContainsFunc(m.From, func(r netip.Prefix) bool { return r.Contains(s.peer) }) {
			continue
		}
		list = append(list, own)
	}
	return list
}

// hasName reports whether the certificate of the peer has a name.
func (s *sender) hasName(want string) bool {
	suffix, wild := strings.CutPrefix(want, "*.")
	return slices.ContainsFunc(s.names, func(name string) bool {
		if strings.EqualFold(name, want) {
			return true
		}
		_, parent, dotted := strings.Cut(name, ".")
		return wild && dotted && strings.EqualFold(parent, suffix)
	})
}

// certificateNames returns the names that a verified certificate proves: those of the subject's
// alternative names, or its common name if it has none.
func certificateNames(c *x509.Certificate) []string {
	if len(c.DNSNames) == 0 && len(c.IPAddresses) == 0 && len(c.URIs) == 0 && len(c.EmailAddresses) == 0 && c.Subject.CommonName != "" {
		return []string{c.Subject.CommonName}
	}
	return c.DNSNames
}

// identify finds the partner that sends the request. known is false if the path is only that of
// partners, and the sender is none of them.
func (x *exchange) identify(path []byte) (known bool) {
	if x.sender.plan != x.plan {
		x.sender.plan, x.sender.partners = x.plan, x.plan.candidates(x.sender)
	}
	for _, own := range x.sender.partners {
		if x.matches(&own.Match, own, path) {
			x.partner = own
			return true
		}
	}
	return string(path) == x.plan.options.Path
}

// matches checks what a request itself must have.
func (x *exchange) matches(m *Match, own *partner, path []byte) bool {
	if m.Path != "" && m.Path != string(path) {
		return false
	}
	for i := range m.Headers {
		if string(x.req.Header.Peek(m.Headers[i].Name)) != m.Headers[i].Value {
			return false
		}
	}
	if m.Path == "" && string(path) != x.plan.options.Path {
		return false
	}
	return m.Token == "" || x.hasToken(own)
}

var bearer = []byte("Bearer ")

// hasToken reports whether the request has the partner's token.
func (x *exchange) hasToken(own *partner) bool {
	token, ok := bearerToken(x.req.Header.Peek(fasthttp.HeaderAuthorization))
	return ok && tokenHash(x.plan.tokenKey, token) == own.token
}

// isToken reports whether a value of Authorization has the token of any partner: it is a secret of
// that partner and the gateway, also in a request that is another partner's.
func (p *plan) isToken(authorization []byte) bool {
	token, ok := bearerToken(authorization)
	if !ok {
		return false
	}
	hash := tokenHash(p.tokenKey, token)
	return slices.ContainsFunc(p.partners, func(own *partner) bool { return own.Match.Token != "" && own.token == hash })
}

// bearerToken returns the token of a value of Authorization.
func bearerToken(authorization []byte) (token []byte, ok bool) {
	if len(authorization) <= len(bearer) || !bytes.EqualFold(authorization[:len(bearer)], bearer) {
		return nil, false
	}
	return authorization[len(bearer):], true
}
