package inspect

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/wire"
)

// Scrub is a scrub of a [Layer]: it changes the requests that its condition holds for.
type Scrub struct {
	// Name is what [Verdict.Scrubs] calls it. Default: its place in the layer, from 1. Scrubs may
	// have the same name.
	Name string
	// When is the condition. Default: every request. A request that it has no value for is
	// scrubbed.
	When rule.Condition
	// Program makes the edits.
	Program rule.Program
}

// scrubFailed is the reason of a request that can't be scrubbed. Patterns do not match it: with
// another severity than refuse, requests are forwarded with what was to be removed.
const scrubFailed = "policy.scrub"

// scrubbing adapts package scrub. It has the reason of scrubs that fail, and no judge: scrubs
// inspect nothing, and [Worker.scrub] applies them.
type scrubbing struct{}

func (scrubbing) reasons() []Reason {
	return []Reason{{
		ID: scrubFailed, Inspector: InspectorScrub, Severity: Refuse, NBR: adcom.NoBidReasonTechnicalError,
		Text: "a scrub of the configuration can't be applied",
	}}
}

func (scrubbing) judge(grades, int) (judge, error) { return nil, nil }

// compiledScrub is a [Scrub], compiled.
type compiledScrub struct {
	number  int // in the engine
	name    string
	id      string // in errors
	failed  string // the message
	when    rule.Condition
	program rule.Program
}

// compile checks a scrub, the nth of its layer.
func (s *Scrub) compile(n int) (*compiledScrub, error) {
	name := cmp.Or(s.Name, strconv.Itoa(n))
	if err := checkName(name); err != nil {
		return nil, err
	}
	if s.Program == nil {
		return nil, errors.New("no program")
	}
	return &compiledScrub{
		name: name, id: "scrub." + name, failed: fmt.Sprintf("scrub %s can't be applied", name), when: s.When, program: s.Program,
	}, nil
}

// scrub makes the edits of a policy's scrubs. It fails closed: a scrub whose condition has no value
// is applied, and a request that can't be decoded or edited is refused.
func (w *Worker) scrub(p *resolvedPolicy, out *emitter) {
	for _, s := range p.scrubs {
		err := w.err
		if err == nil {
			if !w.wanted(s, out) {
				continue
			}
			var edits []wire.Edit
			if edits, err = w.editor(s).Append(w.edits, w.in.Body, w.in.Request); err == nil {
				w.edits = edits
				out.scrubs = append(out.scrubs, s.name)
				continue
			}
		}
		fixed := registry()
		out.emit(&fixed.of(InspectorScrub)[0], fixed.severities(p.severities, InspectorScrub)[0], "", -1, s.failed)
	}
	if out.decided != nil {
		w.edits, out.scrubs = w.edits[:0], out.scrubs[:0]
	}
}

// wanted reports whether a scrub is to be applied.
func (w *Worker) wanted(s *compiledScrub, out *emitter) bool {
	if s.when == nil {
		return true
	}
	holds, err := s.when.Holds(&w.in.Input)
	if err != nil {
		out.errors = append(out.errors, ConditionError{s.id, err})
	}
	return holds || err != nil
}

// editorsKept is how many editors a worker keeps. Thousands of publishers can have scrubs.
const editorsKept = 256

// editor returns the worker's editor for a scrub of its engine.
func (w *Worker) editor(s *compiledScrub) rule.Editor {
	e := w.editors[s.number]
	if e == nil {
		if w.editors == nil || len(w.editors) >= editorsKept {
			w.editors = map[int]rule.Editor{}
		}
		e = s.program.NewEditor()
		w.editors[s.number] = e
	}
	return e
}

// resolve returns edits of which none is about a part of another one. Where scrubs overlap, the
// outermost removal wins. Where they replace the same place by different values, or one replaces
// what another one changes a part of, neither value is safe, so the outer place is removed.
func resolve(edits []wire.Edit) []wire.Edit {
	if len(edits) < 2 {
		return edits
	}
	slices.SortStableFunc(edits, func(a, b wire.Edit) int { return comparePaths(a.Path, b.Path) })
	kept := edits[:1]
	for _, e := range edits[1:] {
		outer := &kept[len(kept)-1]
		switch {
		case !within(e.Path, outer.Path):
			kept = append(kept, e)
		case len(e.Path) == len(outer.Path) && e.Value != nil && bytes.Equal(e.Value, outer.Value):
		default:
			outer.Value = nil
		}
	}
	return kept
}

// within reports whether a path leads to outer or into it.
func within(path, outer string) bool {
	rest, found := strings.CutPrefix(path, outer)
	return found && (rest == "" || rest[0] == '/')
}

// comparePaths orders paths such that the parts of a value follow it.
func comparePaths(a, b string) int {
	for i := range min(len(a), len(b)) {
		switch {
		case a[i] == b[i]:
		case a[i] == '/':
			return -1
		case b[i] == '/':
			return 1
		default:
			return cmp.Compare(a[i], b[i])
		}
	}
	return cmp.Compare(len(a), len(b))
}
