package admin

import (
	"cmp"
	"fmt"
	"slices"
)

// Notices about counters that should stand still, gauges that should be 0, and shares that should
// be small: a row for each. Those of notices.go are made of tables of the page.

// countNotices are all of them, by what happened between two samples and what is now.
func countNotices(before, now *sample) (list []Notice) {
	for i := range states {
		list = append(list, states[i].notices(now)...)
	}
	for i := range events {
		list = append(list, events[i].notices(before, now)...)
	}
	for i := range parts {
		list = append(list, parts[i].notices(before, now)...)
	}
	if behind := now.sum("lag_records", "", ""); behind >= lagMin && behind > lagSeconds*perSecond(before.sum("records_total", "", ""), now.sum("records_total", "", ""), now.at.Sub(before.at).Seconds()) {
		list = append(list, Notice{Kind: "lag", State: stateWarn, unlogged: true, Text: "The stream is more than a minute behind: records come faster than they are delivered."})
	}
	if most := now.sum("connections_max", "", ""); most > 0 && now.sum("connections_open", "", "") > connectionsHigh*most {
		list = append(list, Notice{Kind: "connections", State: stateWarn, unlogged: true, Text: fmt.Sprintf("Nearly as many connections are open as may be (%.0f): new ones will be closed.", most)})
	}
	return list
}

// connectionsHigh is the part of the limit on connections from which on an operator should know.
const connectionsHigh = 0.9

// lagSeconds is how far behind a stream may be, at the rate of the last minute; of fewer records
// than lagMin nothing is said.
const (
	lagSeconds = 60
	lagMin     = 1000
)

// about is which values of a metric a notice is about: those whose label has a value. by names the
// label whose values make notices of their own; "" for one notice in all.
type about struct {
	kind, level, metric, label, value, by string
	unlogged                              bool
	text                                  string // %s is the value of by
}

// sums adds up the values of the metric in a sample, by the label that makes notices.
func (a *about) sums(s *sample) map[string]float64 {
	out := map[string]float64{}
	for _, l := range s.all(a.metric) {
		if a.label == "" || l.label(a.label) == a.value {
			name := ""
			if a.by != "" {
				name = l.label(a.by)
			}
			out[name] += l.value
		}
	}
	return out
}

func (a *about) notice(name string) Notice {
	text := a.text
	if a.by != "" {
		text = fmt.Sprintf(text, name)
	}
	return Notice{Kind: a.kind, Place: name, State: a.level, unlogged: a.unlogged, Text: text}
}

// state is a gauge that is 0 as long as all is well.
type state struct{ about }

var states = []state{
	{about{kind: "ejected", level: stateWarn, metric: "upstream_addresses", label: "state", value: "ejected", by: "upstream", text: "Addresses of the upstream %s are ejected: they get no requests for a time."}},
	{about{kind: "vendor", level: stateWarn, metric: "vendor_open", by: "vendor", unlogged: true, text: "The service %s is not asked: its breaker is open."}},
	{about{kind: "compressed", level: stateWarn, metric: "files_refused", text: "Files of the folder are left out, because they are compressed."}},
}

func (st *state) notices(now *sample) (list []Notice) {
	for name, v := range st.sums(now) {
		if v > 0 {
			list = append(list, st.notice(name))
		}
	}
	return sorted(list)
}

// event is a counter that stands still as long as all is well: a notice stays for the time of the
// oldest sample, a minute. min is from how many on; 0 means 1.
type event struct {
	about
	min float64
}

var events = []event{
	{about: about{kind: "panic", level: stateBad, metric: "rejected_total", label: "reason", value: "gateway.panic", text: "Requests were lost to a fault of the gateway itself: the log has the place. Please report it."}},
	{about: about{kind: "captures", level: stateWarn, metric: "capture_skipped_total", label: "cause", value: "disk", text: "Requests are not captured: the folder can't be written."}},
	{about: about{kind: "verdicts", level: stateWarn, metric: "verdict_log_skipped_total", label: "cause", value: "write", text: "Verdicts are not logged: they can't be written."}},
	{about: about{kind: "verdicts-wait", level: stateWarn, metric: "verdict_log_skipped_total", label: "cause", value: "queue", unlogged: true, text: "Verdicts are not logged: more come than are written."}},
	{about: about{kind: "spans", level: stateWarn, metric: "telemetry_spans_dropped_total", label: "cause", value: "export", text: "Spans are dropped: the collector does not take them."}},
	{about: about{kind: "spans-wait", level: stateWarn, metric: "telemetry_spans_dropped_total", label: "cause", value: "queue", unlogged: true, text: "Spans are dropped: more come than the collector takes."}},
	{about: about{kind: "exports", level: stateWarn, metric: "telemetry_metrics_exports_total", label: "result", value: "failed", text: "Metrics are not exported: the collector does not take them."}},
	{about: about{kind: "unresolved", level: stateWarn, metric: "upstream_resolve_failures_total", by: "upstream", text: "The name of the upstream %s is not resolved: the addresses before stay in use."}},
	{about: about{kind: "operators", level: stateWarn, metric: MetricRefused, label: "cause", value: causeToken, text: "Somebody asks this port with tokens that are wrong: the log has the addresses."}, min: 10},
	{about: about{kind: "clock", level: stateWarn, metric: MetricClockJumps, text: "The clock of this machine was set. Ages of files, ends of certificates and of operators' changes follow it."}},
	{about: about{kind: "restarts", level: stateBad, metric: "restarts_total", text: "The stream had to begin again: the log has the error."}},
	{about: about{kind: "read", level: stateWarn, metric: "file_errors_total", text: "Files of the folder can't be read: the log has their names."}},
	{about: about{kind: "fetch", level: stateBad, metric: "fetch_errors_total", text: "The brokers don't give records: the log has the error."}},
	{about: about{kind: "commit", level: stateBad, metric: "commits_total", label: "result", value: "failed", text: "Offsets can't be committed: records would come again."}},
}

func (e *event) notices(before, now *sample) (list []Notice) {
	old := e.sums(before)
	for name, v := range e.sums(now) {
		if v-old[name] >= max(e.min, 1) {
			list = append(list, e.notice(name))
		}
	}
	return sorted(list)
}

// part is a share of a counter that is small as long as all is well. Of fewer than partMin in the
// last minute nothing is said. The text has the share after the name.
type part struct {
	about
	more float64
}

const partMin = 20

var parts = []part{
	{about{kind: "malformed", level: stateWarn, metric: "partner_requests_total", label: "request_status", value: "malformed", by: "partner", unlogged: true, text: "%.0f%% of the requests of %s can't be decoded: the partner has changed what it sends."}, 0.5},
	{about{kind: "rejected", level: stateWarn, metric: "requests_total", label: "request_status", value: "rejected", unlogged: true, text: "%.0f%% of the requests are wrong as HTTP, or come from nobody who is known: see the reasons."}, 0.05},
	{about{kind: "responses", level: stateWarn, metric: "responses_total", label: "result", value: "refused", unlogged: true, text: "%.0f%% of the answers of upstreams that are judged have no bid that may go on, or can't be read."}, 0.05},
	{about{kind: "dead-letters", level: stateWarn, metric: "records_total", label: "result", value: "refused", unlogged: true, text: "%.0f%% of the records are dead letters: see the reasons."}, 0.5},
}

func (p *part) notices(before, now *sample) (list []Notice) {
	all := about{metric: p.metric, by: p.by}
	oldAll, nowAll, old := all.sums(before), all.sums(now), p.sums(before)
	for name, v := range p.sums(now) {
		of := nowAll[name] - oldAll[name]
		share := (v - old[name]) / of
		if of < partMin || share <= p.more {
			continue
		}
		n := Notice{Kind: p.kind, Place: name, State: p.level, unlogged: p.unlogged}
		if p.by == "" {
			n.Text = fmt.Sprintf(p.text, 100*share)
		} else {
			n.Text = fmt.Sprintf(p.text, 100*share, name)
		}
		list = append(list, n)
	}
	return sorted(list)
}

// sorted has notices in the order of their names.
func sorted(list []Notice) []Notice {
	slices.SortFunc(list, func(a, b Notice) int { return cmp.Compare(a.Place, b.Place) })
	return list
}
