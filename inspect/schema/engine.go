package schema

import (
	"errors"
	"fmt"
	"strings"
	"sync"
)

// MaxFindingsDefault limits the findings kept per document: the most severe ones, and of equally
// severe ones the first. The others are only counted. The limit bounds the memory that a hostile
// document can cost.
const MaxFindingsDefault = 100

// Preset is a table of severities for a common purpose.
type Preset string

// The presets.
const (
	// Strict is the wording of the specification: "must" is an error, "should" a warning,
	// recommendations, list codes and unknown keys are information. It is the default.
	Strict Preset = "strict"
	// Exchange is for a gateway between parties that already trade: "must" of the
	// specification is an error, other deviations that break bidding are warnings, and
	// recommendations, deprecated or moved fields and advice are silent.
	Exchange Preset = "exchange"
	// Permissive reports as errors only what makes a message unusable (no id, no
	// impression, a reference to nothing), and as warnings everything else that the
	// specification requires. It reports nothing else.
	Permissive Preset = "permissive"
)

// Presets lists the presets by name.
func Presets() []Preset { return []Preset{Strict, Exchange, Permissive} }

// Option configures an [Engine]; later options win.
type Option func(*Engine) error

// WithPreset sets the severities of all rules. Default: [Strict].
func WithPreset(p Preset) Option {
	return func(e *Engine) error {
		for i := range rules {
			switch p {
			case Strict:
				e.severity[i] = rules[i].Severity
			case Exchange:
				e.severity[i] = exchangeSeverity(&rules[i])
			case Permissive:
				e.severity[i] = permissiveSeverity(&rules[i])
			default:
				return fmt.Errorf("schema: unknown preset %q (want strict, exchange or permissive)", p)
			}
		}
		return nil
	}
}

// WithSeverity sets the severity of one rule, or of several: "Banner.*" means every rule
// whose id starts with "Banner.", "*.deprecated" every rule whose id ends so, and "*" all.
//
// A rule that is [Off] is never reported, not even "json.syntax": with that one off, the report
// on a text that is not JSON is empty.
func WithSeverity(rule string, s Severity) Option {
	return func(e *Engine) error {
		if s > Error {
			return fmt.Errorf("schema: unknown severity %v", s)
		}
		if n, ok := ruleNumber(rule); ok {
			if why := rules[n].Undecidable; why != "" {
				return fmt.Errorf("schema: rule %s is never reported, so it has no severity: %s", rule, why)
			}
			e.severity[n] = s
			return nil
		}
		prefix, suffix, pattern := strings.Cut(rule, "*")
		found := false
		for i := range rules {
			if id := rules[i].ID; pattern && len(id) >= len(prefix)+len(suffix) && strings.HasPrefix(id, prefix) && strings.HasSuffix(id, suffix) {
				e.severity[i], found = s, true
			}
		}
		if !found {
			return fmt.Errorf("schema: no rule matches %q; docs/rules.md lists all rules", rule)
		}
		return nil
	}
}

// WithMaxFindings limits the findings kept per document. Default: [MaxFindingsDefault].
func WithMaxFindings(n int) Option {
	return func(e *Engine) error {
		if n < 1 {
			return errors.New("schema: the limit of findings must be at least 1")
		}
		e.maxFindings = n
		return nil
	}
}

// WithLenient lowers findings about values that rtbwire's lenient decoding repairs (a quoted
// number, a number for a string, one value for an array) from errors to warnings, and lets
// the other rules see the repaired values. Default: off.
func WithLenient(on bool) Option {
	return func(e *Engine) error {
		e.lenient = on
		return nil
	}
}

// Engine is an immutable configuration of the rules; any number of goroutines may share it.
// Make it with [New]; nil and the zero value behave as New() without options.
type Engine struct {
	severity    [len(rules)]Severity
	maxFindings int
	lenient     bool
}

// New returns an engine with the [Strict] preset and then the options applied.
func New(opts ...Option) (*Engine, error) {
	e := &Engine{maxFindings: MaxFindingsDefault}
	for i := range rules {
		e.severity[i] = rules[i].Severity // the preset Strict
	}
	for _, opt := range opts {
		if opt == nil {
			return nil, errors.New("schema: an option is nil")
		}
		if err := opt(e); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// Severity returns the severity of the rule's findings, Off for an unknown rule.
func (e *Engine) Severity(rule string) Severity {
	if n, ok := ruleNumber(rule); ok && rules[n].Undecidable == "" {
		return e.orDefault().severity[n]
	}
	return Off
}

// NewChecker returns a checker with working memory of its own. It is not safe for concurrent
// use; give each goroutine one and use it for many documents.
func (e *Engine) NewChecker() *Checker { return &Checker{engine: e.orDefault()} }

// defaultEngine returns the engine that nil and zero engines and checkers use.
var defaultEngine = sync.OnceValue(func() *Engine {
	e, _ := New() // without options it can't fail
	return e
})

// orDefault returns the engine, or the default one if New did not make it.
func (e *Engine) orDefault() *Engine {
	if e == nil || e.maxFindings == 0 {
		return defaultEngine()
	}
	return e
}
