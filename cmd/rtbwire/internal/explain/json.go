package explain

import (
	"encoding/json"
	"io"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/openrtb"
)

// verdictJSON is the verdict for programs. docs/verdict.md documents the names.
type verdictJSON struct {
	Version  string         `json:"version"` // of OpenRTB
	File     string         `json:"file"`
	Preset   string         `json:"preset"`
	Action   string         `json:"action"`
	Reason   string         `json:"reason"`
	NBR      *int           `json:"nbr"` // null if forwarded
	Score    int            `json:"score"`
	Counts   map[string]int `json:"counts"`
	Dropped  int            `json:"dropped"`
	Findings []findingJSON  `json:"findings"`
}

type findingJSON struct {
	Inspector string `json:"inspector"`
	ID        string `json:"id"`
	Severity  string `json:"severity"`
	Message   string `json:"message"`
	Path      string `json:"path"`
	// Where the finding is; absent if there is no place.
	Offset  *int   `json:"offset,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Excerpt string `json:"excerpt,omitempty"`
}

// writeJSON prints the verdict for programs.
func (e *explanation) writeJSON(w io.Writer) error {
	v := e.verdict
	out := verdictJSON{
		Version: openrtb.SpecVersion, File: e.file, Preset: e.preset, Action: v.Action.String(), Reason: v.Reason,
		Score: v.Score, Counts: map[string]int{}, Dropped: v.Dropped, Findings: []findingJSON{},
	}
	if v.Action == inspect.ActionRefuse {
		nbr := int(v.NBR)
		out.NBR = &nbr
	}
	for s := inspect.Observe; s <= inspect.Refuse; s++ {
		out.Counts[s.String()] = v.Counts[s]
	}
	for i := range v.Findings {
		f := &v.Findings[i]
		j := findingJSON{Inspector: f.Inspector, ID: f.ID, Severity: f.Severity.String(), Message: f.Message, Path: f.Path}
		if f.Offset >= 0 {
			j.Offset = &f.Offset
			j.Line, j.Column = place(e.text, f.Offset)
			if e.excerpts {
				j.Excerpt, _ = excerpt(e.text, f.Offset)
			}
		}
		out.Findings = append(out.Findings, j)
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(&out)
}
