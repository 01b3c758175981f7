package admin

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/rtbwire/rtbwire/internal/filewatch"
	"github.com/rtbwire/rtbwire/internal/serving/overrides"
)

// NoticesMax is how many notices there are.
const NoticesMax = 30

// Notice is something that an operator should look at.
type Notice struct {
	// Kind is the same for the same thing, whatever the text says of it.
	Kind string `json:"kind"`
	// State is "bad", "warn", or "note" for what somebody has done on purpose.
	State string `json:"state"`
	// Text is one sentence or two, and Detail what was found, in lines.
	Text   string `json:"text"`
	Detail string `json:"detail,omitempty"`
	// Place is where it is: a file, a rule, an upstream, a partner.
	Place string `json:"place,omitempty"`
	// unlogged says that the log has no other line about it.
	unlogged bool
}

// stateNote is the state of a notice about what is so on purpose.
const stateNote = "note"

// notices returns what an operator should look at, what is worst first.
func (s *Server) notices(d *document, now numbers, from, to *sample) []Notice {
	list := slices.Concat(
		readNotices(d), endNotices(d), upstreamNotices(d.Upstreams), lossNotices(d, now), undeliverableNotices(d, now), configurationNotices(d),
		fileNotices(d), ruleNotices(d), countNotices(from, to), s.overrideNotices(),
	)
	if list == nil {
		return []Notice{}
	}
	rank := map[string]int{stateBad: 0, stateWarn: 1, stateNote: 2}
	slices.SortStableFunc(list, func(a, b Notice) int { return cmp.Compare(rank[a.State], rank[b.State]) })
	return list[:min(len(list), NoticesMax)]
}

// readNotices say that a stream does not read.
func readNotices(d *document) (list []Notice) {
	if d.Kind == kindStream && !d.Ready {
		list = append(list, Notice{Kind: "reads", State: stateBad, Text: "The stream does not read: " + d.NotReady + ".", Place: d.Flow.From})
	}
	return list
}

// endNotices are about the destinations of a stream.
func endNotices(d *document) (list []Notice) {
	for i := range d.Ends {
		end := &d.Ends[i]
		switch {
		case end.Role == "reads" || end.State == stateGood:
		case end.State == stateBad && d.Flow.Upstream && end.Role == "accepted":
			list = append(list, Notice{Kind: "end", State: stateBad, Text: "The upstream is " + end.Text + ". Nothing is lost: they go on when it is back.", Place: end.Name})
		case end.State == stateBad:
			list = append(list, Notice{Kind: "end", State: stateBad, Text: "The destination of " + end.Role + " can't be written. Its records come again; nothing is lost.", Place: end.Name})
		default:
			list = append(list, Notice{Kind: "end", State: stateWarn, Text: "The destination of " + end.Role + ": " + end.Text + ", " + each(end.FailuresPerSecond) + ".", Place: end.Name})
		}
	}
	return list
}

// upstreamNotices are about upstreams that get no requests.
func upstreamNotices(upstreams []upstreamRow) (list []Notice) {
	shared := func(u upstreamRow) bool { return !u.Apart }
	aside := slices.ContainsFunc(upstreams, shared) // without them, routed ones are all that there is
	usable, healthy := 0, 0
	for i := range upstreams {
		u := &upstreams[i]
		if u.Healthy && !(aside && u.Apart) {
			healthy++
			if !u.Drained {
				usable++
			}
		}
	}
	if len(upstreams) > 0 && usable == 0 {
		text := "No upstream is healthy: requests can't be forwarded."
		if healthy > 0 {
			text = "No upstream is in use: operators have drained those that are healthy."
		}
		return []Notice{{Kind: "upstreams", unlogged: true, State: stateBad, Text: text}}
	}
	for i := range upstreams {
		if u := &upstreams[i]; !u.Healthy && !u.Drained {
			text := "The upstream " + u.Name + " has no healthy address"
			if !u.Apart {
				text += ": others get its requests"
			}
			list = append(list, Notice{Kind: "upstreams", unlogged: true, State: stateWarn, Text: text + ".", Place: u.Name})
		}
	}
	return list
}

// lossNotices are about requests that are answered by nobody, with the partners that have most of
// them. Single failures are no notice.
func lossNotices(d *document, now numbers) (list []Notice) {
	for _, loss := range []struct{ status, text string }{
		{"shed", "Requests are shed: %s. A limit is reached."}, {"failed", "Requests fail: %s. Upstreams don't answer them as they should."},
	} {
		rate := now["requests."+loss.status]
		if rate == 0 || loss.status == "failed" && rate < LossShare*now.sum("requests.", bidStatuses...) {
			continue
		}
		n := Notice{Kind: loss.status, unlogged: true, State: stateWarn, Text: fmt.Sprintf(loss.text, each(rate))}
		most := 0.0
		for i := range d.Partners {
			if own := d.Partners[i].PerSecond[loss.status]; own > most {
				most, n.Place = own, d.Partners[i].Name
			}
		}
		if n.Place != "" {
			n.Text += " Most are of the partner " + n.Place + "."
		}
		list = append(list, n)
	}
	return list
}

// undeliverableNotices are about records that the verdict accepts and the destination does not.
func undeliverableNotices(d *document, now numbers) []Notice {
	rate := now["records.undeliverable"]
	if d.Kind != kindStream || rate == 0 {
		return nil
	}
	return []Notice{{
		Kind: "undeliverable", unlogged: true, State: stateWarn, Place: d.Flow.Accepted,
		Text: "Accepted records are undeliverable: " + each(rate) + ". The destination refuses them; the last dead letters say why.",
	}}
}

// configurationNotices say that a configuration could not be loaded.
func configurationNotices(d *document) (list []Notice) {
	add := func(what string, c *configuration) {
		if c.Problem == "" {
			return
		}
		n := Notice{Kind: what, State: stateWarn, Text: fmt.Sprintf("The %s could not be loaded again at %s UTC; the one before stays in use.", what, moment(c.Failed)), Detail: c.Problem}
		if len(c.Files) > 0 {
			n.Place = c.Files[0].Path
		}
		list = append(list, n)
	}
	add("configuration", &d.Configuration)
	if d.Candidate != nil {
		add("candidate", &d.Candidate.Configuration)
	}
	return list
}

// fileNotices are about files that can't be used, are old, or have certificates that end. The
// configuration has its own.
func fileNotices(d *document) (list []Notice) {
	for i := range d.Files {
		switch f := &d.Files[i]; {
		case f.Error != "" && f.Kind != filewatch.KindConfiguration:
			list = append(list, Notice{Kind: "file", State: stateWarn, Text: fmt.Sprintf("%s could not be loaded again; the content before stays in use.", titled(f.Kind, f.Name)), Detail: f.Error, Place: f.Path})
		case f.Expiring:
			n := Notice{Kind: "file", State: stateWarn, Text: fmt.Sprintf("The first of the %s of %s expires at %s UTC.", f.Kind, f.Name, moment(f.Expires)), Place: f.Path}
			if f.Expires.Before(d.Now) {
				n.State, n.Text = stateBad, fmt.Sprintf("The first of the %s of %s has expired at %s UTC: clients that check it can't connect.", f.Kind, f.Name, moment(f.Expires))
			}
			list = append(list, n)
		case f.Old:
			list = append(list, Notice{Kind: "file", State: stateWarn, Text: fmt.Sprintf("%s is too old: from %s UTC, %s ago.", titled(f.Kind, f.Name), moment(f.Modified), span(d.Now.Sub(f.Modified).Seconds())), Place: f.Path})
		}
	}
	return list
}

// titled is the beginning of a sentence about a file.
func titled(kind, name string) string {
	if kind == name {
		return "The file of " + kind
	}
	return "The " + kind + " " + name
}

// ruleNotices are about rules that can't decide.
func ruleNotices(d *document) (list []Notice) {
	things := "requests"
	if d.Kind == kindStream {
		things = "records"
	}
	for i := range d.Rules {
		r := &d.Rules[i]
		if !r.Broken {
			continue
		}
		whose := things
		if r.Partner != "" {
			whose += " of " + r.Partner
		}
		list = append(list, Notice{Kind: "rule", unlogged: true, State: stateWarn, Text: fmt.Sprintf("The rule %s can't decide about %s of the %s: its condition has no value for them.", r.Rule, percent(r.Share, 1), whose), Place: r.Rule})
	}
	return list
}

// overrideNotices say what operators have changed, and that it may be forgotten.
func (s *Server) overrideNotices() (list []Notice) {
	c := s.options.Control
	if c == nil {
		return nil
	}
	if err := c.Overrides.Problem(); err != nil {
		list = append(list, Notice{Kind: "overrides", State: stateWarn, Text: "Changes of operators can't be kept: a restart forgets them.", Detail: err.Error(), Place: c.Overrides.File()})
	}
	entries := c.Overrides.List()
	if len(entries) == 0 {
		return list
	}
	counts := map[overrides.Action]int{}
	for i := range entries {
		counts[entries[i].Action]++
	}
	var parts []string
	for _, of := range []struct {
		action overrides.Action
		text   string
	}{{overrides.Block, "blocked"}, {overrides.Drain, "drained"}, {overrides.Observe, "observed"}} {
		if n := counts[of.action]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, of.text))
		}
	}
	own := Notice{Kind: "overrides", State: stateNote, Text: "By operators: " + strings.Join(parts, ", ") + "."}
	if len(entries) > OverridesMax {
		own.Detail = fmt.Sprintf("The page lists %d of %d changes, rtbwire ctl list all of them.", OverridesMax, len(entries))
	}
	return append(list, own)
}
