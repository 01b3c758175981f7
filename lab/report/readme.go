package report

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/rtbwire/rtbwire/lab/measure"
)

// What the README shows of a run. The report has the rest.
var (
	readmeSets    = []string{"banner", "video", "app", "app_indented", "ctv", "escapes", "mixed", "mixed_shuffled", "response_vast"}
	readmeEngines = []string{"rtbwire-arena", "rtbwire-fast", "handwritten", "gojson", "gojson-unsafe", "sonic-fastest", "easyjson", "jsoniter", "encoding-json"}
	pictureSets   = []string{"banner", "app", "mixed_shuffled"}
)

// README writes the section of the README: folder is where the run is, from the repository's root.
func (r *Results) README(folder string) (string, error) {
	engines := r.named(readmeEngines)
	if len(engines) == 0 || r.Quick {
		return "", errors.New("the README shows a full run with the engines " + strings.Join(readmeEngines, ", "))
	}
	b := new(strings.Builder)
	fmt.Fprintf(b, "![Time to decode a bid request, library by library](docs/decode.svg)\n\n| time to decode one |")
	for _, e := range engines {
		fmt.Fprintf(b, " %s |", e)
	}
	fmt.Fprintf(b, "\n|%s\n", strings.Repeat(" --- |", len(engines)+1))
	for _, set := range readmeSets {
		if r.Row(engines[0], set, measure.Decode, 1) == nil {
			continue
		}
		fmt.Fprintf(b, "| %s |", strings.ReplaceAll(set, "_", " "))
		for _, e := range engines {
			if w := r.Row(e, set, measure.Decode, 1); w != nil {
				fmt.Fprintf(b, " %s |", duration(w.NS))
			} else {
				b.WriteString(" - |")
			}
		}
		b.WriteByte('\n')
	}
	m := &r.Machine
	fmt.Fprintf(b, "\n%s, %d cores, %s, %s: medians of %d rounds of %v in which all engines take turns on one processor, the\n"+
		"garbage collector's time included. Spreads, other operations, memory, tails and every engine's configuration:\n[%s](%s), [report.html](%s).\n",
		m.CPU, m.Cores, m.Go, r.Taken.Format("2006-01-02"), r.Rounds, r.Budget, "results.md", path.Join(folder, "results.md"), path.Join(folder, "report.html"))
	if warn := r.Warning(); warn != "" {
		fmt.Fprintf(b, "\n%s\n", warn)
	}
	return b.String(), nil
}

// named keeps the engines that the run has.
func (r *Results) named(names []string) (out []string) {
	for _, name := range names {
		for _, e := range r.Engines {
			if e.Name == name {
				out = append(out, name)
			}
		}
	}
	return out
}

// Picture draws the bars that the README shows, as a file of its own.
func (r *Results) Picture() string {
	const width, bar, gap, left, right = 760, 17, 5, 120, 90
	b := new(strings.Builder)
	y := 8
	for _, set := range pictureSets {
		engines := r.named(readmeEngines)
		slowest := 0.0
		for _, e := range engines {
			if w := r.Row(e, set, measure.Decode, 1); w != nil {
				slowest = max(slowest, w.NS)
			}
		}
		if slowest == 0 {
			continue
		}
		fmt.Fprintf(b, `<text class="t" x="0" y="%d">%s</text>`+"\n", y+13, esc(r.about(set)))
		y += bar + gap
		for _, e := range engines {
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
