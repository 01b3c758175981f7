package condition

import (
	"cel.dev/cel-go/cel"

	"github.com/rtbwire/rtbwire/inspect/policy"
	"github.com/rtbwire/rtbwire/openrtb"
)

// Condition is a compiled condition. It is immutable and shared by all goroutines.
type Condition struct {
	source string
	holds  boolFn
}

var _ policy.Condition = (*Condition)(nil)

// String returns the source.
func (d *Condition) String() string { return d.source }

var noRequest openrtb.BidRequest

// complete fills in what an input lacks.
func (c *frame) complete() {
	if c.request == nil {
		c.request = &noRequest
	}
	if c.facts == nil {
		c.facts = &noFacts
	}
}

// Holds evaluates the condition. It allocates nothing once warm, unless the condition is
// interpreted. Without a request it sees an empty one, without facts the zero of them.
func (d *Condition) Holds(in *policy.Input) (bool, error) {
	if in.Scratch == nil {
		c := frames.Get().(*frame)
		holds, err := d.evaluate(c, in)
		c.request, c.facts = nil, nil
		frames.Put(c)
		return holds, err
	}
	c, ok := in.Scratch.Value.(*frame)
	if !ok {
		c = new(frame)
		in.Scratch.Value = c
	}
	return d.evaluate(c, in)
}

func (d *Condition) evaluate(c *frame, in *policy.Input) (bool, error) {
	c.request, c.facts, c.steps = in.Request, in.Facts, StepsMax
	if c.request == nil || c.facts == nil {
		c.complete()
	}
	holds := d.holds(c)
	if c.fail == failNone && !c.dirty {
		return holds, nil
	}
	err := failures[c.fail]
	c.clear()
	return holds && err == nil, err
}

// interpret returns a closure that evaluates a program in cel-go's interpreter.
func interpret(program cel.Program) boolFn {
	return func(c *frame) bool {
		out, _, err := program.Eval(&activation{c})
		if err != nil {
			c.fail = failInterpreter
			return false
		}
		holds, ok := out.Value().(bool)
		if !ok {
			c.fail = failInterpreter
		}
		return holds
	}
}
