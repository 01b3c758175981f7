package scale

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/rtbwire/rtbwire/internal/plot"
)

// Where the page is, from the folder lab.
const (
	pageFile    = "../docs/capacity.md"
	pictureFile = "../docs/capacity.svg"
)

// Document is the page and its picture.
type Document struct{ Text, Picture string }

const intro = `# Past one machine

<!-- Written by "cd lab && go run . scale page" from lab/scale/inputs.json and lab/results. Do not edit. -->

What a million requests a second, and 10 TB of logs, take in cores, brokers, partitions, network and memory: by HTTP
([gateway.md](gateway.md)), by Kafka ([stream.md](stream.md)), and in files ([check.md](check.md)). All three ways share nothing between
processes but the topic or the storage, so a plan is a product: a rate, times what one core was measured to do. Every number of this page
is computed from [lab/scale/inputs.json](../lab/scale/inputs.json), which names the measured figures and gives each assumption with its
reason. Change one and see:

    cd lab && go run . scale

`

// Page computes the page from inputs and the folder of results.
func Page(file, folder string) (*Document, error) {
	in, err := read(file, folder)
	if err != nil {
		return nil, err
	}
	plans := in.plans()
	if err := in.check(); err != nil {
		return nil, err
	}
	b := new(strings.Builder)
	b.WriteString(intro)
	writeCaution(b, in)
	b.WriteString("![Cores that are busy](capacity.svg)\n")
	for i, w := range in.Workloads {
		writeWorkload(b, in, w, plans[i])
	}
	writeFirst(b, in, plans)
	writeSigns(b)
	writeInputs(b, in)
	return &Document{b.String(), picture(in, plans)}, nil
}

// writeCaution says which of the figures are preliminary.
func writeCaution(b *strings.Builder, in *inputs) {
	for _, f := range in.measured {
		if f.Preliminary != nil {
			fmt.Fprintf(b, "**Preliminary: the figures of `%s` were not measured on a quiet machine, or with too few rounds (%s).**\n\n", f.Command, strings.Join(f.Preliminary, "; "))
		}
	}
}

func row(b *strings.Builder, cells ...string) { fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | ")) }

func head(b *strings.Builder, cells ...string) {
	b.WriteByte('\n')
	row(b, cells...)
	row(b, slices.Repeat([]string{"---"}, len(cells))...)
}

func writeWorkload(b *strings.Builder, in *inputs, w workload, plans []plan) {
	fmt.Fprintf(b, "\n## %s\n\nThat is %s documents a second of %s bytes: %s MB/s of text.\n", title(w), count(plans[0].rate), count(in.get("request_bytes")),
		count(plans[0].rate*in.get("request_bytes")/1e6))
	head(b, "", "µs of a core for a document", "cores busy", "cores", fmt.Sprintf("machines of %.0f cores", in.get("machine_cores")), "network in, out", "memory", "brokers", "partitions", "storage")
	for _, p := range plans {
		brokers, partitions, stored := "", "", ""
		if p.partitions > 0 {
			brokers, partitions = count(float64(p.brokers.machines)), count(float64(p.partitions))
		}
		if p.storage > 0 {
			stored = amount(p.storage, "TB")
		}
		row(b, p.way.text, amount(p.micros, ""), amount(p.busy, ""), amount(p.cores, ""), fmt.Sprint(p.machines.machines),
			amount(p.in, "")+", "+amount(p.out, "Gbit/s"), amount(p.memory, "GiB"), brokers, partitions, stored)
	}
}

// title is what a workload is, as a heading.
func title(w workload) string {
	text := strings.ReplaceAll(w.About, "`", "")
	before, _, _ := strings.Cut(text, ",")
	if w.Rate > 0 { // its number has commas
		before, _, _ = strings.Cut(text, ", as")
	}
	return before
}

// writeFirst says which resource decides, and how much room the next ones have.
func writeFirst(b *strings.Builder, in *inputs, plans [][]plan) {
	b.WriteString("\n## What breaks first\n\nThe number of machines is what the scarcest resource asks for. The others have room: how many machines each would ask for alone.\n")
	head(b, "workload", "way", "machines", "scarcest", "then")
	for i, w := range in.Workloads {
		for _, p := range plans[i] {
			first(b, title(w), p.way.text, p.machines)
			if p.brokers.limits != nil {
				first(b, title(w), "its brokers", p.brokers)
			}
		}
	}
	b.WriteString("\nBy Kafka, a partition is the other limit: it is read by one member, so members beyond the number of partitions have nothing to do, and a\nkey with more traffic than one core carries can't be spread. In files, one file that can't be split (gzip, zstd) is read by one core: many files of\na few hundred megabytes, rather than few large ones.\n")
}

func first(b *strings.Builder, workload, way string, f fleet) {
	var then []string
	for _, l := range f.limits[1:] {
		then = append(then, fmt.Sprintf("%s %s", l.resource, amount(l.machines, "")))
	}
	one := f.limits[0]
	row(b, workload, way, fmt.Sprint(f.machines), fmt.Sprintf("**%s**: %s", one.resource, amount(one.need, one.unit)), strings.Join(then, ", "))
}

// signs are how to see it coming: what to look at, and from which value on to act.
var signs = []struct{ what, look, act string }{
	{"processors of gateways and streams", "`rate(process_cpu_seconds_total[5m]) / go_sched_gomaxprocs_threads`", "above the utilisation of the inputs for an hour of every day: add machines before the next peak"},
	{"gateways shed", "`rtbwire_gateway_requests_in_flight / rtbwire_gateway_requests_in_flight_limit`, alerts RtbwireNearLimit and RtbwireSheds", "at once: latency grows before requests are refused"},
	{"memory of gateways", "alert RtbwireMemory; rtbwire_gateway_connections_open / rtbwire_gateway_connections_max", "more gateways, fewer connections of a sender"},
	{"streams fall behind", "`rtbwire_stream_lag_records`, alert RtbwireStreamLag", "lag that grows for ten minutes is too few cores; lag in one partition is a hot key, or a member that is stuck"},
	{"too few partitions", "members of the group without a partition; one core at 100% while others idle", "more partitions before more members: keys move then, so do it while there is little traffic"},
	{"brokers' processors", "Kafka's `RequestHandlerAvgIdlePercent` and `NetworkProcessorAvgIdlePercent`", "below 0.5"},
	{"brokers' network and disks", "bytes in and out of a broker to what its card guarantees; `RequestQueueTimeMs`", "above the utilisation of the inputs; replicas that fall out of sync (`UnderReplicatedPartitions` above 0) are the last warning"},
	{"page cache", "disk reads of brokers while consumers keep up", "any: a reader is behind by more than the cache, and slows down all others"},
	{"storage", "growth of the topics a day, to what is free", "less than three days"},
	{"dead letters", "alert RtbwireStreamDeadLetters", "a change of a partner or of a configuration: look at `rtbwire-reason` before the retention of the topic ends"},
	{"files", "time of the longest task to the median; documents a second and core", "one task that is ten times as long is a file that could not be split"},
}

func writeSigns(b *strings.Builder) {
	b.WriteString("\n## How to see it coming\n\nThe alerts are in [deploy/prometheus/rules.yaml](../deploy/prometheus/rules.yaml), the dashboard is in [deploy/grafana](../deploy/grafana).\n")
	head(b, "what", "where to look", "when to act")
	for _, s := range signs {
		row(b, s.what, s.look, s.act)
	}
}

func writeInputs(b *strings.Builder, in *inputs) {
	b.WriteString("\n## Inputs\n\nFigures are those of lab/results, on the machines below; the rest is assumed. A core is one of that machine: " +
		"compare rows of different machines with care.\n")
	head(b, "input", "value", "from", "why")
	for _, name := range slices.Sorted(maps.Keys(in.Inputs)) {
		i := in.Inputs[name]
		from := "assumed"
		if i.Figure != "" {
			from = "measured: " + i.Figure
		}
		row(b, "`"+name+"`", amount(i.Value, i.Unit), from, i.Why)
	}
	m := &in.gateway.Machine
	fmt.Fprintf(b, "\n`cd lab && go run . gateway`: %s, %d cores, %s, commit %s, %s.\n", m.Model(), m.Cores, m.Go, m.Commit, in.gateway.Taken.Format("2006-01-02"))
	seen := map[string]bool{}
	for _, f := range in.measured {
		if about := f.About(); !seen[about] {
			seen[about] = true
			fmt.Fprintf(b, "\n`%s`: %s\n", f.Command, about)
		}
	}
}

// amount writes a number with three digits, or all of those before the point.
func amount(v float64, unit string) string {
	text := fmt.Sprintf("%.3g", v)
	if v >= 100 {
		text = count(v)
	}
	if unit == "" {
		return text
	}
	return text + " " + unit
}

// count writes a whole number with commas.
func count(v float64) string {
	digits := fmt.Sprintf("%.0f", math.Round(v))
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// picture draws the cores.
func picture(in *inputs, plans [][]plan) string {
	var groups []plot.Bars
	for i, w := range in.Workloads {
		g := plot.Bars{Title: title(w)}
		for _, p := range plans[i] {
			text := fmt.Sprintf("%s cores", amount(p.busy, ""))
			if p.brokers.limits != nil {
				at := slices.IndexFunc(p.brokers.limits, func(l limit) bool { return l.resource == processors })
				text += fmt.Sprintf(", and %s of brokers", amount(p.brokers.limits[at].need, ""))
			}
			g.Bars = append(g.Bars, plot.Bar{Name: p.way.name, Value: p.busy, Text: text})
		}
		groups = append(groups, g)
	}
	return plot.DrawBars("Cores that are busy", groups)
}
