package check

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/rtbwire/rtbwire/lab/measure"
	"github.com/rtbwire/rtbwire/lab/report"
)

// The parts of lab/docs/performance.md that have tables.
const (
	partPresets    = "presets"
	partInspectors = "inspectors"
)

// begin is the line before the table of a part.
func begin(part string) string {
	return "<!-- lab: " + part + ", written by \"cd lab && go run . check --write\" -->\n"
}

// end is the line after it.
const end = "<!-- /lab -->"

// machine says what was measured where.
func machine() string {
	m := report.Look()
	commit := m.Commit
	if m.Dirty {
		commit += " with changes"
	}
	return fmt.Sprintf("%s, %s, commit %s; load before %.1f on %d cores.\n\n", m.CPU, m.Go, commit, m.LoadBefore, m.Cores)
}

// presetTable writes the rows of the presets in Markdown.
func presetTable(rows []*presetRow) string {
	var b strings.Builder
	b.WriteString(machine())
	b.WriteString("| preset | requests | documents | decode | value layer, to decode | check, to decode | value layer, to go-json | check, to go-json |\n")
	b.WriteString("| --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for _, r := range rows {
		ns, _, _ := measure.Median(r.ns[decode])
		fmt.Fprintf(&b, "| %s | %s | %d | %.0f ns | %.2f | %.2f | %.2f | %.2f |\n", r.preset, r.name, len(r.docs), ns,
			r.ratio(value, inAll, decode), r.ratio(whole, inAll, decode), r.ratio(value, inAll, peer), r.ratio(whole, inAll, peer))
	}
	return b.String()
}

// inspectorTable writes the rows of the inspectors in Markdown.
func inspectorTable(rows []*inspectorRow) string {
	var b strings.Builder
	b.WriteString(machine())
	b.WriteString("| requests | documents | decode | engine |")
	for _, name := range inspectorNames[inspectSchema:inspectAll] {
		fmt.Fprintf(&b, " %s |", name)
	}
	b.WriteString(" all | all, to go-json | with GeoIP | with supply files |\n|")
	b.WriteString(strings.Repeat(" --- |", inspectAll-inspectOff+7) + "\n")
	for _, r := range rows {
		ns, _, _ := measure.Median(r.ns[inspectDecode])
		fmt.Fprintf(&b, "| %s | %d | %.0f ns | %.2f |", r.name, len(r.docs), ns, r.ratio(inspectOff, inspectDecode, inspectDecode))
		for op := inspectOff + 1; op < inspectAll; op++ {
			fmt.Fprintf(&b, " %.2f |", r.ratio(op, inspectOff, inspectDecode))
		}
		// All of them with the engine: what a verdict takes beyond decoding.
		fmt.Fprintf(&b, " %.2f | %.2f |", r.ratio(inspectAll, inspectDecode, inspectDecode), r.ratio(inspectAll, inspectDecode, inspectPeer))
		// What files add to the fraud score.
		fmt.Fprintf(&b, " +%.2f | +%.2f |\n", max(0, r.ratio(inspectGeoIP, inspectFraud, inspectDecode)), max(0, r.ratio(inspectSupply, inspectFraud, inspectDecode)))
	}
	return b.String()
}

// insert puts the table of a part into a page, in place of the one before.
func insert(page []byte, part, table string) ([]byte, error) {
	before, rest, ok := bytes.Cut(page, []byte(begin(part)))
	_, after, closed := bytes.Cut(rest, []byte(end))
	if !ok || !closed {
		return nil, errors.New("the page has no place for the table: " + strings.TrimSpace(begin(part)) + " and " + end)
	}
	return bytes.Join([][]byte{before, []byte(begin(part)), []byte("\n" + table + "\n"), []byte(end), after}, nil), nil
}
