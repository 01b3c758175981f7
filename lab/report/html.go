package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"sort"
	"strings"

	"github.com/rtbwire/rtbwire/lab/measure"
)

//go:embed template.html
var pageText string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"duration": duration, "family": family, "title": title,
	"percent": func(v float64) string { return fmt.Sprintf("%.1f%%", 100*v) },
}).Parse(pageText))

// HTML writes the page: one file that needs no other file.
func (r *Results) HTML(w io.Writer) error {
	return page.Execute(w, map[string]any{
		"R": r, "Targets": r.Targets(), "Warning": r.Warning(), "Ops": r.charts(),
		"Size": r.sizePlot(), "Memory": r.memoryPlot("app"), "Scaling": r.scalingPlots(), "Latency": r.latencyPlot(),
		"Faults": r.faults(), "Lax": r.lax(), "Flags": strings.Join(r.Machine.Flags, " "),
	})
}

// chart is the bars of one data set.
type chart struct {
	Set  Set
	Bars []bar
}

type bar struct {
	measure.Row
	Width, Lo, Hi float64 // percent of the longest
	Ratio         string
}

type opCharts struct {
	Op     measure.Op
	Charts []chart
}

func (r *Results) charts() []opCharts {
	var out []opCharts
	for _, op := range measure.Ops {
		o := opCharts{Op: op}
		for _, s := range r.Sets {
			rows := r.of(s.Name, op, 1)
			if len(rows) == 0 {
				continue
			}
			longest := 0.0
			for _, w := range rows {
				longest = max(longest, w.NS)
			}
			c := chart{Set: s}
			for _, w := range rows {
				b := bar{Row: w, Width: 100 * w.NS / longest, Lo: 100 * w.Lo / longest, Hi: min(100*w.Hi/longest, 100)}
				if w.NS > 0 {
					b.Ratio = fmt.Sprintf("%.2f×", w.NS/rows[0].NS)
				}
				c.Bars = append(c.Bars, b)
			}
			o.Charts = append(o.Charts, c)
		}
		if o.Charts != nil {
			out = append(out, o)
		}
	}
	return out
}

// sizePlot shows time against size, for the sets of one document.
func (r *Results) sizePlot() template.HTML {
	p := plot{x: "bytes of the document", y: "ns per document", logX: true, logY: true, lines: true}
	for _, e := range r.Engines {
		s := series{name: e.Name}
		for _, set := range r.Sets {
			if w := r.Row(e.Name, set.Name, measure.Decode, 1); w != nil && set.Docs == 1 && !set.Response {
				s.points = append(s.points, point{set.Bytes, w.NS})
			}
		}
		sort.Slice(s.points, func(i, j int) bool { return s.points[i].x < s.points[j].x })
		if len(s.points) > 1 {
			p.series = append(p.series, s)
		}
	}
	return p.svg()
}

// memoryPlot shows allocation against time.
func (r *Results) memoryPlot(set string) template.HTML {
	p := plot{x: "bytes allocated per document (1 means none)", y: "ns per document", logX: true, logY: true}
	for _, e := range r.Engines {
		if w := r.Row(e.Name, set, measure.Decode, 1); w != nil {
			p.series = append(p.series, series{e.Name, []point{{max(w.Bytes, 1), w.NS}}})
		}
	}
	return p.svg()
}

type namedPlot struct {
	Name string
	SVG  template.HTML
}

// scalingPlots shows the throughput of 1, 2 and more goroutines.
func (r *Results) scalingPlots() []namedPlot {
	var out []namedPlot
	for _, set := range r.Sets {
		p := plot{x: "goroutines", y: "documents per second", lines: true, logX: true, logY: true}
		var counts []int
		for _, n := range r.goroutines() {
			if len(r.of(set.Name, measure.Decode, n)) > 0 {
				counts = append(counts, n)
			}
		}
		if len(counts) < 2 {
			continue
		}
		for _, c := range counts {
			p.ticksX = append(p.ticksX, tick{float64(c), fmt.Sprint(c)})
		}
		for _, e := range r.Engines {
			s := series{name: e.Name}
			for _, c := range counts {
				if w := r.Row(e.Name, set.Name, measure.Decode, c); w != nil {
					s.points = append(s.points, point{float64(c), 1e9 / w.Wall})
				}
			}
			if len(s.points) > 1 {
				p.series = append(p.series, s)
			}
		}
		out = append(out, namedPlot{set.Name, p.svg()})
	}
	return out
}

// latencyPlot shows percentiles of the service.
func (r *Results) latencyPlot() template.HTML {
	p := plot{
		x: "percentile", y: "µs from due to done", logY: true, lines: true,
		ticksX: []tick{{0, "p50"}, {1, "p90"}, {2, "p99"}, {3, "p99.9"}, {4, "max"}},
	}
	for _, s := range r.Services {
		line := series{name: s.Engine}
		for i, v := range []float64{s.P50, s.P90, s.P99, s.P999, s.Max} {
			line.points = append(line.points, point{float64(i), max(v, 1) / 1e3})
		}
		p.series = append(p.series, line)
	}
	return p.svg()
}

func (r *Results) faults() []string {
	set := map[string]bool{}
	for _, e := range r.Engines {
		for f := range e.Laxity.Of {
			set[f] = true
		}
	}
	var out []string
	for f := range set {
		out = append(out, f)
	}
	slices.Sort(out)
	return out
}

// lax returns for each engine how many of the broken requests it accepts.
func (r *Results) lax() map[string][]string {
	out := map[string][]string{}
	for _, e := range r.Engines {
		for _, f := range r.faults() {
			text := "none"
			if n, of := e.Laxity.Accepted[f], e.Laxity.Of[f]; n == of && of > 0 {
				text = "all"
			} else if n > 0 {
				text = fmt.Sprintf("%d of %d", n, of)
			} else if of == 0 {
				text = ""
			}
			out[e.Name] = append(out[e.Name], text)
		}
	}
	return out
}

func title(op measure.Op) string { return strings.ToUpper(string(op[:1])) + string(op[1:]) }
