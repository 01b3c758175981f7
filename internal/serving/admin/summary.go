package admin

import (
	"cmp"
	"math"
	"slices"

	"github.com/rtbwire/rtbwire/internal/serving/balance"
	"github.com/rtbwire/rtbwire/internal/serving/candidate"
	"github.com/rtbwire/rtbwire/internal/serving/rejects"
)

// The lengths of the tables.
const (
	// ReasonsMax is how many reasons are listed.
	ReasonsMax = 20
	// RulesMax is how many rules that can't decide are.
	RulesMax = 20
	// UpstreamsMax and PartnersMax are how many upstreams and partners are, and AddressesMax how
	// many addresses of an upstream.
	UpstreamsMax = 50
	PartnersMax  = 50
	AddressesMax = 20
	// textMax is the length of the text of a reason, in bytes.
	textMax = 300
)

// reasonRow is a reason of refusals.
type reasonRow struct {
	Reason string `json:"reason"`
	// Text says what the reason means: the message of a rule, for example.
	Text      string  `json:"text,omitempty"`
	Total     float64 `json:"total"`
	PerSecond float64 `json:"per_second"`
	// WouldRefuse counts requests that were let through only because they are observed.
	WouldRefuse          float64 `json:"would_refuse"`
	WouldRefusePerSecond float64 `json:"would_refuse_per_second"`
}

// RuleErrorsShare is the share of a partner's requests from which on a rule that can't decide about
// them is shown as broken.
const RuleErrorsShare = 0.05

// ruleRow is a rule whose condition has no value for some requests of a partner.
type ruleRow struct {
	Rule    string `json:"rule"`
	Text    string `json:"text,omitempty"`
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
	// Weight, Apart and Addresses are known of a gateway's. Addresses are the first [AddressesMax].
	Weight    int                     `json:"weight"`
	Apart     bool                    `json:"apart"`
	Addresses []balance.AddressDetail `json:"addresses"`
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

// partnerDetail is what a partner's requests are refused for.
type partnerDetail struct {
	Name    string      `json:"name"`
	Reasons []reasonRow `json:"reasons"`
	Rules   []ruleRow   `json:"rule_errors"`
}

// candidateRow is a change from the live verdict to the candidate's, for a reason.
type candidateRow struct {
	Change    string  `json:"change"`
	Reason    string  `json:"reason"`
	Text      string  `json:"text,omitempty"`
	Total     float64 `json:"total"`
	PerSecond float64 `json:"per_second"`
}

// candidateDocument is what a second configuration would do.
type candidateDocument struct {
	Configuration configuration `json:"configuration"`
	// Requests are those that it has judged, by how the verdict changes.
	Requests map[string]float64 `json:"requests"`
	Changes  []candidateRow     `json:"changes"`
}

// What sources can say besides.
type (
	// reasonTexter says what reasons mean.
	reasonTexter interface{ ReasonText(id string) string }
	// upstreamDetailer says what addresses upstreams have.
	upstreamDetailer interface{ UpstreamDetails() []balance.Detail }
)

// candidate returns what the candidate of the source would do, nil without one.
func (s *Server) candidate(before, now *sample) *candidateDocument {
	from, may := s.source.(rejects.CandidateSource)
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
	d := &candidateDocument{Configuration: configurationOf(*in, s.options.CandidateOrigin), Requests: now.byLabel(candidate.MetricRequests, "change"), Changes: []candidateRow{}}
	seconds := secondsBetween(before, now)
	for _, l := range now.all(candidate.MetricChanges) {
		k := key{l.label("change"), l.label("reason")}
		d.Changes = append(d.Changes, candidateRow{k.change, k.reason, s.reasonText(k.reason), l.value, perSecond(old[k], l.value, seconds)})
	}
	slices.SortFunc(d.Changes, func(a, b candidateRow) int {
		return cmp.Or(cmp.Compare(b.PerSecond, a.PerSecond), cmp.Compare(b.Total, a.Total), cmp.Compare(a.Change, b.Change), cmp.Compare(a.Reason, b.Reason))
	})
	d.Changes = d.Changes[:min(len(d.Changes), ReasonsMax)]
	return d
}

// secondsBetween is the time from one sample to another.
func secondsBetween(before, now *sample) float64 { return now.at.Sub(before.at).Seconds() }

// perSecond returns how much a value has grown in a second; 0 without a past.
func perSecond(before, now, seconds float64) float64 {
	if seconds <= 0 || now < before {
		return 0
	}
	return round((now - before) / seconds)
}

func round(v float64) float64 { return math.Round(v*1000) / 1000 }

// byLabel returns the values of a metric by one label.
func (s *sample) byLabel(name, label string) map[string]float64 { return s.byLabelOf(name, label, "") }

// byLabelOf returns those of a partner; of all if it is "".
func (s *sample) byLabelOf(name, label, partner string) map[string]float64 {
	out := map[string]float64{}
	for _, l := range s.all(name) {
		if partner == "" || l.label("partner") == partner {
			out[l.label(label)] += l.value
		}
	}
	return out
}

// reasonRows returns the reasons of a metric that are most frequent now, for a partner or for all;
// those of equal rates by their totals. The rest is counted in the last row.
func reasonRows(name, partner string, before, now *sample) []reasonRow {
	return mostFrequent(byReason(name, partner, before, now))
}

// refusals returns the reasons of a metric of refusals, with what would be refused.
func refusals(name, partner string, before, now *sample) []reasonRow {
	rows := byReason(name, partner, before, now)
	for reason, would := range byReason("would_refuse_total", partner, before, now) {
		row := rows[reason]
		row.Reason, row.WouldRefuse, row.WouldRefusePerSecond = reason, would.Total, would.PerSecond
		rows[reason] = row
	}
	return mostFrequent(rows)
}

// byReason returns what a metric counts by reason.
func byReason(name, partner string, before, now *sample) map[string]reasonRow {
	rows := map[string]reasonRow{}
	seconds := secondsBetween(before, now)
	old := before.byLabelOf(name, "reason", partner)
	for reason, total := range now.byLabelOf(name, "reason", partner) {
		rows[reason] = reasonRow{Reason: reason, Total: total, PerSecond: perSecond(old[reason], total, seconds)}
	}
	return rows
}

// mostFrequent returns the rows that have happened, in order, at most [ReasonsMax] of them.
func mostFrequent(by map[string]reasonRow) []reasonRow {
	rows := []reasonRow{}
	for _, row := range by {
		if row.Total+row.WouldRefuse > 0 { // some are there before they happen, for alerts
			rows = append(rows, row)
		}
	}
	slices.SortFunc(rows, func(a, b reasonRow) int {
		return cmp.Or(
			cmp.Compare(b.PerSecond+b.WouldRefusePerSecond, a.PerSecond+a.WouldRefusePerSecond),
			cmp.Compare(b.Total+b.WouldRefuse, a.Total+a.WouldRefuse), cmp.Compare(a.Reason, b.Reason))
	})
	if len(rows) <= ReasonsMax {
		return rows
	}
	rest := reasonRow{Reason: "other"}
	for _, r := range rows[ReasonsMax-1:] {
		rest.Total += r.Total
		rest.PerSecond = round(rest.PerSecond + r.PerSecond)
		rest.WouldRefuse += r.WouldRefuse
		rest.WouldRefusePerSecond = round(rest.WouldRefusePerSecond + r.WouldRefusePerSecond)
	}
	return append(rows[:ReasonsMax-1], rest)
}

// explained adds what the reasons mean.
func (s *Server) explained(rows []reasonRow) []reasonRow {
	for i := range rows {
		rows[i].Text = s.reasonText(rows[i].Reason)
	}
	return rows
}

// reasonText says what a reason means, "" if nobody knows.
func (s *Server) reasonText(id string) string {
	if from, may := s.source.(reasonTexter); may {
		return cut(from.ReasonText(id), textMax)
	}
	return ""
}

// rules returns the rules that can't decide about requests of a partner, or of all.
func (s *Server) rules(partner string, before, now *sample) []ruleRow {
	rows := ruleRows(partner, before, now)
	for i := range rows {
		rows[i].Text = s.reasonText(rows[i].Rule)
	}
	return rows
}

// ruleRows returns the rules that can't decide, those with the largest shares first.
func ruleRows(partner string, before, now *sample) []ruleRow {
	seconds := secondsBetween(before, now)
	wasJudged, judged := before.byLabel("judged_total", "partner"), now.byLabel("judged_total", "partner")
	type key struct{ rule, partner string }
	old := map[key]float64{}
	for _, l := range before.all("rule_errors_total") {
		old[key{l.label("rule"), l.label("partner")}] = l.value
	}
	rows := []ruleRow{}
	for _, l := range now.all("rule_errors_total") {
		at := key{l.label("rule"), l.label("partner")}
		if partner != "" && at.partner != partner {
			continue
		}
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

// upstreams returns the upstreams, by name.
func (s *Server) upstreams(before, now *sample) []upstreamRow {
	rows := upstreamRows(before, now)
	from, may := s.source.(upstreamDetailer)
	if !may {
		return rows
	}
	details := map[string]balance.Detail{}
	for _, d := range from.UpstreamDetails() {
		details[d.Name] = d
	}
	for i := range rows {
		if d, known := details[rows[i].Name]; known {
			rows[i].Weight, rows[i].Apart = d.Weight, d.Apart
			rows[i].Addresses = d.Addresses[:min(len(d.Addresses), AddressesMax)]
		}
	}
	return rows
}

// upstreamRows returns what the metrics say about upstreams.
func upstreamRows(before, now *sample) []upstreamRow {
	seconds := secondsBetween(before, now)
	oldRequests, oldFailures := before.byLabel("upstream_requests_total", "upstream"), before.byLabel("upstream_failures_total", "upstream")
	requests, failures := now.byLabel("upstream_requests_total", "upstream"), now.byLabel("upstream_failures_total", "upstream")
	inFlight, connections := now.byLabel("upstream_in_flight", "upstream"), now.byLabel("upstream_connections", "upstream")
	drained := now.byLabel("upstream_drained", "upstream")
	rows := []upstreamRow{}
	for name, healthy := range now.byLabel("upstream_healthy", "upstream") {
		rows = append(rows, upstreamRow{
			Name: name, Healthy: healthy > 0, Drained: drained[name] > 0, InFlight: inFlight[name], Connections: connections[name],
			Requests: requests[name], Failures: failures[name], Addresses: []balance.AddressDetail{},
			PerSecond: perSecond(oldRequests[name], requests[name], seconds), FailuresPerSecond: perSecond(oldFailures[name], failures[name], seconds),
		})
	}
	slices.SortFunc(rows, func(a, b upstreamRow) int { return cmp.Compare(a.Name, b.Name) })
	return rows[:min(len(rows), UpstreamsMax)]
}

// partnerRows returns the partners, the busiest first.
func partnerRows(before, now *sample) []partnerRow {
	seconds := secondsBetween(before, now)
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

// cut returns the first bytes of a text, without a part of a character.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && text[most]&0xc0 == 0x80 {
		most--
	}
	return text[:most] + "…"
}
