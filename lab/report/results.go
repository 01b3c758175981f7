// Package report turns measurements into tables and pictures.
//
//	results.go      what a run found
//	machine.go      where it ran
//	preliminary.go  when a run is preliminary, and why
//	explain.go      what engines are, in a line each, and their marks
//	combine.go      several runs as one
//	overview.go     how each engine compares with encoding/json
//	conclusion.go   three sentences for somebody who has to choose
//	targets.go      the targets of the design with what was measured, for developers
//	file.go         the file of a run, which is committed, and how to read it
//	file_rows.go    its tables of times and memory
//	latencies.go    its table of the service's times
//	table.go        Markdown tables
//	cells.go        values in tables
//	readme.go       what the README shows
//	html.go         one page with everything in it, template.html
package report

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/rtbwire/rtbwire/lab/measure"
)

// Results is everything that a run found.
type Results struct {
	Taken    time.Time
	Preset   string
	Machine  Machine
	Engines  []measure.Info
	Missing  []Missing `json:",omitempty"` // engines that are listed but not measured
	Sets     []Set
	Rounds   int           // of every comparison; some have more
	Budget   time.Duration // of one measurement
	LeastOf  int           `json:",omitempty"` // measured rounds that count as one; see measure.Plan
	CPUTime  bool          // times of one goroutine are processor time
	Rows     []measure.Row
	Services []measure.ServiceResult `json:",omitempty"`

	Runs []*Results `json:"-"` // that were combined, the first first; nil for one run
}

// Missing is an engine without numbers.
type Missing struct{ Name, Module, Reason string }

// Set describes a data set.
type Set struct {
	Name, About string
	Response    bool
	Docs        int
	LeftOut     int `json:",omitempty"`
	Bytes       float64
}

// WriteJSON writes the results with every round to a file, for other programs.
func (r *Results) WriteJSON(file string) error {
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o644)
}

// Row returns a measured row, or nil.
func (r *Results) Row(engine, set string, op measure.Op, goroutines int) *measure.Row {
	if w := r.any(engine, comparison{set, op, goroutines}); w != nil && w.Wrong == "" {
		return w
	}
	return nil
}

// of returns the rows of one comparison, fastest first, those without a number last.
func (r *Results) of(set string, op measure.Op, goroutines int) []measure.Row {
	var rows []measure.Row
	for _, w := range r.Rows {
		if w.Set == set && w.Op == op && w.Goroutines == goroutines {
			rows = append(rows, w)
		}
	}
	slices.SortStableFunc(rows, func(a, b measure.Row) int {
		switch {
		case (a.NS > 0) != (b.NS > 0):
			if a.NS > 0 {
				return -1
			}
			return 1
		case a.NS < b.NS:
			return -1
		case a.NS > b.NS:
			return 1
		}
		return 0
	})
	return rows
}

// own lists the engines of this repository.
var own = []string{"rtbwire-arena", "rtbwire-fast", "rtbwire", "handwritten", "handwritten-fast"}

// best returns the fastest Go library of others; only, if given, names the candidates.
func (r *Results) best(set string, op measure.Op, only ...string) *measure.Row {
	for _, w := range r.of(set, op, 1) {
		if w.NS > 0 && !slices.Contains(own, w.Engine) && !strings.HasPrefix(w.Engine, "cpp-") && (only == nil || slices.Contains(only, w.Engine)) {
			return &w
		}
	}
	return nil
}
