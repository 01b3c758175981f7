package policy

import (
	"net/netip"
	"strings"

	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/internal/mem"
)

// factsObject is the variable facts. The owner of its fields is a *facts.Facts, which is never nil.
var factsObject = object{name: "Facts", absent: &noFacts, fields: []field{
	{name: "partner", kind: kindString, s: func(c *frame, _ any) string { return c.facts.Partner }},
	{name: "publisher", kind: kindString, s: func(c *frame, _ any) string { return c.facts.Publisher }},
	{name: "peer", kind: kindString, s: func(c *frame, _ any) string { return c.address(c.facts.Peer) }},
	{name: "forwarded", kind: kindString, list: true,
		n:   func(c *frame, _ any) int { return len(c.facts.Forwarded) },
		sat: func(c *frame, _ any, i int) string { return c.address(c.facts.Forwarded[i]) }},
	{name: "user_agent", kind: kindString, s: func(c *frame, _ any) string { return c.facts.UserAgent }},
	{name: "headers", kind: kindHeaders, has: func(c *frame, _ any) bool { return len(c.facts.Headers) != 0 }},
	{name: "time", kind: kindTime, has: func(c *frame, _ any) bool { return !c.facts.Time.IsZero() }},
	{name: "seen", kind: kindBool,
		b:   func(c *frame, _ any) bool { return c.facts.Seen },
		has: func(c *frame, _ any) bool { return c.facts.Seen }},
	{name: "counts", kind: kindObject, object: objCounts,
		o:   func(c *frame, _ any) any { return c.facts },
		has: func(c *frame, _ any) bool { return c.facts.Counts != rule.Counts{} }},
	{name: "vendor", kind: kindVendors, has: func(c *frame, _ any) bool { return len(c.facts.Vendor) != 0 }},
}}

var countsObject = object{name: "Counts", absent: &noFacts, fields: []field{
	{name: "ifa", kind: kindInt,
		i:   func(c *frame, _ any) int64 { return int64(c.facts.Counts.IFA) },
		has: func(c *frame, _ any) bool { return c.facts.Counts.IFA != 0 }},
	{name: "address", kind: kindInt,
		i:   func(c *frame, _ any) int64 { return int64(c.facts.Counts.Address) },
		has: func(c *frame, _ any) bool { return c.facts.Counts.Address != 0 }},
}}

// vendorObject is an element of facts.vendor; its owner is a *facts.VendorAnswer.
var vendorObject = object{name: "Vendor", absent: &noVendor, fields: []field{
	{name: "score", kind: kindInt,
		i:   func(_ *frame, o any) int64 { return int64(o.(*rule.VendorAnswer).Score) },
		has: func(_ *frame, o any) bool { return o.(*rule.VendorAnswer).Score != 0 }},
	{name: "error", kind: kindBool,
		b:   func(_ *frame, o any) bool { return o.(*rule.VendorAnswer).Err },
		has: func(_ *frame, o any) bool { return o.(*rule.VendorAnswer).Err }},
}}

var (
	noFacts  rule.Facts
	noVendor rule.VendorAnswer
)

// address returns an address as text, in the form that lists compare: an IPv4 address in IPv6 is
// an IPv4 address. An invalid one is "".
func (c *frame) address(a netip.Addr) string {
	const most = 64
	if !a.IsValid() || !c.mayAdd(most+len(a.Zone())) {
		return ""
	}
	start := len(c.text)
	c.text = a.Unmap().AppendTo(c.text)
	return mem.String(c.text[start:])
}

func (c *frame) hasHeader(name string) bool {
	for i := range c.facts.Headers {
		if strings.EqualFold(c.facts.Headers[i].Name, name) {
			return true
		}
	}
	return false
}

// vendor returns the answer of a service, or nil.
func (c *frame) vendor(name string) *rule.VendorAnswer {
	for i := range c.facts.Vendor {
		if c.facts.Vendor[i].Name == name {
			return &c.facts.Vendor[i]
		}
	}
	return nil
}
