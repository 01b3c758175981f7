package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/rtbwire/rtbwire/lab/report"
)

// playbook is a whole run.
type playbook struct {
	Machine report.Machine `json:"machine"`
	Quick   bool           `json:"quick"`
	Results []*result      `json:"results"`
}

func (b *playbook) printJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(b)
}

func (b *playbook) head() string {
	m := &b.Machine
	head := fmt.Sprintf("%s, %s/%s, %s, %d cores", m.Go, m.OS, m.Arch, m.CPU, m.Cores)
	if m.LoadBefore > float64(m.Cores)/2 {
		head += fmt.Sprintf(", busy: %.1f processes wanted a core in the minute before", m.LoadBefore)
	}
	return head
}

func (b *playbook) printHead(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%s\n\n", b.head())
	return err
}

func (b *playbook) printSummary(w io.Writer) error {
	var s strings.Builder
	for _, r := range b.Results {
		fmt.Fprintf(&s, "%-18s %s\n", r.Name, r.Verdict)
	}
	_, err := io.WriteString(w, s.String())
	return err
}

// print writes the result for a terminal.
func (r *result) print(w io.Writer) error {
	var s strings.Builder
	fmt.Fprintf(&s, "%s\n", strings.ToUpper(r.Name))
	paragraph := func(head, text string) {
		fmt.Fprintf(&s, "  %-9s %s\n", head, wrapAt(12, text, 88))
	}
	paragraph("Advice", r.Advice)
	paragraph("Method", r.Method)
	table(&s, "Measured", r.measured())
	table(&s, "Asked", r.asked())
	paragraph("Verdict", r.Sentence)
	s.WriteByte('\n')
	_, err := io.WriteString(w, s.String())
	return err
}

// measured and asked are two columns.
func (r *result) measured() [][2]string {
	var lines [][2]string
	for _, row := range r.Rows {
		var values []string
		for _, v := range row.Values {
			values = append(values, v.String())
		}
		lines = append(lines, [2]string{row.Label, strings.Join(values, ", ")})
	}
	return lines
}

func (r *result) asked() [][2]string {
	var lines [][2]string
	for _, c := range r.Checks {
		limit := quantity{Value: c.Limit, Unit: c.Got.Unit}.short()
		answer := fmt.Sprintf("%s, %s %s: %s", c.Got, c.Bound, limit, c.Answer)
		lines = append(lines, [2]string{c.Case + ": " + c.What, answer})
	}
	return lines
}

func table(s *strings.Builder, head string, lines [][2]string) {
	width := 0
	for _, l := range lines {
		width = max(width, len(l[0]))
	}
	for _, l := range lines {
		fmt.Fprintf(s, "  %-9s %-*s  %s\n", head, width, l[0], l[1])
		head = ""
	}
}

// write writes playbook.md to a folder, and a picture for each result with curves.
func (b *playbook) write(folder string) error {
	var s strings.Builder
	fmt.Fprintf(&s, "# Advice about encoding/json, measured\n\n%s.\n", b.head())
	s.WriteString("Times are medians with 95% confidence intervals; `playbook --help` says how to read this.\n\n")
	s.WriteString("| experiment | verdict |\n| --- | --- |\n")
	for _, r := range b.Results {
		fmt.Fprintf(&s, "| [%s](#%s) | %s |\n", r.Name, r.Name, r.Verdict)
	}
	for _, r := range b.Results {
		fmt.Fprintf(&s, "\n## %s\n\n**%s**\n\n%s\n", r.Name, markdown(r.Advice), markdown(r.Method))
		markdownTable(&s, "measured", r.measured())
		markdownTable(&s, "asked", r.asked())
		fmt.Fprintf(&s, "\n**%s**\n", markdown(r.Sentence))
		if r.Curves == nil {
			continue
		}
		picture := r.Name + ".svg"
		fmt.Fprintf(&s, "\n![memory over time](%s)\n", picture)
		if err := os.WriteFile(filepath.Join(folder, picture), []byte(plot(r.Curves)), 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(folder, "playbook.md"), []byte(s.String()), 0o644)
}

func markdownTable(s *strings.Builder, head string, lines [][2]string) {
	fmt.Fprintf(s, "\n| %s | |\n| --- | --- |\n", head)
	for _, l := range lines {
		fmt.Fprintf(s, "| %s | %s |\n", markdown(l[0]), l[1])
	}
}

// markdown escapes characters with a meaning in Markdown, as in []*T.
func markdown(text string) string {
	return strings.NewReplacer("|", `\|`, "*", `\*`, "<", "&lt;").Replace(text)
}

// String is the value, and its interval where it has one.
func (q quantity) String() string {
	if q.Lo == q.Hi {
		return q.short()
	}
	lo, hi := q, q
	lo.Value, hi.Value = q.Lo, q.Hi
	return fmt.Sprintf("%s (%s to %s)", q.short(), lo.short(), hi.short())
}

func (q quantity) short() string {
	switch q.Unit {
	case "ns":
		return scaled(q.Value, 1000, "ns", "us", "ms", "s")
	case "B":
		return scaled(q.Value, 1000, "B", "kB", "MB", "GB")
	case "":
		return fmt.Sprintf("%.2f", q.Value)
	}
	if q.Value == math.Trunc(q.Value) { // a count
		return fmt.Sprintf("%.0f %s", q.Value, q.Unit)
	}
	return fmt.Sprintf("%.4g %s", q.Value, q.Unit)
}

func scaled(v, step float64, units ...string) string {
	for len(units) > 1 && v >= step {
		v, units = v/step, units[1:]
	}
	return fmt.Sprintf("%.3g %s", v, units[0])
}

// wrapAt breaks text into lines of that width. All but the first begin with spaces.
func wrapAt(indent int, text string, width int) string {
	var s strings.Builder
	used := 0
	for word := range strings.FieldsSeq(text) {
		switch {
		case used == 0:
		case used+1+len(word) > width:
			s.WriteString("\n" + strings.Repeat(" ", indent))
			used = 0
		default:
			s.WriteByte(' ')
			used++
		}
		s.WriteString(word)
		used += len(word)
	}
	return s.String()
}
