// Package fraud scores bid requests: how much of what a request says speaks for traffic of
// machines, or for an offer that is not what it claims to be. The industry calls that general
// invalid traffic where a list or a parameter tells, and sophisticated invalid traffic where it
// takes more; of the latter, a single request shows hints at most.
//
// A [Signal] is one observation: a private address, a user agent that contradicts the device, a
// supply chain with a node missing. [Signals] is the table of all, and docs/fraud.md explains each.
// Every signal has a weight. The weights of those that are seen are added, in each family up to
// the family's cap, and the sum is the score, up to [ScoreMax].
//
//	model, err := fraud.New(fraud.Config{Data: fraud.Data{DataCenters: netip.MustParsePrefix("192.0.2.0/24")}})
//	score, hits := model.Score(fraud.Input{Request: request, Facts: &facts}, &scratch, nil)
//
// The score is a pure function of the request, the facts and the data. It asks no clock and no
// service, so the same request gets the same score again, on every architecture: only integers are
// added. A request without signals allocates nothing.
//
// Package inspect is where a score becomes a verdict.
package fraud

import (
	"fmt"
	"maps"
	"slices"

	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/internal/nearest"
	"github.com/rtbwire/rtbwire/openrtb"
)

// ScoreMax is the highest score, and the heaviest weight.
const ScoreMax = 100

// ThresholdDefault is the score from which on a request is suspicious, unless a configuration says
// otherwise.
const ThresholdDefault = 60

// Config is what a model is made of. The zero value is a useful one: all signals with their default
// weights. Those that need data which is not there see nothing.
type Config struct {
	// Weights are the weights of signals by id, from 0 to [ScoreMax]. A weight of 0 switches a
	// signal off, and it costs nothing then. Default: [Signal.Weight].
	Weights map[string]int
	// Limits are where the signals about amounts begin.
	Limits Limits
	// Data is what signals look up.
	Data Data
	// Direct says that requests come from the devices themselves, so that the connection's address
	// and user agent have to be those of the request. Default: they come from servers.
	Direct bool
	// Systems are the domains of the advertising systems that the sender's supply chains end with.
	// Default: any.
	Systems []string
}

// Model is a compiled [Config]. It is immutable, and any number of goroutines may share it. Make it
// with [New].
type Model struct {
	weights [signalCount]uint8 // 0 for a signal that is off, or has no data
	caps    [familyCount]uint8
	looks   []func(*scorer) // of the families that have a signal with a weight
	limits  Limits
	data    Data
	direct  bool
	systems []string // canonical
}

// New compiles a configuration. The model keeps the data, and nothing else of c that the caller
// could change.
func New(c Config) (*Model, error) {
	m := &Model{data: c.Data, direct: c.Direct}
	var err error
	if m.limits, err = c.Limits.withDefaults(); err != nil {
		return nil, err
	}
	for n := range signals {
		m.weights[n] = uint8(signals[n].Weight)
	}
	for _, id := range slices.Sorted(maps.Keys(c.Weights)) { // sorted, so that errors are the same every time
		n, weight := numberOf(id), c.Weights[id]
		switch {
		case n < 0:
			return nil, fmt.Errorf("fraud: unknown signal %q%s", id, meant(id))
		case weight < 0 || weight > ScoreMax:
			return nil, fmt.Errorf("fraud: %s has the weight %d (want 0 to %d)", id, weight, ScoreMax)
		}
		m.weights[n] = uint8(weight)
	}
	for _, s := range c.Systems {
		canonical, err := checkSystem(s)
		if err != nil {
			return nil, err
		}
		m.systems = append(m.systems, canonical)
	}
	var on [familyCount]bool
	for n := range signals {
		f := signals[n].family
		on[f] = on[f] || m.weights[n] > 0
		m.caps[f] = max(m.caps[f], families[f].cap, m.weights[n]) // so that every signal alone counts in full
	}
	for f := range families {
		if on[f] {
			m.looks = append(m.looks, families[f].look)
		}
	}
	return m, nil
}

// meant asks whether another signal was meant.
func meant(id string) string {
	ids := make([]string, signalCount)
	for n := range signals {
		ids[n] = signals[n].ID
	}
	if near := nearest.Name(id, ids); near != "" {
		return fmt.Sprintf(" (did you mean %q?)", near)
	}
	return ""
}

// Weight returns the weight of the signal with a number, its place in [Signals].
func (m *Model) Weight(n int) int { return int(m.weights[n]) }

// Input is what is scored. The model keeps nothing of it.
type Input struct {
	Request *openrtb.BidRequest
	Facts   *rule.Facts // nil if nothing is known
}

// Hit is a signal that was seen.
type Hit struct {
	// Signal is the number of the signal, its place in [Signals].
	Signal int
	// Points are what the signal would add to the score if it were the only one: its weight, or a
	// part of it for an answer that is a score itself.
	Points int
	// Path is a JSON Pointer to what speaks for the signal: the first place of several. It is ""
	// for what is not in the request.
	Path string
}

// Score appends the signals that are seen to hits, in the order of the table and each at most once,
// and returns the score. The strings of hits may be kept. scratch must not be nil.
func (m *Model) Score(in Input, scratch *Scratch, hits []Hit) (score int, out []Hit) {
	s := &scratch.scorer
	s.begin(m, in, hits)
	for _, look := range m.looks {
		look(s)
	}
	out = s.hits
	if len(out) > len(hits) {
		sortHits(out[len(hits):])
		score = s.sum()
	}
	s.end()
	return score, out
}

// sortHits puts hits in the order of the table. They are few, and nearly in order.
func sortHits(hits []Hit) {
	for i := 1; i < len(hits); i++ {
		for j := i; j > 0 && hits[j].Signal < hits[j-1].Signal; j-- {
			hits[j], hits[j-1] = hits[j-1], hits[j]
		}
	}
}

// sum adds points: in each family up to its cap, and up to ScoreMax in all.
func (s *scorer) sum() (score int) {
	for f, sum := range s.sums {
		score += min(int(sum), int(s.caps[f]))
	}
	return min(score, ScoreMax)
}
