package gateway

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/rtbwire/rtbwire/inspect"
)

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

	byResult  [2][responseResults]prometheus.Counter // observed, enforced
	good, bad [2]prometheus.Counter
}

func (m *responseMetrics) init(counters func(name, help string, labels ...string) *prometheus.CounterVec) {
	m.results = counters("responses_total", "Answers of upstreams that were judged, by mode and result.", "mode", "result")
	m.bids = counters("response_bids_total", "Bids in these answers, by mode and whether a rule refuses them.", "mode", "result")
	m.findings = counters("response_findings_total", "Findings in answers of upstreams, by partner and reason.", "partner", "reason")
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
func (m *responseMetrics) unread(counts *partnerCounts, enforced bool) {
	m.byResult[modeIndex(enforced)][responseUnread].Inc()
	counts.answers.Inc(reasonAnswer)
}

// judged counts a verdict. Findings are those with the layers in shadow.
func (m *responseMetrics) judged(counts *partnerCounts, v *inspect.ResponseVerdict, enforced bool) {
	mode := modeIndex(enforced)
	findings := v.Findings
	if v.Shadow != nil {
		findings = v.Shadow.Findings
	}
	action, result, bad := v.Action, responseClean, len(v.Removed)
	if v.Observed != nil {
		action = v.Observed.Action
	}
	switch {
	case action == inspect.ActionRefuse:
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
		counts.answers.Inc(findings[i].ID)
	}
}
