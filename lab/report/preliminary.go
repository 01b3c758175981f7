package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/rtbwire/rtbwire/lab/measure"
)

// A run is preliminary if another run may well give different results. Each of three things is
// enough for that.
const (
	// Libraries in the tables often differ by 20% or less, which intervals of ±10% can not tell.
	// Some intervals stay wide on a quiet machine too, for example those of goroutines that wait
	// for each other. So a fifth of all intervals may be wide, but not more.
	wideInterval = 0.2
	wideShare    = 0.2

	// Other processes use caches, memory bandwidth and the power budget even if they run on other
	// cores. They slow down a decoder that keeps its core busy more than one that waits for memory,
	// so that they change the order of engines too. The background work of an idle desktop takes
	// less than a tenth of its cores.
	busyShare = 0.1

	// A library that allocates fills some megabytes before the garbage collector runs. A shorter
	// measurement has a collection in it or not, by chance.
	shortest = 20 * time.Millisecond

	// Where each round is the least of so many, other processes may be busy: they are hardly ever
	// during all of those. The intervals still say whether that was enough.
	leastOfMany = 5
)

// Warning says why the run is preliminary, "" if it is not.
func (r *Results) Warning() string {
	var why []string
	if others, err := strconv.ParseFloat(r.Machine.Others, 64); err == nil && others > busyShare*float64(r.Machine.Cores) && r.LeastOf < leastOfMany {
		why = append(why, fmt.Sprintf("other processes kept %s of %d cores busy meanwhile", r.Machine.Others, r.Machine.Cores))
	}
	if disturbed := r.Machine.Disturbed(); disturbed != "" && r.LeastOf < leastOfMany {
		why = append(why, disturbed)
	}
	// Runs that are combined are looked at one by one, before. Their common intervals say by how
	// much runs differ, which is shown, and no sign of a disturbance.
	if wide, all := r.wide(); r.Runs == nil && float64(wide) > wideShare*float64(all) {
		why = append(why, fmt.Sprintf("%d of %d intervals are wider than %.0f%%", wide, all, 100*wideInterval))
	}
	if r.Budget < shortest {
		why = append(why, fmt.Sprintf("measurements of %v are shorter than a cycle of the garbage collector", r.Budget))
	}
	if why == nil {
		return ""
	}
	return "Preliminary: " + strings.Join(why, "; ") + "."
}

// Method says how the run coped with a machine that is not quiet, "" if it did nothing about that.
func (r *Results) Method() string {
	if r.LeastOf <= 1 {
		return ""
	}
	busy := "The machine may not have been quiet."
	if r.Machine.Others != "" {
		busy = fmt.Sprintf("Other processes kept %s of %d cores busy meanwhile.", r.Machine.Others, r.Machine.Cores)
	}
	return fmt.Sprintf("%s So %d rounds in a row count as one, with the least time of each engine among them; they are the same rounds for all "+
		"engines, and ratios are taken between those times. Of %d runs of the service the one with the lowest 99th percentile counts.", busy, r.LeastOf, r.LeastOf)
}

// wide counts the intervals that are wide.
func (r *Results) wide() (wide, all int) {
	for i := range r.Rows {
		if w := &r.Rows[i]; w.NS > 0 {
			all++
			if isWide(w) {
				wide++
			}
		}
	}
	return wide, all
}

func isWide(w *measure.Row) bool { return w.Width() > wideInterval }

// PrintTargets writes the targets for a terminal.
func (r *Results) PrintTargets(w io.Writer) error {
	for _, t := range r.Targets() {
		if _, err := fmt.Fprintf(w, "%-5s %s: %s; measured: %s\n", t.Mark(), t.What, t.Want, t.Got); err != nil {
			return err
		}
	}
	return nil
}
