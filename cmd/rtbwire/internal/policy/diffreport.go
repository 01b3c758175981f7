package policy

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/htmlpage"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/report"
	"github.com/rtbwire/rtbwire/internal/policydiff"
	"github.com/rtbwire/rtbwire/internal/verdictchange"
)

// diffReport is the result of diff for programs, and what the other formats are made of.
// docs/policy.md documents the names.
type diffReport struct {
	Old        diffSide     `json:"old"`
	New        diffSide     `json:"new"`
	Requests   int64        `json:"requests"`
	Captures   int64        `json:"captures"`
	Responses  int64        `json:"responses"`
	Unreadable int64        `json:"unreadable"`
	Answers    *diffAnswers `json:"answers"` // null without --answers
	Changed    int64        `json:"changed"`
	Changes    []diffChange `json:"changes"`
}

type diffSide struct {
	File      string `json:"file"`
	Forwarded int64  `json:"forwarded"`
	Refused   int64  `json:"refused"`
	Observed  int64  `json:"would_refuse"`
}

type diffAnswers struct {
	Requests   int   `json:"requests"`
	Responses  int64 `json:"responses"`
	Unreadable int64 `json:"unreadable"`
}

type diffChange struct {
	Change     string          `json:"change"`
	Requests   int64           `json:"requests"`
	Imps       int64           `json:"imps"`
	Reasons    []diffReasons   `json:"reasons"`
	Partners   []diffPartner   `json:"partners"`
	Publishers []diffPublisher `json:"publishers"`
	Formats    []diffFormat    `json:"formats"`
	Floors     []diffSum       `json:"floors"`
	Answered   int64           `json:"answered"`
	Bids       int64           `json:"bids"`
	Prices     []diffSum       `json:"prices"`
	Examples   []diffExample   `json:"examples"`

	title string
}

type diffReasons struct {
	Old      string `json:"old"`
	New      string `json:"new"`
	Requests int64  `json:"requests"`
}

type diffPartner struct {
	Partner  string `json:"partner"`
	Requests int64  `json:"requests"`
}

type diffPublisher struct {
	Partner   string `json:"partner"`
	Publisher string `json:"publisher"`
	Requests  int64  `json:"requests"`
}

type diffFormat struct {
	Format   string `json:"format"`
	Requests int64  `json:"requests"`
}

type diffSum struct {
	Currency string  `json:"currency"`
	Sum      float64 `json:"sum"`
	Requests int64   `json:"requests"`
}

type diffExample struct {
	File   string `json:"file"`
	Line   int64  `json:"line"`
	Offset int64  `json:"offset"`
	ID     string `json:"id"`
	Old    string `json:"old"`
	New    string `json:"new"`
}

// changeTitles say what a kind of change means.
var changeTitles = [verdictchange.Kinds]string{
	verdictchange.ToRefuse:        "forwarded by the old one, refused by the new one",
	verdictchange.ToForward:       "refused by the old one, forwarded by the new one",
	verdictchange.OtherReason:     "refused by both, for different reasons",
	verdictchange.ObservedRefuse:  "forwarded by both, would be refused only by the new one if it enforced everything",
	verdictchange.ObservedForward: "forwarded by both, would be refused only by the old one if it enforced everything",
}

func newDiffReport(f *diffFlags, r *policydiff.Result, a *policydiff.Answers) *diffReport {
	side := func(file string, v policydiff.Verdicts) diffSide {
		return diffSide{file, v.Forwarded, v.Refused, v.Observed}
	}
	out := &diffReport{
		Old: side(f.old, r.Counts.Old), New: side(f.new, r.Counts.New), Requests: r.Requests, Captures: r.Captures,
		Responses: r.Responses, Unreadable: r.Unreadable, Changed: r.Changed(),
	}
	if a != nil {
		out.Answers = &diffAnswers{a.Len(), a.Responses, a.Unreadable}
	}
	for kind := verdictchange.Same + 1; kind < verdictchange.Kinds; kind++ {
		out.Changes = append(out.Changes, newDiffChange(kind, &r.Changes[kind]))
	}
	return out
}

func newDiffChange(kind verdictchange.Kind, c *policydiff.Change) diffChange {
	out := diffChange{
		Change: kind.String(), title: changeTitles[kind], Requests: c.Requests, Imps: c.Imps, Answered: c.Answered, Bids: c.Bids,
		Reasons: []diffReasons{}, Partners: []diffPartner{}, Publishers: []diffPublisher{}, Formats: []diffFormat{},
		Floors: sumsOf(c.Floors), Prices: sumsOf(c.Prices), Examples: []diffExample{},
	}
	for k, n := range c.Reasons {
		out.Reasons = append(out.Reasons, diffReasons{k.Old, k.New, n})
	}
	slices.SortFunc(out.Reasons, func(a, b diffReasons) int {
		return cmp.Or(cmp.Compare(b.Requests, a.Requests), cmp.Compare(a.New, b.New), cmp.Compare(a.Old, b.Old))
	})
	for k, n := range c.Partners {
		out.Partners = append(out.Partners, diffPartner{k, n})
	}
	slices.SortFunc(out.Partners, func(a, b diffPartner) int {
		return cmp.Or(cmp.Compare(b.Requests, a.Requests), cmp.Compare(a.Partner, b.Partner))
	})
	for k, n := range c.Publishers {
		out.Publishers = append(out.Publishers, diffPublisher{k.Partner, k.ID, n})
	}
	slices.SortFunc(out.Publishers, func(a, b diffPublisher) int {
		return cmp.Or(cmp.Compare(b.Requests, a.Requests), cmp.Compare(a.Partner, b.Partner), cmp.Compare(a.Publisher, b.Publisher))
	})
	for i, n := range c.Formats {
		if n > 0 {
			out.Formats = append(out.Formats, diffFormat{policydiff.FormatNames[i], n})
		}
	}
	for _, e := range c.Examples {
		out.Examples = append(out.Examples, diffExample{e.Input, e.Line, e.Offset, e.ID, e.Old, e.New})
	}
	return out
}

func sumsOf(by map[string]policydiff.Sum) []diffSum {
	list := []diffSum{}
	for _, currency := range slices.Sorted(maps.Keys(by)) {
		list = append(list, diffSum{currency, by[currency].Amount, by[currency].Count})
	}
	return list
}

// shownMax is how many reasons, partners and publishers texts and pages list; JSON has all.
const shownMax = 20

// diffRow is a line of a list: how many requests, and of what.
type diffRow struct {
	Requests int64
	Name     string
}

// diffList is a list of a change.
type diffList struct {
	Title string
	Rows  []diffRow
	More  int // rows that are left out
}

// lists returns what a change is counted by.
func (c *diffChange) lists() (lists []diffList) {
	add := func(title string, n int, row func(i int) diffRow) {
		l := diffList{Title: title, More: max(n-shownMax, 0)}
		for i := range min(n, shownMax) {
			l.Rows = append(l.Rows, row(i))
		}
		lists = append(lists, l)
	}
	add("reasons", len(c.Reasons), func(i int) diffRow {
		return diffRow{c.Reasons[i].Requests, change(c.Reasons[i].Old, c.Reasons[i].New)}
	})
	add("partners", len(c.Partners), func(i int) diffRow {
		return diffRow{c.Partners[i].Requests, named(c.Partners[i].Partner, "(no partner)")}
	})
	add("publishers", len(c.Publishers), func(i int) diffRow {
		p := &c.Publishers[i]
		name := named(p.Publisher, "(no publisher)")
		if p.Partner != "" && p.Partner != policydiff.Other {
			name += " of " + report.Visible(p.Partner)
		}
		return diffRow{p.Requests, name}
	})
	add("formats", len(c.Formats), func(i int) diffRow { return diffRow{c.Formats[i].Requests, c.Formats[i].Format} })
	return lists
}

// Lists is for the page.
func (c *diffChange) Lists() []diffList { return c.lists() }

// Title is for the page.
func (c *diffChange) Title() string { return c.title }

// change writes two reasons as one text.
func change(before, after string) string {
	switch {
	case before == "":
		return after
	case after == "":
		return before
	}
	return before + " -> " + after
}

// Reason is for the page.
func (e *diffExample) Reason() string { return change(e.Old, e.New) }

func named(name, otherwise string) string {
	if name == "" {
		return otherwise
	}
	return report.Visible(name)
}

// money writes sums of prices.
func money(sums []diffSum) string {
	var parts []string
	for _, s := range sums {
		parts = append(parts, strconv.FormatFloat(s.Sum, 'f', 2, 64)+" "+s.Currency)
	}
	return orNone(parts)
}

// headline says how many requests change.
func (r *diffReport) headline() string {
	return fmt.Sprintf("%s of %s requests change", cli.Grouped(r.Changed), cli.Grouped(r.Requests))
}

// writeText prints the result for people.
func (r *diffReport) writeText(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n\n", r.headline())
	for _, side := range []struct {
		name string
		of   *diffSide
	}{{"old", &r.Old}, {"new", &r.New}} {
		fmt.Fprintf(&b, "  %s  %13s forwarded  %13s refused  %13s would be refused  %s\n", side.name,
			cli.Grouped(side.of.Forwarded), cli.Grouped(side.of.Refused), cli.Grouped(side.of.Observed), report.Visible(side.of.File))
	}
	for _, note := range r.notes() {
		fmt.Fprintf(&b, "  %s\n", note)
	}
	for i := range r.Changes {
		r.Changes[i].writeText(&b, r.Answers != nil)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// notes say what else was in the log.
func (r *diffReport) notes() (notes []string) {
	if r.Captures > 0 {
		notes = append(notes, cli.Grouped(r.Captures)+" of the requests are captures, with facts of their own")
	}
	if r.Responses > 0 {
		notes = append(notes, cli.Grouped(r.Responses)+" responses are left out")
	}
	if r.Unreadable > 0 {
		notes = append(notes, cli.Grouped(r.Unreadable)+" captures are cut, and left out")
	}
	if a := r.Answers; a != nil {
		notes = append(notes, fmt.Sprintf("answers to %s requests are known (%s responses, %s of them unreadable)",
			cli.Grouped(int64(a.Requests)), cli.Grouped(a.Responses), cli.Grouped(a.Unreadable)))
	}
	return notes
}

func (c *diffChange) writeText(b *bytes.Buffer, answers bool) {
	if c.Requests == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s: %s %s\n", c.Change, cli.Grouped(c.Requests), c.title)
	for _, l := range c.lists() {
		fmt.Fprintf(b, "  %s\n", l.Title)
		for _, row := range l.Rows {
			fmt.Fprintf(b, "  %13s  %s\n", cli.Grouped(row.Requests), row.Name)
		}
		if l.More > 0 {
			fmt.Fprintf(b, "  %13s  %d more\n", "", l.More)
		}
	}
	fmt.Fprintf(b, "  floors  %s, impressions: %s\n", money(c.Floors), cli.Grouped(c.Imps))
	if answers {
		fmt.Fprintf(b, "  bids    %s, number: %s, requests with an answer: %s\n", money(c.Prices), cli.Grouped(c.Bids), cli.Grouped(c.Answered))
	}
	b.WriteString("  examples\n")
	for i := range c.Examples {
		e := &c.Examples[i]
		fmt.Fprintf(b, "    %s:%d (byte %d) id %s: %s\n", report.Visible(e.File), e.Line, e.Offset, strconv.Quote(e.ID), e.Reason())
	}
}

//go:embed diff.tmpl
var diffTemplate string

// diffPage is what the template sees.
type diffPage struct {
	*diffReport
	Version  string
	Style    template.CSS
	Headline string
	Notes    string
}

// writeHTML writes the result as one page that loads nothing.
func (r *diffReport) writeHTML(w io.Writer) error {
	functions := template.FuncMap{"grouped": cli.Grouped, "money": money, "visible": report.Visible}
	return template.Must(template.New("diff").Funcs(functions).Parse(diffTemplate)).Execute(w, &diffPage{
		r, cli.Version(), htmlpage.Style, r.headline(), strings.Join(r.notes(), "; "),
	})
}
