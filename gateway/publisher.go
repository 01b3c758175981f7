package gateway

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rtbwire/rtbwire/internal/serving/rejects"
)

// publishers counts the requests of single publishers. Senders choose the ids, so the first ones
// that have a forwarded request are counted each on its own, up to
// [Options.PublisherMetricsMax], and all others together.
type publishers struct {
	vec   *prometheus.CounterVec
	mu    sync.RWMutex
	known map[publisherKey]*outcomes
	other map[string]*outcomes // by partner
}

type publisherKey struct{ partner, id string }

func (p *publishers) init(vec *prometheus.CounterVec) {
	p.vec, p.known, p.other = vec, map[publisherKey]*outcomes{}, map[string]*outcomes{}
}

// done counts a request that was answered, if it was decoded.
func (p *publishers) done(o *Options, partner string, d *decoded, became outcome) {
	d.keepPublisher(o)
	if !d.hasPublisher {
		return
	}
	key := publisherKey{partner, string(d.publisher)}
	p.mu.RLock()
	counts := p.known[key]
	p.mu.RUnlock()
	if counts == nil {
		counts = p.add(key, became == outcomeForwarded, o.PublisherMetricsMax)
	}
	if c := counts[became]; c != nil {
		c.Inc()
	}
}

// add returns the counters of a publisher that has none yet.
func (p *publishers) add(key publisherKey, forwarded bool, limit int) *outcomes {
	p.mu.Lock()
	defer p.mu.Unlock()
	if counts := p.known[key]; counts != nil {
		return counts
	}
	if forwarded && len(p.known) < limit {
		counts := p.counters(key.partner, key.id)
		p.known[key] = counts
		return counts
	}
	if p.other[key.partner] == nil {
		p.other[key.partner] = p.counters(key.partner, rejects.OtherReasons)
	}
	return p.other[key.partner]
}

func (p *publishers) counters(partner, publisher string) *outcomes {
	var counts outcomes
	for _, o := range []outcome{outcomeForwarded, outcomeRefused, outcomeShed, outcomeFailed} { // what decoded requests become
		counts[o] = p.vec.WithLabelValues(partner, publisher, outcomeNames[o])
	}
	return &counts
}
