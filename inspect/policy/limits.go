package policy

import (
	"errors"
	"strconv"

	"github.com/rtbwire/rtbwire/inspect/rule"
)

// Bounds of a condition. What exceeds one of the first group is an issue when it is compiled; what
// exceeds one of the second is an error when it is evaluated.
const (
	SourceMax  = 16 << 10 // bytes of source
	NodesMax   = 4096     // nodes of the syntax tree, macros expanded
	NestingMax = 64       // levels of the syntax tree
	LoopsMax   = 8        // macros inside each other (exists, all, map, ...)
	LiteralMax = 1024     // elements of a list literal; longer ones belong into a list
	RegexMax   = 1000     // instructions of a regular expression

	// StepsMax is the work that an evaluation may do. A step is an element that a macro or "in"
	// looks at, or 16 bytes of text that are read.
	StepsMax = 1_000_000
	// ValuesMax is the number of elements in lists that an evaluation may make.
	ValuesMax = 1 << 16
	// TextMax is the number of bytes in strings that an evaluation may make.
	TextMax = 1 << 20
	// CostMax is the cost limit of conditions that cel-go interprets, in its units.
	CostMax = 1_000_000
)

// Errors of evaluation. They hold no part of the request. Those beyond a limit wrap
// [rule.ErrLimit], those without data [rule.ErrNotLoaded], and one about members that readers take
// for each other [rule.ErrAmbiguous].
var (
	ErrDivision   = errors.New("condition: division by zero")
	ErrOverflow   = errors.New("condition: number out of range")
	ErrIndex      = errors.New("condition: index out of range")
	ErrType       = errors.New("condition: value of ext is absent or of another type than the operation takes")
	ErrConversion = errors.New("condition: value can't be converted")
	ErrCurrency   = errors.New("condition: no rate for the currency")
	// ErrInterpreter is an error of cel-go's interpreter that is none of the others.
	ErrInterpreter = errors.New("condition: the interpreter found no value")

	ErrList  error = &cause{"condition: the list is not loaded", rule.ErrNotLoaded}
	ErrRates error = &cause{"condition: no exchange rates are loaded", rule.ErrNotLoaded}

	ErrCase error = &cause{"condition: the member of ext is there in two letter cases", rule.ErrAmbiguous}

	ErrSteps  error = &cause{"condition: more than " + limit(StepsMax, "steps of work", "StepsMax"), rule.ErrLimit}
	ErrValues error = &cause{"condition: more than " + limit(ValuesMax, "elements in lists", "ValuesMax"), rule.ErrLimit}
	ErrText   error = &cause{"condition: more than " + limit(TextMax, "bytes of strings", "TextMax"), rule.ErrLimit}
	ErrCost   error = &cause{"condition: more than " + limit(CostMax, "units of the interpreter's cost", "CostMax"), rule.ErrLimit}
)

// cause is an error with a cause that has no part in its text.
type cause struct {
	text string
	of   error
}

func (c *cause) Error() string { return c.text }
func (c *cause) Unwrap() error { return c.of }

// limit writes a bound with its unit and its name: "64 levels, the limit NestingMax".
func limit(n int, unit, name string) string {
	digits := strconv.Itoa(n)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits + " " + unit + ", the limit " + name
}

// failure is an error of evaluation in a frame. Those from failSteps on end the evaluation:
// no operator absorbs them. Those from failList on make rules refuse that can refuse.
type failure uint8

const (
	failNone failure = iota
	failDivision
	failOverflow
	failIndex
	failType
	failConversion
	failCurrency
	failList
	failRates
	failCase
	failSteps
	failValues
	failText
	failCost
	failInterpreter
)

var failures = [...]error{
	nil, ErrDivision, ErrOverflow, ErrIndex, ErrType, ErrConversion, ErrCurrency, ErrList, ErrRates, ErrCase,
	ErrSteps, ErrValues, ErrText, ErrCost, ErrInterpreter,
}

func (f failure) fatal() bool { return f >= failSteps }

// worse returns the failure of two operands, neither of which is fatal, that decides what becomes
// of the request. Data that is not loaded, and a member in two letter cases, come before what the
// request lacks: otherwise a sender could choose the cause. Of one cause the first counts.
func worse(first, second failure) failure {
	if first < failList && second >= failList || first == failNone {
		return second
	}
	return first
}
