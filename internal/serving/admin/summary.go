package admin

import (
	"cmp"
	"math"
	"slices"
)

// The lengths of the tables.
const (
	// ReasonsMax is how many reasons are listed.
	ReasonsMax = 20
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
		rows = append(rows, reasonRow{reason, total, perSecond(old[reason], total, seconds)})
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
	for name, counts := range totals(now) {
		row := partnerRow{name, map[string]float64{}, map[string]float64{}}
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
