package gateway

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/vendor"
	"github.com/rtbwire/rtbwire/internal/serving/balance"
	"github.com/rtbwire/rtbwire/openrtb"
)

// Partner is a sender of requests.
type Partner struct {
	// Name is the name in the engine's configuration.
	Name string
	// Match says which requests are the partner's.
	Match Match
	// NoBid is how refusals are answered. Default: [NoBid204].
	NoBid NoBid
	// Limits apply to all requests of the partner, Publishers to those of each publisher.
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
	// Upstreams are the names of those that get the partner's requests, PublisherUpstreams those
	// for single publishers. Default: as for all.
	Upstreams          []string
	PublisherUpstreams map[string][]string
	// Canary is the share of the partner's requests that canaries get, if it is not nil.
	Canary *float64
	// Vendors are the services that are asked about the partner's requests. Nil means all.
	Vendors []string
}

// Match says which requests are a partner's. All that is set must hold, and a path or a header
// alone proves nothing. The zero value matches no request.
type Match struct {
	Path    string           // of the URL
	MTLS    string           // a name in the client's certificate; *.example is any name of one label more
	From    []netip.Prefix   // ranges, one of which has the peer's address
	Token   string           // a bearer token
	Headers []inspect.Header // with their values
}

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
	counts     *partnerCounts // in use

	group           *balance.Group // where its requests go; nil: where all do
	publisherGroups map[string]*balance.Group
}

// addRoutes looks up where the partner's requests go.
func (p *partner) addRoutes(o *Options, set *balance.Set) (err error) {
	if p.Canary != nil && !(*p.Canary >= 0 && *p.Canary <= 1) { // also NaN
		return fmt.Errorf("the share of canaries is %v (want 0 to 1)", *p.Canary)
	}
	if p.group, err = o.groupOf(set, p.Partner.Upstreams); err != nil {
		return err
	}
	for publisher, names := range p.PublisherUpstreams {
		g, err := o.groupOf(set, names)
		if err != nil {
			return fmt.Errorf("publisher %s: %w", publisher, err)
		}
		if p.publisherGroups == nil {
			p.publisherGroups = map[string]*balance.Group{}
		}
		p.publisherGroups[publisher] = g
	}
	return nil
}

// limiterOf returns the limiter of a request's publisher, nil if it has none.
func (p *partner) limiterOf(bid *openrtb.BidRequest) *limiter {
	if p == nil || len(p.publishers) == 0 {
		return nil
	}
	return p.publishers[inspect.PublisherOf(bid)]
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

var bearer = []byte("Bearer ")

// isTokenOf reports whether a value of Authorization has a partner's token.
func (p *plan) isTokenOf(own *partner, authorization []byte) bool {
	token, ok := bearerToken(authorization)
	return ok && tokenHash(p.tokenKey, token) == own.token
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
