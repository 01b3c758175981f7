package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/rtbwire/rtbwire/lab/measure"
)

// What a reader looks at first: how each engine compares with encoding/json on one data set.

// headlines are the sets that the overview may be about, the most telling one first.
var headlines = []string{ServiceSet, "mixed_shuffled", "app", "banner"}

// ServiceSet is the data set of the service.
const ServiceSet = "traffic"

// Headline returns the data set of the overview, "" without one.
func (r *Results) Headline() string {
	for _, set := range headlines {
		if r.Row(Base, set, measure.Decode, 1) != nil {
			return set
		}
	}
	for _, s := range r.Sets {
		if len(r.of(s.Name, measure.Decode, 1)) > 0 {
			return s.Name
		}
	}
	return ""
}

// setTitles names sets in sentences.
var setTitles = map[string]string{
	ServiceSet: "simulated traffic", "mixed": "the corpus", "mixed_shuffled": "the corpus", "mixed_responses": "responses of the corpus",
	"app_indented": "the app request, indented", "banner_indented": "the banner request, indented", "escapes": "a request with escapes", "large": "a request of 1 MB",
	"response_banner": "a banner response", "response_vast": "a VAST response",
}

func setTitle(name string) string {
	if title, ok := setTitles[name]; ok {
		return title
	}
	return "the " + name + " request"
}

// line is an engine in the overview.
type line struct {
	measure.Row
	About   string
	Marks   Marks
	Service *measure.ServiceResult // nil: it had none
	Width   float64                // of the bar, in percent of the longest
}

// overview returns the engines that decode the set, the fastest first: by their ratios to
// encoding/json, or by their times where the run did not measure it.
func (r *Results) overview(set string) []line {
	var lines []line
	for _, w := range r.of(set, measure.Decode, 1) {
		if w.NS == 0 {
			continue
		}
		l := line{Row: w, About: About(w.Engine), Service: r.service(w.Engine)}
		if e := r.engine(w.Engine); e != nil {
			l.Marks = marks(e)
		}
		lines = append(lines, l)
	}
	slices.SortStableFunc(lines, func(a, b line) int { return cmp.Compare(b.Times, a.Times) })
	for i := range lines {
		lines[i].Width = 100 * lines[i].Times / max(lines[0].Times, 1)
	}
	return lines
}

func (r *Results) engine(name string) *measure.Info {
	for i := range r.Engines {
		if r.Engines[i].Name == name {
			return &r.Engines[i]
		}
	}
	return nil
}

func (r *Results) service(engine string) *measure.ServiceResult {
	for i := range r.Services {
		if r.Services[i].Engine == engine {
			return &r.Services[i]
		}
	}
	return nil
}

// overviewTable is the overview for the file of a run.
func (r *Results) overviewTable() *table {
	set := r.Headline()
	t := &table{title: "Overview", note: "Decoding " + setTitle(set) + ". " + r.overviewNote(set), head: []string{
		"engine", "times as fast as encoding/json", "requests per second and core", "p99", "collector's share", "allocations", "memory", "skips",
	}}
	for _, l := range r.overview(set) {
		t.add(l.Engine, l.TimesText(), thousands(l.PerCoreAtHalf()), l.P99(), l.Collector(), amountText(l.Allocs), l.Marks.Memory, l.Marks.skipsText())
	}
	return t
}

// overviewNote says what the columns of the overview are.
func (r *Results) overviewNote(set string) string {
	note := fmt.Sprintf("Requests per second and core: decoding %s at half load, with nothing else to do. ", setTitle(set))
	if len(r.Services) > 0 {
		s := &r.Services[0]
		note += fmt.Sprintf("p99 and the collector's share: of a service at %s requests a second, the same for all. ", thousands(s.Rate))
	}
	return note + "Memory: arena, where a value has to be released; pooled struct, where the outermost struct has to be; text, where strings point " +
		"into the text. Skips: checks of encoding/json that an engine does not do."
}

// Print prints the conclusion and the overview for a terminal.
func (r *Results) Print(w io.Writer) error {
	b := new(strings.Builder)
	for _, sentence := range r.Conclusion() {
		fmt.Fprintf(b, "%s\n\n", strings.ReplaceAll(sentence, "`", ""))
	}
	if warn := r.Warning(); warn != "" {
		fmt.Fprintf(b, "%s\n\n", warn)
	}
	set := r.Headline()
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "decoding %s\ttime\ttimes as fast\trequests/s and core\tp99\tcollector\tobjects\t\n", setTitle(set))
	for _, l := range r.overview(set) {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", l.Engine, duration(l.NS), l.TimesText(), thousands(l.PerCoreAtHalf()), l.P99(), l.Collector(), amountText(l.Allocs))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// TimesText returns how many times as fast as encoding/json.
func (l line) TimesText() string {
	if l.Times == 0 {
		return noCell
	}
	return timesText(l.Times)
}

// P99 returns the 99th percentile of the service.
func (l line) P99() string {
	if l.Service == nil {
		return noCell
	}
	return p99Text(l.Service)
}

// Collector returns the collector's share of processor time in the service.
func (l line) Collector() string {
	if l.Service == nil {
		return noCell
	}
	return collectorText(l.Service)
}

func p99Text(s *measure.ServiceResult) string {
	if s.Behind {
		return "fell behind"
	}
	return latency(s.P99)
}

func collectorText(s *measure.ServiceResult) string {
	return strconv.FormatFloat(100*s.GCShare, 'f', 1, 64) + "%"
}

// timesText writes a ratio with two or three digits.
func timesText(v float64) string {
	switch {
	case v < 9.995:
		return strconv.FormatFloat(v, 'f', 2, 64)
	case v < 99.95:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 0, 64)
}

// latency writes a time with three digits.
func latency(ns float64) string {
	u := units[0]
	for _, larger := range units[1:] {
		if ns >= 0.9995*larger.ns {
			u = larger
		}
	}
	v := round(ns/u.ns, amountDigits)
	decimals := 0
	for limit := 100.0; decimals < amountDigits-1 && v < limit; limit /= 10 {
		decimals++
	}
	return strconv.FormatFloat(v, 'f', decimals, 64) + " " + u.name
}

// thousands writes a rounded number with commas, three digits of it significant.
func thousands(v float64) string {
	digits := strconv.FormatFloat(round(v, amountDigits), 'f', 0, 64)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
