package fraud

import (
	"cmp"
	"fmt"

	"github.com/rtbwire/rtbwire/inspect/lookup"
)

// Limits are where the signals about amounts begin. Each zero means the default.
type Limits struct {
	// IFA and Address are the numbers of requests of a device, by its advertising identifier and by
	// its address, that are usual in a window. Defaults: [IFADefault], [AddressDefault].
	IFA, Address int
	// Nodes is how long a supply chain may be. Default: [NodesDefault].
	Nodes int
	// Imps is how many impressions a request may offer. Default: [ImpsDefault].
	Imps int
	// Floor is the highest plausible floor, in US dollars for a thousand impressions. Default:
	// [FloorDefault].
	Floor float64
	// TMaxMin and TMaxMax are the plausible values of tmax, in milliseconds. Defaults:
	// [TMaxMinDefault], [TMaxMaxDefault].
	TMaxMin, TMaxMax int
}

// The defaults of [Limits].
const (
	IFADefault     = 120
	AddressDefault = 1000
	NodesDefault   = 6
	ImpsDefault    = 50
	FloorDefault   = 500
	TMaxMinDefault = 30
	TMaxMaxDefault = 10_000
)

func (l Limits) withDefaults() (Limits, error) {
	for _, x := range []struct {
		name string
		n    int
	}{{"IFA", l.IFA}, {"Address", l.Address}, {"Nodes", l.Nodes}, {"Imps", l.Imps}, {"TMaxMin", l.TMaxMin}, {"TMaxMax", l.TMaxMax}} {
		if x.n < 0 {
			return l, fmt.Errorf("fraud: the limit %s is %d (want 1 or more, or 0 for the default)", x.name, x.n)
		}
	}
	if !(l.Floor >= 0) {
		return l, fmt.Errorf("fraud: the limit Floor is %v (want a positive number, or 0 for the default)", l.Floor)
	}
	l = Limits{
		IFA: cmp.Or(l.IFA, IFADefault), Address: cmp.Or(l.Address, AddressDefault), Nodes: cmp.Or(l.Nodes, NodesDefault),
		Imps: cmp.Or(l.Imps, ImpsDefault), Floor: cmp.Or(l.Floor, FloorDefault),
		TMaxMin: cmp.Or(l.TMaxMin, TMaxMinDefault), TMaxMax: cmp.Or(l.TMaxMax, TMaxMaxDefault),
	}
	if l.TMaxMin > l.TMaxMax {
		return l, fmt.Errorf("fraud: the limits of tmax are %d and %d (want the lower one first)", l.TMaxMin, l.TMaxMax)
	}
	return l, nil
}

// Data is what signals look up. Signals that need what is nil see nothing.
type Data struct {
	// DataCenters and Proxies are addresses that people do not have.
	DataCenters, Proxies lookup.Addresses
	// Geo has the countries of addresses, and perhaps which of them hide somebody.
	Geo lookup.Geo
	// BlockedNodes are advertising systems, or sellers of them.
	BlockedNodes lookup.Nodes
	// Chains has the files of publishers and advertising systems.
	Chains lookup.Chains
	// USD converts prices. Default: only prices in US dollars are looked at.
	USD lookup.Currencies
}
