package gateway

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rtbwire/rtbwire/inspect"
)

// responseSeriesMax bounds the pairs of partner and reason that are counted apart.
const responseSeriesMax = 10_000

// responseResult is what the inspection of an answer came to.
type responseResult int

const (
	responseClean   responseResult = iota // no finding
	responseNoted                         // findings that refuse nothing
	responseEdited                        // bids are to be removed
	responseRefused                       // no bid is left, or none can be told apart
	responseUnread                        // a coding that is not understood, or too long
	responseResults
)

var responseResultNames = [responseResults]string{"clean", "noted", "edited", "refused", "unread"}

// responseMetrics count what is found in answers.
type responseMetrics struct {
	results, bids, findings *prometheus.CounterVec

	byResult   [2][responseResults]prometheus.Counter // observed, enforced
	good, bad  [2]prometheus.Counter
	mu         sync.RWMutex
	byFindings map[partnerReason]prometheus.Counter
}

type partnerReason struct{ partner, reason string }

func (m *responseMetrics) init() {
	m.results = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: Namespace + "responses_total", Help: "Answers of upstreams that were judged, by mode and result.",
	}, []string{"mode", "result"})
	m.bids = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: Namespace + "response_bids_total", Help: "Bids in these answers, by mode and whether a rule refuses them.",
	}, []string{"mode", "result"})
	m.findings = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: Namespace + "response_findings_total", Help: "Findings in answers of upstreams, by partner and reason.",
	}, []string{"partner", "reason"})
	m.byFindings = map[partnerReason]prometheus.Counter{}
	for i, mode := range []ResponseMode{ResponsesObserve, ResponsesEnforce} {
		for r, name := range responseResultNames {
			m.byResult[i][r] = m.results.WithLabelValues(string(mode), name)
		}
		m.good[i], m.bad[i] = m.bids.WithLabelValues(string(mode), "good"), m.bids.WithLabelValues(string(mode), "bad")
	}
}

func modeIndex(enforced bool) int {
	if enforced {
		return 1
	}
	return 0
}

// unread counts an answer that could not be read.
func (m *responseMetrics) unread(partner string, enforced bool) {
	m.byResult[modeIndex(enforced)][responseUnread].Inc()
	m.finding(partner, reasonAnswer)
}

// judged counts a verdict. Findings are those with the layers in shadow.
func (m *responseMetrics) judged(partner string, v *inspect.ResponseVerdict, enforced bool) {
	mode := modeIndex(enforced)
	findings := v.Findings
	if v.Shadow != nil {
		findings = v.Shadow.Findings
	}
	result, bad := responseClean, len(v.Removed)
	switch {
	case v.Action == inspect.ActionRefuse:
		result, bad = responseRefused, v.Bids
	case bad > 0:
		result = responseEdited
	case len(findings) > 0:
		result = responseNoted
	}
	m.byResult[mode][result].Inc()
	m.good[mode].Add(float64(v.Bids - bad))
	m.bad[mode].Add(float64(bad))
	for i := range findings {
		m.finding(partner, findings[i].ID)
	}
}

// finding counts one. Beyond [responseSeriesMax] different ones, others are counted together.
func (m *responseMetrics) finding(partner, reason string) {
	key := partnerReason{partner, reason}
	m.mu.RLock()
	c := m.byFindings[key]
	m.mu.RUnlock()
	if c == nil {
		m.mu.Lock()
		if c = m.byFindings[key]; c == nil {
			if len(m.byFindings) >= responseSeriesMax {
				key = partnerReason{"other", "other"}
			}
			c = m.findings.WithLabelValues(key.partner, key.reason)
			m.byFindings[key] = c
		}
		m.mu.Unlock()
	}
	c.Inc()
}
