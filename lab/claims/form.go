package main

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/rtbwire/rtbwire/lab/figures"
)

// Form is how values are written.
type Form int

// Forms of values.
const (
	Times Form = iota // a ratio: 3.5×
	Share             // of a whole: 15.9%
	Plain             // a number with the unit of its figure
	Flag              // 1 is yes, 0 is no
)

// of returns the form of figures that say in their unit what they are.
func (f Form) of(unit string) Form {
	switch unit {
	case "":
		return f
	case "share":
		return Share
	case "flag":
		return Flag
	}
	return Plain
}

// counted are the units whose names have a plural.
var counted = []string{"allocs", "buffers", "calls", "cores", "fields", "handlers", "payloads"}

func (f Form) value(v float64, unit string) string {
	switch f.of(unit) {
	case Times:
		return digits(v) + "×"
	case Share:
		return digits(100*v) + "%"
	case Flag:
		if v == 1 {
			return "yes"
		}
		return "no"
	}
	text := digits(v)
	if text == "1" && slices.Contains(counted, unit) {
		unit = strings.TrimSuffix(unit, "s")
	}
	return strings.TrimSpace(text + " " + unit)
}

// figure writes a value with its interval.
func (f Form) figure(v figures.Figure) string {
	f = f.of(v.Unit)
	if v.Lo == v.Hi || f == Flag {
		return f.value(v.Value, v.Unit)
	}
	if f == Share {
		return digits(100*v.Value) + "% [" + digits(100*v.Lo) + ", " + digits(100*v.Hi) + "]"
	}
	return f.value(v.Value, v.Unit) + " [" + digits(v.Lo) + ", " + digits(v.Hi) + "]"
}

// digits writes three digits that matter, thousands apart.
func digits(v float64) string {
	abs := math.Abs(v)
	if abs >= 1000 {
		text := strconv.FormatFloat(abs, 'f', 0, 64)
		for i := len(text) - 3; i > 0; i -= 3 {
			text = text[:i] + "," + text[i:]
		}
		if v < 0 {
			return "-" + text
		}
		return text
	}
	precision := 2
	switch {
	case abs >= 100:
		precision = 0
	case abs >= 10:
		precision = 1
	case abs > 0 && abs < 0.1:
		precision = 1 - int(math.Floor(math.Log10(abs)))
	}
	text := strconv.FormatFloat(v, 'f', precision, 64)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}
