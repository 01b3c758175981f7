package schema

// This file works out what an engine has to evaluate, so that rules that are off cost little.

// work says which rules of an object an engine has on.
type work uint8

const (
	workGenerated work = 1 << iota // one that the object's generated functions evaluate
	workByHand                     // one that its hand-written function evaluates
	workInside                     // one of an object inside it
)

// on reports whether findings of a rule are reported.
func (e *Engine) on(rule ruleID) bool { return e.severity[rule] != Off }

// plan fills in the work. The severities must not change after it.
func (e *Engine) plan() {
	anyOn := func(list []ruleID, bit work) work {
		for _, rule := range list {
			if e.on(rule) {
				return bit
			}
		}
		return 0
	}
	for o := range evaluated {
		e.work[o] = anyOn(evaluated[o].generated, workGenerated) | anyOn(evaluated[o].byHand, workByHand)
	}
	for changed := true; changed; {
		changed = false
		for o := range evaluated {
			for _, inner := range evaluated[o].inside {
				if e.work[inner] != 0 && e.work[o]&workInside == 0 {
					e.work[o] |= workInside
					changed = true
				}
			}
		}
	}
}
