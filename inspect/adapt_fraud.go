package inspect

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/inspect/fraud"
)

// Fraud is what the fraud score is made with, for all requests. What becomes of a score is said by
// the severity of "fraud.score" and the threshold; the severity of a signal says how its finding is
// reported, and [Off] removes its weight. A signal alone refuses no request: where a setting for it
// says [Refuse], it is reported as [Warn].
type Fraud struct {
	// Limits and Data are as in [fraud.Config].
	Limits fraud.Limits
	Data   fraud.Data
}

// FraudSettings are a layer's part of the fraud score.
type FraudSettings = fraud.Settings

// frauds adapts package fraud. Its reasons are one for each signal, by number, and one for the
// score.
type frauds struct{}

// The ids of reasons.
const (
	fraudPrefix = "fraud."
	fraudScore  = fraudPrefix + "score"
)

// fraudScoreText is the message about a score.
const fraudScoreText = "the fraud score reaches the threshold"

func (frauds) reasons() (list []Reason) {
	for _, s := range fraud.Signals() {
		list = append(list, Reason{ID: fraudPrefix + s.ID, Inspector: InspectorFraud, Severity: Observe, NBR: s.NBR, Text: s.Text})
	}
	return append(list, Reason{ID: fraudScore, Inspector: InspectorFraud, Severity: Observe, NBR: adcom.NoBidReasonNonHuman, Text: fraudScoreText})
}

// fraudLayers is what layers say about the score together.
type fraudLayers struct {
	threshold int
	weights   map[string]int
	direct    bool
	systems   []string
}

// add applies a layer inside those that were added.
func (l *fraudLayers) add(s *FraudSettings) {
	if s.Threshold != 0 {
		l.threshold = s.Threshold
	}
	if len(s.Weights) > 0 {
		l.weights = maps.Clone(l.weights) // it may belong to the layer outside
		if l.weights == nil {
			l.weights = map[string]int{}
		}
		maps.Copy(l.weights, s.Weights)
	}
	if s.Direct != nil {
		l.direct = *s.Direct
	}
	if s.Systems != nil {
		l.systems = s.Systems
	}
}

// appendKey appends what tells two settings apart.
func (l *fraudLayers) appendKey(key []byte) []byte {
	key = binary.AppendUvarint(key, uint64(l.threshold))
	for _, id := range slices.Sorted(maps.Keys(l.weights)) {
		key = binary.AppendUvarint(append(append(key, id...), 0), uint64(l.weights[id]))
	}
	direct := byte(0)
	if l.direct {
		direct = 1
	}
	key = append(key, 0, direct)
	for _, s := range l.systems {
		key = append(append(key, s...), 0)
	}
	return append(key, 0)
}

// judge makes a model of the signals that are on.
func (frauds) judge(g grades, _ int) (judge, error) {
	j := &fraudJudge{threshold: g.layers.threshold, severities: make([]Severity, len(g.fixed))}
	c := fraud.Config{
		Weights: maps.Clone(g.layers.weights), Limits: g.fraud.Limits, Data: g.fraud.Data, Direct: g.layers.direct, Systems: g.layers.systems,
	}
	if c.Weights == nil {
		c.Weights = map[string]int{}
	}
	on := false
	for n, s := range fraud.Signals() {
		j.severities[n] = min(g.fixed[n], Warn)
		if g.fixed[n] == Off {
			c.Weights[s.ID] = 0
		}
		on = on || g.fixed[n] != Off
	}
	j.severities[len(j.severities)-1] = g.fixed[len(g.fixed)-1]
	var err error
	if j.model, err = fraud.New(c); err != nil { // also where all is off: a mistake must not hide
		return nil, fmt.Errorf("inspect: %w", err)
	}
	if !on {
		return nil, nil
	}
	return j, nil
}

// fraudJudge is a model with severities.
type fraudJudge struct {
	model      *fraud.Model
	threshold  int
	severities []Severity
}

// scores are the reasons of a score: one for each signal that can be the heaviest, because the
// no-bid reason is that signal's.
var scores = func() (list []Reason) {
	for _, s := range fraud.Signals() {
		list = append(list, Reason{ID: fraudScore, Inspector: InspectorFraud, NBR: s.NBR})
	}
	return list
}()

func (j *fraudJudge) inspect(in *input, out *emitter) {
	before := len(out.signals)
	score, signals := j.model.Score(fraud.Input{Request: in.Request, Facts: &in.facts}, &in.fraud, out.signals)
	out.score, out.signals = score, signals
	if len(signals) == before {
		return
	}
	reasons := registry().of(InspectorFraud)
	heaviest := &signals[before]
	for i := range signals[before:] {
		hit := &signals[before+i]
		r := &reasons[hit.Signal]
		out.emit(r, j.severities[hit.Signal], hit.Path, -1, r.Text)
		if hit.Points > heaviest.Points {
			heaviest = hit
		}
	}
	if score >= j.threshold {
		out.emit(&scores[heaviest.Signal], j.severities[len(j.severities)-1], "", -1, fraudScoreText)
	}
}
