package stream

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/rtbwire/rtbwire/lab/figures"
)

// Where results are published, from the folder lab.
const pageFile = "docs/stream-performance.md"

// The figures that describe a run. Those of contestants are named by name.
const (
	figureRecords    = "stream/input/records"
	figurePartitions = "stream/input/partitions"
	figureBytes      = "stream/input/bytes"  // of a value
	figureStored     = "stream/input/stored" // bytes of the broker's disk for a record
)

// The quantities of a contestant.
const (
	Rate      = "rate"         // records/s
	CPU       = "cpu"          // µs for a record
	Peak      = "memory"       // MiB
	BrokerCPU = "broker-cpu"   // µs of the broker for a record
	ToCopy    = "rate-to-copy" // rate, to that of the bare copy loop
	cpuToCopy = "cpu-to-copy"
	toSame    = "rate-to-copy-exactly-once"
	refused   = "refused"
)

// quantities are what a sample has.
var quantities = []struct {
	name, unit string
	of         func(*sample) float64
}{
	{Rate, "records/s", func(s *sample) float64 { return s.rate }},
	{CPU, "µs", func(s *sample) float64 { return s.cpu }},
	{"user", "µs", func(s *sample) float64 { return s.user }},
	{"system", "µs", func(s *sample) float64 { return s.system }},
	{"core", "", func(s *sample) float64 { return s.core }},
	{"broker", "", func(s *sample) float64 { return s.broker }},
	{BrokerCPU, "µs", func(s *sample) float64 { return s.brokerCPU }},
	{Peak, "MiB", func(s *sample) float64 { return s.peak }},
	{refused, "", func(s *sample) float64 { return s.refused }},
}

// Name is the name of a figure of a contestant.
func Name(contestant, quantity string) string {
	return figures.Name("stream", contestant, quantity)
}

// summarize turns samples into figures: medians, and ratios round by round.
func summarize(r *figures.Run, all map[string][]sample) {
	values := func(contestant string, of func(*sample) float64) (list []float64) {
		for i := range all[contestant] {
			list = append(list, of(&all[contestant][i]))
		}
		return list
	}
	rate, cpu := quantities[0].of, quantities[1].of
	for name := range all {
		for _, q := range quantities {
			r.Median(Name(name, q.name), values(name, q.of), q.unit)
		}
		r.Over(Name(name, ToCopy), values(name, rate), values(copyName, rate))
		r.Over(Name(name, cpuToCopy), values(name, cpu), values(copyName, cpu))
	}
	r.Over(Name(ownOnce, toSame), values(ownOnce, rate), values(copyOnce, rate))
}

// The targets: what a stream carries, to the bare copy loop.
var targets = []struct {
	name, text string
	least      float64
}{
	{ownName, "at least once", 0.8},
	{ownOnce, "exactly once", 0.7},
}

// Results reads the committed results from the folder lab; without a run it returns nil.
func Results(file string) (*figures.File, error) {
	f, err := figures.Read(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return f, err
}

// publish writes the page.
func publish(file string) error {
	f, err := Results(file)
	if err != nil {
		return err
	}
	return os.WriteFile(pageFile, []byte(Page(f)), 0o644)
}

const intro = `# What a stream costs

<!-- Written by "cd lab && go run . stream page" from lab/results/stream.json. Do not edit. -->

` + "`rtbwire stream`" + ` beside a bare copy loop with franz-go ([lab/stream/copy](../stream/copy/main.go): no record is looked at, copied
or hashed), on a real broker. ` + "`make bench ARGS=stream`" + ` measures it in about ten minutes, ` + "`make bench ARGS='stream --quick'`" + ` takes a
first look in two.

Each contestant is a process of its own, alone on one core; the broker is on another one. All read the same topic from its
beginning, each in a group of its own, and write it to topics of their own: all replicas acknowledge, idempotent, with
snappy, commits every second. They take turns in rounds, after one that warms up the broker. A rate is that between a tenth and 95% of
the records, so neither the start nor the end of a process counts. Every measurement has to end with each record written once and
committed. Numbers are medians of the rounds; ± is half of the 95% interval where that is more than 2%; ratios are taken round by
round. Processor time is that of the process, by the clock of the scheduler.
`

// Page returns the page about a run, which may be nil.
func Page(f *figures.File) string {
	b := new(strings.Builder)
	b.WriteString(intro)
	if f == nil {
		b.WriteString("\nNo run is kept here yet.\n")
		return b.String()
	}
	fmt.Fprintf(b, "\n%s\n\nKafka %s, franz-go %s. %s records in %.0f partitions: requests of the shape *full* from [rtbwire simulate](../../docs/traffic.md#rtbwire-simulate), %.0f bytes each on\naverage (%.0f on the broker's disk), with a key and two headers; %s of them are refused.\n",
		emphasis(f), f.Notes["kafka"], f.Notes["franz-go"], thousands(f.Figures[figureRecords].Value), f.Figures[figurePartitions].Value,
		f.Figures[figureBytes].Value, f.Figures[figureStored].Value, percent(f.Figures[Name(ownName, refused)].Value))
	writeTargets(b, f)
	writeTable(b, f)
	return b.String()
}

// emphasis is About, in bold if the run is preliminary.
func emphasis(f *figures.File) string {
	if f.Preliminary == nil {
		return f.About()
	}
	return "**" + f.About() + "**"
}

func writeTargets(b *strings.Builder, f *figures.File) {
	b.WriteString("\n## Targets\n\n| rate, to that of the bare copy loop | target | measured |  |\n| --- | --- | --- | --- |\n")
	for _, t := range targets {
		ratio, ok := f.Figures[Name(t.name, ToCopy)]
		if !ok {
			continue
		}
		mark := "**not met**"
		if ratio.Value >= t.least {
			mark = "met"
		}
		fmt.Fprintf(b, "| %s | at least %.1f | %s | %s |\n", t.text, t.least, text(ratio, "%.2f"), mark)
	}
	if ratio, ok := f.Figures[Name(ownOnce, toSame)]; ok {
		fmt.Fprintf(b, "\nExactly once beside the bare loop that copies in transactions too: %s.\n", text(ratio, "%.2f"))
	}
}

func writeTable(b *strings.Builder, f *figures.File) {
	b.WriteString("\n## Rates and processor time\n\n| | what it is |\n| --- | --- |\n")
	taking := slices.DeleteFunc(slices.Clone(contestants), func(c *contestant) bool { return f.Figures[Name(c.name, Rate)].Rounds == 0 })
	for _, c := range taking {
		fmt.Fprintf(b, "| `%s` | %s |\n", c.name, c.about)
	}
	b.WriteString("\n| | records/s | ratio | MB/s | µs of a core for a record | ratio | user, system | its core | broker: µs for a record | its core | MiB |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for _, c := range taking {
		of := func(quantity string) figures.Figure { return f.Figures[Name(c.name, quantity)] }
		rate := of(Rate)
		fmt.Fprintf(b, "| `%s` | %s%s | %s | %.0f | %s | %s | %.1f, %.1f | %s | %s | %s | %s |\n",
			c.name, thousands(rate.Value), spread(rate), text(of(ToCopy), "%.2f"), rate.Value*f.Figures[figureBytes].Value/1e6,
			text(of(CPU), "%.2f"), text(of(cpuToCopy), "%.2f"), of("user").Value, of("system").Value, percent(of("core").Value),
			text(of(BrokerCPU), "%.2f"), percent(of("broker").Value), text(of(Peak), "%.0f"))
	}
	b.WriteString("\nA core that is not busy waits for the other one. Where the broker's core is the busy one, the ratio of rates says less than that of\nprocessor times: that is what a machine with more than one broker has to offer.\n")
}

// text returns a median as text, with its interval if that is wide.
func text(f figures.Figure, format string) string {
	if f.Rounds == 0 {
		return "-"
	}
	return fmt.Sprintf(format, f.Value) + spread(f)
}

func spread(f figures.Figure) string {
	if half := (f.Hi - f.Lo) / 2; f.Rounds > 1 && half > 0.02*f.Value {
		return fmt.Sprintf(" ±%.0f%%", 100*half/f.Value)
	}
	return ""
}

func percent(share float64) string { return fmt.Sprintf("%.3g%%", 100*share) }

// thousands writes a count with commas.
func thousands(v float64) string {
	digits := fmt.Sprintf("%.0f", v)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// summary is what a run prints.
func summary(f *figures.File) string {
	b := new(strings.Builder)
	for _, c := range contestants {
		if rate := f.Figures[Name(c.name, Rate)]; rate.Rounds > 0 {
			fmt.Fprintf(b, "%-21s %9s records/s%s, %s µs a record; to the bare loop %s\n", c.name, thousands(rate.Value), spread(rate),
				text(f.Figures[Name(c.name, CPU)], "%.2f"), text(f.Figures[Name(c.name, ToCopy)], "%.2f"))
		}
	}
	return b.String() + f.About()
}

// franzVersion is the version of franz-go that the lab, and so both programs, are built with.
func franzVersion() string {
	info, _ := debug.ReadBuildInfo()
	for _, d := range info.Deps {
		if d.Path == "github.com/twmb/franz-go" {
			return d.Version
		}
	}
	return "unknown"
}
