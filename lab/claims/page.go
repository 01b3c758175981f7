package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/rtbwire/rtbwire/lab/figures"
	"github.com/rtbwire/rtbwire/lab/report"
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
}

func newPage(list []Source, all figures.All) *Page {
	p := new(Page)
	for _, s := range list {
		section := Section{Source: s}
		for _, r := range s.Rows {
			section.Answers = append(section.Answers, answer(r, all))
		}
		p.Sections = append(p.Sections, section)
	}
	for _, name := range names(list) {
		if f := all[name]; f != nil && !slices.Contains(p.Files, f) {
			p.Files = append(p.Files, f)
		}
	}
	return p
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
				if a.Form != Times || len(t.Rule.bounds) != 3 || t.Rule.bounds[0] == 1 || a.figures[i] == nil {
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

// machines lists where, when and from which commits figures were taken.
func (p *Page) machines() (out []string) {
	commits := map[string][]string{}
	for _, f := range p.Files {
		text := machine(f.Machine) + ", " + f.Taken.Format("2006-01-02")
		if !slices.Contains(commits[text], f.Machine.Commit) {
			commits[text] = append(commits[text], f.Machine.Commit)
		}
	}
	for _, text := range slices.Sorted(maps.Keys(commits)) {
		slices.Sort(commits[text])
		word := map[bool]string{true: ", commit ", false: ", commits "}[len(commits[text]) == 1]
		out = append(out, text+word+and(commits[text]))
	}
	return out
}

func machine(m report.Machine) string {
	text := fmt.Sprintf("%s, %d cores, %s/%s", m.CPU, m.Cores, m.OS, m.Arch)
	if len(m.Features) > 0 {
		text += " (" + strings.Join(m.Features, ", ") + ")"
	}
	if m.Go != "" {
		text += ", " + m.Go
	}
	return text
}

const head = `# Published figures, and what we measure

<!-- Written by "cd lab && go run ./claims --write" from lab/results/claims/. Do not edit. -->

`

const method = `
Absolute times of other machines are not compared: a statement becomes a ratio, a share or a count, and ours is taken in one run, round
by round, with its 95% interval. Each row says which values count as what was said. If the whole interval is inside, the statement holds;
if all of it is outside, it does not; if it straddles the limit, this run can't tell. Verdicts are computed from the figures in
[lab/results/claims](../results/claims). "a/b" of times means the time of a over the time of b: how many times as fast b is.

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
	for i, m := range p.machines() {
		if i == 0 {
			b.WriteString("\nMeasured on:\n\n")
		}
		fmt.Fprintf(b, "- %s\n", m)
	}
	b.WriteString(method)
	for i, s := range p.Sections {
		s.markdown(b, i+1)
	}
	return b.String()
}

func (s *Section) markdown(b *strings.Builder, number int) {
	fmt.Fprintf(b, "\n## %d. %s\n\n<%s>: %s. %s Of its %d statements here %s.\n\n", number, s.Source.Name, s.Source.URL, s.Source.Machine,
		s.Source.About, len(s.Answers), tally([]Section{*s}))
	b.WriteString("| | said, and what counts as held | measured here | verdict | why, and the command |\n| --- | --- | --- | --- | --- |\n")
	for i, a := range s.Answers {
		cells := []string{
			fmt.Sprintf("%d.%d %s", number, i+1, sectionText(a.Section)), a.Said + "<br>*" + a.rules("*<br>*") + "*", a.measured("<br>"),
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

var numbered = regexp.MustCompile(`^\d`)

func sectionText(s string) string {
	if numbered.MatchString(s) {
		return "section " + s
	}
	return s
}

// rules lists the rules of a row, once each.
func (a *Answer) rules(between string) string {
	if len(slices.Compact(slices.Clone(a.Rules))) == 1 {
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
	for _, m := range p.machines() {
		fmt.Fprintf(b, "%s\n", m)
	}
	for _, why := range p.preliminary() {
		fmt.Fprintf(b, "preliminary: %s\n", why)
	}
	return b.String()
}
