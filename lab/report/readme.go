package report

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rtbwire/rtbwire/internal/plot"
	"github.com/rtbwire/rtbwire/lab/measure"
)

// What the README shows of a run. Its file has the rest.
var (
	READMESets    = []string{"banner", "video", "app", "app_indented", "ctv", "escapes", "mixed", "mixed_shuffled", "response_vast"}
	READMEEngines = []string{
		"rtbwire-arena", "rtbwire-fast", "rtbwire", "handwritten", "handwritten-fast", "gojson", "gojson-pool", "gojson-unsafe", "sonic-fastest", "easyjson",
		"jsoniter", "encoding-json", "sonic-string", "jx", "encoding-json-v2",
	}
	laterEngines = []string{"rtbwire", "handwritten-fast", "gojson-pool", "sonic-string", "jx", "encoding-json-v2"} // that earlier runs do not have
	tableSets    = []string{"banner", "app", "mixed_shuffled"}
	tableEngines = []string{"rtbwire-arena", "rtbwire-fast", "gojson", "sonic-string", "sonic-fastest", "jx", "jsoniter", "easyjson", "encoding-json-v2", "encoding-json"}
	pictureSets  = []string{"banner", "app", "mixed_shuffled"}
)

// NoREADME is the section of the README without a run.
const NoREADME = "`make bench` measures on your machine how long each library takes to decode a bid request; no run on a quiet machine\n" +
	"is kept here yet.\n"

// README returns the section of the README. Files are the runs', from the repository's root. A run
// that is preliminary, or lacks an engine or a set, is refused.
func (r *Results) README(files ...string) (string, error) {
	if w := r.Warning(); w != "" {
		return "", fmt.Errorf("the README shows no preliminary run. %s", w)
	}
	for _, e := range READMEEngines {
		if r.engine(e) == nil && !slices.Contains(laterEngines, e) {
			return "", fmt.Errorf("the README shows %s, which is not in the run", e)
		}
	}
	for _, set := range READMESets {
		if r.Row(Base, set, measure.Decode, 1) == nil {
			return "", fmt.Errorf("the README shows the set %s, which is not in the run", set)
		}
	}
	b := new(strings.Builder)
	b.WriteString("![Time to decode a bid request, library by library](docs/decode.svg)\n\n")
	r.readmeTable(b)
	m := &r.Machine
	links := make([]string, len(files))
	for i, file := range files {
		links[i] = fmt.Sprintf("[%s](%s)", path.Base(file), file)
	}
	fmt.Fprintf(b, "\n%s\n", wrap(fmt.Sprintf("Times as fast as `encoding/json`, and the time of one document: %s, %s, one core, %s. "+
		"Memory: an arena is released; text is kept while strings are used. All engines, and how it was measured:", r.models(), m.Go, r.readmeRounds())))
	fmt.Fprintf(b, "%s.\n", strings.Join(links, ",\n"))
	return b.String(), nil
}

// models are the processors of the runs.
func (r *Results) models() string {
	var list []string
	for _, run := range append(slices.Clone(r.Runs), r) {
		if m := run.Machine.Model(); !slices.Contains(list, m) {
			list = append(list, m)
		}
	}
	return strings.Join(list, " and ")
}

// runsDiffer is how much of what runs differ by is shown, as a share.
const runsDiffer = 0.05

// readmeRounds says how many there were, and when.
func (r *Results) readmeRounds() string {
	least, most := r.Rounds, r.Rounds
	for _, w := range r.Rows {
		if w.Op == measure.Decode && w.Goroutines == 1 && w.NS > 0 {
			most = max(most, w.Count)
		}
	}
	text := fmt.Sprintf("medians of %d rounds", least)
	if most > least {
		text = fmt.Sprintf("medians of %d to %d rounds", least, most)
	}
	if len(r.Runs) < 2 {
		return fmt.Sprintf("%s on %s", text, r.Taken.UTC().Format("2006-01-02"))
	}
	for _, run := range r.Runs {
		least = min(least, run.Rounds)
	}
	var taken []string
	for _, run := range r.Runs {
		taken = append(taken, run.Taken.UTC().Format("2006-01-02 15:04"))
	}
	return fmt.Sprintf("medians of %d runs of %d rounds or more (%s UTC); ± is what runs differ by", len(r.Runs), least, strings.Join(taken, ", "))
}

// wrap breaks text into lines of at most 120 columns.
func wrap(text string) string {
	b, column := new(strings.Builder), 0
	for word := range strings.FieldsSeq(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case column == 0:
		case column+1+n > 120:
			b.WriteByte('\n')
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String()
}

// shortTitle shortens the title of a set for the head of a column.
var shortTitle = strings.NewReplacer("the ", "", "a ", "", " request", "")

// readmeTable writes a row for each library that people choose, the fastest first.
func (r *Results) readmeTable(b *strings.Builder) {
	t := &table{head: []string{"engine"}}
	for _, set := range tableSets {
		t.head = append(t.head, shortTitle.Replace(setTitle(set)))
	}
	t.head = append(t.head, "memory", "skips")
	shown := wideInterval
	if len(r.Runs) > 1 {
		shown = runsDiffer
	}
	for _, l := range r.overview(r.Headline()) {
		if !slices.Contains(tableEngines, l.Engine) {
			continue
		}
		row := []string{l.Engine}
		for _, set := range tableSets {
			row = append(row, timesAndTime(r.Row(l.Engine, set, measure.Decode, 1), shown))
		}
		t.add(append(row, l.Marks.Memory, l.Marks.skipsText())...)
	}
	t.writeRows(b)
}

// timesAndTime writes a ratio with the time, and the bounds of the ratio where they are wider than
// that share.
func timesAndTime(w *measure.Row, wide float64) string {
	switch {
	case w == nil:
		return noCell
	case w.Times == 0:
		return latency(w.NS)
	}
	text := timesText(w.Times)
	if w.TimesHi-w.TimesLo > wide*w.Times {
		text += fmt.Sprintf(" ±%.0f%%", 100*max(w.TimesHi-w.Times, w.Times-w.TimesLo)/w.Times)
	}
	return fmt.Sprintf("%s (%s)", text, latency(w.NS))
}

// Picture draws the bars that the README shows, as an SVG file: the fastest first, encoding/json
// last.
func (r *Results) Picture() string {
	var groups []plot.Bars
	for _, set := range pictureSets {
		group := plot.Bars{Title: r.about(set)}
		for _, w := range r.of(set, measure.Decode, 1) {
			if w.NS > 0 && slices.Contains(READMEEngines, w.Engine) {
				group.Bars = append(group.Bars, plot.Bar{Name: w.Engine, Value: w.NS, Text: fmt.Sprintf("%s, %s×", latency(w.NS), timesText(w.Times))})
			}
		}
		groups = append(groups, group)
	}
	return plot.DrawBars("Time to decode a bid request, and how many times as fast as encoding/json; shorter is better", groups)
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
