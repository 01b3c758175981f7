// Package rule defines what inspectors and their engine share: the facts about a request,
// conditions, findings, severities and scrubs.
package rule

import (
	"errors"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// Input is what a condition can ask about. Conditions read it and keep nothing of it.
type Input struct {
	Body    []byte
	Request *openrtb.BidRequest
	Facts   *Facts
	// Scratch may be nil: conditions borrow memory then, which costs more than most of them.
	Scratch *Scratch
}

// Scratch is memory that conditions keep between two evaluations. The zero value is ready for use.
// One goroutine at a time may use it. It keeps the last request reachable, until [Scratch.Release].
type Scratch struct {
	// Value belongs to the implementation of conditions. Its method Release, if it has one, drops
	// what it keeps of a request.
	Value any
}

// Release drops the last request. The memory stays for the next one.
func (s *Scratch) Release() {
	if v, ok := s.Value.(interface{ Release() }); ok {
		v.Release()
	}
}

// Condition is true or false for a request. It is shared by all goroutines and depends on nothing
// but its input.
type Condition interface {
	// Holds evaluates the condition. An error says that it has no value for this request, such as
	// after a division by zero; it holds no part of the request. One that wraps [ErrLimit],
	// [ErrNotLoaded] or [ErrAmbiguous] has that cause, and any other one is due to what the request
	// has or lacks.
	Holds(in *Input) (bool, error)
}

// The causes that conditions lack a value for, besides the request.
var (
	// ErrLimit means that the evaluation takes more work than a limit allows. The sender chooses
	// how much there is to do, so a rule that may refuse refuses then: see [Rule.OnError].
	ErrLimit = errors.New("beyond a limit of work")
	// ErrNotLoaded means that a list, or the exchange rates, are not there: the receiver's fault.
	ErrNotLoaded = errors.New("data of the configuration is not loaded")
	// ErrAmbiguous means that readers take different values of the request: the sender chooses
	// which.
	ErrAmbiguous = errors.New("readers differ about the value")
)

// OnError says whether a rule objects to a request that its condition has no value for. Beyond a
// limit of work the reason is "limit.rule", with the severity of the rule, whatever OnError says.
type OnError uint8

// What a rule does where its condition has no value. The error is counted in each case.
const (
	ByCause       OnError = iota // it objects where data is not loaded or readers differ, and passes what the request lacks
	PassOnError                  // it does not object
	ObjectOnError                // it objects
)

// Objects reports whether a rule objects to a request because of an error that is no [ErrLimit].
func (o OnError) Objects(err error) bool {
	return o == ObjectOnError || o == ByCause && (errors.Is(err, ErrNotLoaded) || errors.Is(err, ErrAmbiguous))
}

// Rule is a rule of the configuration. It objects to the requests that its condition holds for.
type Rule struct {
	// Name is unique among the rules that can be about a request. It has letters, digits, dots,
	// dashes and underscores. The reason is "policy." and the name.
	Name string
	// When is the condition.
	When Condition
	// Severity is the severity of the rule unless a setting of its layer, or of a layer inside
	// that, says otherwise. Default: nil, which means [Refuse].
	Severity *Severity
	// NBR is the no-bid reason of a request that is refused by the rule. Default: 501, one of our
	// own, which says that the receiver's policy refuses it.
	NBR adcom.NoBidReason
	// Message says what the rule objects to. Default: the name.
	Message string
	// OnError says whether the rule objects to requests that the condition has no value for.
	OnError OnError
	// Shadow counts the rule's findings without effect. Sample is the share of requests that it is
	// asked for, between 0 and 1; 0 means all. Both mean for this rule what the same settings of a
	// layer mean for all of it.
	Shadow bool
	Sample float64
}

// Program makes the edits of a scrub: what it removes from a request, and what it replaces. It is
// shared by all goroutines.
type Program interface {
	// NewEditor returns the memory that one goroutine makes edits in.
	NewEditor() Editor
}

// Editor makes the edits of a [Program]. One goroutine at a time uses it. It depends on nothing but
// its input.
type Editor interface {
	// Append appends the edits for a request to edits. Their values are in the editor's memory,
	// valid until its next Append, or are parts of body. The editor keeps neither body nor r.
	//
	// Removals concern every copy of a repeated key, but [wire.Set] leaves the earlier copies as
	// they are: where a key is repeated, the editor removes what it would have replaced. Edits of
	// several programs may overlap; the engine resolves that. An error says that the request can't
	// be scrubbed. It holds no part of the request.
	Append(edits []wire.Edit, body []byte, r *openrtb.BidRequest) ([]wire.Edit, error)
}
