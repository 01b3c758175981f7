package inspect

import (
	"slices"

	"github.com/rtbwire/rtbwire/inspect/fraud"
)

// Scoring is how the fraud score of a verdict was made, for people who ask why.
type Scoring struct {
	Score int
	// Threshold is the score from which on "fraud.score" is reported; 0 if no signal is on.
	Threshold int
	// Signals are those that were seen, in the order of [fraud.Signals].
	Signals []ScoredSignal
	// Families are the families of the signals, in the same order. The score is the sum of what
	// counts of each, at most [fraud.ScoreMax].
	Families []FamilyScore
}

// ScoredSignal is a signal that was seen.
type ScoredSignal struct {
	// Signal is its entry in the table.
	Signal fraud.Signal
	// Points are what it adds to the sum of its family.
	Points int
	// Severity is how its finding is reported.
	Severity Severity
	// Path is a JSON Pointer to what speaks for it, "" for what is not in the request.
	Path string
}

// FamilyScore is what the signals of one family add to a score.
type FamilyScore struct {
	Name string
	// Points is the sum of its signals, and Counts what is added to the score: no more than the
	// family's cap.
	Points, Counts int
}

// Scoring explains the score of the worker's last verdict, or of the Shadow of that. It allocates
// memory, so it is not for every request.
func (w *Worker) Scoring(v *Verdict) Scoring {
	out := Scoring{Score: v.Score}
	j := w.frauds(v)
	if j == nil {
		return out
	}
	out.Threshold = j.threshold
	table, caps := fraud.Signals(), fraud.Caps()
	for n := range table { // one signal alone counts in full
		family := table[n].Family()
		caps[family] = max(caps[family], j.model.Weight(n))
	}
	for _, hit := range v.Signals {
		s := table[hit.Signal]
		out.Signals = append(out.Signals, ScoredSignal{s, hit.Points, j.severities[hit.Signal], hit.Path})
		at := slices.IndexFunc(out.Families, func(f FamilyScore) bool { return f.Name == s.Family() })
		if at < 0 {
			at = len(out.Families)
			out.Families = append(out.Families, FamilyScore{Name: s.Family()})
		}
		f := &out.Families[at]
		f.Points += hit.Points
		f.Counts = min(f.Points, caps[f.Name])
	}
	return out
}

// Suspicious reports whether the score of the worker's last verdict, or of the Shadow of that,
// reaches the threshold.
func (w *Worker) Suspicious(v *Verdict) bool {
	if v.Score == 0 {
		return false
	}
	j := w.frauds(v)
	return j != nil && v.Score >= j.threshold
}

// frauds returns what the score of a verdict was made with, nil if no signal is on.
func (w *Worker) frauds(v *Verdict) *fraudJudge {
	if w.in.Request == nil {
		return nil
	}
	s, _ := w.share()
	p := s.live
	if v == &w.shadow {
		p = s.all
	}
	for _, j := range p.judges {
		if f, ok := j.(*fraudJudge); ok {
			return f
		}
	}
	return nil
}
