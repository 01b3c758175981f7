package gateway

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// sinkMost is how much more the upstream may use for an answer than with all connections busy. It
// does the same at any rate: what it uses more is the machine's, and the contestant beside it pays
// that too.
const sinkMost = 2.0

// machineRow is what a row says then.
const machineRow = "machine, not contestant"

// added is what a contestant adds to the latency of the upstream alone at the same rate, in µs.
func (r *Results) added(contestant, body string, of func(*Sample) float64) Stat {
	var list []float64
	direct := r.samples("latency direct", contestant, body)
	for _, s := range r.samples("latency", contestant, body) {
		for i := range direct {
			if direct[i].Round == s.Round {
				list = append(list, 1e3*(of(&s)-of(&direct[i])))
			}
		}
	}
	return summary(list)
}

// sinkRatio is how many times as much the upstream uses for an answer at the planned rate as with
// all connections busy.
func (r *Results) sinkRatio(contestant, body string) float64 {
	busy, planned := statOf(r.samples("cost", contestant, body), ofSink), statOf(r.samples("latency", contestant, body), ofSink)
	if busy.Count == 0 || planned.Count == 0 || busy.Median <= 0 {
		return 0
	}
	return planned.Median / busy.Median
}

// cores is how many cores a rate takes at the utilisation, 0 if that is not known.
func (r *Results) cores(contestant, body string, rate float64) float64 {
	return math.Ceil(rate * statOf(r.samples("cost", contestant, body), perRequest).Median / 1e6 / utilisation)
}

// writeCapacity writes the table for planners.
func (r *Results) writeCapacity(b *strings.Builder) {
	if !r.heading(b, "latency", "Cores for a load") {
		return
	}
	fmt.Fprintf(b, `
What a plan needs. The rate is the one at which one core would be %.0f%% busy if a request cost what it costs with all connections busy; the
cores for 50,000 to 200,000 requests a second follow from it. At that rate, latency was measured in windows of a second, and in the same turn
that of the upstream without anything before it: what is added is the difference of the medians over windows. The upstream's own processor time
is the control. It does the same for everybody at any rate, so where it takes more than %.0f times what it takes with all connections busy, the
machine is slow at waking up, the contestant pays for that too, and latencies say nothing about it: "%s".

![What is added to the latency of a direct call](gateway-latency.svg)
`, 100*utilisation, sinkMost, machineRow)
	for _, body := range r.Bodies {
		r.writePlan(b, body)
	}
}

func (r *Results) writePlan(b *strings.Builder, body BodyInfo) {
	var rows [][]string
	for _, c := range r.Contestants {
		list := r.samples("latency", c.Name, body.Name)
		if len(list) == 0 {
			continue
		}
		ratio := r.sinkRatio(c.Name, body.Name)
		remark := ""
		if ratio > sinkMost {
			remark = machineRow
		}
		cells := []string{
			"`" + c.Name + "`", statOf(list, offered).count(), fmt.Sprintf("%.0f%%", 100*statOf(list, busyCore).Median),
			r.added(c.Name, body.Name, p50).text("%.0f"), r.added(c.Name, body.Name, p99).text("%.0f"), fmt.Sprintf("%.0f%%", 100*statOf(list, ofSlow).Median),
			fmt.Sprintf("%.1f (%.1f times)", statOf(list, ofSink).Median, ratio),
		}
		for _, rate := range loads {
			cells = append(cells, fmt.Sprintf("%.0f", r.cores(c.Name, body.Name, rate)))
		}
		rows = append(rows, append(cells, remark))
	}
	if rows == nil {
		return
	}
	fmt.Fprintf(b, "\n### %s, %s bytes: cores and latency\n", body.Name, thousands(body.Bytes))
	head(b, "", "requests/s of a core", "core busy then", "added to p50, µs", "to p99, µs", "windows over 5 ms", "upstream, µs an answer", "cores for 50,000/s", "100,000/s", "200,000/s", "")
	for _, cells := range rows {
		row(b, cells...)
	}
}

// runs returns this run and those beside it.
func (r *Results) runs() []*Results { return append([]*Results{r}, r.others...) }

// perRun returns a contestant's processor time for a request of a body, and its ratio to the bare
// proxy, in each of the runs that measured both.
func (r *Results) perRun(contestant, body string) (times, ratios []float64) {
	for _, run := range r.runs() {
		if t, ratio := run.costOf(contestant, body); t.Count > 0 && ratio.Count > 0 {
			times, ratios = append(times, t.Median), append(ratios, ratio.Median)
		}
	}
	return times, ratios
}

// costOf returns the processor time for a request, and its ratio to the bare proxy.
func (r *Results) costOf(contestant, body string) (times, ratios Stat) {
	return statOf(r.samples("cost", contestant, body), perRequest), r.ratio("cost", contestant, bareName, body, perRequest)
}

// writeRuns compares the runs that are kept, body by body, where at least two have it.
func (r *Results) writeRuns(b *strings.Builder) {
	if len(r.others) == 0 {
		return
	}
	var tables strings.Builder
	widestTime, widestRatio := 1.0, 1.0
	for _, body := range r.Bodies {
		cells := []string{body.Name}
		for _, run := range r.runs() {
			info := run.Parts["cost"]
			cells = append(cells, info.Taken.Format("2006-01-02 15:04")+", "+info.Machine.Model())
		}
		var rows [][]string
		for _, c := range r.Contestants {
			times, ratios := r.perRun(c.Name, body.Name)
			if len(times) < 2 {
				continue
			}
			row := []string{"`" + c.Name + "`"}
			for _, run := range r.runs() {
				cell := "-"
				if t, ratio := run.costOf(c.Name, body.Name); t.Count > 0 && ratio.Count > 0 {
					cell = t.text("%.1f") + ", " + ratio.text("%.2f")
				}
				row = append(row, cell)
			}
			rows = append(rows, append(row, percent(spread(times)), percent(spread(ratios))))
			widestTime, widestRatio = max(widestTime, spread(times)), max(widestRatio, spread(ratios))
		}
		if rows == nil {
			continue
		}
		head(&tables, append(cells, "times differ", "ratios differ")...)
		for _, cells := range rows {
			row(&tables, cells...)
		}
	}
	if tables.Len() == 0 {
		return
	}
	fmt.Fprintf(b, "\n## Other runs\n\nThe same at other times: µs of processor time a request, and the ratio to the bare proxy. The last columns are by how much\n"+
		"the largest is above the smallest: times by up to %s, ratios by up to %s.\n%s", percent(widestTime), percent(widestRatio), tables.String())
}

// CapacityLine returns what the README says about the capacity of the gateway: the medians of all
// runs that are kept, of the two bodies that tell most.
func CapacityLine(file string) (string, error) {
	r, err := LoadAll(file)
	if err != nil {
		return "", err
	}
	var parts []string
	for _, body := range r.Bodies {
		if body.Name != bannerBody && body.Name != fullBody {
			continue
		}
		times, ratios := r.perRun(ownFull, body.Name)
		if len(times) == 0 {
			continue
		}
		t := summary(times).Median
		took := fmt.Sprintf("%.0f µs", t)
		if len(times) > 1 {
			took = fmt.Sprintf("%.0f µs (%.0f to %.0f in %d runs)", t, slices.Min(times), slices.Max(times), len(times))
		}
		parts = append(parts, fmt.Sprintf("- %s: %s, %.2f times a bare fasthttp proxy; a core at %.0f%% takes %s requests a second%s\n",
			readmeNames[body.Name], took, summary(ratios).Median, 100*utilisation, thousands(hundreds(utilisation*1e6/t)), r.beside(body.Name)))
	}
	if parts == nil {
		return "", fmt.Errorf("%s has no processor time of the gateway: run: cd lab && go run . gateway --only cost", file)
	}
	shown := "is not shown yet"
	if _, ok := r.Parts["scaling"]; ok {
		shown = "is on the same page"
	}
	return fmt.Sprintf("Processor time of the gateway for a request, with the whole verdict and all connections busy\n([beside nginx, HAProxy and handlers](lab/docs/gateway-performance.md)):\n\n%s\nMore than one core %s.\n", strings.Join(parts, ""), shown), nil
}

// beside says what others that the README names take for the body.
func (r *Results) beside(body string) string {
	var parts []string
	for _, c := range []struct{ contestant, name string }{
		{"nginx", "nginx"}, {reverse, "`ReverseProxy`"}, {goJSON, "a handler with go-json"}, {stdJSON, "one with `encoding/json`"},
	} {
		if times, _ := r.perRun(c.contestant, body); len(times) > 0 {
			parts = append(parts, fmt.Sprintf("%s %.0f", c.name, summary(times).Median))
		}
	}
	if parts == nil {
		return ""
	}
	return "\n  (in µs: " + strings.Join(parts, ", ") + ")"
}

// readmeNames are bodies as the README calls them.
var readmeNames = map[string]string{bannerBody: "the banner", fullBody: "different requests of 1.25 KB on average"}

// spread is how many times the smallest of some values the largest is.
func spread(values []float64) float64 { return slices.Max(values) / slices.Min(values) }

// percent writes by how much a ratio is above one.
func percent(ratio float64) string { return fmt.Sprintf("%.0f%%", 100*(ratio-1)) }

// writeScaling writes what contestants carry on several cores.
func (r *Results) writeScaling(b *strings.Builder) {
	if !r.heading(b, "scaling", "Several cores") {
		b.WriteString("\n## Several cores\n\n    cd lab && go run . gateway --only scaling --server-cores 1,2,4,8\n\nNot shown: no run on a machine with more cores is kept here yet.\n")
		return
	}
	b.WriteString("\nA closed loop with 64 connections for each core, and then the rates that plans are made for: p50 and p99 in ms, from when a request was due, where\nall but 0.01% were answered with 200. Generator and upstream have the other cores of the machine.\n")
	head(b, "cores", "", "requests/s", "µs a request", "of one core's times cores", "50,000/s", "100,000/s", "200,000/s")
	body := r.firstBody("scaling")
	all := map[string][]Sample{}
	for _, c := range r.Contestants {
		all[c.Name] = r.samples("scaling", c.Name, body)
	}
	for _, n := range r.scalingCores() {
		for _, c := range r.Contestants {
			busy := scalingOf(all[c.Name], n, 0)
			if len(busy) == 0 {
				continue
			}
			one := statOf(scalingOf(all[c.Name], 1, 0), throughput).Median
			share := ""
			if one > 0 {
				share = fmt.Sprintf("%.0f%%", 100*statOf(busy, throughput).Median/(one*float64(n)))
			}
			cells := []string{fmt.Sprint(n), "`" + c.Name + "`", statOf(busy, throughput).count(), statOf(busy, perRequest).text("%.1f"), share}
			for _, rate := range loads {
				cells = append(cells, carriedText(scalingOf(all[c.Name], n, rate)))
			}
			row(b, cells...)
		}
	}
}

// scalingCores are the numbers of cores that were measured.
func (r *Results) scalingCores() (list []int) {
	seen := map[int]bool{}
	for _, s := range r.Samples {
		if s.Part == "scaling" && !seen[s.Cores] {
			seen[s.Cores] = true
			list = append(list, s.Cores)
		}
	}
	slices.Sort(list)
	return list
}

func scalingOf(list []Sample, cores int, rate float64) (out []Sample) {
	for _, s := range list {
		if s.Cores == cores && s.Offered == rate {
			out = append(out, s)
		}
	}
	return out
}

// carriedText says how a rate was carried.
func carriedText(list []Sample) string {
	if len(list) == 0 {
		return "-"
	}
	for _, s := range list {
		if s.Answered < carriedShare*(s.Answered+s.Other+s.Failed) || s.Answered < 0.99*s.Offered {
			return "not carried"
		}
	}
	return fmt.Sprintf("%.2f, %.2f", statOf(list, p50).Median, statOf(list, p99).Median)
}
