package lookup

import "strings"

// AddressInfo is what a database says about an address.
type AddressInfo struct {
	// Country is where the address is used; zero where the database does not say.
	Country Country
	// Registered is the country that the network is registered in, which only some databases have.
	Registered Country
	Traits     Traits
}

// Traits are what else a database says about an address: bits. Only some databases say anything.
type Traits uint16

// The bits of Traits.
const (
	Anonymous   Traits = 1 << iota // hidden behind a service of any kind
	VPN                            // an anonymous VPN
	Hosting                        // a data center
	Proxy                          // a public proxy
	Residential                    // a residential proxy
	Tor                            // an exit of Tor
	Relay                          // a relay of a browser or system, such as iCloud Private Relay
	Satellite                      // a satellite provider: the country says little
	Anycast                        // in many places at once: the country says little
)

// names are the names that [Traits.String] returns, by bit.
var names = []string{"anonymous", "vpn", "hosting", "proxy", "residential", "tor", "relay", "satellite", "anycast"}

// String returns the names of the bits with commas between them, such as "hosting,tor".
func (t Traits) String() string {
	var set []string
	for i, name := range names {
		if t&(1<<i) != 0 {
			set = append(set, name)
		}
	}
	return strings.Join(set, ",")
}
