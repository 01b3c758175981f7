// Package policy evaluates the rules of publishers and partners on decoded bid requests. Their
// conditions are written in CEL; package condition compiles them.
package policy

import (
	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/inspect/facts"
	"github.com/rtbwire/rtbwire/openrtb"
)

// Input is what a condition can ask about. Conditions read it and keep nothing of it.
type Input struct {
	Body    []byte
	Request *openrtb.BidRequest
	Facts   *facts.Facts
	// Scratch may be nil: conditions borrow memory then, which costs more than most of them.
	Scratch *Scratch
}

// Scratch is memory that conditions keep between two evaluations. The zero value is ready for use.
// One goroutine at a time may use it. It keeps the last request reachable.
type Scratch struct {
	// Value belongs to the implementation of conditions.
	Value any
}

// Condition is true or false for a request. It is shared by all goroutines and depends on nothing
// but its input.
type Condition interface {
	// Holds evaluates the condition. An error says that it has no value for this request, such as
	// after a division by zero; it holds no part of the request.
	Holds(in *Input) (bool, error)
}

// Rule is a rule of the configuration. It objects to the requests that its condition holds for.
type Rule struct {
	// Name is unique among the rules that can be about a request. The reason is "policy." and the
	// name.
	Name string
	// When is the condition.
	When Condition
	// NBR is the no-bid reason of a request that is refused by the rule.
	NBR adcom.NoBidReason
	// Message says what the rule objects to. Default: the name.
	Message string
	// RefuseOnError makes the rule object to requests that the condition has no value for.
	RefuseOnError bool
}
