// Package lookup defines the interfaces through which inspectors look up data, and their results.
// It imports no file watcher and no database, so neither does a program that imports an inspector.
//
// Packages lists, geoip, supply and rates implement the interfaces with files. Other sources fit as
// well: a [net/netip.Prefix] is [Addresses].
//
// Implementations are safe for concurrent use. An answer may change between two calls, when a file
// does.
package lookup

import (
	"net/netip"

	"github.com/rtbwire/rtbwire/openrtb"
)

// Addresses is a set of addresses.
type Addresses interface {
	Contains(netip.Addr) bool
}

// Nodes is a set of nodes of supply chains: sellers in advertising systems.
type Nodes interface {
	Contains(system, seller string) bool
}

// Geo is a database of addresses. found is false for an address that it does not have.
type Geo interface {
	Lookup(netip.Addr) (info AddressInfo, found bool)
}

// Chains compares supply chains with what publishers and advertising systems declare.
type Chains interface {
	// Signs returns what is wrong with a chain of the request.
	Signs(*openrtb.BidRequest, *openrtb.SupplyChain) ChainSigns
}

// Currencies converts prices to US dollars. known is false for a currency without a rate.
type Currencies interface {
	USD(price float64, currency string) (dollars float64, known bool)
}
