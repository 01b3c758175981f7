package explain

import (
	"encoding/json"
	"io"
	"strings"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/scoring"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/openrtb"
)

// verdictJSON is the verdict for programs. docs/verdict.md documents the names.
type verdictJSON struct {
	Version  string         `json:"version"` // of OpenRTB
	File     string         `json:"file"`
	Config   string         `json:"config,omitempty"`
	Preset   string         `json:"preset"`
	Action   string         `json:"action"`
	Reason   string         `json:"reason"`
	NBR      *int           `json:"nbr"` // null if forwarded
	Score    int            `json:"score"`
	Fraud    scoring.JSON   `json:"fraud"`
	Bids     *int           `json:"bids,omitempty"` // of a response
	Removed  []removedJSON  `json:"removed,omitempty"`
	Counts   map[string]int `json:"counts"`
	Observed *observedJSON  `json:"observed,omitempty"` // absent if all is enforced
	Shadow   *shadowJSON    `json:"shadow,omitempty"`   // absent if nothing is in shadow
	Errors   []errorJSON    `json:"errors"`
	Scrubs   []string       `json:"scrubs"`
	Edits    []editJSON     `json:"edits"`
	Dropped  int            `json:"dropped"`
	Findings []findingJSON  `json:"findings"`
}

// observedJSON is what the verdict would be if everything was enforced.
type observedJSON struct {
	Action   string   `json:"action"`
	Reason   string   `json:"reason"`
	NBR      *int     `json:"nbr"`
	Refusals bool     `json:"refusals"` // are only observed
	Scrubs   []string `json:"scrubs"`   // that are only observed
}

// shadowJSON is what the verdict would be if nothing was in shadow.
type shadowJSON struct {
	Action string       `json:"action"`
	Reason string       `json:"reason"`
	NBR    *int         `json:"nbr"`
	Score  int          `json:"score"`
	Fraud  scoring.JSON `json:"fraud"`
}

// errorJSON is a rule or scrub whose condition has no value.
type errorJSON struct {
	ID    string `json:"id"`
	Error string `json:"error"`
}

// editJSON is a change on the way. What is put in place is not shown: it can be personal data.
type editJSON struct {
	Action string `json:"action"` // "remove" or "replace"
	Path   string `json:"path"`
}

type findingJSON struct {
	Inspector string `json:"inspector"`
	ID        string `json:"id"`
	Severity  string `json:"severity"`
	Message   string `json:"message"`
	Path      string `json:"path"`
	scoring.Place
}

// nbr returns the no-bid reason of a refusal.
func nbr(d *inspect.Decision) *int {
	if d.Action != inspect.ActionRefuse {
		return nil
	}
	n := int(d.NBR)
	return &n
}

// place returns the place of an offset.
func (e *explanation) place(offset int) scoring.Place {
	p := scoring.Place{Offset: &offset}
	p.Line, p.Column = place(e.text, offset)
	if e.excerpts {
		p.Excerpt, _ = excerpt(e.text, offset)
	}
	return p
}

// pathPlace returns the place of a path.
func (e *explanation) pathPlace(path string) scoring.Place {
	return e.place(scoring.Offset(e.text, path))
}

// writeJSON prints the verdict for programs.
func (e *explanation) writeJSON(w io.Writer) error {
	v := e.verdict
	out := verdictJSON{
		Version: openrtb.SpecVersion, File: e.file, Config: e.config, Preset: e.preset, Action: v.Action.String(), Reason: v.Reason,
		NBR: nbr(&v.Decision), Score: v.Score, Fraud: scoring.NewJSON(&e.score, e.pathPlace), Counts: map[string]int{}, Errors: []errorJSON{}, Scrubs: append([]string{}, v.Scrubs...),
		Edits: []editJSON{}, Dropped: v.Dropped, Findings: []findingJSON{},
	}
	if o := v.Observed; o != nil {
		out.Observed = &observedJSON{o.Action.String(), o.Reason, nbr(&o.Decision), o.Refusals, append([]string{}, o.Scrubs...)}
	}
	if s := v.Shadow; s != nil {
		out.Shadow = &shadowJSON{s.Action.String(), s.Reason, nbr(&s.Decision), s.Score, scoring.NewJSON(e.shadow, e.pathPlace)}
	}
	for _, failed := range v.Errors {
		out.Errors = append(out.Errors, errorJSON{failed.ID, strings.TrimPrefix(failed.Err.Error(), "condition: ")})
	}
	for _, edit := range v.Edits {
		action := "replace"
		if edit.Value == nil {
			action = "remove"
		}
		out.Edits = append(out.Edits, editJSON{action, edit.Path})
	}
	for s := inspect.Observe; s <= inspect.Refuse; s++ {
		out.Counts[s.String()] = v.Counts[s]
	}
	for i := range v.Findings {
		f := &v.Findings[i]
		j := findingJSON{Inspector: f.Inspector.String(), ID: f.ID, Severity: f.Severity.String(), Message: f.Message, Path: f.Path}
		if offset := e.offset(f); offset >= 0 {
			j.Place = e.place(offset)
		}
		out.Findings = append(out.Findings, j)
	}
	e.bidsJSON(&out)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(&out)
}
