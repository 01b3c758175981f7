package condition

import (
	"errors"

	"cel.dev/cel-go/cel"

	"github.com/rtbwire/rtbwire/inspect/policy"
	"github.com/rtbwire/rtbwire/openrtb"
)

// Condition is a compiled condition. It is immutable and shared by all goroutines.
type Condition struct {
	source  string
	holds   boolFn
	program cel.Program // of an interpreted one
	env     *Env
}

var _ policy.Condition = (*Condition)(nil)

// String returns the source.
func (d *Condition) String() string { return d.source }

var noRequest openrtb.BidRequest

// Holds evaluates the condition. It allocates nothing once warm, unless the condition is
// interpreted. Without a request it sees an empty one, without facts the zero of them.
func (d *Condition) Holds(in *policy.Input) (bool, error) {
	c := frames.Get().(*frame)
	c.request, c.facts, c.steps = in.Request, in.Facts, StepsMax
	if c.request == nil {
		c.request = &noRequest
	}
	if c.facts == nil {
		c.facts = &noFacts
	}
	var holds bool
	var err error
	if d.program != nil {
		holds, err = d.interpret(c)
	} else if holds = d.holds(c); c.fail != failNone {
		holds, err = false, failures[c.fail]
	}
	c.clear()
	frames.Put(c)
	return holds, err
}

// interpret evaluates the condition in cel-go's interpreter.
func (d *Condition) interpret(c *frame) (bool, error) {
	out, _, err := d.program.Eval(&activation{c, d.env})
	if err != nil {
		return false, errors.Join(ErrInterpreter)
	}
	holds, ok := out.Value().(bool)
	if !ok {
		return false, ErrInterpreter
	}
	return holds, nil
}
