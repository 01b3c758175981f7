package supply

import (
	"math/bits"
	"strconv"
	"strings"

	"github.com/rtbwire/rtbwire/internal/canonical"
	"github.com/rtbwire/rtbwire/openrtb"
)

// Signs are what is wrong with a supply chain, or can't be known, as a set.
type Signs uint16

// The signs. Only nodes that handle the payment count: those without hp, or with another hp than 0.
const (
	// Malformed means that a node has no domain of a system, or no id of a seller.
	Malformed Signs = 1 << iota
	// FinalUnauthorized means that the publisher's file does not list the last node, which is the
	// account that this request is sold through.
	FinalUnauthorized
	// UpstreamUnauthorized means that the publisher's file does not list an earlier node. Listing
	// them is best practice.
	UpstreamUnauthorized
	// FirstReseller means that the chain is said to be complete, but the publisher's file lists the
	// first node as a reseller only.
	FirstReseller
	// NotListed means that the system's sellers.json does not list the seller of a node.
	NotListed
	// FirstIntermediary means that the chain is said to be complete, but the first node is an
	// intermediary by sellers.json: a node before it is missing.
	FirstIntermediary
	// LaterPublisher means that a node after the first is a publisher by sellers.json: the payment
	// does not take the way that the chain has.
	LaterPublisher
	// BrokenLink means that the domain of a node's seller is not that of the system before.
	BrokenLink
	// OwnerMismatch means that the chain is said to be complete, but the domain of the first node's
	// seller is neither the owner nor a manager that the publisher's file declares.
	OwnerMismatch
	// NoAdsTxt means that there is no file of the publisher to compare with.
	NoAdsTxt
	// NoSellers means that there is no sellers.json for the system of a node.
	NoSellers
	// TooLong means that there are more than NodesMax nodes. The others were not looked at.
	TooLong

	signCount = iota
)

// NodesMax is how many nodes of a chain are looked at.
const NodesMax = 32

var signNames = [signCount]string{
	"malformed", "final-unauthorized", "upstream-unauthorized", "first-reseller", "not-listed", "first-intermediary",
	"later-publisher", "broken-link", "owner-mismatch", "no-ads-txt", "no-sellers", "too-long",
}

// String returns the names of the signs, separated by commas.
func (s Signs) String() string {
	var names []string
	for i, name := range signNames {
		if s&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	if rest := s >> signCount; rest != 0 {
		names = append(names, "Signs("+strconv.Itoa(int(rest)<<signCount)+")")
	}
	return strings.Join(names, ",")
}

// Chain is what [Snapshot.Judge] says about a supply chain.
type Chain struct {
	Signs Signs
	first [signCount]uint8
}

// First returns the index of the first node with the sign, -1 if there is none.
func (c *Chain) First(sign Signs) int {
	if c.Signs&sign == 0 || bits.OnesCount16(uint16(sign)) != 1 {
		return -1
	}
	return int(c.first[bits.TrailingZeros16(uint16(sign))])
}

func (c *Chain) add(sign Signs, node int) {
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
			c.add(TooLong, i)
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
		system, ok := canonical.Domain(&names[paid%2], canonical.Trim(n.ASI))
		id := canonical.Trim(n.SID)
		if !ok || id == "" || strings.IndexByte(system, '.') < 0 {
			c.add(Malformed, i)
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
		system, ok := canonical.Domain(&name, canonical.Trim(n.ASI))
		if id := canonical.Trim(n.SID); !ok || id == "" {
			c.add(Malformed, NodesMax)
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
		c.add(NoAdsTxt, i)
	case r == Unauthorized && last:
		c.add(FinalUnauthorized, i)
	case r == Unauthorized:
		c.add(UpstreamUnauthorized, i)
	case r == Reseller && origin:
		c.add(FirstReseller, i)
	}
}

// listed adds the signs by the system's sellers.json.
func (c *Chain) listed(i int, seller Seller, p *Publisher, before string, first, complete bool) {
	switch {
	case seller.Type == SellerUnknown:
		c.add(NoSellers, i)
	case seller.Type == SellerNotListed:
		c.add(NotListed, i)
	case first && !complete:
	case first && seller.Type == SellerIntermediary:
		c.add(FirstIntermediary, i)
	case first && seller.Domain != "" && !p.owns(seller.Domain):
		c.add(OwnerMismatch, i)
	case first:
	case seller.Type == SellerPublisher:
		c.add(LaterPublisher, i)
	case seller.Domain != "" && before != "" && !nested(seller.Domain, before):
		c.add(BrokenLink, i)
	}
}

// owns reports whether a declared owner or manager has the domain, or the partner that the
// publisher shares the inventory with.
func (p Publisher) owns(domain string) bool {
	return p.own == nil || p.own.owns(domain) ||
		p.delegated && (p.partner == nil || nested(p.partner.domain, domain) || p.partner.owner != "" && p.partner.owns(domain))
}
