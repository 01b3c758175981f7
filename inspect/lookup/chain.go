package lookup

import (
	"strconv"
	"strings"
)

// ChainSigns is what is wrong with a supply chain, or can't be known, as a set.
type ChainSigns uint16

// The signs. Only nodes that handle the payment count: those without hp, or with another hp than 0.
const (
	// Malformed means that a node has no domain of a system, or no id of a seller.
	Malformed ChainSigns = 1 << iota
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
	// TooLong means that there are more nodes than are looked at. The others were not looked at.
	TooLong

	signCount = iota
)

var signNames = [signCount]string{
	"malformed", "final-unauthorized", "upstream-unauthorized", "first-reseller", "not-listed", "first-intermediary",
	"later-publisher", "broken-link", "owner-mismatch", "no-ads-txt", "no-sellers", "too-long",
}

// String returns the names of the signs, separated by commas.
func (s ChainSigns) String() string {
	var names []string
	for i, name := range signNames {
		if s&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	if rest := s >> signCount; rest != 0 {
		names = append(names, "ChainSigns("+strconv.Itoa(int(rest)<<signCount)+")")
	}
	return strings.Join(names, ",")
}
