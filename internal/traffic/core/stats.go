package core

import (
	"encoding/json"
	"sync"
	"sync/atomic"
)

// Stats are the counts of a server.
type Stats struct {
	Requests int64 `json:"requests"`  // all that were answered, or are about to be
	BytesIn  int64 `json:"bytes_in"`  // of bodies, as they were sent
	BytesOut int64 `json:"bytes_out"` // of bodies

	Bids      int64 `json:"bids"`      // requests that got bids
	NoBids    int64 `json:"no_bids"`   // requests that got none: 204, or 200 with nbr
	Errors    int64 `json:"errors"`    // requests answered with 500
	Garbage   int64 `json:"garbage"`   // requests answered with garbage
	Malformed int64 `json:"malformed"` // requests that are not a bid request: 400, 413, 415
	// Unbiddable is how many of NoBids were chosen for bids but have nothing to bid on.
	Unbiddable int64 `json:"unbiddable"`

	InFlight int64 `json:"in_flight"` // requests that wait for their answer
	// LastIDs are the ids of the latest requests, the last one at the end.
	LastIDs []string `json:"last_ids,omitempty"`
}

// counters count the requests of some workers. All workers together would wait for each other's
// cache lines.
type counters struct {
	requests, bytesIn, bytesOut, bids, noBids, errors, garbage, malformed, unbiddable, done atomic.Int64

	_ [64]byte // so that no two of them share a cache line
}

// shards is how many counters a server has.
const shards = 32

// stats returns the counts.
func (s *Server) stats() (sum Stats) {
	for i := range s.shards {
		c := &s.shards[i]
		sum.InFlight -= c.done.Load() // before requests, so that it is never below 0
		sum.Requests += c.requests.Load()
		sum.BytesIn += c.bytesIn.Load()
		sum.BytesOut += c.bytesOut.Load()
		sum.Bids += c.bids.Load()
		sum.NoBids += c.noBids.Load()
		sum.Errors += c.errors.Load()
		sum.Garbage += c.garbage.Load()
		sum.Malformed += c.malformed.Load()
		sum.Unbiddable += c.unbiddable.Load()
	}
	sum.InFlight += sum.Requests
	sum.LastIDs = s.ids.list()
	return sum
}

// appendStats appends the counts as JSON.
func appendStats(dst []byte, s Stats) []byte {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // numbers and strings only
	}
	return append(append(dst, text...), '\n')
}

// ring keeps the latest of many ids.
type ring struct {
	mu   sync.Mutex
	ids  []string
	next int // the oldest, once the ring is full
	size int
}

func (r *ring) add(id string) {
	if r.size == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.ids) < r.size {
		r.ids = append(r.ids, id)
		return
	}
	r.ids[r.next] = id
	r.next = (r.next + 1) % r.size
}

func (r *ring) list() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append(append([]string(nil), r.ids[r.next:]...), r.ids[:r.next]...)
}
