package gateway

import (
	"maps"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rtbwire/rtbwire/internal/serving/rejects"
)

// bidSeriesMax bounds the pairs of partner and upstream that are counted apart.
const bidSeriesMax = 10_000

// upstreamMetrics are counted by upstream.
type upstreamMetrics struct{ g *Gateway }

var countStatuses = prometheus.NewDesc("rtbwire_gateway_upstream_responses_total", "Answers of an upstream by class of status.", []string{"upstream", "code"}, nil)

// Describe implements [prometheus.Collector].
func (upstreamMetrics) Describe(out chan<- *prometheus.Desc) { out <- countStatuses }

// Collect implements [prometheus.Collector].
func (m upstreamMetrics) Collect(out chan<- prometheus.Metric) {
	for _, u := range m.g.plan.Load().upstreams.list {
		for i, class := range statusNames {
			out <- prometheus.MustNewConstMetric(countStatuses, prometheus.CounterValue, float64(u.statuses[i].Load()), u.settings.name, class)
		}
	}
}

// bidMetrics count by partner and upstream whether answers have bids.
type bidMetrics struct {
	vec  *prometheus.CounterVec
	mu   sync.Mutex
	size int // pairs
}

func (m *bidMetrics) init() {
	m.vec = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "rtbwire_gateway_upstream_bids_total", Help: "Answers of an upstream to bid requests of a partner, by whether they have a bid.",
	}, []string{"partner", "upstream", "result"})
}

// answered counts an answer.
func (m *bidMetrics) answered(u *upstream, partner string, result bidResult) {
	counts := u.bids.of(partner)
	if counts == nil {
		counts = m.add(u, partner)
	}
	counts[result].Inc()
}

// add returns the counters of a partner that had no answer of the upstream yet. Beyond
// [bidSeriesMax] pairs, others are counted together.
func (m *bidMetrics) add(u *upstream, partner string) *bidCounters {
	m.mu.Lock()
	defer m.mu.Unlock()
	if counts := u.bids.of(partner); counts != nil {
		return counts
	}
	label, upstream := partner, u.settings.name
	if m.size++; m.size > bidSeriesMax {
		label, upstream = rejects.OtherReasons, rejects.OtherReasons
	}
	counts := new(bidCounters)
	for i, name := range bidResultNames {
		counts[i] = m.vec.WithLabelValues(label, upstream, name)
	}
	all := map[string]*bidCounters{partner: counts}
	if before := u.bids.byPartner.Load(); before != nil {
		maps.Copy(all, *before)
	}
	u.bids.byPartner.Store(&all)
	return counts
}
