package replay

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// The defaults and bounds of a search for a limit.
const (
	// FirstRateDefault is the rate of the first step if [Config.Rate] is 0.
	FirstRateDefault = 1000
	// PrecisionDefault is the default of [Limit.Precision].
	PrecisionDefault = 0.05
	// StepsMax is how many steps a search takes at most.
	StepsMax   = 40
	stepFactor = 2
)

// Limit is what a target has to hold. Make it with [ParseLimit].
type Limit struct {
	Quantile float64       // of the latency, from 0 to 1
	Max      time.Duration // the quantile has to be below
	// Errors is the largest share of requests that may fail or be answered with 500 and above.
	Errors float64
	// Precision ends the search when the lowest rate that did not hold is not more than that much
	// above the highest that did. Default: [PrecisionDefault].
	Precision float64
}

// ParseLimit reads a limit such as "p99<5ms".
func ParseLimit(text string) (Limit, error) {
	name, value, found := strings.Cut(strings.ReplaceAll(text, " ", ""), "<")
	percent, err := strconv.ParseFloat(strings.TrimPrefix(name, "p"), 64)
	if !found || err != nil || !strings.HasPrefix(name, "p") || !(percent > 0 && percent <= 100) {
		return Limit{}, fmt.Errorf("replay: limit %q: want a quantile and a duration, such as p99<5ms", text)
	}
	d, err := time.ParseDuration(strings.TrimPrefix(value, "="))
	if err != nil || d <= 0 {
		return Limit{}, fmt.Errorf("replay: limit %q: want a duration after <, such as 5ms", text)
	}
	return Limit{Quantile: percent / 100, Max: d}, nil
}

// String returns the limit in the form of [ParseLimit].
func (l Limit) String() string {
	return "p" + strconv.FormatFloat(math.Round(l.Quantile*1e6)/1e4, 'f', -1, 64) + "<" + l.Max.String()
}

// Step is one rate that was tried.
type Step struct {
	Rate   float64
	Held   bool
	Why    string // why it did not hold
	Result *Result
}

// LimitResult is the outcome of a search.
type LimitResult struct {
	Limit Limit
	// Rate is the highest rate at which the target held the limit, 0 if there was none.
	Rate  float64
	Steps []Step
	// Best is the result at that rate, or nil.
	Best *Result
	// Generator tells that the search ended because the generator could not keep its own schedule:
	// the target may carry more than Rate.
	Generator bool
	// Interrupted tells that the context ended before the search did.
	Interrupted bool
}

// FindLimit runs config at one rate after another and returns the highest at which the target held
// the limit: rates that double until one does not hold, then the middle between the two. Each step
// takes [Config.Duration]. A step that is invalid is repeated once.
func FindLimit(ctx context.Context, config Config, limit Limit) (*LimitResult, error) {
	if limit.Precision == 0 {
		limit.Precision = PrecisionDefault
	}
	if config.Rate == 0 {
		config.Rate = FirstRateDefault
	}
	s := &search{config: config, found: &LimitResult{Limit: limit}, broke: math.Inf(1)}
	for s.more(ctx) {
		if err := s.step(ctx); err != nil {
			return nil, err
		}
	}
	s.found.Interrupted = ctx.Err() != nil
	return s.found, nil
}

// search is a search in progress.
type search struct {
	config Config // with the rate to try next
	found  *LimitResult
	broke  float64 // the lowest rate that did not hold
}

// more reports whether another step is of use, and sets its rate.
func (s *search) more(ctx context.Context) bool {
	held := s.found.Rate
	switch n := len(s.found.Steps); {
	case ctx.Err() != nil || n == StepsMax || s.found.Generator:
		return false
	case n == 0:
		return true
	case math.IsInf(s.broke, 1):
		s.config.Rate = held * stepFactor
		return s.config.Rate <= RateMax
	case held == 0:
		s.config.Rate = s.broke / stepFactor
		return s.config.Rate >= 1
	}
	s.config.Rate = (held + s.broke) / 2
	return s.broke > held*(1+s.found.Limit.Precision)
}

// step tries the rate.
func (s *search) step(ctx context.Context) error {
	result, err := Run(ctx, s.config)
	if err == nil && result.Invalid != "" && ctx.Err() == nil {
		result, err = Run(ctx, s.config)
	}
	if err != nil {
		return err
	}
	if result.Interrupted {
		return nil // half a step says nothing
	}
	step := Step{Rate: s.config.Rate, Result: result, Why: s.why(result)}
	step.Held = step.Why == ""
	switch {
	case step.Held:
		s.found.Rate, s.found.Best = step.Rate, result
	case result.Invalid != "":
		s.found.Generator = true
	default:
		s.broke = step.Rate
	}
	s.found.Steps = append(s.found.Steps, step)
	return nil
}

// reachedMin is the share of a step's rate that has to be answered, with the time that the last
// answers take. With less, answers fall further and further behind, however late a limit lets them
// be.
const reachedMin = 0.85

// why returns why a result does not hold the limit, "" if it does.
func (s *search) why(r *Result) string {
	l := &s.found.Limit
	took, share := r.Target.Latency.Quantile(l.Quantile), r.Target.ErrorShare()
	switch {
	case r.Invalid != "":
		return r.Invalid
	case share > l.Errors:
		return fmt.Sprintf("%.3g%% of the requests failed", 100*share)
	case took >= l.Max:
		name, _, _ := strings.Cut(l.String(), "<")
		return fmt.Sprintf("%s was %v", name, took.Round(time.Microsecond))
	case r.Target.Rate < reachedMin*r.Rate:
		return fmt.Sprintf("only %.0f of %.0f requests a second were answered", r.Target.Rate, r.Rate)
	}
	return ""
}
