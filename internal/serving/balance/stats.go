package balance

import (
	"maps"
	"sync"
	"sync/atomic"
)

// Stats are the counts of an upstream since its name came up. Its methods may be called from any
// goroutine.
type Stats struct {
	Requests atomic.Uint64 // that were sent, or should have been
	Failures atomic.Uint64 // of them without an answer, or with one of status 5xx
	Statuses [len(StatusNames)]atomic.Uint64

	Ejections       atomic.Uint64
	NotEjected      atomic.Uint64 // addresses that answer badly, while enough are ejected
	Checks          atomic.Uint64 // of health
	CheckFailures   atomic.Uint64
	ResolveFailures atomic.Uint64
	Mirrored        atomic.Uint64 // copies that were sent
	MirrorDropped   atomic.Uint64 // copies that were not, because too many wait

	mu       sync.Mutex
	partners atomic.Pointer[map[string]*Bids] // never changed, but replaced
}

// StatusNames are the classes of statuses that answers are counted by.
var StatusNames = [...]string{"2xx", "3xx", "4xx", "5xx", "other"}

// classOf returns the class of a status, an index of StatusNames.
func classOf(status int) int {
	if status < 200 || status > 599 {
		return len(StatusNames) - 1
	}
	return status/100 - 2
}

// PartnersMax bounds the partners that an upstream's answers are counted by. Those of others are
// counted under the name [OtherPartners].
const (
	PartnersMax   = 1000
	OtherPartners = "other"
)

// Bid is whether an answer to a bid request has a bid.
type Bid int

// The values of Bid, and their names.
const (
	BidMade   Bid = iota
	BidNone       // an empty answer, or one without a bid
	BidUnread     // compressed, or not of status 2xx
)

// BidNames are the names of values of Bid.
var BidNames = [...]string{"bid", "no_bid", "unread"}

// Bids counts answers.
type Bids [len(BidNames)]atomic.Uint64

// Bid counts an answer to a bid request of a partner.
func (s *Stats) Bid(partner string, b Bid) {
	if all := s.partners.Load(); all != nil {
		if counts := (*all)[partner]; counts != nil {
			counts[b].Add(1)
			return
		}
	}
	s.add(partner)[b].Add(1)
}

// add returns the counts of a partner that may have none yet.
func (s *Stats) add(partner string) *Bids {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.Partners()
	if len(before) >= PartnersMax && before[partner] == nil {
		partner = OtherPartners
	}
	if counts := before[partner]; counts != nil {
		return counts
	}
	next := maps.Clone(before)
	if next == nil {
		next = map[string]*Bids{}
	}
	counts := new(Bids)
	next[partner] = counts
	s.partners.Store(&next)
	return counts
}

// Partners returns the counts by partner. They are to be read only.
func (s *Stats) Partners() map[string]*Bids {
	if all := s.partners.Load(); all != nil {
		return *all
	}
	return nil
}

// States are the states of an upstream's addresses, for [Upstream.States].
var States = [...]string{"healthy", "open", "ejected", "failing"}

// States returns how many addresses of an upstream are in each state. One that is in several counts
// for the last of them.
func (u *Upstream) States() (n [len(States)]int) {
	for _, e := range u.Endpoints() {
		n[e.stateIndex()]++
	}
	return n
}

// stateIndex returns the index in [States] of what the address is.
func (e *Endpoint) stateIndex() int {
	switch s := e.state.Load(); {
	case s&failing != 0:
		return 3
	case s&ejected != 0:
		return 2
	case s&open != 0:
		return 1
	}
	return 0
}

// InFlight returns how many requests an upstream has.
func (u *Upstream) InFlight() (n int64) {
	for _, e := range u.Endpoints() {
		n += e.inFlight.Load()
	}
	return n
}

// Connections returns how many connections to an upstream are open.
func (u *Upstream) Connections() (n int) {
	for _, e := range u.Endpoints() {
		n += e.client.ConnsCount()
	}
	return n
}

// Healthy reports whether an address of the upstream gets requests.
func (u *Upstream) Healthy() bool { return u.States()[0] > 0 }
