package gateway

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rtbwire/rtbwire/internal/plot"
)

// Where the page is published, from the folder lab.
const (
	pageFile   = "docs/gateway-performance.md"
	pageFolder = "docs"
)

// pictures returns the pictures of the page by their names.
func (r *Results) pictures() map[string]string {
	return map[string]string{"gateway-cpu.svg": r.cpuBars(), "gateway-latency.svg": r.latencyBars(), "gateway-soak.svg": r.soakPlot()}
}

// publish writes the page of a file of results and of the runs beside it. Preliminary ones are
// refused.
func publish(file string) error {
	r, err := LoadAll(file)
	if err != nil {
		return err
	}
	for _, run := range append([]*Results{r}, r.others...) {
		if w := run.Warning(); w != "" {
			return errors.New("preliminary results are not published. " + w)
		}
	}
	return r.write(pageFile, pageFolder)
}

// write writes the page and its pictures.
func (r *Results) write(page, folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(page, []byte(r.Page()), 0o644); err != nil {
		return err
	}
	for name, text := range r.pictures() {
		name = filepath.Join(folder, name)
		if text == "" {
			if err := os.Remove(name); err != nil && !os.IsNotExist(err) {
				return err
			}
			continue
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

const intro = `# What the gateway costs

<!-- Written by "cd lab && go run . gateway page" from lab/results/gateway.json. Do not edit. -->

The [gateway](../../docs/gateway.md) beside a bare proxy, nginx, HAProxy, ` + "`httputil.ReverseProxy`" + ` and the handler of net/http that a team would
write. ` + "`make bench ARGS=gateway`" + ` measures all but several cores and the long run in under 40 minutes, ` + "`make bench ARGS='gateway --quick'`" + ` takes a first
look in under three; ` + "`--only`" + ` measures parts again. Debian's packages of nginx and HAProxy: ` + "`make setup ARGS=bench-gateway`" + `.

Each contestant is a process of its own, alone on its cores; the generator ([rtbwire replay](../../docs/traffic.md#rtbwire-replay)) and the upstream, which
answers every request with 300 bytes, are on others. Before it is measured, a contestant has to pass bodies unchanged. Contestants take turns in
rounds, each time in a new process. Numbers are medians of the rounds; ± is half of the 95% interval where that is more than 2%, and the interval itself where it is wider than the median. Processor time is that
of the contestant's process, by the clock of the scheduler. A measurement does not count if the generator missed its own schedule, or if other virtual
machines took more than 1% of the processors meanwhile: it is repeated, and left out in the end.
`

// Page returns the page.
func (r *Results) Page() string {
	b := new(strings.Builder)
	b.WriteString(intro)
	if len(r.Parts) == 0 {
		b.WriteString("\nNo run on a quiet machine is kept here yet.\n")
		return b.String()
	}
	if w := r.Warning(); w != "" {
		fmt.Fprintf(b, "\n**%s**\n", w)
	}
	r.writeContestants(b)
	r.writeTargets(b)
	for _, section := range []func(*strings.Builder){r.writeCost, r.writeCapacity, r.writeRuns, r.writeScaling, r.writeMemory, r.writeOverload, r.writeShares, r.writeSoak} {
		section(b)
	}
	r.writeMachines(b)
	return b.String()
}

// heading begins a section that has a part of the run.
func (r *Results) heading(b *strings.Builder, part, title string) bool {
	if _, ok := r.Parts[part]; !ok {
		return false
	}
	fmt.Fprintf(b, "\n## %s\n\n    cd lab && go run . gateway --only %s\n", title, part)
	return true
}

// row writes a row of a table.
func row(b *strings.Builder, cells ...string) { fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | ")) }

// head writes the head of a table.
func head(b *strings.Builder, cells ...string) {
	b.WriteByte('\n')
	row(b, cells...)
	row(b, slices.Repeat([]string{"---"}, len(cells))...)
}

// text returns a median as text, with its interval if that is wide.
func (s Stat) text(format string) string {
	if s.Count == 0 {
		return "-"
	}
	out := fmt.Sprintf(format, s.Median)
	switch half := (s.Hi - s.Lo) / 2; {
	case s.Count > 1 && half > s.Median:
		out += " [" + fmt.Sprintf(format, s.Lo) + " to " + fmt.Sprintf(format, s.Hi) + "]"
	case s.Count > 1 && half > 0.02*s.Median:
		out += fmt.Sprintf(" ±%.0f%%", 100*half/s.Median)
	}
	return out
}

// thousands writes a count with commas.
func thousands(v float64) string {
	digits := fmt.Sprintf("%.0f", v)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

func (s Stat) count() string {
	if s.Count == 0 {
		return "-"
	}
	return thousands(s.Median) + strings.TrimPrefix(s.text("%.0f"), fmt.Sprintf("%.0f", s.Median))
}

func (r *Results) writeContestants(b *strings.Builder) {
	head(b, "name", "what it is")
	for _, c := range r.Contestants {
		about := c.About
		if c.Version != "" {
			about += " (" + c.Version + ")"
		}
		row(b, "`"+c.Name+"`", about)
	}
	head(b, "body", "what it is", "bytes")
	for _, body := range r.Bodies {
		row(b, body.Name, body.About+"; ids, advertising identifiers and addresses differ", thousands(body.Bytes))
	}
}

func (r *Results) writeTargets(b *strings.Builder) {
	list := r.targets()
	if len(list) == 0 {
		return
	}
	b.WriteString("\n## Targets\n")
	head(b, "what", "target", "measured", "")
	for _, t := range list {
		mark := "**not met**"
		if t.met {
			mark = "met"
		}
		row(b, t.what, t.want, t.got, mark)
	}
}

func (r *Results) writeCost(b *strings.Builder) {
	if !r.heading(b, "cost", "Processor time and throughput") {
		return
	}
	b.WriteString(`
A closed loop: all 64 connections are busy, and no request waits for its time. The ratios are to the bare proxy, taken round by round.
Allocations and the collector's share are the Go runtime's.

![Processor time for a request](gateway-cpu.svg)
`)
	for _, body := range r.Bodies {
		if len(r.samples("cost", ownFull, body.Name))+len(r.samples("cost", bareName, body.Name)) == 0 {
			continue
		}
		fmt.Fprintf(b, "\n### %s, %s bytes\n", body.Name, thousands(body.Bytes))
		head(b, "", "µs a request", "ratio", "user, system", "requests/s", "allocations", "bytes", "collector")
		for _, c := range r.Contestants {
			list := r.samples("cost", c.Name, body.Name)
			if len(list) == 0 {
				continue
			}
			user, system := statOf(list, func(s *Sample) float64 { return s.User }), statOf(list, func(s *Sample) float64 { return s.System })
			heap := []string{"", "", ""}
			if statOf(list, allocated).Median > 0 || statOf(list, mallocs).Median > 0 {
				heap = []string{fmt.Sprintf("%.1f", statOf(list, mallocs).Median), thousands(statOf(list, allocated).Median), fmt.Sprintf("%.1f%%", 100*statOf(list, collector).Median)}
			}
			row(b, append([]string{
				"`" + c.Name + "`", statOf(list, perRequest).text("%.1f"), r.ratio("cost", c.Name, bareName, body.Name, perRequest).text("%.2f"),
				fmt.Sprintf("%.0f, %.0f", user.Median, system.Median), statOf(list, throughput).count(),
			}, heap...)...)
		}
	}
}

func (r *Results) writeMemory(b *strings.Builder) {
	if !r.heading(b, "memory", "Memory") {
		return
	}
	b.WriteString("\n1,000 connections, all of them used, and an upstream that takes 20 ms; the whole resident memory of the process.\n")
	head(b, "", "requests/s", "MiB", "at most", "goroutines")
	for _, c := range r.Contestants {
		list := r.samples("memory", c.Name, r.firstBody("memory"))
		if len(list) == 0 {
			continue
		}
		routines := ""
		if s := statOf(list, goroutines); s.Median > 0 {
			routines = s.count()
		}
		row(b, "`"+c.Name+"`", statOf(list, throughput).count(), statOf(list, resident).text("%.0f"), statOf(list, peak).text("%.0f"), routines)
	}
}

func (r *Results) writeOverload(b *strings.Builder) {
	if !r.heading(b, "overload", "Overload") {
		return
	}
	b.WriteString(`
Three times what is carried is offered on 1,000 connections: once what an upstream carries that serves one request after the other, once what
the contestant itself carries. Goodput is answers with 200. p99 is that of all answers from when they were sent.
`)
	head(b, "overloaded", "", "peak/s", "offered/s", "goodput/s", "of the peak", "other answers/s", "failed/s", "p99")
	for _, kind := range []string{overloadUpstream, overloadGateway} {
		body := r.firstBody("overload " + kind)
		for _, c := range r.Contestants {
			share, latency, ok := r.goodput(c.Name, kind)
			if !ok {
				continue
			}
			var loaded []Sample
			for _, s := range r.Samples {
				if s.Part == "overload "+kind && s.Contestant == c.Name {
					loaded = append(loaded, s)
				}
			}
			row(b, "the "+kind, "`"+c.Name+"`", statOf(r.samples("overload "+kind+" peak", c.Name, body), throughput).count(),
				statOf(loaded, func(s *Sample) float64 { return s.Offered }).count(), statOf(loaded, throughput).count(), fmt.Sprintf("%.2f", share),
				statOf(loaded, func(s *Sample) float64 { return s.Other }).count(), statOf(loaded, func(s *Sample) float64 { return s.Failed }).count(), fmt.Sprintf("%.1f ms", latency))
		}
	}
}

func (r *Results) writeShares(b *strings.Builder) {
	if !r.heading(b, "shares", "Where the processor time goes") {
		return
	}
	b.WriteString("\nShares of a profile with all connections busy. Allocation inside decoding counts as decoding.\n")
	head(b, append([]string{"", "body"}, allShares()...)...)
	for _, c := range r.Contestants {
		for _, body := range r.Bodies {
			cells := []string{"`" + c.Name + "`", body.Name}
			for _, name := range allShares() {
				if share, ok := r.share(c.Name, body.Name, name); ok {
					cells = append(cells, fmt.Sprintf("%.0f%%", 100*share))
				}
			}
			if len(cells) > 2 {
				row(b, cells...)
			}
		}
	}
}

// share returns a share of a program's processor time.
func (r *Results) share(contestant, body, name string) (float64, bool) {
	for _, s := range r.Shares {
		if s.Contestant == contestant && s.Body == body && s.Name == name {
			return s.Share, true
		}
	}
	return 0, false
}

func (r *Results) writeSoak(b *strings.Builder) {
	if r.Soak == nil || !r.heading(b, "soak", "A long run") {
		return
	}
	s := r.Soak
	memory, goroutines := s.Growth()
	fmt.Fprintf(b, "\n%.0f minutes with %s requests a second, body %s: %s answered with 200, %s otherwise or not, p50 %.2f ms, p99 %.2f ms. From the second quarter to the last,\nmemory grew by %.1f%% and goroutines by %.1f%%.\n",
		s.Seconds/60, thousands(s.Rate), s.Body, thousands(s.Answered), thousands(s.Lost), s.P50, s.P99, 100*memory, 100*goroutines)
	if s.Invalid != "" {
		fmt.Fprintf(b, "\nThe generator: %s.\n", s.Invalid)
	}
	b.WriteString("\n![Memory and goroutines in the long run](gateway-soak.svg)\n")
}

func (r *Results) writeMachines(b *strings.Builder) {
	b.WriteString("\n## Machine\n")
	head(b, "part", "taken", "took", "machine", "commit", "others")
	for _, p := range parts {
		info, ok := r.Parts[p.name]
		if !ok {
			continue
		}
		m := &info.Machine
		row(b, p.name, info.Taken.Format("2006-01-02"), fmt.Sprintf("%.0f s", info.Seconds), fmt.Sprintf("%s, %d cores, %s", m.Model(), m.Cores, m.Go), m.Commit, fmt.Sprintf("%.2f cores", info.Others))
	}
}

// cpuBars draws the processor time of all contestants.
func (r *Results) cpuBars() string {
	var groups []plot.Bars
	for _, body := range r.Bodies {
		g := plot.Bars{Title: fmt.Sprintf("%s, %s bytes", body.Name, thousands(body.Bytes))}
		for _, c := range r.Contestants {
			if s := statOf(r.samples("cost", c.Name, body.Name), perRequest); s.Count > 0 {
				g.Bars = append(g.Bars, plot.Bar{Name: c.Name, Value: s.Median, Text: fmt.Sprintf("%.1f µs", s.Median)})
			}
		}
		if g.Bars != nil {
			groups = append(groups, g)
		}
	}
	if groups == nil {
		return ""
	}
	return plot.DrawBars("Processor time for a request with all connections busy; shorter is better", groups)
}

// latencyBars draws what contestants add to p50 and p99 at their planned rates, of the last body.
func (r *Results) latencyBars() string {
	var groups []plot.Bars
	for _, body := range slices.Backward(r.Bodies) {
		for _, q := range []struct {
			name string
			of   func(*Sample) float64
		}{{"p50", p50}, {"p99", p99}} {
			g := plot.Bars{Title: fmt.Sprintf("%s, %s", body.Name, q.name)}
			for _, c := range r.Contestants {
				if s := r.added(c.Name, body.Name, q.of); s.Count > 0 {
					g.Bars = append(g.Bars, plot.Bar{Name: c.Name, Value: max(0, s.Median), Text: fmt.Sprintf("%.0f µs", s.Median)})
				}
			}
			if g.Bars != nil {
				groups = append(groups, g)
			}
		}
		if groups != nil {
			return plot.DrawBars("What is added to the latency of a direct call at the planned rate; shorter is better", groups)
		}
	}
	return ""
}

// soakRuns is how many runs of points a line of the soak is drawn from: one for eight pixels.
const soakRuns = 60

// soakPlot draws memory, goroutines and p99 of the long run.
func (r *Results) soakPlot() string {
	if r.Soak == nil {
		return ""
	}
	p := plot.Plot{X: "minutes", Y: "MiB, goroutines, p99 in 10 µs", Lines: true}
	memory, goroutines, tail := plot.Series{Name: "rtbwire-MiB"}, plot.Series{Name: "goroutines"}, plot.Series{Name: "p99 in 10 µs"}
	for _, at := range r.Soak.Points {
		memory.Points = append(memory.Points, plot.Point{X: at.Second / 60, Y: at.Resident})
		goroutines.Points = append(goroutines.Points, plot.Point{X: at.Second / 60, Y: at.Goroutines})
	}
	for _, at := range r.Soak.Intervals {
		tail.Points = append(tail.Points, plot.Point{X: at.Second / 60, Y: 100 * at.P99})
	}
	for _, s := range []plot.Series{memory, goroutines, tail} {
		s.Points = plot.Envelope(s.Points, soakRuns)
		p.Series = append(p.Series, s)
	}
	return p.File()
}

// Summary returns what a terminal shows at the end of a run.
func (r *Results) Summary() string {
	b := new(strings.Builder)
	for _, t := range r.targets() {
		mark := "no "
		if t.met {
			mark = "yes"
		}
		fmt.Fprintf(b, "%s  %s: %s; measured: %s\n", mark, t.what, t.want, t.got)
	}
	if w := r.Warning(); w != "" {
		fmt.Fprintf(b, "\n%s\n", w)
	}
	return b.String()
}
