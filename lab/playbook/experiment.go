package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/rtbwire/rtbwire/lab/figures"
)

// experiment examines one section of the playbook. Everything but run is text and limits that were
// chosen before measuring. Names of cases, values and keys are the names of figures without
// "playbook/" and the section's number.
type experiment struct {
	section  int
	name     string // as an argument
	title    string // of the section
	says     string // what the section says, in short
	method   string
	cases    []label    // what is timed: each is three figures, name/ns, name/bytes and name/allocs
	values   []label    // other figures
	keys     []string   // the values that the table of all sections shows
	claims   []claim    // what decides the verdict
	untested string     // what the section says that is not measured, and why; may be empty
	seconds  [2]float64 // about how long it takes, full and quick; for the time left only
	run      func(t *trial) error
}

// label is what readers see of a name.
type label struct{ name, text string }

// claim is something that the section says, and the value that answers it.
type claim struct {
	says  string
	when  string // completes "holds if"; claims with the same words hold together or not at all
	value string // a name
	want  bound
}

// bound is the range of values for which a claim holds.
type bound struct{ lo, hi float64 }

func atLeast(lo float64) bound     { return bound{lo, math.Inf(1)} }
func atMost(hi float64) bound      { return bound{math.Inf(-1), hi} }
func between(lo, hi float64) bound { return bound{lo, hi} }
func exactlyOne() bound            { return bound{1, 1} }

// The sections, in their order.
var experiments = []experiment{
	measureFirst, reflectionCost, preSizing, pools, rawMessage, streamOrBatch,
	unknownFields, number, marshalers, indenting, alternatives, tokens,
	httpBody, hotPath, symbols, staying, versionTwo, handWritten,
}

// prefix begins the names of the section's figures.
func (e *experiment) prefix() string { return fmt.Sprintf("playbook/%d/", e.section) }

// find returns the section with that number or name.
func find(name string) (*experiment, bool) {
	i := slices.IndexFunc(experiments, func(e experiment) bool {
		return e.name == name || strconv.Itoa(e.section) == name
	})
	if i < 0 {
		return nil, false
	}
	return &experiments[i], true
}

// try measures. say gets what is measured.
func (e *experiment) try(l level, say func(what string)) (map[string]figures.Figure, error) {
	t := &trial{level: l, say: say, prefix: e.prefix(), found: map[string]figures.Figure{}, timings: map[string]timing{}}
	t.rounds, t.budget = l.effort()
	if err := e.run(t); err != nil {
		return nil, err
	}
	return t.found, nil
}

func printList(w io.Writer) error {
	for i := range experiments {
		e := &experiments[i]
		if _, err := fmt.Fprintf(w, "%2d  %s (%s)\n    %s\n", e.section, e.title, e.name, wrapAt(4, e.says, 90)); err != nil {
			return err
		}
	}
	return nil
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
