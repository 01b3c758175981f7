package supply

import (
	"math/bits"
	"strings"

	"github.com/rtbwire/rtbwire/inspect/lookup"
	"github.com/rtbwire/rtbwire/internal/blank"
	"github.com/rtbwire/rtbwire/internal/canonical"
	"github.com/rtbwire/rtbwire/openrtb"
)

// NodesMax is how many nodes of a chain are looked at.
const NodesMax = 32

// signBits is the number of bits of [lookup.ChainSigns].
const signBits = 16

// Chain is what [Snapshot.Judge] says about a supply chain.
type Chain struct {
	Signs lookup.ChainSigns
	first [signBits]uint8
}

// First returns the index of the first node with the sign, or -1.
func (c *Chain) First(sign lookup.ChainSigns) int {
	if c.Signs&sign == 0 || bits.OnesCount16(uint16(sign)) != 1 {
		return -1
	}
	return int(c.first[bits.TrailingZeros16(uint16(sign))])
}

func (c *Chain) add(sign lookup.ChainSigns, node int) {
	if c.Signs&sign == 0 {
		c.Signs |= sign
		c.first[bits.TrailingZeros16(uint16(sign))] = uint8(node) //nolint:gosec // at most NodesMax
	}
}

// Judge compares the nodes of a chain with the publisher's file and the sellers.json of their
// systems, as the IAB's guide to the validation of supply chains says. A nil chain has no signs.
func (s *Snapshot) Judge(chain *openrtb.SupplyChain, publisher Publisher) (c Chain) {
	if chain == nil {
		return c
	}
	nodes := chain.Nodes
	last := -1
	for i := range nodes {
		if i == NodesMax {
			nodes, last = nodes[:i], i
			c.add(lookup.TooLong, i)
			s.final(&c, chain, publisher)
			break
		}
		if isPaid(&nodes[i]) {
			last = i
		}
	}
	complete := chain.Complete != nil && *chain.Complete > 0
	paid := 0
	before := ""                           // the system of the paid node before, if it has one
	var names [2][canonical.DomainMax]byte // of this node and of that
	for i := range nodes {
		n := &nodes[i]
		if !isPaid(n) {
			continue
		}
		system, ok := canonical.Domain(&names[paid%2], blank.Trim(n.ASI))
		id := blank.Trim(n.SID)
		if !ok || id == "" || strings.IndexByte(system, '.') < 0 {
			c.add(lookup.Malformed, i)
			system = ""
		} else {
			c.authorized(i, publisher.relation(accountKey(system, id)), paid == 0 && complete, i == last)
			c.listed(i, s.seller(system, id), &publisher, before, paid == 0, complete)
		}
		before = system
		paid++
	}
	return c
}

// final compares the last paid node of a chain that is too long with the publisher's file: nodes in
// front of it must not hide who sells.
func (s *Snapshot) final(c *Chain, chain *openrtb.SupplyChain, publisher Publisher) {
	for i := len(chain.Nodes) - 1; i >= NodesMax; i-- {
		n := &chain.Nodes[i]
		if !isPaid(n) {
			continue
		}
		var name [canonical.DomainMax]byte
		system, ok := canonical.Domain(&name, blank.Trim(n.ASI))
		if id := blank.Trim(n.SID); !ok || id == "" {
			c.add(lookup.Malformed, NodesMax)
		} else {
			c.authorized(NodesMax, publisher.relation(accountKey(system, id)), false, true)
		}
		return
	}
}

// isPaid reports whether the payment flows through the node. Absent means yes: chains of version
// 1.0 have no others.
func isPaid(n *openrtb.SupplyChainNode) bool { return n.HP == nil || *n.HP != 0 }

// authorized adds the signs by the publisher's file. Origin is true for the first node of a
// complete chain.
func (c *Chain) authorized(i int, r Relation, origin, last bool) {
	switch {
	case r == Unknown:
		c.add(lookup.NoAdsTxt, i)
	case r == Unauthorized && last:
		c.add(lookup.FinalUnauthorized, i)
	case r == Unauthorized:
		c.add(lookup.UpstreamUnauthorized, i)
	case r == Reseller && origin:
		c.add(lookup.FirstReseller, i)
	}
}

// listed adds the signs by the system's sellers.json.
func (c *Chain) listed(i int, seller Seller, p *Publisher, before string, first, complete bool) {
	switch {
	case seller.Type == SellerUnknown:
		c.add(lookup.NoSellers, i)
	case seller.Type == SellerNotListed:
		c.add(lookup.NotListed, i)
	case first && !complete:
	case first && seller.Type == SellerIntermediary:
		c.add(lookup.FirstIntermediary, i)
	case first && seller.Domain != "" && !p.owns(seller.Domain):
		c.add(lookup.OwnerMismatch, i)
	case first:
	case seller.Type == SellerPublisher:
		c.add(lookup.LaterPublisher, i)
	case seller.Domain != "" && before != "" && !nested(seller.Domain, before):
		c.add(lookup.BrokenLink, i)
	}
}

// owns reports whether a declared owner or manager has the domain, or the partner that the
// publisher shares the inventory with.
func (p Publisher) owns(domain string) bool {
	return p.own == nil || p.own.owns(domain) ||
		p.delegated && (p.partner == nil || nested(p.partner.domain, domain) || p.partner.owner != "" && p.partner.owns(domain))
}
