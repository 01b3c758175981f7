package report

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"sort"
	"strings"

	"github.com/rtbwire/rtbwire/internal/plot"
	"github.com/rtbwire/rtbwire/lab/measure"
)

//go:embed template.html
var pageText string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"duration": duration, "family": plot.Family, "title": title, "latency": latency, "thousands": thousands, "times": timesText,
	"marked": marked, "about": About, "setTitle": setTitle,
	"percent": func(v float64) string { return fmt.Sprintf("%.1f%%", 100*v) },
}).Parse(pageText))

// HTML writes the page: one file that needs no other file.
func (r *Results) HTML(w io.Writer) error {
	set := r.Headline()
	return page.Execute(w, map[string]any{
		"R": r, "Warning": r.Warning(), "Conclusion": r.Conclusion(), "Set": set, "Overview": r.overview(set), "Note": r.overviewNote(set),
		"Ops": r.charts(), "Size": r.sizePlot(), "Memory": r.memoryPlot(set), "Scaling": r.scalingPlots(), "Latency": r.latencyPlot(),
		"Engines": r.cards(), "Services": r.services(), "Flags": strings.Join(r.Machine.Flags, " "),
	})
}

// marked writes text with names in backquotes for the page.
func marked(text string) template.HTML {
	b := new(strings.Builder)
	for i, part := range strings.Split(text, "`") {
		if i%2 == 1 {
			b.WriteString("<b>" + template.HTMLEscapeString(part) + "</b>")
		} else {
			b.WriteString(template.HTMLEscapeString(part))
		}
	}
	return template.HTML(b.String())
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

// opCharts are the charts of an operation: those to look at first, and the rest.
type opCharts struct {
	Op          measure.Op
	First, Rest []chart
}

// shown is how many charts of an operation are not folded.
const shown = 4

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
				if w.Times > 0 {
					b.Ratio = timesText(w.Times) + "×"
				}
				c.Bars = append(c.Bars, b)
			}
			if len(o.First) < shown {
				o.First = append(o.First, c)
			} else {
				o.Rest = append(o.Rest, c)
			}
		}
		if o.First != nil {
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
	return p.Both()
}

// memoryPlot shows allocation against time.
func (r *Results) memoryPlot(set string) template.HTML {
	p := plot.Plot{X: "bytes allocated per document (1 means none)", Y: "ns per document", LogX: true, LogY: true}
	for _, e := range r.Engines {
		if w := r.Row(e.Name, set, measure.Decode, 1); w != nil {
			p.Series = append(p.Series, plot.Series{Name: e.Name, Points: []plot.Point{{X: max(w.Bytes, 1), Y: w.NS}}})
		}
	}
	return p.Both()
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
		out = append(out, namedPlot{set.Name, p.Both()})
	}
	return out
}

// latencyPlot shows how the times of requests are distributed, the lowest 99th percentile first.
func (r *Results) latencyPlot() template.HTML {
	p := plot.Strips{X: "from due to done", TicksX: []plot.Tick{
		{At: 1e3, Text: "1 µs"}, {At: 1e4, Text: "10 µs"}, {At: 1e5, Text: "100 µs"}, {At: 1e6, Text: "1 ms"}, {At: 1e7, Text: "10 ms"}, {At: 1e8, Text: "100 ms"}, {At: 1e9, Text: "1 s"},
	}}
	for _, s := range r.services() {
		row := plot.Strip{Name: s.Engine, Marks: []plot.Tick{{At: s.P50, Text: "p50"}, {At: s.P99, Text: "p99 " + latency(s.P99)}}}
		for bucket, n := range s.Histogram {
			row.Buckets = append(row.Buckets, plot.Bucket{From: measure.Bound(bucket - 1), To: measure.Bound(bucket), Count: float64(n)})
		}
		if row.Buckets != nil {
			p.Rows = append(p.Rows, row)
		}
	}
	return p.Both()
}

// services returns the services, the lowest 99th percentile first.
func (r *Results) services() []measure.ServiceResult {
	sorted := slices.Clone(r.Services)
	slices.SortStableFunc(sorted, func(a, b measure.ServiceResult) int { return cmp.Compare(a.P99, b.P99) })
	return sorted
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

// card is what there is to say about an engine.
type card struct {
	measure.Info
	Marks    Marks
	Accepts  []string // broken requests
	Harmless bool     // it was given broken requests, and accepted none
}

func (r *Results) cards() (cards []card) {
	for i := range r.Engines {
		e := &r.Engines[i]
		c := card{Info: *e, Marks: marks(e)}
		for _, f := range r.faults() {
			if n := e.Laxity.Accepted[f]; n > 0 {
				c.Accepts = append(c.Accepts, fmt.Sprintf("%s: %d of %d", f, n, e.Laxity.Of[f]))
			}
		}
		c.Harmless = c.Accepts == nil && len(e.Laxity.Of) > 0
		cards = append(cards, c)
	}
	return cards
}

func title(op measure.Op) string { return strings.ToUpper(string(op[:1])) + string(op[1:]) }
