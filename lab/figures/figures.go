// Package figures keeps what was measured, by name, for pages that are made from it.
//
// Each run of each program of the lab that measures writes one file, which is committed. Names have
// the form "part/what/of", such as "decode/banner/gojson/ratio".
//
//	figures.go  figures and files
//	run.go      a run, which ends with a file
//	runs.go     the runs of one program, combined
//	seal.go     the checksum by which an edited file is known
//	page.go     parts of pages
package figures

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rtbwire/rtbwire/lab/report"
)

// Figure is a measured value with the bounds of its 95% confidence interval. What is counted has
// equal bounds.
type Figure struct {
	Value  float64 `json:"value"`
	Lo     float64 `json:"lo"`
	Hi     float64 `json:"hi"`
	Unit   string  `json:"unit,omitempty"` // "ns", "B", "allocs"; "" for ratios and shares
	Rounds int     `json:"rounds,omitempty"`
}

// Exactly is a figure without an interval.
func Exactly(v float64, unit string) Figure { return Figure{Value: v, Lo: v, Hi: v, Unit: unit} }

// File is what one run of one program found, or several runs of it together.
type File struct {
	Taken       time.Time         `json:"taken"`
	Command     string            `json:"command"` // that measures it again, in the root of the repository
	Machine     report.Machine    `json:"machine"`
	Preliminary []string          `json:"preliminary,omitempty"` // reasons not to publish it
	Notes       map[string]string `json:"notes,omitempty"`       // what else describes the run, such as versions of libraries
	Figures     map[string]Figure `json:"figures"`

	Program string  `json:"-"` // "decode" of decode.json
	Runs    []*File `json:"-"` // that were combined, the first first; nil for one run
}

// Write writes the file with its checksum, and makes its folder if necessary.
func (f *File) Write(path string) error {
	for name, v := range f.Figures {
		if !finite(v.Value) || !finite(v.Lo) || !finite(v.Hi) || v.Lo > v.Value || v.Value > v.Hi {
			return fmt.Errorf("figure %s is %v, from %v to %v: expected a finite value within its bounds", name, v.Value, v.Lo, v.Hi)
		}
	}
	text, err := json.MarshalIndent(f, "", " ")
	if err != nil {
		return err
	}
	if text, err = Seal(append(text, '\n')); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// Read reads a file that Write wrote.
func Read(path string) (*File, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f := &File{Program: program(path)}
	if err := json.Unmarshal(text, f); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// program returns the name of the program that wrote a file: "decode" for decode.json and for
// decode.2026-01-02T0304.json.
func program(path string) string {
	name, _, _ := strings.Cut(filepath.Base(path), ".")
	return name
}

// PathOf returns the path of the file of a run, for the path without its start:
// decode.2026-01-02T0304.json for decode.json.
func PathOf(path string, taken time.Time) string {
	return strings.TrimSuffix(path, ".json") + taken.UTC().Format(".2006-01-02T1504") + ".json"
}

// All is the figures of some programs, each with all its runs. Names are unique among programs.
type All map[string]*File

// ReadFolder reads the figures of all files of a folder, by name. Files of one program are runs of
// it, and are combined.
func ReadFolder(folder string) (All, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return nil, err
	}
	all, errs := All{}, []error(nil)
	runs := map[string][]*File{}
	for _, path := range paths {
		f, err := Read(path)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		runs[f.Program] = append(runs[f.Program], f)
	}
	for _, name := range slices.Sorted(maps.Keys(runs)) {
		f, err := Combine(runs[name])
		if err != nil {
			errs = append(errs, err)
			continue
		}
		for figure := range f.Figures {
			if other := all[figure]; other != nil {
				errs = append(errs, fmt.Errorf("%s: figure %s of %s is one of %s, too", folder, figure, name, other.Program))
			}
			all[figure] = f
		}
	}
	return all, errors.Join(errs...)
}

// ReadProgram reads the runs of one program in a folder.
func ReadProgram(folder, name string) (*File, error) {
	var runs []*File
	for _, pattern := range []string{name + ".json", name + ".*.json"} {
		paths, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			f, err := Read(path)
			if err != nil {
				return nil, err
			}
			runs = append(runs, f)
		}
	}
	if runs == nil {
		return nil, fmt.Errorf("%s has no run of %s (want %s.json)", folder, name, name)
	}
	return Combine(runs)
}
