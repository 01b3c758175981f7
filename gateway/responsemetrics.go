package gateway

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/serving/rejects"
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

	byResult   [2][responseResults]prometheus.Counter // observed, enforced
	good, bad  [2]prometheus.Counter
	byFindings *rejects.Pairs
}

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
	m.byFindings = rejects.NewPairs(m.findings)
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
	m.byFindings.Inc(partner, reasonAnswer)
}

// judged counts a verdict. Findings are those with the layers in shadow.
func (m *responseMetrics) judged(partner string, v *inspect.ResponseVerdict, enforced bool) {
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
		m.byFindings.Inc(partner, findings[i].ID)
	}
}
