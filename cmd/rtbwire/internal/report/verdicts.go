package report

import (
	"cmp"
	"maps"
	"slices"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/rtbwire/rtbwire/batch"
	"github.com/rtbwire/rtbwire/inspect"
)

// Verdicts is what a configuration says about the requests of a check.
type Verdicts struct {
	Refused  []ReasonTotal // the most frequent reason first
	Observed []ReasonTotal // what would refuse requests that are forwarded because they are observed
	Shadow   []ReasonTotal // what layers in shadow would refuse besides
	Errors   []NameTotal   // conditions without a value, by the rule's reason or the scrub
	Scrubs   []NameTotal   // requests that would be changed
	Scores   *Scores       // nil if no request has one above 0
}

// ReasonTotal counts the requests that are refused for a reason.
type ReasonTotal struct {
	Reason   string // empty in Shadow: forwarded
	NBR      int
	Text     string
	Requests int64
}

// NameTotal counts something that has a name.
type NameTotal struct {
	Name     string
	Requests int64
}

// AddVerdicts adds what a configuration says to a summary.
func (s *Summary) AddVerdicts(e *inspect.Engine, v *batch.Verdicts) {
	if v.Refused == nil { // no request was judged by it
		return
	}
	s.Verdicts = &Verdicts{
		Refused: reasonTotals(e, v.Refused), Observed: reasonTotals(e, v.Observed), Shadow: reasonTotals(e, v.Shadow), Errors: nameTotals(v.Errors), Scrubs: nameTotals(v.Scrubbed),
		Scores: NewScores(v),
	}
}

func reasonTotals(e *inspect.Engine, counts map[inspect.Decision]int64) (list []ReasonTotal) {
	for d, n := range counts {
		total := ReasonTotal{Reason: d.Reason, NBR: int(d.NBR), Requests: n}
		if reason, found := e.ReasonByID(d.Reason); found {
			total.Text = reason.Text
		}
		list = append(list, total)
	}
	slices.SortFunc(list, func(a, b ReasonTotal) int {
		return cmp.Or(-cmp.Compare(a.Requests, b.Requests), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.NBR, b.NBR))
	})
	return list
}

func nameTotals(counts map[string]int64) (list []NameTotal) {
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		list = append(list, NameTotal{name, counts[name]})
	}
	return list
}

// verdictTable has a line for every reason that requests are refused for, and for what else a
// configuration does.
func verdictTable(s *Summary, o Options) string {
	if s.Verdicts == nil {
		return ""
	}
	v := s.Verdicts
	tab := newTable(o, table.Row{"verdict", "reason", "nbr", "requests"}, 3, 4)
	refused := int64(0)
	for _, r := range v.Refused {
		refused += r.Requests
		tab.AppendRow(table.Row{"refuse", r.Reason, r.NBR, grouped(r.Requests)})
	}
	tab.AppendRow(table.Row{"forward", "", "", grouped(s.Requests - refused)})
	for _, r := range v.Observed {
		tab.AppendRow(table.Row{"would refuse", r.Reason, r.NBR, grouped(r.Requests)})
	}
	for _, r := range v.Shadow {
		if r.Reason == "" {
			tab.AppendRow(table.Row{"in shadow: forward", "", "", grouped(r.Requests)})
			continue
		}
		tab.AppendRow(table.Row{"in shadow: refuse", r.Reason, r.NBR, grouped(r.Requests)})
	}
	for _, e := range v.Errors {
		tab.AppendRow(table.Row{"no value", e.Name, "", grouped(e.Requests)})
	}
	for _, e := range v.Scrubs {
		tab.AppendRow(table.Row{"scrub", e.Name, "", grouped(e.Requests)})
	}
	return tab.Render() + "\n"
}

// verdicts appends what a configuration says.
func verdicts(o *object, v *Verdicts) {
	if v == nil {
		return
	}
	reasons := func(name string, list []ReasonTotal) {
		o.open(name, '[')
		for _, r := range list {
			o.open("", '{')
			o.string("reason", r.Reason)
			o.int("nbr", int64(r.NBR))
			o.int("requests", r.Requests)
			o.close('}')
		}
		o.close(']')
	}
	names := func(name string, list []NameTotal) {
		o.open(name, '[')
		for _, n := range list {
			o.open("", '{')
			o.string("name", n.Name)
			o.int("requests", n.Requests)
			o.close('}')
		}
		o.close(']')
	}
	o.open("verdicts", '{')
	reasons("refused", v.Refused)
	reasons("would_refuse", v.Observed)
	reasons("shadow", v.Shadow)
	names("errors", v.Errors)
	names("scrubs", v.Scrubs)
	if v.Scores != nil {
		v.Scores.append(o)
	}
	o.close('}')
}
