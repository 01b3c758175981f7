package main

import (
	"fmt"
	"strings"

	"github.com/rtbwire/rtbwire/lab/figures"
)

// page is lab/docs/playbook.md, which follows from the figures of a run and from the texts and
// limits of the experiments.
func page(f *figures.File) string {
	var s strings.Builder
	s.WriteString("# Advice about encoding/json, section by section\n\n")
	s.WriteString(`"8.4 encoding/json — Optimize" is a public playbook for Go services whose profiler points at ` + "`encoding/json`" + `. Here each of its
18 sections is tried: with its own code where it has some, and asked for its own number where it gives one. The limits
were set before measuring.

- **holds**: the section is right in every case that was tried. **false**: in none. **holds if ...**: the condition separates the cases
  in which all answers were yes from the others.
- Times are processor time on one core, the collector's included: medians, with 95% intervals in brackets. A ratio is taken round
  by round. Memory is the most that the heap was above its start.
- "close" marks an answer whose limit lies within the interval: another run may answer otherwise.

`)
	fmt.Fprintf(&s, "%s, on %s. Measured again, and this page written, by\n\n    %s\n", machineLine(f), f.Taken.Format("2006-01-02"), f.Command)
	if len(f.Preliminary) > 0 {
		fmt.Fprintf(&s, "\n**Preliminary: %s.**\n", strings.Join(f.Preliminary, "; "))
	}
	s.WriteString("\n## All sections\n\n| section | what it says | verdict | key numbers |\n| --- | --- | --- | --- |\n")
	for i := range experiments {
		e := &experiments[i]
		fmt.Fprintf(&s, "| [%d. %s](#%s) | %s | %s | %s |\n", e.section, markdown(e.title), e.anchor(), markdown(e.says),
			markdown(e.verdictWords(f.Figures)), markdownKeys(e.keyNumbers(f.Figures)))
	}
	for i := range experiments {
		experiments[i].details(&s, f.Figures)
	}
	return s.String()
}

func machineLine(f *figures.File) string {
	m := &f.Machine
	line := fmt.Sprintf("%s, %s/%s, %s, %d cores", m.Go, m.OS, m.Arch, m.Model(), m.Cores)
	if m.Others != "" {
		line += fmt.Sprintf(", of which other processes kept %s busy", m.Others)
	}
	if share, known := m.StolenShare(); known {
		line += fmt.Sprintf(", and other virtual machines took %.1f%%", 100*share)
	}
	if n := len(f.All()); n > 1 {
		line += fmt.Sprintf(", the last of %d runs", n)
	}
	return line
}

func (e *experiment) verdictWords(found map[string]figures.Figure) string {
	v := decide(e.answers(found))
	if v.close {
		return v.String() + " (close)"
	}
	return v.String()
}

// anchor is what GitHub makes of the section's heading.
func (e *experiment) anchor() string {
	var s strings.Builder
	for _, c := range strings.ToLower(fmt.Sprintf("%d. %s", e.section, e.title)) {
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '-', c == '_':
			s.WriteRune(c)
		case c == ' ':
			s.WriteByte('-')
		}
	}
	return s.String()
}

func (e *experiment) details(s *strings.Builder, found map[string]figures.Figure) {
	fmt.Fprintf(s, "\n## %d. %s\n\n%s\n\n", e.section, markdown(e.title), markdown(e.says))
	fmt.Fprintf(s, "**Section %d: %s.**\n\n", e.section, markdown(e.verdictWords(found)))
	fmt.Fprintf(s, "How: %s\n", markdown(e.method))
	if e.untested != "" {
		fmt.Fprintf(s, "\nNot measured: %s\n", markdown(e.untested))
	}
	cases, values := e.measured(found)
	markdownTable(s, []string{"case", "time", "bytes", "allocations"}, cases)
	markdownTable(s, []string{"value", "measured"}, values)
	markdownTable(s, []string{"the section says", "measured", "asked for", "answer", "condition"}, e.asked(found))
}

func markdownTable(s *strings.Builder, head []string, lines [][]string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(s, "\n| %s |\n|%s\n", strings.Join(head, " | "), strings.Repeat(" --- |", len(head)))
	for _, l := range lines {
		cells := make([]string, len(l))
		for i, c := range l {
			cells[i] = markdown(c)
		}
		fmt.Fprintf(s, "| %s |\n", strings.Join(cells, " | "))
	}
}

func markdownKeys(list []string) string {
	for i, k := range list {
		text, value, _ := strings.Cut(k, ": **")
		list[i] = markdown(text) + ": **" + value
	}
	return strings.Join(list, "<br>")
}

// markdown escapes characters with a meaning in Markdown, as in []*T.
func markdown(text string) string {
	return strings.NewReplacer("|", `\|`, "*", `\*`, "<", "&lt;", "[", `\[`, "_", `\_`).Replace(text)
}
