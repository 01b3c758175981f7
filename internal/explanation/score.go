package explanation

import "github.com/rtbwire/rtbwire/inspect"

// Score is a fraud score for programs. docs/verdict.md documents the names.
type Score struct {
	Score     int      `json:"score"`
	Threshold int      `json:"threshold"` // 0 if no signal is on
	Signals   []Signal `json:"signals"`
	Families  []Family `json:"families"`
}

// Signal is a signal that was seen.
type Signal struct {
	ID       string `json:"id"`
	Points   int    `json:"points"`
	Severity string `json:"severity"`
	Message  string `json:"message"`
	Path     string `json:"path"`
	Place
}

// Place is where something is in the request; its members are absent where there is no place.
type Place struct {
	Offset  *int   `json:"offset,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Excerpt string `json:"excerpt,omitempty"`
}

// Family is what a family adds to the score.
type Family struct {
	Name   string `json:"name"`
	Points int    `json:"points"`
	Counts int    `json:"counts"`
}

// NewScore returns a score for programs. place may be nil.
func NewScore(s *inspect.Scoring, place func(path string) Place) Score {
	out := Score{Score: s.Score, Threshold: s.Threshold, Signals: []Signal{}, Families: []Family{}}
	for i := range s.Signals {
		own := &s.Signals[i]
		signal := Signal{ID: own.Signal.ID, Points: own.Points, Severity: own.Severity.String(), Message: own.Signal.Text, Path: own.Path}
		if place != nil && own.Path != "" {
			signal.Place = place(own.Path)
		}
		out.Signals = append(out.Signals, signal)
	}
	for _, f := range s.Families {
		out.Families = append(out.Families, Family{f.Name, f.Points, f.Counts})
	}
	return out
}
