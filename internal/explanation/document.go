// Package explanation says in JSON why a verdict is as it is: "rtbwire explain --format json" and
// the port of administration print it.
//
//	document.go  the document
//	score.go     the fraud score in it
//	place.go     lines, columns and excerpts of places
//	offset.go    the place of a path
package explanation

import (
	"encoding/json"
	"io"
	"strconv"
	"strings"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/openrtb"
)

// Explanation is a verdict with what is needed to explain it.
type Explanation struct {
	File    string
	Preset  string
	Config  string // the file, or ""
	Verdict *inspect.Verdict
	Score   inspect.Scoring
	Shadow  *inspect.Scoring // of the verdict in shadow, if there is one
	Text    []byte
	// Excerpts says that a few characters around each place are shown.
	Excerpts bool
	// Response is set if the verdict is on a response.
	Response *inspect.ResponseVerdict
}

// New explains the last verdict of a worker on a request.
func New(w *inspect.Worker, v *inspect.Verdict, text []byte) *Explanation {
	e := &Explanation{Verdict: v, Score: w.Scoring(v), Text: text, Excerpts: true}
	if v.Shadow != nil {
		shadow := w.Scoring(v.Shadow)
		e.Shadow = &shadow
	}
	return e
}

// Document is the verdict for programs. docs/verdict.md documents the names.
type Document struct {
	Version  string         `json:"version"` // of OpenRTB
	File     string         `json:"file"`
	Config   string         `json:"config,omitempty"`
	Preset   string         `json:"preset"`
	Action   string         `json:"action"`
	Reason   string         `json:"reason"`
	NBR      *int           `json:"nbr"` // null if forwarded
	Score    int            `json:"score"`
	Fraud    Score          `json:"fraud"`
	Bids     *int           `json:"bids,omitempty"` // of a response
	Removed  []Removed      `json:"removed,omitempty"`
	Counts   map[string]int `json:"counts"`
	Observed *Observed      `json:"observed,omitempty"` // absent if all is enforced
	Shadow   *Shadow        `json:"shadow,omitempty"`   // absent if nothing is in shadow
	Errors   []Error        `json:"errors"`
	Scrubs   []string       `json:"scrubs"`
	Edits    []Edit         `json:"edits"`
	Dropped  int            `json:"dropped"`
	Findings []Finding      `json:"findings"`
}

// Observed is what the verdict would be if everything was enforced.
type Observed struct {
	Action   string   `json:"action"`
	Reason   string   `json:"reason"`
	NBR      *int     `json:"nbr"`
	Refusals bool     `json:"refusals"` // are only observed
	Scrubs   []string `json:"scrubs"`   // that are only observed
}

// Shadow is what the verdict would be if nothing was in shadow.
type Shadow struct {
	Action string `json:"action"`
	Reason string `json:"reason"`
	NBR    *int   `json:"nbr"`
	Score  int    `json:"score"`
	Fraud  Score  `json:"fraud"`
}

// Error is a rule or scrub whose condition has no value.
type Error struct {
	ID    string `json:"id"`
	Error string `json:"error"`
}

// Edit is a change on the way. What is put in place is not shown: it can be personal data.
type Edit struct {
	Action string `json:"action"` // "remove" or "replace"
	Path   string `json:"path"`
}

// Finding is one place that was objected to.
type Finding struct {
	Inspector string `json:"inspector"`
	ID        string `json:"id"`
	Severity  string `json:"severity"`
	Message   string `json:"message"`
	Path      string `json:"path"`
	Place
}

// Removed is a bid that is not to be sent.
type Removed struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
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
func (e *Explanation) place(offset int) Place {
	p := Place{Offset: &offset}
	p.Line, p.Column = LineColumn(e.Text, offset)
	if e.Excerpts {
		before, after := Excerpt(e.Text, offset)
		p.Excerpt = before + after
	}
	return p
}

// pathPlace returns the place of a path.
func (e *Explanation) pathPlace(path string) Place { return e.place(Offset(e.Text, path)) }

// Offset returns where a finding is, -1 if it has no place. Findings of fraud have paths alone.
func (e *Explanation) Offset(f *inspect.Finding) int {
	if f.Inspector == inspect.InspectorFraud && f.Path != "" {
		return Offset(e.Text, f.Path)
	}
	return f.Offset
}

// Document returns the explanation for programs.
func (e *Explanation) Document() *Document {
	v := e.Verdict
	out := &Document{
		Version: openrtb.SpecVersion, File: e.File, Config: e.Config, Preset: e.Preset, Action: v.Action.String(), Reason: v.Reason,
		NBR: nbr(&v.Decision), Score: v.Score, Fraud: NewScore(&e.Score, e.pathPlace), Counts: map[string]int{}, Errors: []Error{}, Scrubs: append([]string{}, v.Scrubs...),
		Edits: []Edit{}, Dropped: v.Dropped, Findings: []Finding{},
	}
	if o := v.Observed; o != nil {
		out.Observed = &Observed{o.Action.String(), o.Reason, nbr(&o.Decision), o.Refusals, append([]string{}, o.Scrubs...)}
	}
	if s := v.Shadow; s != nil {
		out.Shadow = &Shadow{s.Action.String(), s.Reason, nbr(&s.Decision), s.Score, NewScore(e.Shadow, e.pathPlace)}
	}
	for _, failed := range v.Errors {
		out.Errors = append(out.Errors, Error{failed.ID, strings.TrimPrefix(failed.Err.Error(), "condition: ")})
	}
	for _, edit := range v.Edits {
		action := "replace"
		if edit.Value == nil {
			action = "remove"
		}
		out.Edits = append(out.Edits, Edit{action, edit.Path})
	}
	for s := inspect.Observe; s <= inspect.Refuse; s++ {
		out.Counts[s.String()] = v.Counts[s]
	}
	for i := range v.Findings {
		f := &v.Findings[i]
		j := Finding{Inspector: f.Inspector.String(), ID: f.ID, Severity: f.Severity.String(), Message: f.Message, Path: f.Path}
		if offset := e.Offset(f); offset >= 0 {
			j.Place = e.place(offset)
		}
		out.Findings = append(out.Findings, j)
	}
	if e.Response != nil {
		out.Bids = &e.Response.Bids
		for _, r := range e.Response.Removed {
			out.Removed = append(out.Removed, Removed{RemovedPath(r), r.Reason})
		}
	}
	return out
}

// RemovedPath is the JSON Pointer to a bid.
func RemovedPath(r inspect.RemovedBid) string {
	return "/seatbid/" + strconv.Itoa(r.Seat) + "/bid/" + strconv.Itoa(r.Bid)
}

// Write prints a document.
func Write(w io.Writer, document any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(document)
}
