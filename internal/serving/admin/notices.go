package admin

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rtbwire/rtbwire/internal/filewatch"
	"github.com/rtbwire/rtbwire/internal/serving/followed"
	"github.com/rtbwire/rtbwire/internal/serving/rejects"
)

// Notices are what an operator should look at now. They are banners on the page and the member
// notices of /live; those that nothing else writes to the log are lines there, see watch.go.

// NoticesMax is how many notices there are, the worst first.
const NoticesMax = 50

// The levels of notices.
const (
	levelBad  = "bad" // requests or records are lost, or wait
	levelWarn = "warn"
)

// notice is one of them.
type notice struct {
	Kind  string `json:"kind"`
	Name  string `json:"name,omitempty"` // what it is about, such as a partner
	Level string `json:"level"`
	Text  string `json:"text"`
	// Detail is an error, or a list of them.
	Detail string `json:"detail,omitempty"`
	// unlogged says that the log has no other line about it.
	unlogged bool
}

// notices returns what needs attention, by what happened between two samples and what is now.
func (s *Server) notices(before, now *sample) []notice {
	list := []notice{}
	add := func(more ...notice) { list = append(list, more...) }
	add(configurationNotices(s.source)...)
	add(fileNotices(followed.Rows(s.files(), now.at))...)
	add(ruleNotices(ruleRows(before, now))...)
	add(upstreamNotices(upstreamRows(before, now))...)
	for i := range states {
		add(states[i].notices(now)...)
	}
	for i := range events {
		add(events[i].notices(before, now)...)
	}
	for i := range parts {
		add(parts[i].notices(before, now)...)
	}
	if behind := now.sum("lag_records", "", ""); behind >= lagMin && behind > lagSeconds*perSecond(before.sum("records_total", "", ""), now.sum("records_total", "", ""), now.at.Sub(before.at).Seconds()) {
		add(notice{Kind: "lag", Level: levelWarn, unlogged: true, Text: "The stream is more than a minute behind: records come faster than they are delivered."})
	}
	if most := now.sum("connections_max", "", ""); most > 0 && now.sum("connections_open", "", "") > connectionsHigh*most {
		add(notice{Kind: "connections", Level: levelWarn, unlogged: true, Text: fmt.Sprintf("Nearly as many connections are open as may be (%.0f): new ones will be closed.", most)})
	}
	slices.SortStableFunc(list, func(a, b notice) int { return cmp.Compare(a.Level, b.Level) }) // bad before warn
	return list[:min(len(list), NoticesMax)]
}

// connectionsHigh is the part of the limit on connections from which on an operator should know.
const connectionsHigh = 0.9

// lagSeconds is how far behind a stream may be, at the rate of the last minute; of fewer records than
// lagMin nothing is said.
const (
	lagSeconds = 60
	lagMin     = 1000
)

// configurationNotices are about configurations that could not be loaded again.
func configurationNotices(source rejects.Source) (list []notice) {
	if c := source.Configuration(); c.Problem != "" {
		list = append(list, notice{Kind: "configuration", Level: levelWarn, Text: "The configuration could not be loaded again; the one before stays in use.", Detail: c.Problem})
	}
	if from, may := source.(rejects.CandidateSource); may {
		if c := from.Candidate(); c != nil && c.Problem != "" {
			list = append(list, notice{Kind: "candidate", Level: levelWarn, Text: "The candidate configuration could not be loaded again; the one before stays.", Detail: c.Problem})
		}
	}
	return list
}

// fileNotices are about files that can't be used, are too old, or have certificates that end.
func fileNotices(files []followed.Row) (list []notice) {
	for i := range files {
		f := &files[i]
		n := notice{Kind: "file", Name: f.Kind + " " + f.Name, Level: levelWarn}
		switch {
		case f.Kind == filewatch.KindConfiguration: // has a notice of its own
			continue
		case f.Error != "":
			n.Text, n.Detail = fmt.Sprintf("The %s %s could not be loaded again; the content before stays in use.", f.Kind, f.Name), f.Error
		case f.Expiring:
			n.Text = fmt.Sprintf("The first of the %s of %s expires at %s.", f.Kind, f.Name, f.Expires.UTC().Format(time.DateTime))
		case f.Old:
			n.Text = fmt.Sprintf("The %s %s is old: from %s.", f.Kind, f.Name, f.Modified.UTC().Format(time.DateTime))
		default:
			continue
		}
		list = append(list, n)
	}
	return list
}

// ruleNotices are about rules that can't decide.
func ruleNotices(rules []ruleRow) (list []notice) {
	for i := range rules {
		if r := &rules[i]; r.Broken {
			of := ""
			if r.Partner != "" {
				of = " of " + r.Partner
			}
			list = append(list, notice{Kind: "rule", Name: strings.TrimSpace(r.Rule + " " + r.Partner), Level: levelWarn, unlogged: true, Text: fmt.Sprintf(
				"The rule %s can't decide about %.0f%% of the requests%s: its condition has no value for them.", r.Rule, 100*r.Share, of)})
		}
	}
	return list
}

// upstreamNotices are about gateways whose upstreams are all away.
func upstreamNotices(upstreams []upstreamRow) []notice {
	healthy := slices.ContainsFunc(upstreams, func(u upstreamRow) bool { return u.Healthy })
	used := slices.ContainsFunc(upstreams, func(u upstreamRow) bool { return u.Healthy && !u.Drained })
	switch {
	case len(upstreams) == 0 || used:
		return nil
	case healthy:
		return []notice{{Kind: "upstreams", Level: levelBad, unlogged: true, Text: "No upstream is in use: operators have drained those that are healthy."}}
	}
	return []notice{{Kind: "upstreams", Level: levelBad, unlogged: true, Text: "No upstream is healthy."}}
}

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

func (a *about) notice(name string) notice {
	text := a.text
	if a.by != "" {
		text = fmt.Sprintf(text, name)
	}
	return notice{Kind: a.kind, Name: name, Level: a.level, unlogged: a.unlogged, Text: text}
}

// state is a gauge that is 0 as long as all is well.
type state struct{ about }

var states = []state{
	{about{kind: "ejected", level: levelWarn, metric: "upstream_addresses", label: "state", value: "ejected", by: "upstream", text: "Addresses of the upstream %s are ejected: they get no requests for a time."}},
	{about{kind: "vendor", level: levelWarn, metric: "vendor_open", by: "vendor", unlogged: true, text: "The service %s is not asked: its breaker is open."}},
	{about{kind: "overrides", level: levelWarn, metric: "overrides_unsaved", text: "Changes of operators could not be saved: a restart would forget them."}},
	{about{kind: "paused", level: levelBad, metric: "paused", text: "The upstream counts as down: records wait for it."}},
	{about{kind: "compressed", level: levelWarn, metric: "files_refused", text: "Files of the folder are left out, because they are compressed."}},
}

func (st *state) notices(now *sample) (list []notice) {
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
	{about: about{kind: "panic", level: levelBad, metric: "rejected_total", label: "reason", value: "gateway.panic", text: "Requests were lost to a fault of the gateway itself: the log has the place. Please report it."}},
	{about: about{kind: "captures", level: levelWarn, metric: "capture_skipped_total", label: "cause", value: "disk", text: "Requests are not captured: the folder can't be written."}},
	{about: about{kind: "unresolved", level: levelWarn, metric: "upstream_resolve_failures_total", by: "upstream", text: "The name of the upstream %s is not resolved: the addresses before stay in use."}},
	{about: about{kind: "operators", level: levelWarn, metric: MetricRefused, label: "cause", value: causeToken, text: "Somebody asks this port with tokens that are wrong: the log has the addresses."}, min: 10},
	{about: about{kind: "clock", level: levelWarn, metric: MetricClockJumps, text: "The clock of this machine was set. Ages of files, ends of certificates and of operators' changes follow it."}},
	{about: about{kind: "undeliverable", level: levelWarn, metric: "records_total", label: "result", value: "undeliverable", unlogged: true, text: "Accepted records could not be delivered, and are dead letters: the destination takes others."}},
	{about: about{kind: "restarts", level: levelBad, metric: "restarts_total", text: "The stream had to begin again: the log has the error."}},
	{about: about{kind: "write", level: levelBad, metric: "file_write_errors_total", by: "file", text: "%s can't be written: records wait."}},
	{about: about{kind: "read", level: levelWarn, metric: "file_errors_total", text: "Files of the folder can't be read: the log has their names."}},
	{about: about{kind: "fetch", level: levelBad, metric: "fetch_errors_total", text: "The brokers don't give records: the log has the error."}},
	{about: about{kind: "commit", level: levelBad, metric: "commits_total", label: "result", value: "failed", text: "Offsets can't be committed: records would come again."}},
}

func (e *event) notices(before, now *sample) (list []notice) {
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
	{about{kind: "failed", level: levelBad, metric: "requests_total", label: "request_status", value: "failed", unlogged: true, text: "%.0f%% of the requests have no answer of an upstream: the reasons say why."}, 0.01},
	{about{kind: "shed", level: levelWarn, metric: "partner_requests_total", label: "request_status", value: "shed", by: "partner", unlogged: true, text: "%.0f%% of the requests of %s are shed: a limit is reached, see the reasons."}, 0.01},
	{about{kind: "shed", level: levelWarn, metric: "requests_total", label: "request_status", value: "shed", unlogged: true, text: "%.0f%% of the requests are shed: a limit is reached, see the reasons."}, 0.01},
	{about{kind: "malformed", level: levelWarn, metric: "partner_requests_total", label: "request_status", value: "malformed", by: "partner", unlogged: true, text: "%.0f%% of the requests of %s can't be decoded: the partner has changed what it sends."}, 0.5},
	{about{kind: "rejected", level: levelWarn, metric: "requests_total", label: "request_status", value: "rejected", unlogged: true, text: "%.0f%% of the requests are wrong as HTTP, or come from nobody who is known: see the reasons."}, 0.05},
	{about{kind: "responses", level: levelWarn, metric: "responses_total", label: "result", value: "refused", unlogged: true, text: "%.0f%% of the answers of upstreams that are judged have no bid that may go on, or can't be read."}, 0.05},
	{about{kind: "dead-letters", level: levelWarn, metric: "records_total", label: "result", value: "refused", unlogged: true, text: "%.0f%% of the records are dead letters: see the reasons."}, 0.5},
}

func (p *part) notices(before, now *sample) (list []notice) {
	all := about{metric: p.metric, by: p.by}
	oldAll, nowAll, old := all.sums(before), all.sums(now), p.sums(before)
	for name, v := range p.sums(now) {
		of := nowAll[name] - oldAll[name]
		share := (v - old[name]) / of
		if of < partMin || share <= p.more {
			continue
		}
		n := notice{Kind: p.kind, Name: name, Level: p.level, unlogged: p.unlogged}
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
func sorted(list []notice) []notice {
	slices.SortFunc(list, func(a, b notice) int { return cmp.Compare(a.Name, b.Name) })
	return list
}
