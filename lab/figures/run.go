package figures

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/rtbwire/rtbwire/lab/measure"
	"github.com/rtbwire/rtbwire/lab/report"
)

// busyShare is the share of the cores that other programs may keep busy during a run.
const busyShare = 0.1

// Run is a run of a program of the lab, which writes one file.
type Run struct {
	File
	before measure.Usage
	known  bool
}

// Begin begins a run. command measures the same again, in the root of the repository.
func Begin(command string) *Run {
	r := &Run{File: File{Taken: time.Now().UTC(), Command: command, Machine: report.Look(), Figures: map[string]Figure{}}}
	r.before, r.known = measure.UsageNow()
	return r
}

// Name returns the parts of a name with slashes between them, in the form of names.
func Name(parts ...string) string {
	return strings.ToLower(strings.NewReplacer("_", "-", " ", "-").Replace(strings.Join(parts, "/")))
}

// Median adds the median of values, one per round, with its interval.
func (r *Run) Median(name string, values []float64, unit string) {
	if len(values) > 0 {
		r.Figures[name] = median(values, unit)
	}
}

// Over adds the median of the quotients of two series, round by round. A series may have more
// rounds than the other.
func (r *Run) Over(name string, a, b []float64) {
	if len(a) > 0 && len(b) > 0 {
		r.Figures[name] = Quotient(a, b)
	}
}

// Quotient returns the median of the quotients of two series with its interval.
func Quotient(a, b []float64) Figure {
	quotients := make([]float64, min(len(a), len(b)))
	for i := range quotients {
		quotients[i] = a[i] / b[i]
	}
	return median(quotients, "")
}

func median(values []float64, unit string) Figure {
	m, lo, hi := measure.Median(values)
	return Figure{Value: m, Lo: lo, Hi: hi, Unit: unit, Rounds: len(values)}
}

// Preliminarily adds a reason not to publish the run.
func (r *Run) Preliminarily(reason string) { r.Preliminary = append(r.Preliminary, reason) }

// Finish says in the file how busy the machine was. Processes that the run has started have to be
// at their end: they count as other programs until then.
func (r *Run) Finish() {
	r.Machine.LoadAfter = report.Load()
	after, ok := measure.UsageNow()
	if !ok || !r.known {
		return
	}
	others := after.Others(r.before)
	r.Machine.Others = strconv.FormatFloat(others, 'f', 2, 64)
	if others > busyShare*float64(r.Machine.Cores) {
		r.Preliminarily(fmt.Sprintf("other programs kept %s of %d cores busy meanwhile", r.Machine.Others, r.Machine.Cores))
	}
	r.Machine.SetStolen(after.StolenShare(r.before))
	if why := r.Machine.Disturbed(); why != "" {
		r.Preliminarily(why)
	}
}

// End finishes the run and writes its file.
func (r *Run) End(path string) error {
	r.Finish()
	return r.Write(path)
}

// Publish ends the run, writes its file beside those of other runs, and puts a text about it into a
// section of a page.
func (r *Run) Publish(path, page, section, text string) error {
	if err := r.End(PathOf(path, r.Taken)); err != nil {
		return err
	}
	return Insert(page, section, r.Command, r.About()+"\n\n"+text)
}
