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
	"github.com/rtbwire/rtbwire/lab/plot"
)

//go:embed template.html
var pageText string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"duration": duration, "family": plot.Family, "title": title,
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
	p := plot.Plot{X: "bytes of the document", Y: "ns per document", LogX: true, LogY: true, Lines: true}
	for _, e := range r.Engines {
		s := plot.Series{Name: e.Name}
		for _, set := range r.Sets {
			if w := r.Row(e.Name, set.Name, measure.Decode, 1); w != nil && set.Docs == 1 && !set.Response {
				s.Points = append(s.Points, plot.Point{X: set.Bytes, Y: w.NS})
			}
		}
		sort.Slice(s.Points, func(i, j int) bool { return s.Points[i].X < s.Points[j].X })
		if len(s.Points) > 1 {
			p.Series = append(p.Series, s)
		}
	}
	return p.SVG()
}

// memoryPlot shows allocation against time.
func (r *Results) memoryPlot(set string) template.HTML {
	p := plot.Plot{X: "bytes allocated per document (1 means none)", Y: "ns per document", LogX: true, LogY: true}
	for _, e := range r.Engines {
		if w := r.Row(e.Name, set, measure.Decode, 1); w != nil {
			p.Series = append(p.Series, plot.Series{Name: e.Name, Points: []plot.Point{{X: max(w.Bytes, 1), Y: w.NS}}})
		}
	}
	return p.SVG()
}

type namedPlot struct {
	Name string
	SVG  template.HTML
}

// scalingPlots shows the throughput of 1, 2 and more goroutines.
func (r *Results) scalingPlots() []namedPlot {
	var out []namedPlot
	for _, set := range r.Sets {
		p := plot.Plot{X: "goroutines", Y: "documents per second", Lines: true, LogX: true, LogY: true}
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
			p.TicksX = append(p.TicksX, plot.Tick{At: float64(c), Text: fmt.Sprint(c)})
		}
		for _, e := range r.Engines {
			s := plot.Series{Name: e.Name}
			for _, c := range counts {
				if w := r.Row(e.Name, set.Name, measure.Decode, c); w != nil {
					s.Points = append(s.Points, plot.Point{X: float64(c), Y: 1e9 / w.Wall})
				}
			}
			if len(s.Points) > 1 {
				p.Series = append(p.Series, s)
			}
		}
		out = append(out, namedPlot{set.Name, p.SVG()})
	}
	return out
}

// latencyPlot shows percentiles of the service.
func (r *Results) latencyPlot() template.HTML {
	p := plot.Plot{
		X: "percentile", Y: "µs from due to done", LogY: true, Lines: true,
		TicksX: []plot.Tick{{At: 0, Text: "p50"}, {At: 1, Text: "p90"}, {At: 2, Text: "p99"}, {At: 3, Text: "p99.9"}, {At: 4, Text: "max"}},
	}
	for _, s := range r.Services {
		line := plot.Series{Name: s.Engine}
		for i, v := range []float64{s.P50, s.P90, s.P99, s.P999, s.Max} {
			line.Points = append(line.Points, plot.Point{X: float64(i), Y: max(v, 1) / 1e3})
		}
		p.Series = append(p.Series, line)
	}
	return p.SVG()
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
