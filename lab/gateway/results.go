package gateway

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rtbwire/rtbwire/lab/figures"
	"github.com/rtbwire/rtbwire/lab/measure"
	"github.com/rtbwire/rtbwire/lab/report"
)

// Results are the measurements of one machine. The page and its pictures
// are computed from them.
type Results struct {
	Contestants []Info
	Bodies      []BodyInfo
	Parts       map[string]Part
	Samples     []Sample
	Shares      []Share
	Soak        *Soak `json:",omitempty"`

	others []*Results // other runs, which the page compares with this one
}

// Info describes a contestant.
type Info struct{ Name, About, Version string }

// BodyInfo describes a body.
type BodyInfo struct {
	Name, About string
	Bytes       float64 // mean
}

// Part is how a part was measured.
type Part struct {
	Taken    time.Time
	Seconds  float64
	Quick    bool
	MaxLagMs float64 // beyond which the generator is not trusted
	Others   float64 // cores that other processes kept busy
	Stolen   float64 // share of the processors that other virtual machines took
	Machine  report.Machine
}

// Load reads a file of results; a missing one is empty.
func Load(file string) (*Results, error) {
	r := &Results{Parts: map[string]Part{}}
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return r, nil
}

// LoadAll is Load with the runs beside it: for results.json those of results-*.json.
func LoadAll(file string) (*Results, error) {
	r, err := Load(file)
	if err != nil {
		return nil, err
	}
	beside, err := filepath.Glob(strings.TrimSuffix(file, filepath.Ext(file)) + "-*" + filepath.Ext(file))
	if err != nil {
		return nil, err
	}
	for _, name := range beside {
		run, err := Load(name)
		if err != nil {
			return nil, err
		}
		r.others = append(r.others, run)
	}
	return r, nil
}

// Save writes the file with its checksum.
func (r *Results) Save(file string) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(r); err != nil {
		return err
	}
	text := bytes.ReplaceAll(b.Bytes(), []byte(`,{"`), []byte(",\n{\"")) // a line for each sample; no text has that
	text, err := figures.Seal(append([]byte("{\n"), text[1:]...))        // a line for the checksum
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o644)
}

// describe notes who takes part.
func (r *Results) describe(l *lab) {
	for _, c := range append([]*contestant{direct}, l.entries...) {
		at := slices.IndexFunc(r.Contestants, func(i Info) bool { return i.Name == c.name })
		if info := (Info{c.name, c.about, c.version()}); at >= 0 {
			r.Contestants[at] = info
		} else {
			r.Contestants = append(r.Contestants, info)
		}
	}
	for _, b := range l.sets {
		at := slices.IndexFunc(r.Bodies, func(i BodyInfo) bool { return i.Name == b.name })
		if info := (BodyInfo{b.name, b.about, math.Round(b.bytes)}); at >= 0 {
			r.Bodies[at] = info
		} else {
			r.Bodies = append(r.Bodies, info)
		}
	}
}

// drop removes the samples of a part, which is measured again.
func (r *Results) drop(part string) {
	r.Samples = slices.DeleteFunc(r.Samples, func(s Sample) bool {
		first, _, _ := strings.Cut(s.Part, " ")
		return first == part
	})
	switch part {
	case "shares":
		r.Shares = nil
	case "soak":
		r.Soak = nil
	}
	delete(r.Parts, part)
}

func (r *Results) note(part string, p Part) { r.Parts[part] = p }

// samples returns the valid samples of a part in the order of rounds.
func (r *Results) samples(part, contestant, body string) (list []Sample) {
	for _, s := range r.Samples {
		if s.Part == part && s.Contestant == contestant && s.Body == body && s.Invalid == "" {
			list = append(list, s)
		}
	}
	slices.SortStableFunc(list, func(a, b Sample) int { return a.Round - b.Round })
	return list
}

// Stat is a median with the interval that it is in with 95% confidence.
type Stat struct {
	Median, Lo, Hi float64
	Count          int
}

// statOf summarizes a quantity of samples; Count is 0 without any.
func statOf(list []Sample, of func(*Sample) float64) Stat {
	var values []float64
	for i := range list {
		values = append(values, of(&list[i]))
	}
	return summary(values)
}

func summary(values []float64) Stat {
	if len(values) == 0 {
		return Stat{}
	}
	center, lo, hi := measure.Median(values)
	return Stat{center, lo, hi, len(values)}
}

// ratio is how many times as much of a quantity one contestant takes as another, round by round, so
// that what slows a whole round down cancels out.
func (r *Results) ratio(part, one, other, body string, of func(*Sample) float64) Stat {
	var ratios []float64
	base := r.samples(part, other, body)
	for _, s := range r.samples(part, one, body) {
		if i := slices.IndexFunc(base, func(b Sample) bool { return b.Round == s.Round }); i >= 0 {
			if d := of(&base[i]); d > 0 {
				ratios = append(ratios, of(&s)/d)
			}
		}
	}
	return summary(ratios)
}

// The quantities.
var (
	perRequest = func(s *Sample) float64 { return s.CPU }
	ofSink     = func(s *Sample) float64 { return s.Sink }
	ofSlow     = func(s *Sample) float64 { return s.Slow }
	busyCore   = func(s *Sample) float64 { return s.Core * s.Answered / 1e6 }
	offered    = func(s *Sample) float64 { return s.Offered }
	throughput = func(s *Sample) float64 { return s.Answered }
	p50        = func(s *Sample) float64 { return s.WindowP50 }
	p99        = func(s *Sample) float64 { return s.WindowP99 }
	resident   = func(s *Sample) float64 { return s.Resident }
	peak       = func(s *Sample) float64 { return s.Peak }
	mallocs    = func(s *Sample) float64 { return s.Mallocs }
	allocated  = func(s *Sample) float64 { return s.Allocated }
	collector  = func(s *Sample) float64 { return s.Collector }
	goroutines = func(s *Sample) float64 { return s.Goroutines }
)

// What makes results preliminary.
const (
	othersMax  = 0.1 // of the cores, by other processes
	maxLagMax  = 1.0 // ms
	invalidMax = 0.2 // of the samples
	roundsMin  = 10  // of the part cost
)

// Warning says why results are preliminary, "" if they are not.
func (r *Results) Warning() string {
	var why []string
	for _, p := range parts {
		info, ok := r.Parts[p.name]
		if !ok {
			continue
		}
		switch {
		case info.Quick:
			why = append(why, p.name+" was measured with --quick")
		case info.MaxLagMs > maxLagMax:
			why = append(why, fmt.Sprintf("%s: the generator was allowed to be %.3g ms late", p.name, info.MaxLagMs))
		case info.Others > othersMax*float64(info.Machine.Cores):
			why = append(why, fmt.Sprintf("%s: other processes kept %.2f of %d cores busy", p.name, info.Others, info.Machine.Cores))
		case info.Stolen > stolenMax:
			why = append(why, fmt.Sprintf("%s: other virtual machines took %.1f%% of the processors", p.name, 100*info.Stolen))
		}
	}
	invalid, all, rounds := 0, 0, 0
	for _, s := range r.Samples {
		if strings.HasPrefix(s.Part, "overload") {
			continue
		}
		all++
		if s.Invalid != "" {
			invalid++
		}
		if s.Part == "cost" {
			rounds = max(rounds, s.Round+1)
		}
	}
	if float64(invalid) > invalidMax*float64(all) {
		why = append(why, fmt.Sprintf("%d of %d measurements do not count", invalid, all))
	}
	if rounds > 0 && rounds < roundsMin {
		why = append(why, fmt.Sprintf("there were %d rounds, not %d", rounds, roundsMin))
	}
	if why == nil {
		return ""
	}
	return "Preliminary: " + strings.Join(why, "; ") + "."
}
