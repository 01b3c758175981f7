package rejects

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// Reasons counts by reason. Rules bring reasons of their own, so their number is bounded. Make it
// with [NewReasons]; any number of goroutines may use it.
type Reasons struct {
	vec *prometheus.CounterVec
	mu  sync.RWMutex
	by  map[string]prometheus.Counter
}

// ReasonsMax bounds the reasons that are counted apart. [OtherReasons] is the label of all others.
const (
	ReasonsMax   = 1000
	OtherReasons = "other"
)

// NewReasons returns counts of reasons, in a vector with one label.
func NewReasons(vec *prometheus.CounterVec) *Reasons {
	return &Reasons{vec: vec, by: map[string]prometheus.Counter{}}
}

// Inc counts a reason. Beyond [ReasonsMax] different ones, others are counted together.
func (r *Reasons) Inc(reason string) {
	r.mu.RLock()
	c := r.by[reason]
	r.mu.RUnlock()
	if c == nil {
		c = r.add(reason)
	}
	c.Inc()
}

func (r *Reasons) add(reason string) prometheus.Counter {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c := r.by[reason]; c != nil {
		return c
	}
	if len(r.by) >= ReasonsMax {
		return r.vec.WithLabelValues(OtherReasons)
	}
	c := r.vec.WithLabelValues(reason)
	r.by[reason] = c
	return c
}
