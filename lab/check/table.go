package check

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/rtbwire/rtbwire/lab/measure"
	"github.com/rtbwire/rtbwire/lab/report"
)

// The table is between these lines of docs/performance.md.
const (
	begin = `<!-- lab: written by "cd lab && go run . check --write" -->` + "\n"
	end   = "<!-- /lab -->"
)

// table writes the rows in Markdown.
func table(rows []*row) string {
	var b strings.Builder
	m := report.Look()
	commit := m.Commit
	if m.Dirty {
		commit += " with changes"
	}
	fmt.Fprintf(&b, "%s, %s, commit %s; load before %.1f on %d cores.\n\n", m.CPU, m.Go, commit, m.LoadBefore, m.Cores)
	b.WriteString("| preset | requests | documents | decode | value layer, to decode | check, to decode | value layer, to go-json | check, to go-json |\n")
	b.WriteString("| --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for _, r := range rows {
		ns, _, _ := measure.Median(r.ns[decode])
		fmt.Fprintf(&b, "| %s | %s | %d | %.0f ns | %.2f | %.2f | %.2f | %.2f |\n", r.preset, r.name, len(r.docs), ns,
			r.ratio(value, decode), r.ratio(whole, decode), r.ratio(value, peer), r.ratio(whole, peer))
	}
	return b.String()
}

// ratio is the median over the rounds of one operation's time by another's.
func (r *row) ratio(op, base int) float64 {
	ratios := make([]float64, len(r.ns[op]))
	for i := range ratios {
		ratios[i] = r.ns[op][i] / r.ns[base][i]
	}
	center, _, _ := measure.Median(ratios)
	return center
}

// insert puts the table into a page, in place of the one before.
func insert(page []byte, table string) ([]byte, error) {
	before, rest, ok := bytes.Cut(page, []byte(begin))
	_, after, closed := bytes.Cut(rest, []byte(end))
	if !ok || !closed {
		return nil, errors.New("the page has no place for the table: " + strings.TrimSpace(begin) + " and " + end)
	}
	return bytes.Join([][]byte{before, []byte(begin), []byte("\n" + table + "\n"), []byte(end), after}, nil), nil
}
