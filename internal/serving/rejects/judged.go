package rejects

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rtbwire/rtbwire/inspect"
)

// Judged counts verdicts: what would not be noticed by what becomes of the requests.
type Judged struct {
	all             prometheus.Counter
	errors          *Reasons
	spared          *Reasons
	observed, warns *Reasons
}

// JudgedMetrics are the vectors that verdicts are counted in. Make them with [NewJudgedMetrics].
type JudgedMetrics struct {
	judged, errors, spared, findings *prometheus.CounterVec
	observed, warns                  *Reasons

	mu       sync.Mutex
	partners map[string]*Judged
}

// partnerLabel is the label that tells partners apart.
const partnerLabel = "partner"

// NewJudgedMetrics returns metrics whose names begin with a namespace.
func NewJudgedMetrics(namespace string) *JudgedMetrics {
	counters := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: namespace + name, Help: help}, labels)
	}
	m := &JudgedMetrics{
		partners: map[string]*Judged{},
		judged:   counters("judged_total", "Requests that have a verdict, those of no partner with the partner \"\".", partnerLabel),
		errors:   counters("rule_errors_total", "Requests for which the condition of a rule or scrub has no value, so that it can't decide; those in shadow too.", partnerLabel, "rule"),
		spared:   counters("would_refuse_total", "Requests that were let through only because refusals or scrubs are observed (enforce, observe_scrubs, shadow of the gateway), by the reason that would refuse them.", partnerLabel, "reason"),
		findings: counters("findings_total", "Findings that only observe or warn, those in shadow too.", "severity", "reason"),
	}
	of := func(s inspect.Severity) *Reasons {
		return NewReasons(m.findings.MustCurryWith(prometheus.Labels{"severity": s.String()}), ReasonsMax)
	}
	m.observed, m.warns = of(inspect.Observe), of(inspect.Warn)
	return m
}

// Register adds the metrics to a registry.
func (m *JudgedMetrics) Register(r prometheus.Registerer) { // who calls it twice has a bug
	for _, vec := range []*prometheus.CounterVec{m.judged, m.errors, m.spared, m.findings} {
		r.MustRegister(vec)
	}
}

// Of returns the counts of a partner, "" for requests of none. A service asks once for each partner
// of a configuration, not for each request.
func (m *JudgedMetrics) Of(partner string) *Judged {
	m.mu.Lock()
	defer m.mu.Unlock()
	j := m.partners[partner]
	if j == nil {
		own := prometheus.Labels{partnerLabel: partner}
		j = &Judged{
			all:      m.judged.WithLabelValues(partner),
			errors:   NewReasons(m.errors.MustCurryWith(own), PartnerReasonsMax),
			spared:   NewReasons(m.spared.MustCurryWith(own), PartnerReasonsMax),
			observed: m.observed, warns: m.warns,
		}
		m.partners[partner] = j
	}
	return j
}

// Count counts a verdict. Where a layer is in shadow, it counts what all layers together find.
func (j *Judged) Count(v *inspect.Verdict) {
	j.all.Inc()
	if v.Shadow != nil {
		v = v.Shadow
	}
	for i := range v.Errors {
		j.errors.Inc(v.Errors[i].ID)
	}
	if v.Counts[inspect.Observe]+v.Counts[inspect.Warn] == 0 {
		return
	}
	for i := range v.Findings {
		switch f := &v.Findings[i]; f.Severity {
		case inspect.Observe:
			j.observed.Inc(f.ID)
		case inspect.Warn:
			j.warns.Inc(f.ID)
		}
	}
}

// WouldRefuse counts a request that is let through only because refusals are observed, by the
// reason that would refuse it.
func (j *Judged) WouldRefuse(reason string) { j.spared.Inc(reason) }
