package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rtbwire/rtbwire/lab/figures"
)

// Source is a publication.
type Source struct {
	Name, URL, Machine string
	About              string // what its code does and ours does not, or the other way round
	Rows               []Row
}

// Row is one published statement and how it is tested.
type Row struct {
	ID      string
	Section string // of the source, or what it is about
	Said    string // in our words, with the figures of the source
	Form    Form   // of the figures
	Tests   []Test
	Beside  []Beside // figures that are shown and not judged
	Why     []Reason
	Command string // measures the figures again; "" is found from their names
}

// Test asks one figure.
type Test struct {
	For    string // what it is about, where a row has several tests
	Figure string
	Rule   Rule
}

// Reason says why a verdict is what it is. It is shown with the verdicts that it explains, and with
// no other.
type Reason struct {
	Explains []Verdict
	Text     string
}

// because is a reason for a statement that holds, despite for one that does not, sometimes for one
// that holds under a condition, and anyhow for what is true whatever the figures are.
func because(text string) Reason   { return Reason{[]Verdict{DoesHold}, text} }
func despite(text string) Reason   { return Reason{[]Verdict{DoesNotHold}, text} }
func sometimes(text string) Reason { return Reason{[]Verdict{HoldsIf}, text} }
func anyhow(text string) Reason {
	return Reason{[]Verdict{DoesHold, DoesNotHold, HoldsIf, CannotTell}, text}
}

// sources are all publications, in the order of the page.
func sources() []Source {
	return []Source{openrtbParsing, handwrittenDecoder, fastParsing, allocators, playbook}
}

// names returns the figures that rows use, in order.
func names(sources []Source) (out []string) {
	for _, s := range sources {
		for _, r := range s.Rows {
			for _, t := range r.Tests {
				out = append(out, t.Figure)
			}
			for _, b := range r.Beside {
				out = append(out, b.Figure)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Answer is a row with what was measured.
type Answer struct {
	Row
	Outcomes    []Outcome
	figures     []*figures.Figure // by test, nil if not measured
	Verdict     Verdict
	Words       string
	Measured    []string // by test
	Rules       []string
	Beside      []string
	Reason      string
	Command     string
	Preliminary bool
}

// answer applies the rules of a row.
func answer(r Row, all figures.All) Answer {
	a := Answer{Row: r, Command: r.Command}
	var conditions []string
	for _, t := range r.Tests {
		conditions = append(conditions, t.For)
		file := all[t.Figure]
		if file == nil {
			a.Outcomes, a.figures = append(a.Outcomes, Unmeasured), append(a.figures, nil)
			a.Measured = append(a.Measured, "not measured")
			a.Rules = append(a.Rules, t.Rule.describe(r.Form, ""))
			continue
		}
		f := file.Figures[t.Figure]
		a.Outcomes, a.figures = append(a.Outcomes, t.Rule.judge(f)), append(a.figures, &f)
		a.Measured = append(a.Measured, r.Form.figure(f))
		a.Rules = append(a.Rules, t.Rule.describe(r.Form, f.Unit))
		a.Preliminary = a.Preliminary || file.Preliminary != nil
		if a.Command == "" {
			a.Command = cmp.Or(commandOf(r.Tests), commandOfFile(file))
		}
	}
	for _, b := range r.Beside {
		if file := all[b.Figure]; file != nil {
			a.Beside = append(a.Beside, b.What+": "+b.Form.figure(file.Figures[b.Figure]))
			a.Preliminary = a.Preliminary || file.Preliminary != nil
		}
	}
	a.Verdict = combine(a.Outcomes)
	a.Words = wording(a.Outcomes, conditions)
	for _, reason := range r.Why {
		if slices.Contains(reason.Explains, a.Verdict) {
			a.Reason = reason.Text
			break
		}
	}
	return a
}

// commandOfFile returns the command of a file as documents write it.
func commandOfFile(f *figures.File) string {
	return strings.Replace(f.Command, "go -C lab run ", "cd lab && go run ", 1)
}

// Beside is a figure that is shown with those that are judged.
type Beside struct {
	What, Figure string
	Form         Form
}
