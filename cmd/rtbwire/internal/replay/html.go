package replay

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/htmlpage"
	"github.com/rtbwire/rtbwire/internal/plot"
	"github.com/rtbwire/rtbwire/internal/traffic/replay"
)

//go:embed html.tmpl
var htmlTemplate string

// page is what the template sees.
type page struct {
	Version string
	Style   template.CSS
	Title   string
	Load    string
	*replay.Result
	Limit   *replay.LimitResult
	Plots   []picture
	Columns []string
	Targets []pageTarget
}

// pageTarget is a target with its table of latencies.
type pageTarget struct {
	*replay.TargetResult
	StatusText, FailureText string
	Rows                    []pageRow
}

type pageRow struct {
	Name, Hint string
	Cells      []string
}

// page gathers what the page shows.
func (r *run) page(result *replay.Result, limit *replay.LimitResult) *page {
	p := &page{
		Version: cli.Version(), Style: htmlpage.Style, Result: result, Limit: limit,
		Load: fmt.Sprintf("%s for %v, %s", loadOf(result), result.Elapsed.Round(time.Millisecond), count(int64(result.Connections), "connection")),
	}
	t := &result.Target
	switch {
	case limit != nil:
		p.Title = fmt.Sprintf("%s requests a second with %v", grouped(int64(limit.Rate)), limit.Limit)
	default:
		p.Title = fmt.Sprintf("%s answers a second, p99 %s", grouped(int64(t.Rate)), ms(t.Latency.Quantile(0.99)))
	}
	for _, q := range percentiles {
		p.Columns = append(p.Columns, q.name)
	}
	p.addTarget(t)
	if result.Against != nil {
		p.addTarget(result.Against)
	}
	if limit != nil && len(limit.Steps) > 1 {
		p.Plots = append(p.Plots, stepsPlot(limit))
	}
	p.Plots = append(p.Plots, percentilePlot(t), coursePlot(t), latencyPlot(t))
	return p
}

func (p *page) addTarget(t *replay.TargetResult) {
	out := pageTarget{TargetResult: t, StatusText: statuses(t), FailureText: failures(t)}
	for _, row := range []struct {
		name, hint string
		l          *replay.Latencies
	}{
		{"latency", "from the time when a request was due", t.Latency},
		{"naive", "from the time when it was sent", t.Naive},
		{"lag", "how late the generator was by its own fault", t.Lag},
	} {
		if row.l.Count() == 0 {
			continue
		}
		cells := []string{}
		for _, q := range percentiles {
			cells = append(cells, ms(row.l.Quantile(q.quantile)))
		}
		out.Rows = append(out.Rows, pageRow{row.name, row.hint, append(cells, ms(row.l.Max()), ms(row.l.Mean()))})
	}
	p.Targets = append(p.Targets, out)
}

func tickCount(v float64) string {
	if v >= 10_000 {
		return strconv.FormatFloat(v/1000, 'f', -1, 64) + "k"
	}
	return strconv.FormatFloat(math.Round(v*1e6)/1e6, 'f', -1, 64)
}

// percentilePlot shows latencies by percentile; the last tenth, hundredth and so on get as much
// room each.
func percentilePlot(t *replay.TargetResult) picture {
	nines := max(2, math.Log10(float64(max(t.Latency.Count(), 1))))
	curveOf := func(name, class string, l *replay.Latencies) *series {
		s := &series{name: name, class: class}
		const points = 120
		for i := range points + 1 {
			x := nines * float64(i) / points
			s.add(x, millis(l.Quantile(1-math.Pow(10, -x))))
		}
		return s
	}
	list := []*series{curveOf("latency", "main", t.Latency), curveOf("naive", "second", t.Naive)}
	p := picture{Title: "Latency by percentile", Hint: "In milliseconds. Where naive stays below, requests waited until the server was ready for them."}
	x := plot.Axis{From: 0, To: nines, Start: pictureLeft, Stop: pictureWidth - pictureRight}
	for n := 0; float64(n) <= nines; n++ {
		text := [...]string{"0%", "90%", "99%", "99.9%", "99.99%", "99.999%", "6 nines", "7 nines", "8 nines"}
		p.XTicks = append(p.XTicks, plot.Tick{At: x.At(float64(n)), Text: text[min(n, len(text)-1)]})
	}
	p.draw(list, &x, true)
	return p
}

// coursePlot shows the rate over time.
func coursePlot(t *replay.TargetResult) picture {
	sent, answered := &series{name: "sent", class: "second"}, &series{name: "answered", class: "main"}
	failed := &series{name: "failed", class: "bad"}
	for _, i := range t.Intervals {
		middle, seconds := (i.At + i.Length/2).Seconds(), max(i.Length.Seconds(), 1e-9)
		for s, n := range map[*series]int64{sent: i.Sent, answered: i.Answered, failed: i.Failed} {
			s.add(middle, float64(n)/seconds)
		}
	}
	p := picture{Title: "Requests a second", Hint: "Over the time of the run, in seconds."}
	x := p.seconds(t)
	list := []*series{sent, answered}
	if t.Failed() > 0 {
		list = append(list, failed)
	}
	p.draw(list, &x, false)
	return p
}

// latencyPlot shows latencies over time.
func latencyPlot(t *replay.TargetResult) picture {
	p50, p99 := &series{name: "p50", class: "second"}, &series{name: "p99", class: "main"}
	most := &series{name: "max", class: "bad"}
	for _, i := range t.Intervals {
		middle := (i.At + i.Length/2).Seconds()
		for s, d := range map[*series]time.Duration{p50: i.P50, p99: i.P99, most: i.Max} {
			s.add(middle, millis(d))
		}
	}
	p := picture{Title: "Latency over time", Hint: "In milliseconds, of what was answered in each interval; seconds from the start."}
	x := p.seconds(t)
	p.draw([]*series{p50, p99, most}, &x, true)
	return p
}

// stepsPlot shows the latency of each step against its rate.
func stepsPlot(found *replay.LimitResult) picture {
	held, broke := &series{name: "held", class: "main"}, &series{name: "did not hold", class: "bad"}
	limit := &series{name: found.Limit.String(), class: "second"}
	most := 0.0
	for _, step := range found.Steps {
		most = max(most, step.Rate)
		s := broke
		if step.Held {
			s = held
		}
		s.add(step.Rate, millis(step.Result.Target.Latency.Quantile(found.Limit.Quantile)))
	}
	for _, rate := range []float64{0, most} {
		limit.add(rate, millis(found.Limit.Max))
	}
	p := picture{Title: "Steps", Hint: "Latency at the limit's percentile in milliseconds, by requests a second."}
	x, ticks := plot.Linear(most, true, pictureLeft, pictureWidth-pictureRight, tickCount)
	p.XTicks = ticks
	p.draw([]*series{held, broke, limit}, &x, true)
	for i := range 2 { // as points: steps have no order along the axis
		p.Lines[i].Path = dots(p.Lines[i].Path)
	}
	return p
}

// seconds sets the ticks of a time axis.
func (p *picture) seconds(t *replay.TargetResult) plot.Axis {
	end := 1.0
	if n := len(t.Intervals); n > 0 {
		end = max((t.Intervals[n-1].At + t.Intervals[n-1].Length).Seconds(), 1e-3)
	}
	x, ticks := plot.Linear(end, false, pictureLeft, pictureWidth-pictureRight, tickCount)
	p.XTicks = ticks
	return x
}

// writeHTML writes the page.
func writeHTML(w io.Writer, p *page) error {
	return template.Must(template.New("replay").Funcs(template.FuncMap{
		"grouped": grouped, "ms": ms, "size": size,
		"number": func(f float64) string { return grouped(int64(f)) },
		"next":   func(n int) int { return n + 1 },
	}).Parse(htmlTemplate)).Execute(w, p)
}
