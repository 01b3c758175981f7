package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/rtbwire/rtbwire/lab/figures"
)

// withInterval is a value, and its interval where it has one.
func withInterval(f figures.Figure) string {
	lo, hi := f, f
	lo.Value, hi.Value = f.Lo, f.Hi
	if short(lo) == short(hi) {
		return short(f)
	}
	return fmt.Sprintf("%s (%s to %s)", short(f), short(lo), short(hi))
}

func short(f figures.Figure) string {
	v := f.Value
	switch f.Unit {
	case "ns":
		return scaled(v, 1000, "ns", "µs", "ms", "s")
	case "B":
		return scaled(v, 1000, "B", "kB", "MB", "GB")
	case "share":
		return trimmed(100*v, 1) + "%"
	case "flag":
		return map[bool]string{true: "yes", false: "no"}[v == 1]
	case "":
		if math.Abs(v) < 0.1 {
			return trimmed(v, 4)
		}
		return fmt.Sprintf("%.2f", v)
	}
	return trimmed(v, 1) + " " + f.Unit
}

// trimmed writes a number with so many digits after the point at most.
func trimmed(v float64, digits int) string {
	s := fmt.Sprintf("%.*f", digits, v)
	if s = strings.TrimRight(strings.TrimRight(s, "0"), "."); s == "-0" {
		s = "0"
	}
	return s
}

func scaled(v, step float64, units ...string) string {
	for len(units) > 1 && v >= 0.9995*step {
		v, units = v/step, units[1:]
	}
	if v >= 100 {
		return fmt.Sprintf("%.0f %s", v, units[0])
	}
	return fmt.Sprintf("%.3g %s", v, units[0])
}

// words says which values are within the bound.
func (b bound) words(unit string) string {
	value := func(v float64) string { return short(figures.Figure{Value: v, Unit: unit}) }
	switch {
	case b.lo == b.hi:
		return value(b.lo)
	case math.IsInf(b.hi, 1):
		return "at least " + value(b.lo)
	case math.IsInf(b.lo, -1) && b.hi == 0:
		return value(0)
	case math.IsInf(b.lo, -1):
		return "at most " + value(b.hi)
	}
	return value(b.lo) + " to " + value(b.hi)
}

// measured has a line for each case and value that was found: what it is, and cells.
func (e *experiment) measured(found map[string]figures.Figure) (cases [][]string, values [][]string) {
	for _, c := range e.cases {
		name := e.prefix() + c.name
		if ns, ok := found[name+"/ns"]; ok {
			cases = append(cases, []string{c.text, withInterval(ns), short(found[name+"/bytes"]), trimmed(found[name+"/allocs"].Value, 1)})
		}
	}
	for _, v := range e.values {
		if f, ok := found[e.prefix()+v.name]; ok {
			values = append(values, []string{v.text, withInterval(f)})
		}
	}
	return cases, values
}

// asked has a line for each claim: what the section says, the value, the range, the answer.
func (e *experiment) asked(found map[string]figures.Figure) (lines [][]string) {
	for _, a := range e.answers(found) {
		got := "not measured"
		if a.known {
			got = withInterval(a.got)
		}
		lines = append(lines, []string{a.claim.says, e.labelOf(a.claim.value) + ": " + got, a.claim.want.words(a.got.Unit), a.word(), a.claim.when})
	}
	return lines
}

// labelOf returns what readers see of a name, which may be that of a case with what is taken of it.
func (e *experiment) labelOf(name string) string {
	for _, v := range e.values {
		if v.name == name {
			return v.text
		}
	}
	for _, c := range e.cases {
		switch rest, _ := strings.CutPrefix(name, c.name+"/"); rest {
		case "ns":
			return c.text + ", time"
		case "bytes", "allocs":
			return c.text + ", " + map[string]string{"bytes": "bytes", "allocs": "allocations"}[rest]
		}
	}
	return name
}

// keyNumbers is what the table of all sections shows.
func (e *experiment) keyNumbers(found map[string]figures.Figure) (list []string) {
	for _, k := range e.keys {
		if f, ok := found[e.prefix()+k]; ok {
			list = append(list, e.labelOf(k)+": **"+short(f)+"**")
		}
	}
	return list
}
