package report

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/rtbwire/rtbwire/lab/measure"
	"github.com/rtbwire/rtbwire/lab/plot"
)

// What the README shows of a run. Its file has the rest.
var (
	READMESets    = []string{"banner", "video", "app", "app_indented", "ctv", "escapes", "mixed", "mixed_shuffled", "response_vast"}
	READMEEngines = []string{"rtbwire-arena", "rtbwire-fast", "handwritten", "gojson", "gojson-unsafe", "sonic-fastest", "easyjson", "jsoniter", "encoding-json"}
	pictureSets   = []string{"banner", "app", "mixed_shuffled"}
)

// NoREADME is the section of the README without a run.
const NoREADME = "`make bench` measures on your machine how long each library takes to decode a bid request; no run on a quiet machine\n" +
	"is kept here yet.\n"

// README returns the section of the README. file is the run's, from the repository's root. A run
// that is preliminary, or lacks an engine or a set, is refused.
func (r *Results) README(file string) (string, error) {
	if w := r.Warning(); w != "" {
		return "", fmt.Errorf("the README shows no preliminary run. %s", w)
	}
	for _, e := range READMEEngines {
		if !slices.ContainsFunc(r.Engines, func(i measure.Info) bool { return i.Name == e }) {
			return "", fmt.Errorf("the README shows %s, which is not in the run", e)
		}
	}
	b := new(strings.Builder)
	fmt.Fprintf(b, "![Time to decode a bid request, library by library](docs/decode.svg)\n\n| time to decode one |")
	for _, e := range READMEEngines {
		fmt.Fprintf(b, " %s |", e)
	}
	fmt.Fprintf(b, "\n|%s\n", strings.Repeat(" --- |", len(READMEEngines)+1))
	least, most, wide := r.Rounds, r.Rounds, false
	for _, set := range READMESets {
		if r.Row(READMEEngines[0], set, measure.Decode, 1) == nil {
			return "", fmt.Errorf("the README shows the set %s, which is not in the run", set)
		}
		fmt.Fprintf(b, "| %s |", strings.ReplaceAll(set, "_", " "))
		for _, e := range READMEEngines {
			w := r.Row(e, set, measure.Decode, 1)
			if w == nil {
				b.WriteString(" - |")
				continue
			}
			most = max(most, w.Count)
			fmt.Fprintf(b, " %s", duration(w.NS))
			if isWide(w) {
				wide = true
				fmt.Fprintf(b, " ±%.0f%%", 100*max(w.Hi-w.NS, w.NS-w.Lo)/w.NS)
			}
			b.WriteString(" |")
		}
		b.WriteByte('\n')
	}
	m := &r.Machine
	rounds := fmt.Sprint(least)
	if most > least {
		rounds = fmt.Sprintf("%d to %d", least, most)
	}
	fmt.Fprintf(b, "\n%s, %d cores, %s, %s: medians of %s rounds of %v in which all engines take turns on one core, the garbage\n"+
		"collector's time included", m.CPU, m.Cores, m.Go, r.Taken.UTC().Format("2006-01-02"), rounds, r.Budget)
	if wide {
		b.WriteString("; ± where the 95% confidence interval is wide")
	}
	fmt.Fprintf(b, ". Intervals, memory, versions and configurations:\n[%s](%s).\n", path.Base(file), file)
	return b.String(), nil
}

// Picture draws the bars that the README shows, as an SVG file.
func (r *Results) Picture() string {
	var groups []plot.Bars
	for _, set := range pictureSets {
		group := plot.Bars{Title: r.about(set)}
		for _, e := range READMEEngines {
			if w := r.Row(e, set, measure.Decode, 1); w != nil {
				group.Bars = append(group.Bars, plot.Bar{Name: e, Value: w.NS, Text: duration(w.NS)})
			}
		}
		groups = append(groups, group)
	}
	return plot.DrawBars("Time to decode a bid request; shorter is better", groups)
}

// about titles the bars of a set.
func (r *Results) about(name string) string {
	for _, s := range r.Sets {
		if s.Name == name {
			mean := ""
			if s.Docs > 1 {
				mean = " on average"
			}
			about, _, _ := strings.Cut(s.About, ",") // there is one line
			return fmt.Sprintf("%s: %s, %.0f bytes%s", strings.ReplaceAll(name, "_", " "), about, s.Bytes, mean)
		}
	}
	return name
}
