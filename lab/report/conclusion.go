package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rtbwire/rtbwire/lab/engine"
	"github.com/rtbwire/rtbwire/lab/measure"
)

// The conclusion: what a run says to somebody who has to choose. Each word of it follows from the
// results.

// way is a way to use a decoder.
type way struct {
	name   string // after the name of an engine
	demand string // what keeps others out
	fits   func(e *measure.Info) bool
}

// ways begins with the one that demands least.
var ways = []way{
	{
		"with the functions of `encoding/json`", "the same functions and your types",
		func(e *measure.Info) bool {
			x := explanations[e.Name]
			return x.use == dropIn && x.released == "" && e.Safety.Copies != engine.No
		},
	},
	{
		"where values own their memory", "a value that owns its memory",
		func(e *measure.Info) bool {
			x := explanations[e.Name]
			return x.use == generated && x.released == "" && e.Safety.Copies != engine.No
		},
	},
	{
		"where values share the text's memory", "a value that nobody has to release",
		func(e *measure.Info) bool { return explanations[e.Name].released == "" && e.Safety.Copies == engine.No },
	},
	{
		"where values are released", "the same calls",
		func(e *measure.Info) bool { return explanations[e.Name].released != "" },
	},
}

// fastest returns the fastest engine that fits and skips no check, or nil. Not encoding/json
// itself.
func (r *Results) fastest(set string, op measure.Op, fits func(*measure.Info) bool) *measure.Row {
	for _, w := range r.of(set, op, 1) {
		e := r.engine(w.Engine)
		if w.NS > 0 && w.Times > 0 && e != nil && w.Engine != Base && explanations[e.Name].about != "" && explanations[e.Name].use != yardstick &&
			skipsNothing(e) && fits(e) {
			return &w
		}
	}
	return nil
}

// choice of an engine for a way of using it.
type chosen struct {
	way
	*measure.Row
}

// chosen returns the fastest engine for each way, and omits ways that bring no more than one that
// demands less.
func (r *Results) chosen(set string) (best []chosen) {
	for _, w := range ways {
		row := r.fastest(set, measure.Decode, w.fits)
		if row != nil && row.Times > 1 && (best == nil || row.NS < best[len(best)-1].NS) {
			best = append(best, chosen{w, row})
		}
	}
	return best
}

// Conclusion returns three sentences, the names of engines in backquotes: what somebody who uses
// encoding/json should do and gains, what that costs, and which engine is fastest for which use. It
// is empty for a run that did not compare with encoding/json.
func (r *Results) Conclusion() []string {
	set := r.Headline()
	base := r.Row(Base, set, measure.Decode, 1)
	best := r.chosen(set)
	if base == nil || len(best) == 0 {
		return nil
	}
	return []string{r.gainText(base, best), r.costText(base, best), r.fastestText(set, best)}
}

func (r *Results) fastestText(set string, best []chosen) string {
	var parts []string
	for _, c := range slices.Backward(best) {
		than := "times"
		if parts == nil {
			than = "times as fast as `encoding/json`"
		}
		parts = append(parts, fmt.Sprintf("`%s` %s (%s %s)", c.Engine, c.name, timesText(c.Times), than))
	}
	text := fmt.Sprintf("Of the engines that skip no check, the fastest on %s: %s", setTitle(set), and(parts))
	parts = nil
	for _, o := range []struct {
		op   measure.Op
		name string
	}{{measure.Encode, "to encode"}, {measure.Partial, "to read twenty fields"}, {measure.Validate, "to validate"}} {
		for _, set := range headlines {
			if w := r.fastest(set, o.op, func(*measure.Info) bool { return true }); w != nil {
				parts = append(parts, fmt.Sprintf("%s, `%s` (%s times, %s)", o.name, w.Engine, timesText(w.Times), setTitle(set)))
				break
			}
		}
	}
	if parts != nil {
		text += "; " + and(parts)
	}
	return text + "."
}

// gainText advises the fastest engine, and the one that demands least.
func (r *Results) gainText(base *measure.Row, best []chosen) string {
	move := best[len(best)-1:]
	text := fmt.Sprintf("If you use `encoding/json` in a bidder, move to `%s`%s", move[0].Engine, what(r.engine(move[0].Engine)))
	if len(best) > 1 {
		move = []chosen{move[0], best[0]}
		text += fmt.Sprintf(", or to `%s`%s if it has to be %s", best[0].Engine, what(r.engine(best[0].Engine)), best[0].demand)
	}
	of := func(value func(engine string) string) string {
		var parts []string
		for _, c := range move {
			parts = append(parts, value(c.Engine))
		}
		return strings.Join(parts, " or ") + " instead of " + value(Base)
	}
	text += fmt.Sprintf(": half of the time of a core then decodes %s requests a second", of(func(engine string) string {
		return thousands(r.Row(engine, base.Set, measure.Decode, 1).PerCoreAtHalf())
	}))
	served := r.service(Base) != nil
	for _, c := range move {
		served = served && r.service(c.Engine) != nil
	}
	if served {
		text += fmt.Sprintf(", and at a fixed rate the 99th percentile is %s, and the collector takes %s of the processor time",
			of(func(engine string) string { return boundText(r.service(engine)) }),
			of(func(engine string) string { return collectorText(r.service(engine)) }))
	}
	return text + "."
}

// what returns in parentheses what to look for: the function of this repository, or the module.
func what(e *measure.Info) string {
	name := strings.TrimPrefix(e.Module, "github.com/")
	if slices.Contains(own, e.Name) {
		name, _, _ = strings.Cut(e.Config, "(")
	}
	if name == "" {
		return ""
	}
	return " (" + name + ")"
}

// boundText writes a 99th percentile after "is".
func boundText(s *measure.ServiceResult) string {
	if s.Behind {
		return "that of a queue that grows"
	}
	return latency(s.P99)
}

func (r *Results) costText(base *measure.Row, best []chosen) string {
	var parts []string
	for _, c := range best {
		parts = append(parts, fmt.Sprintf("`%s` takes %s", c.Engine, and(demands(r.engine(c.Engine)))))
	}
	text := "What it costs: " + strings.Join(parts, "; ")
	var skip []string
	for _, e := range r.Engines {
		if w := r.Row(e.Name, base.Set, measure.Decode, 1); w != nil && !skipsNothing(&e) && explanations[e.Name].use != yardstick {
			skip = append(skip, "`"+e.Name+"`")
		}
	}
	if skip != nil {
		text += "; not recommended, since they skip checks: " + and(skip)
	}
	return text + "."
}

// demands lists what a program has to do for an engine.
func demands(e *measure.Info) (list []string) {
	x := explanations[e.Name]
	switch x.use {
	case dropIn:
		list = append(list, "another import")
	case generated:
		list = append(list, "types from a generator")
	}
	if e.Safety.Copies == engine.No {
		list = append(list, "a text that stays as it is while the value is used")
	}
	if x.released != "" {
		list = append(list, "a call that releases the value")
	}
	if slices.Contains(own, e.Name) {
		list = append(list, "keys in their exact case and valid UTF-8")
	}
	return list
}

// and joins parts of a sentence.
func and(parts []string) string {
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	return strings.Join(parts[:len(parts)-1], ", ") + " and " + parts[len(parts)-1]
}
