package replay

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/internal/traffic/replay"
)

// percentiles are the columns of tables of latencies.
var percentiles = []struct {
	name     string
	quantile float64
}{{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p99.9", 0.999}, {"p99.99", 0.9999}}

// writeText writes the outcome of a run for people.
func writeText(w io.Writer, r *replay.Result) {
	fmt.Fprintf(w, "%s for %s, %s", loadOf(r), r.Elapsed.Round(time.Millisecond), count(int64(r.Connections), "connection"))
	if r.Loops > 1 {
		fmt.Fprintf(w, ", %d threads", r.Loops)
	}
	fmt.Fprint(w, "\n\n")
	writeTarget(w, &r.Target)
	if r.Against != nil {
		fmt.Fprintln(w)
		writeTarget(w, r.Against)
	}
	if r.Judgement != nil {
		writeJudgement(w, r.Judgement)
	}
	if r.Invalid != "" {
		fmt.Fprintf(w, "\nINVALID: %s\n", r.Invalid)
	}
}

// loadOf says what load a run was.
func loadOf(r *replay.Result) string {
	if r.Rate == 0 {
		return "as many requests as the connections allow"
	}
	if r.Rate == float64(int64(r.Rate)) {
		return grouped(int64(r.Rate)) + " requests a second"
	}
	return strconv.FormatFloat(r.Rate, 'f', -1, 64) + " requests a second"
}

// writeTarget writes what became of the requests at one target.
func writeTarget(w io.Writer, t *replay.TargetResult) {
	fmt.Fprintf(w, "%v\n", t.Target)
	fmt.Fprintf(w, "  sent      %s requests, %s\n", grouped(t.Sent), size(t.BytesOut))
	fmt.Fprintf(w, "  answered  %s, %s/s, %s: %s\n", grouped(t.Answered), grouped(int64(t.Rate)), size(t.BytesIn), statuses(t))
	if n := t.Failed(); n > 0 {
		fmt.Fprintf(w, "  failed    %s: %s\n", grouped(n), failures(t))
	}
	if t.Reconnects+t.Refused > 0 {
		fmt.Fprintf(w, "  reconnected %s, failed to connect %s\n", grouped(t.Reconnects), grouped(t.Refused))
	}
	fmt.Fprintln(w)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(table, "\t")
	for _, p := range percentiles {
		fmt.Fprint(table, p.name+"\t")
	}
	fmt.Fprintln(table, "max\tmean\t")
	for _, row := range []struct {
		name string
		l    *replay.Latencies
	}{{"latency", t.Latency}, {"naive", t.Naive}, {"lag", t.Lag}} {
		if row.l.Count() == 0 {
			continue
		}
		fmt.Fprint(table, "  "+row.name+"\t")
		for _, p := range percentiles {
			fmt.Fprint(table, ms(row.l.Quantile(p.quantile))+"\t")
		}
		fmt.Fprintf(table, "%s\t%s\t\n", ms(row.l.Max()), ms(row.l.Mean()))
	}
	table.Flush() //nolint:errcheck // the caller's writer keeps the error
}

// statuses lists answers by status.
func statuses(t *replay.TargetResult) string {
	var parts []string
	for _, status := range slices.Sorted(maps.Keys(t.Statuses)) {
		parts = append(parts, fmt.Sprintf("%s with %d", grouped(t.Statuses[status]), status))
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}

// failures lists failures by cause.
func failures(t *replay.TargetResult) string {
	var parts []string
	for _, f := range slices.Sorted(maps.Keys(t.Failures)) {
		parts = append(parts, fmt.Sprintf("%s %v", grouped(t.Failures[f]), f))
	}
	return strings.Join(parts, ", ")
}

// writeJudgement writes what was found in the answers.
func writeJudgement(w io.Writer, j *replay.Judgement) {
	fmt.Fprintln(w)
	if j.Checked+j.Compared+j.Recorded == 0 {
		fmt.Fprintln(w, "no answer was checked or compared")
	}
	if j.Checked > 0 {
		fmt.Fprintf(w, "checked %s, wrong %s\n", grouped(j.Checked), grouped(j.Wrong))
	}
	for _, r := range j.Rules {
		fmt.Fprintf(w, "  %s  %s\n", grouped(r.Answers), r.ID)
	}
	if j.Compared > 0 {
		fmt.Fprintf(w, "compared %s, different %s, %s of them by status\n", grouped(j.Compared), grouped(j.Different), grouped(j.StatusDifferent))
	}
	if j.Unexpected > 0 {
		fmt.Fprintf(w, "the file has no answer for %s requests\n", grouped(j.Unexpected))
	}
	if j.Recorded+j.Unrecorded > 0 {
		fmt.Fprintf(w, "recorded %s, not recorded %s\n", grouped(j.Recorded), grouped(j.Unrecorded))
	}
	if j.Skipped > 0 {
		fmt.Fprintf(w, "not looked at %s, because too many were waiting, or the answer to compare with never came\n", grouped(j.Skipped))
	}
	for _, e := range j.Examples {
		fmt.Fprintf(w, "  %s: request %d, id %q: %s\n", e.Kind, e.Request+1, e.ID, e.What)
	}
}

// writeLimit writes the outcome of a search.
func writeLimit(w io.Writer, found *replay.LimitResult) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "rate/s\tanswered/s\tp50\tp99\tp99.9\tfailed\t\t")
	for _, s := range found.Steps {
		t := &s.Result.Target
		verdict := "held"
		if !s.Held {
			verdict = s.Why
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t  %s\n", grouped(int64(s.Rate)), grouped(int64(t.Rate)), ms(t.Latency.Quantile(0.5)),
			ms(t.Latency.Quantile(0.99)), ms(t.Latency.Quantile(0.999)), grouped(t.Failed()), verdict)
	}
	table.Flush() //nolint:errcheck // the caller's writer keeps the error
	fmt.Fprintf(w, "\nhighest rate with %v: %s requests a second\n", found.Limit, grouped(int64(found.Rate)))
}

// ms writes a latency with three digits or so.
func ms(d time.Duration) string {
	v := float64(d) / float64(time.Millisecond)
	switch {
	case v == 0:
		return "0"
	case v < 10:
		return strconv.FormatFloat(v, 'f', 3, 64) + "ms"
	case v < 100:
		return strconv.FormatFloat(v, 'f', 2, 64) + "ms"
	case v < 1000:
		return strconv.FormatFloat(v, 'f', 1, 64) + "ms"
	}
	return strconv.FormatFloat(v/1000, 'f', 3, 64) + "s"
}

func grouped(n int64) string { return cli.Grouped(n) }

// size writes a number of bytes.
func size(n int64) string {
	if n < 1e6 {
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

// count returns a number with its noun.
func count(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return grouped(n) + " " + noun
}
