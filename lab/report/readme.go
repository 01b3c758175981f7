package report

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/rtbwire/rtbwire/lab/measure"
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
	const width, bar, gap, left, right = 760, 17, 5, 120, 90
	b := new(strings.Builder)
	y := 8
	for _, set := range pictureSets {
		slowest := 0.0
		for _, e := range READMEEngines {
			if w := r.Row(e, set, measure.Decode, 1); w != nil {
				slowest = max(slowest, w.NS)
			}
		}
		if slowest == 0 {
			continue
		}
		fmt.Fprintf(b, `<text class="t" x="0" y="%d">%s</text>`+"\n", y+13, esc(r.about(set)))
		y += bar + gap
		for _, e := range READMEEngines {
			w := r.Row(e, set, measure.Decode, 1)
			if w == nil {
				continue
			}
			length := (width - left - right) * w.NS / slowest
			class := "o"
			if family(e) == "f-rtbwire" {
				class = "w"
			}
			fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="end">%s</text><rect class="%s" x="%d" y="%d" width="%.1f" height="%d" rx="2"/><text x="%.1f" y="%d">%s</text>`+"\n",
				left-8, y+13, esc(e), class, left, y, max(length, 1), bar, left+length+6, y+13, duration(w.NS))
			y += bar + gap
		}
		y += 14
	}
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="Time to decode a bid request; shorter is better">
<style>text { font: 12px system-ui, sans-serif; fill: #57606a; } .t { font-size: 13px; font-weight: 600; fill: #1f2328; } .w { fill: #0b6bcb; } .o { fill: #9aa7b4; }
@media (prefers-color-scheme: dark) { text { fill: #9da7b1; } .t { fill: #e6edf3; } .w { fill: #5aa9f5; } .o { fill: #5d6976; } }</style>
%s</svg>
`, width, y, width, y, b)
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
