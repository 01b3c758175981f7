package gateway

import (
	"strings"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/serving/rejects"
)

// publisherLabelMax is how much of a publisher's id is the value of a label, in bytes.
const publisherLabelMax = 64

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

// keepPublisher notes the publisher of the decoded request, whose memory is about to be released.
func (x *exchange) keepPublisher() {
	if x.plan.options.PublisherMetricsMax == 0 || x.worker == nil {
		return
	}
	if r := x.worker.Request(); r != nil {
		x.publisher = append(x.publisher[:0], publisherLabel(inspect.PublisherOf(r))...)
		x.hasPublisher = true
	}
}

// done counts a request that was answered, if it was decoded.
func (p *publishers) done(x *exchange) {
	if x.plan.options.PublisherMetricsMax == 0 {
		return
	}
	if !x.hasPublisher {
		x.keepPublisher()
	}
	if !x.hasPublisher {
		return
	}
	key := publisherKey{id: string(x.publisher)}
	if x.partner != nil {
		key.partner = x.partner.Name
	}
	p.mu.RLock()
	counts := p.known[key]
	p.mu.RUnlock()
	if counts == nil {
		counts = p.add(key, x.outcome == outcomeForwarded, x.plan.options.PublisherMetricsMax)
	}
	if c := counts[x.outcome]; c != nil {
		c.Inc()
	}
}

// add returns the counters of a publisher that has none yet.
func (p *publishers) add(key publisherKey, forwarded bool, most int) *outcomes {
	p.mu.Lock()
	defer p.mu.Unlock()
	if counts := p.known[key]; counts != nil {
		return counts
	}
	if forwarded && len(p.known) < most {
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

// publisherLabel makes a value of a label of an id.
func publisherLabel(id string) string {
	return strings.ToValidUTF8(id[:min(len(id), publisherLabelMax)], "")
}
