package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/rtbwire/rtbwire/lab/figures"
)

// print writes a section for a terminal.
func (e *experiment) print(w io.Writer, found map[string]figures.Figure) error {
	var s strings.Builder
	fmt.Fprintf(&s, "%d. %s (%s)\n", e.section, strings.ToUpper(e.title), e.name)
	paragraph := func(head, text string) {
		fmt.Fprintf(&s, "  %-9s %s\n", head, wrapAt(12, text, 88))
	}
	paragraph("It says", e.says)
	paragraph("Method", e.method)
	cases, values := e.measured(found)
	var lines [][2]string
	for _, c := range cases {
		lines = append(lines, [2]string{c[0], c[1] + ", " + c[2] + ", " + c[3] + " allocs"})
	}
	for _, v := range values {
		lines = append(lines, [2]string{v[0], v[1]})
	}
	table(&s, "Measured", lines)
	lines = nil
	for _, a := range e.answers(found) {
		got := a.word()
		if a.known {
			got = fmt.Sprintf("%s, asked for %s: %s", withInterval(a.got), a.claim.want.words(a.got.Unit), got)
		}
		lines = append(lines, [2]string{a.claim.says, got})
	}
	table(&s, "Asked", lines)
	paragraph("Verdict", fmt.Sprintf("section %d: %s.", e.section, e.verdictWords(found)))
	s.WriteByte('\n')
	_, err := io.WriteString(w, s.String())
	return err
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
