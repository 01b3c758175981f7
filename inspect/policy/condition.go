package policy

import (
	"errors"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/interpreter"

	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/openrtb"
)

// Condition is a compiled condition. It is immutable and shared by all goroutines.
type Condition struct {
	source string
	holds  boolFn

	growth, lacking []Issue
}

var _ rule.Condition = (*Condition)(nil)

// String returns the source.
func (d *Condition) String() string { return d.source }

var noRequest openrtb.BidRequest

// Holds evaluates the condition. It allocates nothing once warm, unless the condition is
// interpreted. Without a request it sees an empty one, without facts the zero of them.
func (d *Condition) Holds(in *rule.Input) (bool, error) {
	if in.Scratch != nil {
		if c, ok := in.Scratch.Value.(*frame); ok && c.request == in.Request && c.facts == in.Facts {
			c.steps = StepsMax
			holds := d.holds(c)
			if !c.dirty && c.fail == failNone {
				return holds, nil
			}
			return c.finish(holds)
		}
	}
	return d.coldHolds(in)
}

// coldHolds is Holds for the first condition of a request, and for an input that lacks something.
func (d *Condition) coldHolds(in *rule.Input) (bool, error) {
	request, known := in.Request, in.Facts
	if request == nil {
		request = &noRequest
	}
	if known == nil {
		known = &noFacts
	}
	if in.Scratch == nil {
		c := frames.Get().(*frame)
		c.begin(request, known)
		holds, err := c.finish(d.holds(c))
		c.begin(&noRequest, &noFacts)
		frames.Put(c)
		return holds, err
	}
	c, ok := in.Scratch.Value.(*frame)
	if !ok {
		c = new(frame)
		in.Scratch.Value = c
	}
	c.begin(request, known)
	return c.finish(d.holds(c))
}

// finish returns the result, and drops what the evaluation has made.
func (c *frame) finish(holds bool) (bool, error) {
	err := failures[c.fail]
	if c.fail != failNone {
		c.fail = failNone
		clear(c.slots[1:]) // loops that ended early leave their variables
	}
	if c.dirty {
		c.clear()
	}
	return holds && err == nil, err
}

// interpreted returns the failure that an error of the interpreter stands for.
func interpreted(err error) failure {
	if e := (interpreter.EvalCancelledError{}); errors.As(err, &e) && e.Cause == interpreter.CostLimitExceeded {
		return failCost
	}
	for f, known := range failures {
		if known != nil && errors.Is(err, known) {
			return failure(f)
		}
	}
	return failInterpreter
}

// interpret returns a closure that evaluates a program in cel-go's interpreter.
func interpret(program cel.Program) boolFn {
	return func(c *frame) bool {
		out, _, err := program.Eval(&activation{c})
		if err != nil {
			c.failWith(interpreted(err))
			return false
		}
		holds, ok := out.Value().(bool)
		if !ok {
			c.failWith(failInterpreter)
		}
		return holds
	}
}
