package rejects

import (
	"maps"
	"sync"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
)

const (
	// ReasonsMax bounds the reasons that are counted apart, of requests that are no partner's, and
	// of findings.
	ReasonsMax = 1000
	// PartnerReasonsMax is the bound for each partner.
	PartnerReasonsMax = 250
	// OtherReasons is the label of all others.
	OtherReasons = "other"
)

// Reasons counts by reason. Rules bring reasons of their own, so their number is bounded. Make it
// with [NewReasons]; any number of goroutines may use it. Counting takes no lock and allocates
// nothing, but at the first time of a reason.
type Reasons struct {
	vec   *prometheus.CounterVec
	limit int
	by    atomic.Pointer[map[string]prometheus.Counter] // the map never changes
	mu    sync.Mutex                                    // one new reason at a time
}

// NewReasons returns counts of reasons, in a vector with one label, which isn't curried. Beyond so
// many different ones, others are counted together as [OtherReasons]. Those that are expected are
// there before they happen, so that the first one is an increase.
func NewReasons(vec *prometheus.CounterVec, limit int, expected ...string) *Reasons {
	r := &Reasons{vec: vec, limit: limit}
	r.by.Store(&map[string]prometheus.Counter{})
	for _, reason := range expected {
		r.add(reason)
	}
	return r
}

// Inc counts a reason.
func (r *Reasons) Inc(reason string) {
	c := (*r.by.Load())[reason]
	if c == nil {
		c = r.add(reason)
	}
	c.Inc()
}

func (r *Reasons) add(reason string) prometheus.Counter {
	r.mu.Lock()
	defer r.mu.Unlock()
	known := *r.by.Load()
	if c := known[reason]; c != nil {
		return c
	}
	if len(known) >= r.limit {
		return r.vec.WithLabelValues(OtherReasons)
	}
	next := maps.Clone(known)
	next[reason] = r.vec.WithLabelValues(reason)
	r.by.Store(&next)
	return next[reason]
}
