// Package figures keeps what was measured, by name, for pages that are made from it.
//
// Each program of the lab that measures writes one file, which is committed. Names have the form
// "part/what/of", such as "decode/banner/gojson/ratio".
package figures

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
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

// File is what one run of one program found.
type File struct {
	Taken       time.Time         `json:"taken"`
	Command     string            `json:"command"` // that measures it again, in the root of the repository
	Machine     report.Machine    `json:"machine"`
	Preliminary []string          `json:"preliminary,omitempty"` // reasons not to publish it
	Notes       map[string]string `json:"notes,omitempty"`       // what else describes the run, such as versions of libraries
	Figures     map[string]Figure `json:"figures"`
}

// Write writes the file, and makes its folder if necessary.
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
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// Read reads a file that Write wrote.
func Read(path string) (*File, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f := new(File)
	if err := json.Unmarshal(text, f); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// All is the figures of some files. Names are unique among them.
type All map[string]*File

// ReadFolder reads the figures of all files of a folder, by name.
func ReadFolder(folder string) (All, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return nil, err
	}
	all, errs := All{}, []error(nil)
	for _, path := range paths {
		f, err := Read(path)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		for name := range f.Figures {
			if all[name] != nil {
				errs = append(errs, fmt.Errorf("%s: figure %s is in another file, too", path, name))
			}
			all[name] = f
		}
	}
	return all, errors.Join(errs...)
}
