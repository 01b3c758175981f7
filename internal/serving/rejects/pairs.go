package rejects

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// Pairs counts by partner and reason. Rules bring reasons of their own, so the number of pairs is
// bounded. Make it with [NewPairs]; any number of goroutines may use it.
type Pairs struct {
	vec *prometheus.CounterVec
	mu  sync.RWMutex
	by  map[pair]prometheus.Counter
}

type pair struct{ partner, reason string }

// PairsMax bounds the pairs that are counted apart. All others have [OtherReasons] as both labels.
const PairsMax = 10_000

// NewPairs returns counts of pairs, in a vector with the labels partner and reason.
func NewPairs(vec *prometheus.CounterVec) *Pairs {
	return &Pairs{vec: vec, by: map[pair]prometheus.Counter{}}
}

// Inc counts a pair. Beyond [PairsMax] different ones, others are counted together.
func (p *Pairs) Inc(partner, reason string) {
	key := pair{partner, reason}
	p.mu.RLock()
	c := p.by[key]
	p.mu.RUnlock()
	if c == nil {
		c = p.add(key)
	}
	c.Inc()
}

func (p *Pairs) add(key pair) prometheus.Counter {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c := p.by[key]; c != nil {
		return c
	}
	if len(p.by) >= PairsMax {
		return p.vec.WithLabelValues(OtherReasons, OtherReasons)
	}
	c := p.vec.WithLabelValues(key.partner, key.reason)
	p.by[key] = c
	return c
}
