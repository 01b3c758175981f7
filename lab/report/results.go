// Package report turns measurements into tables and pictures.
//
//	results.go   what a run found, as it is kept in results.json
//	machine.go   where it ran
//	targets.go   the targets of the design with what was measured
//	markdown.go  tables for a README
//	scanner.go   what the C++ scanner's benchmark found
//	readme.go    what the README shows
//	html.go      one page with everything in it, template.html
//	plot.go      SVG
package report

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/rtbwire/rtbwire/lab/measure"
)

// Results are everything a run found.
type Results struct {
	Taken    time.Time
	Quick    bool
	Machine  Machine
	Engines  []measure.Info
	Missing  []Missing `json:",omitempty"` // engines that are listed but not measured
	Sets     []Set
	Rounds   int
	Budget   time.Duration // of one measurement
	Rows     []measure.Row
	Services []measure.ServiceResult `json:",omitempty"`
	Scanner  *Scanner                `json:",omitempty"` // of cpp/, when its benchmark has run
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

// Write writes the results to a file.
func (r *Results) Write(file string) error {
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o644)
}

// Read reads what Write wrote.
func Read(file string) (*Results, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	r := new(Results)
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(r.Rows) == 0 || len(r.Engines) == 0 {
		return nil, fmt.Errorf("%s has no results", file)
	}
	return r, nil
}

// Row returns a measured row, nil if there is none.
func (r *Results) Row(engine, set string, op measure.Op, goroutines int) *measure.Row {
	for i := range r.Rows {
		if w := &r.Rows[i]; w.Engine == engine && w.Set == set && w.Op == op && w.Goroutines == goroutines && w.Wrong == "" && w.NS > 0 {
			return w
		}
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

// own are the engines of this repository; the others are what they are compared with.
var own = []string{"rtbwire-arena", "rtbwire-fast", "rtbwire", "handwritten"}

// best returns the fastest Go library that is not ours; only, if given, names the candidates.
func (r *Results) best(set string, op measure.Op, only ...string) *measure.Row {
	for _, w := range r.of(set, op, 1) {
		if w.NS > 0 && !slices.Contains(own, w.Engine) && !strings.HasPrefix(w.Engine, "cpp-") && (only == nil || slices.Contains(only, w.Engine)) {
			return &w
		}
	}
	return nil
}
