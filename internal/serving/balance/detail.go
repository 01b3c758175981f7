package balance

import "time"

// Detail is what operators see of an upstream.
type Detail struct {
	Name    string `json:"name"`
	Weight  int    `json:"weight"`
	Zone    string `json:"zone,omitempty"`
	Drained bool   `json:"drained"`
	// Apart upstreams get only what is routed or copied to them.
	Apart     bool            `json:"apart"`
	Addresses []AddressDetail `json:"addresses"`
}

// AddressDetail is what operators see of an address.
type AddressDetail struct {
	Address string `json:"address"`
	// State is one of [States], or "warming" for a healthy address in its slow start.
	State string `json:"state"`
	// Until is the end of an ejection.
	Until time.Time `json:"until,omitzero"`
	// Share is the part of the requests that nothing routes.
	Share       float64 `json:"share"`
	InFlight    int64   `json:"in_flight"`
	Connections int     `json:"connections"`
}

// Warming is the state of a healthy address in its slow start.
const Warming = "warming"

// Details returns what operators see of the upstreams. Shares are those of a group; nil for none.
func (s *Set) Details(main *Group) (list []Detail) {
	shares := main.shares()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, u := range s.upstreams {
		d := Detail{Name: u.Name, Weight: u.Weight, Zone: u.Zone, Drained: u.Drained(), Apart: u.Apart, Addresses: []AddressDetail{}}
		for _, e := range u.Endpoints() {
			a := AddressDetail{Address: e.Address, State: States[e.stateIndex()], Share: shares[e], InFlight: e.inFlight.Load(), Connections: e.client.ConnsCount()}
			switch {
			case e.state.Load()&ejected != 0:
				a.Until = e.until
			case e.Healthy() && e.warming(s.options.SlowStart):
				a.State = Warming
			}
			d.Addresses = append(d.Addresses, a)
		}
		list = append(list, d)
	}
	return list
}

// shares returns the part of the group's requests that each address gets.
func (g *Group) shares() map[*Endpoint]float64 {
	shares := map[*Endpoint]float64{}
	if g == nil {
		return shares
	}
	slots := g.table.Load().slots
	for i := range slots {
		shares[slots[i].endpoint] += 1 / float64(len(slots))
	}
	return shares
}
