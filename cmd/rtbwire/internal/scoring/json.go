package scoring

import "github.com/rtbwire/rtbwire/inspect"

// JSON is a score for programs. docs/verdict.md documents the names.
type JSON struct {
	Score     int          `json:"score"`
	Threshold int          `json:"threshold"` // 0 if no signal is on
	Signals   []SignalJSON `json:"signals"`
	Families  []FamilyJSON `json:"families"`
}

// SignalJSON is a signal that was seen.
type SignalJSON struct {
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

// FamilyJSON is what a family adds to the score.
type FamilyJSON struct {
	Name   string `json:"name"`
	Points int    `json:"points"`
	Counts int    `json:"counts"`
}

// NewJSON returns a score for programs. place may be nil.
func NewJSON(s *inspect.Scoring, place func(path string) Place) JSON {
	out := JSON{Score: s.Score, Threshold: s.Threshold, Signals: []SignalJSON{}, Families: []FamilyJSON{}}
	for i := range s.Signals {
		own := &s.Signals[i]
		signal := SignalJSON{ID: own.Signal.ID, Points: own.Points, Severity: own.Severity.String(), Message: own.Signal.Text, Path: own.Path}
		if place != nil && own.Path != "" {
			signal.Place = place(own.Path)
		}
		out.Signals = append(out.Signals, signal)
	}
	for _, f := range s.Families {
		out.Families = append(out.Families, FamilyJSON{f.Name, f.Points, f.Counts})
	}
	return out
}
