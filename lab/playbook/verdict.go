package main

import (
	"fmt"
	"math"
	"strings"
)

// result is what an experiment found.
type result struct {
	Name     string  `json:"name"`
	Advice   string  `json:"advice"`
	Method   string  `json:"method"`
	Rows     []row   `json:"rows"`
	Checks   []check `json:"checks"`
	Verdict  verdict `json:"verdict"`
	Sentence string  `json:"sentence"`
	Curves   []curve `json:"curves,omitempty"` // memory over time
}

// row is something measured.
type row struct {
	Label  string     `json:"label"`
	Values []quantity `json:"values"`
}

// check is something the advice promises: a measured value within a limit.
type check struct {
	Case   string   `json:"case"` // short, for the sentence
	What   string   `json:"what"` // what Got is
	Got    quantity `json:"got"`
	Bound  bound    `json:"bound"`
	Limit  float64  `json:"limit"`
	Answer answer   `json:"answer"`
}

type bound string

const (
	atMost  bound = "at most"
	atLeast bound = "at least"
)

type answer string

const (
	yes      answer = "yes"
	no       answer = "no"
	tooClose answer = "close" // the limit lies within the interval
)

type verdict string

const (
	holds       verdict = "holds"
	doesNotHold verdict = "does not hold"
	depends     verdict = "depends"
)

// ask records a check and answers it.
func (r *result) ask(name, what string, got quantity, b bound, limit float64) {
	c := check{Case: name, What: what, Got: got, Bound: b, Limit: limit, Answer: tooClose}
	switch {
	case b == atMost && got.Hi <= limit, b == atLeast && got.Lo >= limit:
		c.Answer = yes
	case b == atMost && got.Lo > limit, b == atLeast && got.Hi < limit:
		c.Answer = no
	}
	r.Checks = append(r.Checks, c)
}

// finite reports whether all values are finite: a ratio is not if a way took no measurable time.
func (r *result) finite() bool {
	var all []quantity
	for _, row := range r.Rows {
		all = append(all, row.Values...)
	}
	for _, c := range r.Checks {
		all = append(all, c.Got)
	}
	for _, q := range all {
		for _, v := range []float64{q.Value, q.Lo, q.Hi} {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return false
			}
		}
	}
	return true
}

// conclude computes the verdict and its sentence. varies is what the cases differ in.
func (r *result) conclude(varies string) {
	cases := map[answer][]string{}
	for _, c := range r.Checks {
		cases[c.Answer] = append(cases[c.Answer], fmt.Sprintf("%s (%s)", c.Case, c.Got.short()))
	}
	var parts []string
	for _, p := range []struct {
		answer answer
		words  string
	}{{yes, "it holds for "}, {no, "it does not hold for "}, {tooClose, "this run can't tell for "}} {
		if list := cases[p.answer]; list != nil {
			parts = append(parts, p.words+strings.Join(list, ", "))
		}
	}
	switch len(r.Checks) {
	case len(cases[yes]):
		r.Verdict, r.Sentence = holds, "Holds: "+strings.Join(cases[yes], ", ")+"."
	case len(cases[no]):
		r.Verdict, r.Sentence = doesNotHold, "Does not hold: "+strings.Join(cases[no], ", ")+"."
	case len(cases[tooClose]):
		varies = "more precision than this run has"
		fallthrough
	default:
		r.Verdict, r.Sentence = depends, "Depends on "+varies+": "+strings.Join(parts, "; ")+"."
	}
}
