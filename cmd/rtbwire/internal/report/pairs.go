package report

import (
	"fmt"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/rtbwire/rtbwire/batch"
)

// Pairs is how responses and requests of a check have matched.
type Pairs struct {
	Name string // of the requests
	batch.PairCounts
	batch.PairStats
}

// String says it in a line.
func (p *Pairs) String() string {
	text := fmt.Sprintf("%d responses compared, %d without a request, %d not compared; %d requests, %d without a response",
		p.Compared, p.Lone, p.Broken, p.Requests, p.Unanswered)
	if p.Repeated+p.Nameless+p.Others > 0 {
		text += fmt.Sprintf("; skipped: %d requests with an earlier id, %d without an id, %d other documents", p.Repeated, p.Nameless, p.Others)
	}
	return text
}

// pairTable has a line for every number.
func pairTable(s *Summary, o Options) string {
	if s.Pairs == nil {
		return ""
	}
	p := s.Pairs
	tab := newTable(o, table.Row{"pairs", "documents"}, 2)
	for _, row := range []struct {
		name   string
		n      int64
		always bool
	}{
		{"responses compared with their request", p.Compared, true},
		{"responses without a request", p.Lone, true},
		{"responses not compared", p.Broken, false},
		{"requests without a response", p.Unanswered, true},
		{"requests with an earlier id", p.Repeated, false},
		{"requests without an id", p.Nameless, false},
	} {
		if row.always || row.n > 0 {
			tab.AppendRow(table.Row{row.name, grouped(row.n)})
		}
	}
	return tab.Render() + "\n"
}

// pairs appends the numbers.
func pairs(o *object, p *Pairs) {
	if p == nil {
		return
	}
	o.open("pairs", '{')
	o.string("file", p.Name)
	o.int("requests", p.Requests)
	o.int("compared", p.Compared)
	o.int("without_request", p.Lone)
	o.int("not_compared", p.Broken)
	o.int("without_response", p.Unanswered)
	o.int("repeated", p.Repeated)
	o.int("without_id", p.Nameless)
	o.int("others", p.Others)
	o.close('}')
}
