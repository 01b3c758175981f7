package schema

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/rtbwire/rtbwire/wire"
)

// MaxFindingsDefault is the number of findings kept per document: the most severe ones, and the
// first of equally severe ones. Others are only counted. The limit bounds the memory that a
// hostile document can cost.
const MaxFindingsDefault = 100

// Preset is a table of severities for a common purpose.
type Preset string

// The presets.
const (
	// Strict follows the wording of the specification: "must" is an error, "should" a warning;
	// recommendations, list codes and unknown keys are information. It is the default.
	Strict Preset = "strict"
	// Exchange is for a gateway between parties that already trade: the specification's "must" is
	// an error, other deviations that break bidding are warnings, and recommendations, deprecated
	// or legacy fields and advice are off.
	Exchange Preset = "exchange"
	// Admission refuses what auction servers refuse in practice, and what a reader after this one
	// could read differently: a key that comes twice at any depth, a known key in another letter
	// case. What servers mend is a warning, everything else is off.
	Admission Preset = "admission"
	// Permissive keeps as errors only what makes a message unusable (no id, no impression, a
	// reference to nothing). Other errors become warnings, and everything else is off.
	Permissive Preset = "permissive"
)

// Presets returns the names of the presets.
func Presets() []Preset { return []Preset{Strict, Exchange, Permissive, Admission} }

// Option configures an [Engine]; later options win.
type Option func(*Engine) error

// WithPreset sets the severities of all rules. Default: [Strict].
func WithPreset(p Preset) Option {
	return func(e *Engine) error {
		severity, ok := presetSeverities[p]
		if !ok {
			return fmt.Errorf("schema: unknown preset %q (want %s)", p, oneOf(Presets()))
		}
		for i := range rules {
			e.severity[i] = severity(&rules[i])
		}
		return nil
	}
}

// oneOf words a choice: "a, b or c".
func oneOf[S ~string](names []S) string {
	var b strings.Builder
	for i, name := range names {
		switch {
		case i > 0 && i == len(names)-1:
			b.WriteString(" or ")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(string(name))
	}
	return b.String()
}

// WithSeverity sets the severity of one rule, or of several: "Banner.*" means every rule whose id
// starts with "Banner.", "*.deprecated" every rule whose id ends with ".deprecated", and "*" all.
//
// A rule that is [Off] is never reported, not even "json.syntax": with that one off, the report on
// an unreadable text is empty.
func WithSeverity(rule string, s Severity) Option {
	return func(e *Engine) error {
		if s > Error {
			return fmt.Errorf("schema: invalid severity %v", s)
		}
		if n, ok := ruleNumber(rule); ok {
			if why := rules[n].Undecidable; why != "" {
				return fmt.Errorf("schema: rule %s can't be configured, because it is never reported: %s", rule, why)
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
			return fmt.Errorf("schema: no rule matches %q; docs/reference/rules.md lists all rules", rule)
		}
		return nil
	}
}

// WithMaxFindings limits the number of findings kept per document. Default: [MaxFindingsDefault].
func WithMaxFindings(n int) Option {
	return func(e *Engine) error {
		if n < 1 {
			return errors.New("schema: the limit of findings must be at least 1")
		}
		e.maxFindings = n
		return nil
	}
}

// WithVersion says which version of OpenRTB messages say they are, in the header x-openrtb-version:
// "2.5", or one of the releases of 2.6; "2.6" alone means all of them. Fields that came later are
// findings (rule "any.later-version"). Default: none, which allows all fields.
func WithVersion(version string) Option {
	return func(e *Engine) error {
		n := 0
		for i, r := range releases {
			if r == version || strings.HasPrefix(r, version+"-") {
				n = i + 1
			}
		}
		const old = "2.0 2.1 2.2 2.3 2.4" // before the first release
		if n == 0 && (version == "" || !slices.Contains(strings.Fields(old), version)) {
			return fmt.Errorf("schema: unknown version %q (want %s)", version, oneOf(releases[:]))
		}
		e.versioned, e.release = true, uint8(n)
		return nil
	}
}

// WithLenient lowers findings about values that rtbwire's lenient decoding repairs (a quoted
// number, a number for a string, one value for an array) from errors to warnings, and lets the
// other rules see the repaired values. Default: off.
func WithLenient(on bool) Option {
	return func(e *Engine) error {
		e.lenient = on
		return nil
	}
}

// Currencies convert prices.
type Currencies interface {
	// USD returns the price in US dollars, and whether there is a rate for the currency, in any
	// letter case and with white space around it.
	USD(price float64, currency string) (dollars float64, known bool)
}

// WithCurrencies converts prices to compare a bid with a floor in another currency. Default: nil,
// and prices in different currencies are not compared.
func WithCurrencies(c Currencies) Option {
	return func(e *Engine) error {
		e.currencies = c
		return nil
	}
}

// WithoutPlaces leaves out where findings are, for callers that only count them: Path is empty and
// Offset -1. Looking for places takes as long as decoding where there are findings. Default: off.
func WithoutPlaces(on bool) Option {
	return func(e *Engine) error {
		e.placeless = on
		return nil
	}
}

// Engine is an immutable configuration of the rules, which any number of goroutines may share.
// Make it with [New]. A nil engine and the zero value behave like New without options.
type Engine struct {
	severity    [len(rules)]Severity
	maxFindings int
	lenient     bool
	versioned   bool
	release     uint8 // number in releases of what messages say they are; if versioned
	placeless   bool
	currencies  Currencies
	notes       wire.Notes // what the text layer has to look at again, of a decoder that watches keys
	unwatched   wire.Notes // the same of one that does not
	watching    watching
	always      bool // the text layer has to look at every document

	work [len(evaluated)]work // by object, what the value layer has to do
	also                      // what it has to do elsewhere
}

// New returns an engine with the [Strict] preset and then the options applied.
func New(opts ...Option) (*Engine, error) {
	e := &Engine{maxFindings: MaxFindingsDefault}
	for _, opt := range append([]Option{WithPreset(Strict)}, opts...) {
		if opt == nil {
			return nil, errors.New("schema: nil option")
		}
		if err := opt(e); err != nil {
			return nil, err
		}
	}
	e.notes = e.wanted()
	e.unwatched = e.notes
	if e.on(ruleAnyDuplicateKey) || e.on(ruleAnyKeyCase) {
		e.unwatched |= wire.NoteUnknownKey // which may be one of these; watching tells
	}
	e.watching = e.watches()
	e.always = e.versioned && e.on(ruleAnyLaterVersion)
	e.plan()
	return e, nil
}

// wanted is the notes of a decoder that watches keys that can mean a finding of the text layer.
func (e *Engine) wanted() (notes wire.Notes) {
	for i, severity := range e.severity {
		if severity == Off {
			continue
		}
		switch ruleID(i) {
		case ruleAnyNull:
			notes |= wire.NoteNull
		case ruleAnyEmptyString:
			notes |= wire.NoteEmptyString
		case ruleAnyEmptyArray:
			notes |= wire.NoteEmptyArray
		case ruleAnyExt:
			notes |= wire.NoteRaw
		case ruleAnyDuplicateKey, ruleAnyExtDuplicateKey, ruleAnyExtKeyCase:
			notes |= wire.NoteDuplicateKey
		case ruleAnyNul:
			notes |= wire.NoteNUL | wire.NoteDuplicateKey // the latter for keys with escapes inside ext
		case ruleAnyKeyEscape:
			notes |= wire.NoteKeyEscape | wire.NoteDuplicateKey
		case ruleAnyKeyCase:
			notes |= wire.NoteKeyCase
		case ruleAnyCustomInExt:
			notes |= wire.NoteUnknownKey
		}
	}
	return notes
}

// Severity returns the severity of the rule's findings, and [Off] for unknown ids.
func (e *Engine) Severity(rule string) Severity {
	if n, ok := ruleNumber(rule); ok && rules[n].Undecidable == "" {
		return e.orDefault().severity[n]
	}
	return Off
}

// Finding returns a finding about a document as a whole, for callers that find out themselves that
// it breaks a rule. Its severity is the rule's, [Off] for unknown ids.
func (e *Engine) Finding(rule, message string) Finding {
	n, _ := ruleNumber(rule)
	return Finding{ID: rule, Inspector: inspector, Severity: e.Severity(rule), Message: message, Number: uint16(n)}
}

// NewChecker returns a checker with working memory of its own. It is not safe for concurrent use:
// give each goroutine its own, and use it for many documents.
func (e *Engine) NewChecker() *Checker {
	c := new(Checker)
	c.engine = e.orDefault()
	return c
}

// defaultEngine stands in for nil and zero engines.
var defaultEngine = sync.OnceValue(func() *Engine {
	e, _ := New() // without options it can't fail
	return e
})

// orDefault returns the engine, or the default one if it was not made by New.
func (e *Engine) orDefault() *Engine {
	if e == nil || e.maxFindings == 0 {
		return defaultEngine()
	}
	return e
}
