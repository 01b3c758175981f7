package admin

import (
	"cmp"
	"math"
	"slices"

	"github.com/rtbwire/rtbwire/internal/serving/candidate"
	"github.com/rtbwire/rtbwire/internal/serving/rejects"
)

// The lengths of the tables.
const (
	// ReasonsMax is how many reasons are listed.
	ReasonsMax = 20
	// RulesMax is how many rules that can't decide are.
	RulesMax = 20
	// UpstreamsMax and PartnersMax are how many upstreams and partners are.
	UpstreamsMax = 50
	PartnersMax  = 50
)

// reasonRow is a reason of refusals.
type reasonRow struct {
	Reason    string  `json:"reason"`
	Total     float64 `json:"total"`
	PerSecond float64 `json:"per_second"`
}

// RuleErrorsShare is the share of a partner's requests from which on a rule that can't decide about
// them is shown as broken.
const RuleErrorsShare = 0.05

// ruleRow is a rule whose condition has no value for some requests of a partner.
type ruleRow struct {
	Rule    string `json:"rule"`
	Partner string `json:"partner"`
	// Total counts these requests. Share is their part of the partner's in the last minute.
	Total     float64 `json:"total"`
	PerSecond float64 `json:"per_second"`
	Share     float64 `json:"share"`
	// Broken says that the share is [RuleErrorsShare] or more.
	Broken bool `json:"broken"`
}

// upstreamRow is an upstream.
type upstreamRow struct {
	Name              string  `json:"name"`
	Healthy           bool    `json:"healthy"`
	Drained           bool    `json:"drained"`
	InFlight          float64 `json:"in_flight"`
	Connections       float64 `json:"connections"`
	Requests          float64 `json:"requests"`
	Failures          float64 `json:"failures"`
	PerSecond         float64 `json:"per_second"`
	FailuresPerSecond float64 `json:"failures_per_second"`
}

// partnerRow is a partner.
type partnerRow struct {
	Name string `json:"name"`
	// Totals are requests by what became of them.
	Totals map[string]float64 `json:"totals"`
	// PerSecond are the rates of the last minute.
	PerSecond map[string]float64 `json:"per_second"`
	// WouldRefuse counts requests that were forwarded only because they are observed.
	WouldRefuse          float64 `json:"would_refuse"`
	WouldRefusePerSecond float64 `json:"would_refuse_per_second"`
}

// candidateRow is a change from the live verdict to the candidate's, for a reason.
type candidateRow struct {
	Change string `json:"change"`
	reasonRow
}

// candidateDocument is what a second configuration would do.
type candidateDocument struct {
	Configuration rejects.Configuration `json:"configuration"`
	// Requests are those that it has judged, by how the verdict changes.
	Requests map[string]float64 `json:"requests"`
	Changes  []candidateRow     `json:"changes"`
}

// candidateOf returns what the candidate of a source would do, nil without one.
func candidateOf(source rejects.Source, before, now *sample) *candidateDocument {
	from, may := source.(rejects.CandidateSource)
	if !may {
		return nil
	}
	in := from.Candidate()
	if in == nil {
		return nil
	}
	type key struct{ change, reason string }
	old := map[key]float64{}
	for _, l := range before.all(candidate.MetricChanges) {
		old[key{l.label("change"), l.label("reason")}] = l.value
	}
	d := &candidateDocument{Configuration: *in, Requests: now.byLabel(candidate.MetricRequests, "change"), Changes: []candidateRow{}}
	seconds := now.at.Sub(before.at).Seconds()
	for _, l := range now.all(candidate.MetricChanges) {
		k := key{l.label("change"), l.label("reason")}
		d.Changes = append(d.Changes, candidateRow{k.change, reasonRow{k.reason, l.value, perSecond(old[k], l.value, seconds)}})
	}
	slices.SortFunc(d.Changes, func(a, b candidateRow) int {
		return cmp.Or(cmp.Compare(b.PerSecond, a.PerSecond), cmp.Compare(b.Total, a.Total), cmp.Compare(a.Change, b.Change), cmp.Compare(a.Reason, b.Reason))
	})
	d.Changes = d.Changes[:min(len(d.Changes), ReasonsMax)]
	return d
}

// perSecond returns how much a value has grown in a second; 0 without a past.
func perSecond(before, now, seconds float64) float64 {
	if seconds <= 0 || now < before {
		return 0
	}
	return round((now - before) / seconds)
}

func round(v float64) float64 { return math.Round(v*1000) / 1000 }

// byLabel returns the values of a metric by one label.
func (s *sample) byLabel(name, label string) map[string]float64 {
	out := map[string]float64{}
	for _, l := range s.all(name) {
		out[l.label(label)] += l.value
	}
	return out
}

// reasonRows returns the reasons that are most frequent now; those of equal rates by their totals.
// The rest is counted in the last row.
func reasonRows(name string, before, now *sample) []reasonRow {
	seconds := now.at.Sub(before.at).Seconds()
	old := before.byLabel(name, "reason")
	rows := []reasonRow{}
	for reason, total := range now.byLabel(name, "reason") {
		if total > 0 { // some are there before they happen, for alerts
			rows = append(rows, reasonRow{reason, total, perSecond(old[reason], total, seconds)})
		}
	}
	slices.SortFunc(rows, func(a, b reasonRow) int {
		return cmp.Or(cmp.Compare(b.PerSecond, a.PerSecond), cmp.Compare(b.Total, a.Total), cmp.Compare(a.Reason, b.Reason))
	})
	if len(rows) > ReasonsMax {
		rest := reasonRow{Reason: "other"}
		for _, r := range rows[ReasonsMax-1:] {
			rest.Total += r.Total
			rest.PerSecond = round(rest.PerSecond + r.PerSecond)
		}
		rows = append(rows[:ReasonsMax-1], rest)
	}
	return rows
}

// ruleRows returns the rules that can't decide, those with the largest shares first.
func ruleRows(before, now *sample) []ruleRow {
	seconds := now.at.Sub(before.at).Seconds()
	wasJudged, judged := before.byLabel("judged_total", "partner"), now.byLabel("judged_total", "partner")
	type key struct{ rule, partner string }
	old := map[key]float64{}
	for _, l := range before.all("rule_errors_total") {
		old[key{l.label("rule"), l.label("partner")}] = l.value
	}
	rows := []ruleRow{}
	for _, l := range now.all("rule_errors_total") {
		at := key{l.label("rule"), l.label("partner")}
		row := ruleRow{Rule: at.rule, Partner: at.partner, Total: l.value, PerSecond: perSecond(old[at], l.value, seconds)}
		if all := judged[at.partner] - wasJudged[at.partner]; all > 0 {
			row.Share = round(max(l.value-old[at], 0) / all)
		}
		row.Broken = row.Share >= RuleErrorsShare
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b ruleRow) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(b.Total, a.Total), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Partner, b.Partner))
	})
	return rows[:min(len(rows), RulesMax)]
}

// upstreamRows returns the upstreams, by name.
func upstreamRows(before, now *sample) []upstreamRow {
	seconds := now.at.Sub(before.at).Seconds()
	oldRequests, oldFailures := before.byLabel("upstream_requests_total", "upstream"), before.byLabel("upstream_failures_total", "upstream")
	requests, failures := now.byLabel("upstream_requests_total", "upstream"), now.byLabel("upstream_failures_total", "upstream")
	inFlight, connections := now.byLabel("upstream_in_flight", "upstream"), now.byLabel("upstream_connections", "upstream")
	drained := now.byLabel("upstream_drained", "upstream")
	rows := []upstreamRow{}
	for name, healthy := range now.byLabel("upstream_healthy", "upstream") {
		rows = append(rows, upstreamRow{
			name, healthy > 0, drained[name] > 0, inFlight[name], connections[name], requests[name], failures[name],
			perSecond(oldRequests[name], requests[name], seconds), perSecond(oldFailures[name], failures[name], seconds),
		})
	}
	slices.SortFunc(rows, func(a, b upstreamRow) int { return cmp.Compare(a.Name, b.Name) })
	return rows[:min(len(rows), UpstreamsMax)]
}

// partnerRows returns the partners, the busiest first.
func partnerRows(before, now *sample) []partnerRow {
	seconds := now.at.Sub(before.at).Seconds()
	totals := func(s *sample) map[string]map[string]float64 {
		out := map[string]map[string]float64{}
		for _, l := range s.all("partner_requests_total") {
			name := l.label("partner")
			if out[name] == nil {
				out[name] = map[string]float64{}
			}
			out[name][l.label("request_status")] = l.value
		}
		return out
	}
	old, rows, busy := totals(before), []partnerRow{}, map[string]float64{}
	oldObserved, observed := before.byLabel("would_refuse_total", "partner"), now.byLabel("would_refuse_total", "partner")
	for name, counts := range totals(now) {
		row := partnerRow{name, map[string]float64{}, map[string]float64{}, observed[name], perSecond(oldObserved[name], observed[name], seconds)}
		for status, n := range counts {
			if n > 0 {
				row.Totals[status] = n
			}
			if v := perSecond(old[name][status], n, seconds); v > 0 {
				row.PerSecond[status] = v
				busy[name] += v
			}
		}
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b partnerRow) int {
		return cmp.Or(cmp.Compare(busy[b.Name], busy[a.Name]), cmp.Compare(a.Name, b.Name))
	})
	return rows[:min(len(rows), PartnersMax)]
}
