package main

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/rtbwire/rtbwire/lab/figures"
)

// Section is a source with its answers.
type Section struct {
	Source  Source
	Answers []Answer
}

// Page is everything that lab/docs/claims.md shows.
type Page struct {
	Sections []Section
	Files    []*figures.File // that it is made of
	Sent     []*figures.File // lines from other machines, see machines.go
}

func newPage(list []Source, all figures.All) (*Page, error) {
	p := new(Page)
	for _, s := range list {
		section := Section{Source: s}
		for _, r := range s.Rows {
			a, err := answer(r, all)
			if err != nil {
				return nil, fmt.Errorf("%s, %s: %w", s.Name, r.ID, err)
			}
			section.Answers = append(section.Answers, a)
		}
		p.Sections = append(p.Sections, section)
	}
	for _, name := range names(list) {
		if f := all[name]; f != nil && !slices.Contains(p.Files, f) {
			p.Files = append(p.Files, f)
		}
	}
	slices.SortFunc(p.Files, func(a, b *figures.File) int { return strings.Compare(a.Program, b.Program) })
	return p, nil
}

// count returns how many rows have a verdict, of some sections or of all.
func count(sections []Section, v Verdict) (n int) {
	for _, s := range sections {
		for _, a := range s.Answers {
			if a.Verdict == v {
				n++
			}
		}
	}
	return n
}

func rows(sections []Section) (n int) {
	for _, s := range sections {
		n += len(s.Answers)
	}
	return n
}

// tally is a line such as "12 hold, 3 do not hold".
func tally(sections []Section) string {
	var parts []string
	for _, v := range verdicts {
		n := count(sections, v)
		if n == 0 {
			continue
		}
		text := map[Verdict][2]string{
			DoesHold: {"holds", "hold"}, DoesNotHold: {"does not hold", "do not hold"},
			HoldsIf:     {"holds under a condition", "hold under a condition"},
			CannotTell:  {"is undecided in this run", "are undecided in this run"},
			TooFewCores: {"can't be tested on so few cores", "can't be tested on so few cores"},
			NotTested:   {"is not tested here", "are not tested here"},
			NotMeasured: {"is not measured yet", "are not measured yet"},
		}[v]
		parts = append(parts, fmt.Sprintf("%d %s", n, text[min(n, 2)-1]))
	}
	return and(parts)
}

// conclusion has the counts, and what holds least and best.
func (p *Page) conclusion() string {
	var most, least *Section
	share := func(s *Section, v Verdict) float64 {
		return float64(count([]Section{*s}, v)) / float64(len(s.Answers))
	}
	for i := range p.Sections {
		s := &p.Sections[i]
		if most == nil || share(s, DoesHold) > share(most, DoesHold) {
			most = s
		}
		if least == nil || share(s, DoesNotHold) > share(least, DoesNotHold) {
			least = s
		}
	}
	b := new(strings.Builder)
	fmt.Fprintf(b, "Of %d published statements %s.", rows(p.Sections), tally(p.Sections))
	if best, worst := count([]Section{*most}, DoesHold), count([]Section{*least}, DoesNotHold); best > 0 && worst > 0 && most != least {
		fmt.Fprintf(b, " \"%s\" holds best, in %d of %d without a condition; \"%s\" holds least, %d of %d do not.",
			most.Source.Name, best, len(most.Answers), least.Source.Name, worst, len(least.Answers))
	}
	if order, size := p.order(); order.of > 0 {
		fmt.Fprintf(b, " Who is faster is a safer statement than by how much: the side that was called faster is faster in %d of %d comparisons of time, and by as much as was said in %d.", order.n, order.of, size)
	}
	return b.String()
}

// share of something.
type share struct{ n, of int }

// order says in how many comparisons of time that name a factor the faster side is the one that was
// called faster, and in how many the factor holds.
func (p *Page) order() (faster share, factor int) {
	for _, s := range p.Sections {
		for _, a := range s.Answers {
			for i, t := range a.Tests {
				if a.Form != Times || len(t.Rule.bounds) < 3 || t.Rule.bounds[0] == 1 || a.figures[i] == nil {
					continue
				}
				faster.of++
				if f := a.figures[i]; (f.Lo > 1) == (t.Rule.bounds[0] > 1) && (f.Hi < 1) == (t.Rule.bounds[0] < 1) {
					faster.n++
				}
				if a.Outcomes[i] == Holds {
					factor++
				}
			}
		}
	}
	return faster, factor
}

// preliminary lists the reasons not to rely on figures, with the files that they are about.
func (p *Page) preliminary() (out []string) {
	for _, f := range p.Files {
		for _, why := range f.Preliminary {
			out = append(out, fmt.Sprintf("`%s`: %s", commandOfFile(f), why))
		}
	}
	return out
}

// runs lists the runs that figures stand on, each with its machine.
func (p *Page) runs() (out [][]string) {
	for _, f := range p.Files {
		for _, r := range f.All() {
			m := &r.Machine
			stolen := "not recorded"
			if share, known := m.StolenShare(); known {
				stolen = Share.value(share, "")
			}
			out = append(out, []string{
				f.Program, r.Taken.UTC().Format("2006-01-02 15:04"), m.CPU, strings.Join(m.Features, ", "), fmt.Sprint(m.Cores),
				cmp.Or(m.Go, strings.Join(m.Flags, ", ")), cmp.Or(m.Others, "not recorded"), stolen, m.Commit,
			})
		}
	}
	return out
}

var runColumns = []string{"program", "start", "processor", "vectors", "cores", "Go or compiler", "cores that others kept busy", "stolen", "commit"}

const head = `# Published figures, and what we measure

<!-- Written by "cd lab && go run ./claims --write" from lab/results/claims/. Do not edit. -->

`

const method = `
Absolute times of other machines are not compared: a statement becomes a ratio, a share or a count, and ours is taken in one run, round
by round. Each row says which values count as what was said: where the statement has a number, those within 25% of it that are on its side
of 1. If the whole interval is inside, the statement holds; if all of it is outside, it does not; if it straddles the limit, or spans
more than a factor of 4, this run can't tell. Verdicts are computed from the figures in
[lab/results/claims](../results/claims). "a/b" of times means the time of a over the time of b: how many times as fast b is.

Two runs of the same lab differ by 15% with disjoint 95% intervals, so the interval is that of runs (at least three starts an hour apart,
on more than one machine where that can be had): a figure is the median of its runs, and its interval reaches from the least run to the
largest. A figure that has fewer runs has the 95% intervals of their rounds, all together. Each row says how many runs it stands on;
their machines are at the end of the page. A statement about more cores than these have is not tested on fewer.

    make bench-published                # the five texts on your machine, in half an hour: said, here, verdict
    make bench ARGS=full                # measures everything again, and writes this page
    cd lab && go run ./claims           # the same table in a terminal
`

// Markdown returns the page.
func (p *Page) Markdown() string {
	b := new(strings.Builder)
	b.WriteString(head)
	b.WriteString(p.conclusion() + "\n")
	if why := p.preliminary(); why != nil {
		b.WriteString("\n**Preliminary: figures marked with * are of short or disturbed runs, and may change.** They are replaced by a long run on a quiet machine:\n\n")
		for _, w := range why {
			fmt.Fprintf(b, "- %s\n", w)
		}
	}
	b.WriteString(method)
	for i, s := range p.Sections {
		s.markdown(b, i+1)
	}
	b.WriteString(p.machines())
	b.WriteString("\n## Runs\n\n\"Stolen\" is what other virtual machines took of the processor time; a run that lost more than 1% is preliminary.\n\n")
	fmt.Fprintf(b, "| %s |\n|%s\n", strings.Join(runColumns, " | "), strings.Repeat(" --- |", len(runColumns)))
	for _, cells := range p.runs() {
		fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
	}
	return b.String()
}

func (s *Section) markdown(b *strings.Builder, number int) {
	fmt.Fprintf(b, "\n## %d. %s\n\n<%s>: %s. %s Of its %d statements here %s.\n\n", number, s.Source.Name, s.Source.URL, s.Source.Machine,
		s.Source.About, len(s.Answers), tally([]Section{*s}))
	b.WriteString("| | said, and what counts as held | measured here | verdict | why, and the command |\n| --- | --- | --- | --- | --- |\n")
	for i, a := range s.Answers {
		cells := []string{
			fmt.Sprintf("%d.%d %s", number, i+1, sectionText(a.Section)), said(&a), a.measured("<br>"),
			"**" + a.Words + "**", a.Reason,
		}
		if a.Command != "" {
			cells[4] = strings.TrimPrefix(a.Reason+"<br>`"+a.Command+"`", "<br>")
		}
		for j := range cells {
			cells[j] = strings.ReplaceAll(cells[j], "|", `\|`)
		}
		fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
	}
}

// said is the statement with what counts as held.
func said(a *Answer) string {
	if len(a.Tests) == 0 {
		return a.Said
	}
	return a.Said + "<br>*" + a.rules("*<br>*") + "*"
}

var numbered = regexp.MustCompile(`^\d`)

func sectionText(s string) string {
	if numbered.MatchString(s) {
		return "section " + s
	}
	return s
}

// rules lists the rules of a row, once each.
func (a *Answer) rules(between string) string {
	switch len(slices.Compact(slices.Clone(a.Rules))) {
	case 0:
		return "no test"
	case 1:
		return a.Rules[0]
	}
	var lines []string
	for i, r := range a.Rules {
		lines = append(lines, a.Tests[i].For+": "+r)
	}
	return strings.Join(lines, between)
}

// measured lists the figures of a row.
func (a *Answer) measured(between string) string {
	var lines []string
	for i, m := range a.Measured {
		if a.Tests[i].For != "" {
			m = a.Tests[i].For + ": " + m
		}
		lines = append(lines, m)
	}
	for _, text := range a.Beside {
		lines = append(lines, "("+text+")")
	}
	if a.Stands != nil {
		lines = append(lines, "*"+and(a.Stands)+"*")
	}
	text := strings.Join(lines, between)
	if a.Preliminary {
		text += " \\*"
	}
	return text
}

// Terminal returns the page as text.
func (p *Page) Terminal() string {
	b := new(strings.Builder)
	for i, s := range p.Sections {
		fmt.Fprintf(b, "%d. %s\n   %s\n\n", i+1, s.Source.Name, s.Source.Machine)
		for j, a := range s.Answers {
			fmt.Fprintf(b, "   %-5s %s\n         %s\n", fmt.Sprintf("%d.%d", i+1, j+1), strings.ToUpper(a.Words), a.Said)
			fmt.Fprintf(b, "         measured: %s\n", strings.ReplaceAll(a.measured("; "), `\*`, "(preliminary)"))
			fmt.Fprintf(b, "         held is:  %s\n", a.rules("; "))
			if a.Reason != "" {
				fmt.Fprintf(b, "         why:      %s\n", a.Reason)
			}
			if a.Command != "" {
				fmt.Fprintf(b, "         again:    %s\n", a.Command)
			}
			b.WriteByte('\n')
		}
	}
	fmt.Fprintf(b, "%s\n", p.conclusion())
	for _, cells := range p.runs() {
		fmt.Fprintf(b, "%s\n", strings.Join(cells, ", "))
	}
	for _, why := range p.preliminary() {
		fmt.Fprintf(b, "preliminary: %s\n", why)
	}
	return b.String()
}
