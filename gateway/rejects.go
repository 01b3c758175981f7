package gateway

import (
	"slices"
	"sync"
	"time"

	"github.com/rtbwire/rtbwire/inspect"
)

// The ring of the last refused requests.
const (
	// RejectsMax is how many are kept.
	RejectsMax = 100
	// rejectsPerSecond is how many are noted, so that a flood of refusals costs nothing.
	rejectsPerSecond = 20
	// rejectFindingsMax is how many findings of each are kept.
	rejectFindingsMax = 10
)

// Reject is a refused request. It has nothing of the request itself but the paths of findings,
// which can hold keys.
type Reject struct {
	Time     time.Time
	Partner  string
	Reason   string
	NBR      int
	Score    int
	Bytes    int
	Findings []inspect.Finding
}

// rejects keeps the last refused requests, a sample when there are many.
type rejects struct {
	pace pace
	mu   sync.Mutex
	ring [RejectsMax]Reject
	next int // all that were noted
}

// add notes the refused request of an exchange.
func (r *rejects) add(x *exchange) {
	if !r.pace.allow(x.began) {
		return
	}
	own := Reject{
		Time: x.began, Partner: x.facts.Partner, Reason: x.verdict.Reason, NBR: int(x.verdict.NBR), Score: x.verdict.Score,
		Bytes: len(x.body), Findings: slices.Clone(x.verdict.Findings[:min(len(x.verdict.Findings), rejectFindingsMax)]),
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ring[r.next%RejectsMax] = own
	r.next++
}

// Rejects returns the last refused requests, the latest first.
func (g *Gateway) Rejects() (list []Reject) {
	r := &g.rejects
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := r.next - 1; i >= max(0, r.next-RejectsMax); i-- {
		list = append(list, r.ring[i%RejectsMax])
	}
	return list
}
