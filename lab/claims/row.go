package main

import (
	"cmp"
	"fmt"
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
	ID       string
	Section  string // of the source, or what it is about
	Said     string // in our words, with the figures of the source
	Form     Form   // of the figures
	Cores    int    // that a machine needs to test the statement, 0 for any
	Tests    []Test
	Beside   []Beside // figures that are shown and not judged
	Why      []Reason
	Untested string // why there is no test; "" if there are tests
	Command  string // measures the figures again; "" is found from their names
}

// Test asks one figure, or one figure over another.
type Test struct {
	For    string // what it is about, where a row has several tests
	Figure string
	Rule   Rule
}

// between joins the names of two figures of one program whose quotient is asked for.
const between = " over "

// over names the quotient of two figures, for what the program has not computed round by round.
func over(a, b string) string { return a + between + b }

// names returns the figures that the test asks for.
func (t *Test) names() []string { return strings.Split(t.Figure, between) }

// of returns what was measured.
func (t *Test) of(file *figures.File) (figures.Figure, bool) {
	if a, b, ok := strings.Cut(t.Figure, between); ok {
		return file.Quotient(a, b)
	}
	f, ok := file.Figures[t.Figure]
	return f, ok
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
				out = append(out, t.names()...)
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
	Stands      []string // "3 runs of decode"
	Reason      string
	Command     string
	Preliminary bool
}

// answer applies the rules of a row.
func answer(r Row, all figures.All) (Answer, error) {
	a := Answer{Row: r, Command: r.Command}
	var conditions []string
	short := 0 // the most cores that a machine has had, if those were too few
	for _, t := range r.Tests {
		conditions = append(conditions, t.For)
		file := all[t.names()[0]]
		if r.Cores > 0 && file != nil {
			enough, err := file.OnCores(r.Cores)
			if err != nil {
				return a, err
			}
			if enough == nil {
				short = max(short, cores(file))
			} else {
				file = enough
			}
		}
		if file == nil {
			a.unmeasured(&t)
			continue
		}
		f, ok := t.of(file)
		if !ok {
			a.unmeasured(&t)
			continue
		}
		text, outcome := r.Form.figure(f), t.Rule.judge(f)
		if name, factor := shakiest(t.Figure, file); factor > widest {
			text += fmt.Sprintf(", from figures of which one spans a factor of %.0f: %s", factor, name)
			outcome = Unsure
		}
		a.Outcomes, a.figures = append(a.Outcomes, outcome), append(a.figures, &f)
		a.Measured = append(a.Measured, text)
		a.Rules = append(a.Rules, t.Rule.describe(r.Form, f.Unit))
		a.stand(file, t.names()...)
		if a.Command == "" {
			a.Command = cmp.Or(commandOf(r.Tests), commandOfFile(file))
		}
	}
	for _, b := range r.Beside {
		if file := all[b.Figure]; file != nil {
			a.Beside = append(a.Beside, b.What+": "+b.Form.figure(file.Figures[b.Figure]))
			a.stand(file, b.Figure)
		}
	}
	a.Command = cmp.Or(a.Command, commandOf(r.Tests))
	switch {
	case r.Untested != "":
		a.Verdict, a.Words, a.Reason = NotTested, NotTested.String(), r.Untested
		return a, nil
	case short > 0:
		a.Verdict, a.Words = TooFewCores, fmt.Sprintf("can't be tested on %d cores", short)
		a.Reason = fmt.Sprintf("The statement needs %d cores or more. What is shown was measured on %d.", r.Cores, short)
		return a, nil
	}
	a.Verdict = combine(a.Outcomes)
	a.Words = wording(a.Outcomes, conditions)
	for _, reason := range r.Why {
		if slices.Contains(reason.Explains, a.Verdict) {
			a.Reason = reason.Text
			break
		}
	}
	return a, nil
}

func (a *Answer) unmeasured(t *Test) {
	a.Outcomes, a.figures = append(a.Outcomes, Unmeasured), append(a.figures, nil)
	a.Measured = append(a.Measured, "not measured")
	a.Rules = append(a.Rules, t.Rule.describe(a.Form, ""))
}

// stand notes what runs figures stand on, and whether these are preliminary.
func (a *Answer) stand(file *figures.File, names ...string) {
	runs := file.Having(names[0])
	text := fmt.Sprintf("%d runs of %s", len(runs), file.Program)
	if len(runs) == 1 {
		text = "1 run of " + file.Program
	}
	if !slices.Contains(a.Stands, text) {
		a.Stands = append(a.Stands, text)
	}
	for _, r := range runs {
		a.Preliminary = a.Preliminary || r.Preliminary != nil
	}
}

// cores returns the most cores of the machines of a program's runs.
func cores(file *figures.File) (most int) {
	for _, r := range file.All() {
		most = max(most, r.Machine.Cores)
	}
	return most
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
