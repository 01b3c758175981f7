package overrides

import (
	"net/netip"
	"slices"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/lists"
	"github.com/rtbwire/rtbwire/openrtb"
)

// Set is what the entries of a moment mean for requests. It does not change.
type Set struct {
	DrainedPartners, DrainedUpstreams, ObservedPartners, ObservedRules map[string]bool
	// Blocks is nil if nothing is blocked.
	Blocks *Blocks
}

// newSet compiles entries; nil if there are none.
func newSet(entries []Entry) (*Set, error) {
	if len(entries) == 0 {
		return nil, nil //nolint:nilnil // nothing is in effect
	}
	s := &Set{DrainedPartners: map[string]bool{}, DrainedUpstreams: map[string]bool{}, ObservedPartners: map[string]bool{}, ObservedRules: map[string]bool{}}
	names := map[[2]string]map[string]bool{
		{string(Drain), string(Partner)}:   s.DrainedPartners,
		{string(Drain), string(Upstream)}:  s.DrainedUpstreams,
		{string(Observe), string(Partner)}: s.ObservedPartners,
		{string(Observe), string(Rule)}:    s.ObservedRules,
	}
	blocked := map[string]lists.Definition{}
	for i := range entries {
		e := &entries[i]
		if e.Action != Block {
			names[[2]string{string(e.Action), string(e.Kind)}][e.Name] = true
			continue
		}
		d := blocked[string(e.Kind)]
		d.Kind, d.Entries = listKinds[e.Kind], append(d.Entries, e.Name)
		blocked[string(e.Kind)] = d
	}
	if len(blocked) == 0 {
		return s, nil
	}
	compiled, err := lists.Open(blocked, nil)
	if err != nil {
		return nil, err
	}
	table := func(k Kind) *lists.Table {
		if l := compiled.List(string(k)); l != nil {
			return l.Table()
		}
		return nil
	}
	s.Blocks = &Blocks{table(Domain), table(Bundle), table(Address)}
	return s, nil
}

// Blocks is what is blocked. A nil table has nothing.
type Blocks struct{ domains, bundles, addresses *lists.Table }

// Blocked reports whether a request is about something that is blocked, and where it says so: ""
// for an address of the connection.
func (b *Blocks) Blocked(r *openrtb.BidRequest, f *inspect.Facts) (path string, found bool) {
	if b.domains != nil {
		if path, found = domainIn(b.domains, r); found {
			return path, true
		}
	}
	if b.bundles != nil && r.App != nil && r.App.Bundle != "" && b.bundles.Match(r.App.Bundle) {
		return "/app/bundle", true
	}
	if b.addresses != nil {
		return addressIn(b.addresses, r, f)
	}
	return "", false
}

// domainIn looks for the domain of the place where the ad would be.
func domainIn(t *lists.Table, r *openrtb.BidRequest) (path string, found bool) {
	has := func(value string) bool { return value != "" && t.Match(value) }
	if s := r.Site; s != nil {
		switch {
		case has(s.Domain):
			return "/site/domain", true
		case has(s.Page):
			return "/site/page", true
		}
	}
	if a := r.App; a != nil && has(a.Domain) {
		return "/app/domain", true
	}
	if d := r.DOOH; d != nil && has(d.Domain) {
		return "/dooh/domain", true
	}
	return "", false
}

// addressIn looks for the addresses of the device, of the connection and of trusted proxies.
func addressIn(t *lists.Table, r *openrtb.BidRequest, f *inspect.Facts) (path string, found bool) {
	if d := r.Device; d != nil {
		switch {
		case d.IP != "" && t.Match(d.IP):
			return "/device/ip", true
		case d.IPv6 != "" && t.Match(d.IPv6):
			return "/device/ipv6", true
		}
	}
	has := func(a netip.Addr) bool { return a.IsValid() && t.MatchAddr(a) }
	if has(f.Peer) {
		return "", true
	}
	if slices.ContainsFunc(f.Forwarded, has) {
		return "", true
	}
	return "", false
}
