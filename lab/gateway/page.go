package gateway

import (
	"errors"
	"fmt"
	"math"
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
	return map[string]string{"gateway-cpu.svg": r.cpuBars(), "gateway-latency.svg": r.latencyPlot(), "gateway-soak.svg": r.soakPlot()}
}

// publish writes the page of a file of results. Preliminary ones are refused.
func publish(file string) error {
	r, err := Load(file)
	if err != nil {
		return err
	}
	if w := r.Warning(); w != "" {
		return errors.New("preliminary results are not published. " + w)
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
write. ` + "`make bench ARGS=gateway`" + ` measures all but the last two sections in under 40 minutes, ` + "`make bench ARGS='gateway --quick'`" + ` takes a first
look in under three; ` + "`--only`" + ` measures parts again. Debian's packages of nginx and HAProxy: ` + "`make setup ARGS=bench-gateway`" + `.

Each contestant is a process of its own, alone on one core; the generator ([rtbwire replay](../../docs/traffic.md#rtbwire-replay)) and the upstream, which answers
every request with 300 bytes, are on another one. Before it is measured, a contestant has to pass bodies unchanged. Contestants take turns in
rounds, each time in a new process. Numbers are medians of the rounds; ± is half of the 95% interval where that is more than 2%. Processor time is that of
the contestant's process, by the clock of the scheduler. A measurement in which the generator missed its own schedule is repeated, and left out in the end.
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
	for _, section := range []func(*strings.Builder){r.writeCost, r.writeLimit, r.writeLatency, r.writeMemory, r.writeOverload, r.writeShares, r.writeCapacity, r.writeSoak} {
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
	if half := (s.Hi - s.Lo) / 2; s.Count > 1 && half > 0.02*s.Median {
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
At a fixed rate that all carry, and with all 64 connections busy (capacity). The ratios are to the bare proxy, taken round by round. The
core's time has what the kernel does for the contestant in interrupts. Allocations and the collector's share are the Go runtime's.

![Processor time for a request at a fixed rate](gateway-cpu.svg)
`)
	for _, body := range r.Bodies {
		if len(r.samples("cost", ownFull, body.Name, true))+len(r.samples("cost", bareName, body.Name, true)) == 0 {
			continue
		}
		rate := ""
		for _, s := range r.Samples {
			if s.Part == "cost" && s.Body == body.Name && s.Offered > 0 {
				rate = thousands(s.Offered)
			}
		}
		fmt.Fprintf(b, "\n### %s, %s bytes\n", body.Name, thousands(body.Bytes))
		head(b, "", "µs at "+rate+"/s", "ratio", "user, system", "core", "µs at capacity", "ratio", "requests/s", "allocations", "bytes", "collector")
		for _, c := range r.Contestants {
			fixed, most := r.samples("cost", c.Name, body.Name, true), r.samples("cost", c.Name, body.Name, false)
			if len(fixed) == 0 && len(most) == 0 {
				continue
			}
			user, system := statOf(fixed, func(s *Sample) float64 { return s.User }), statOf(fixed, func(s *Sample) float64 { return s.System })
			heap := []string{"", "", ""}
			if statOf(most, allocated).Median > 0 || statOf(most, mallocs).Median > 0 {
				heap = []string{fmt.Sprintf("%.1f", statOf(most, mallocs).Median), thousands(statOf(most, allocated).Median), fmt.Sprintf("%.1f%%", 100*statOf(most, collector).Median)}
			}
			row(b, append([]string{
				"`" + c.Name + "`", statOf(fixed, perRequest).text("%.1f"), r.ratio("cost", c.Name, bareName, body.Name, true, perRequest).text("%.2f"),
				fmt.Sprintf("%.0f, %.0f", user.Median, system.Median), statOf(fixed, onCore).text("%.1f"),
				statOf(most, perRequest).text("%.1f"), r.ratio("cost", c.Name, bareName, body.Name, false, perRequest).text("%.2f"),
				statOf(most, throughput).count(),
			}, heap...)...)
		}
	}
}

func (r *Results) writeLimit(b *strings.Builder) {
	if !r.heading(b, "limit", "The highest rate with p99 below 5 ms") {
		return
	}
	b.WriteString("\nRequests a second, found by `rtbwire replay --find-limit 'p99<5ms'` with short steps.\n")
	r.table(b, "limit", true, func(list []Sample) string { return statOf(list, func(s *Sample) float64 { return s.Offered }).count() })
}

// table writes a table of contestants and bodies.
func (r *Results) table(b *strings.Builder, part string, fixed bool, cell func([]Sample) string) {
	cells := []string{""}
	for _, body := range r.Bodies {
		cells = append(cells, body.Name)
	}
	head(b, cells...)
	for _, c := range r.Contestants {
		cells, any := []string{"`" + c.Name + "`"}, false
		for _, body := range r.Bodies {
			list := r.samples(part, c.Name, body.Name, fixed)
			any = any || len(list) > 0
			if len(list) == 0 {
				cells = append(cells, "-")
				continue
			}
			cells = append(cells, cell(list))
		}
		if any {
			row(b, cells...)
		}
	}
}

func (r *Results) writeLatency(b *strings.Builder) {
	if !r.heading(b, "latency", "Latency at half of the gateway's load") {
		return
	}
	var rates []string
	for _, body := range r.Bodies {
		if list := r.samples("latency", directName, body.Name, true); len(list) > 0 {
			rates = append(rates, fmt.Sprintf("%s %s/s", body.Name, thousands(list[0].Offered)))
		}
	}
	fmt.Fprintf(b, "\np50 and p99 in µs, from the moment when a request was due: %s. Who can't carry that is left out.\n\n![Latency at half of the gateway's load](gateway-latency.svg)\n", strings.Join(rates, ", "))
	r.table(b, "latency", true, func(list []Sample) string {
		micros := func(of func(*Sample) float64) Stat {
			return statOf(list, func(s *Sample) float64 { return 1e3 * of(s) })
		}
		return micros(p50).text("%.0f") + ", " + micros(p99).text("%.0f")
	})
}

func (r *Results) writeMemory(b *strings.Builder) {
	if !r.heading(b, "memory", "Memory") {
		return
	}
	b.WriteString("\n1,000 connections, all of them used, and an upstream that takes 20 ms; the whole resident memory of the process.\n")
	head(b, "", "requests/s", "MiB", "at most", "goroutines")
	for _, c := range r.Contestants {
		list := r.samples("memory", c.Name, r.firstBody("memory"), true)
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
			row(b, "the "+kind, "`"+c.Name+"`", statOf(r.samples("overload "+kind+" peak", c.Name, body, false), throughput).count(),
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

// loads are the rates that cores are computed for.
var loads = []float64{50_000, 100_000, 200_000}

func (r *Results) writeCapacity(b *strings.Builder) {
	if !r.heading(b, "capacity", "Cores for a load") {
		return
	}
	if s := r.carried(ownFull); s != nil {
		fmt.Fprintf(b, "\nThe highest rate that one core carried for %.0f minutes with p99 below 5 ms, body %s (the handlers: for %.0f minutes), and the cores of gateways that loads need by that. Each rate was searched for by itself; behind it stands the next one that was tried and was not carried. The generator and the upstream share the other core, and add to p99.\n", s.Seconds/60, s.Body, min(s.Seconds, holdOthers.Seconds())/60)
	}
	head(b, "", "requests/s", "p99", "decoding", "allocations", "collector", "cores for 50,000/s", "100,000/s", "200,000/s")
	for _, c := range r.Contestants {
		s := r.carried(c.Name)
		if s == nil {
			continue
		}
		decode := ""
		if share, ok := r.share(c.Name, s.Body, "decode"); ok {
			decode = fmt.Sprintf("%.0f%%", 100*share)
		}
		cells := []string{"`" + c.Name + "`", s.highest(), fmt.Sprintf("%.2f ms", s.P99), decode, fmt.Sprintf("%.1f", s.Mallocs), fmt.Sprintf("%.1f%%", 100*s.Collector)}
		for _, rate := range loads {
			cells = append(cells, fmt.Sprintf("%.0f", math.Ceil(rate/s.Offered)))
		}
		row(b, cells...)
	}
}

// highest is the rate of a sample of capacity as text, with what is known of higher ones.
func (s *Sample) highest() string {
	if s.NotCarried == 0 {
		return "at least " + thousands(s.Offered)
	}
	return thousands(s.Offered) + ", not " + thousands(s.NotCarried)
}

// carried returns the highest rate of a contestant that was carried, nil if none was measured.
func (r *Results) carried(contestant string) *Sample {
	for i := range r.Samples {
		if s := &r.Samples[i]; s.Part == "capacity" && s.Contestant == contestant && s.Invalid == "" {
			return s
		}
	}
	return nil
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
			if s := statOf(r.samples("cost", c.Name, body.Name, true), perRequest); s.Count > 0 {
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
	return plot.DrawBars("Processor time for a request at a fixed rate; shorter is better", groups)
}

// latencyPlot draws percentiles at half load, of the body that is measured last.
func (r *Results) latencyPlot() string {
	p := plot.Plot{X: "percentile", Y: "µs from due to answered", LogY: true, Lines: true,
		TicksX: []plot.Tick{{At: 0, Text: "p50"}, {At: 1, Text: "p90"}, {At: 2, Text: "p99"}, {At: 3, Text: "p99.9"}}}
	for _, body := range slices.Backward(r.Bodies) {
		for _, c := range r.Contestants {
			list := r.samples("latency", c.Name, body.Name, true)
			if len(list) == 0 {
				continue
			}
			line := plot.Series{Name: c.Name}
			for i, of := range []func(*Sample) float64{p50, func(s *Sample) float64 { return s.P90 }, p99, func(s *Sample) float64 { return s.P999 }} {
				line.Points = append(line.Points, plot.Point{X: float64(i), Y: max(1, 1e3*statOf(list, of).Median)})
			}
			p.Series = append(p.Series, line)
		}
		if p.Series != nil {
			break
		}
	}
	return p.File()
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
