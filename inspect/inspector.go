package inspect

import (
	"github.com/rtbwire/rtbwire/inspect/fraud"
	"github.com/rtbwire/rtbwire/inspect/payload"
	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/inspect/schema"
)

// This file is the seam between the engine and its inspectors. An inspector's own package knows
// nothing of the engine; a file of this package adapts it (schema.go, policy.go,
// payload.go, fraud.go, response.go).

// inspector is one kind of inspection. It is shared by all goroutines.
type inspector interface {
	// reasons lists what the inspector can report under every configuration. A reason's place in
	// the list is its number. What layers bring is an [entry].
	reasons() []Reason
	// judge prepares an inspection. It is called while an engine is built, so that what is off can
	// cost nothing. A nil judge has nothing to look for. limit is the number of findings that are
	// kept.
	judge(g grades, limit int) (judge, error)
}

// Inspector is one kind of inspection.
type Inspector = rule.Inspector

// The inspectors, in the order in which they are asked, which is the order of findings, too.
const (
	InspectorDecode   = rule.InspectorDecode
	InspectorSchema   = rule.InspectorSchema
	InspectorPolicy   = rule.InspectorPolicy
	InspectorPayload  = rule.InspectorPayload
	InspectorFraud    = rule.InspectorFraud
	InspectorScrub    = rule.InspectorScrub
	InspectorResponse = rule.InspectorResponse
)

var inspectors = [...]inspector{
	InspectorDecode:   decoding{},
	InspectorSchema:   specification{},
	InspectorPolicy:   rules{},
	InspectorPayload:  payloads{},
	InspectorFraud:    frauds{},
	InspectorScrub:    scrubbing{},
	InspectorResponse: responses{},
}

// entry is a reason that a layer of the configuration brings: a rule of policy, or a pattern of
// payloads. Its severity is the one that it has unless a layer sets another.
type entry struct {
	Reason
	number int     // in the engine
	what   any     // what the inspector looks for, for its judge
	shadow bool    // as [Layer.Shadow], for this entry
	share  float64 // in (0, 1], as [Layer.Sample]
}

// grades is what an inspector is to look for.
type grades struct {
	fixed    []Severity // of its reasons, by number
	entries  []graded   // that are on, those of outer layers first
	scanner  *payload.Scanner
	fraud    *Fraud
	layers   *fraudLayers
	response *Response
}

// graded is an entry with its severity in a resolved policy.
type graded struct {
	entry    *entry
	severity Severity
}

// judge is an inspector under one set of severities. It is shared by all goroutines.
type judge interface {
	// inspect reports what it objects to, in the order of the text. It must depend on nothing but
	// the input.
	inspect(in *input, out *emitter)
}

// input is a request that was decoded. Inspectors read it and keep nothing of it.
type input struct {
	rule.Input
	facts   Facts           // that the Input points to
	checker *schema.Checker // has decoded the body
	scan    scan            // for payloads
	fraud   fraud.Scratch
}

// emitter collects findings and decides.
type emitter struct {
	max       int             // findings kept
	doc       rule.Doc        // that they point into
	observing map[string]bool // reasons that refuse nothing

	findings []Finding
	counts   [Refuse + 1]int
	dropped  int
	decided  *Reason // that refuses; nil if none does
	would    *Reason // that would if no reason was observed
	errors   []ConditionError
	scrubs   []string
	score    int         // of fraud
	signals  []fraud.Hit // that the score is made of
}

// begin prepares for a new verdict.
func (e *emitter) begin(limit int) {
	*e = emitter{max: limit, findings: e.findings[:0], errors: e.errors[:0], scrubs: e.scrubs[:0], signals: e.signals[:0]}
}

// emit adds a finding, if its severity is not off. If the verdict is full, the finding only counts,
// unless it decides: then the last one goes.
func (e *emitter) emit(r *Reason, severity Severity, path string, offset int, message string) {
	e.emitFor(r.ID, r, severity, path, offset, message)
}

// emitFor is emit for a finding that refuses nothing if another reason is observed.
func (e *emitter) emitFor(of string, r *Reason, severity Severity, path string, offset int, message string) {
	if severity == Off {
		return
	}
	decides := false
	if severity == Refuse {
		if e.would == nil {
			e.would, decides = r, true
		}
		if e.decided == nil && !e.observing[of] {
			e.decided, decides = r, true
		}
	}
	e.counts[severity]++
	if len(e.findings) >= e.max {
		e.dropped++
		if !decides {
			return
		}
		if last := e.findings[e.max-1]; e.max > 1 && e.would != r && last.ID == e.would.ID {
			e.findings[e.max-2] = last // what would decide stays too
		}
		e.findings = e.findings[:e.max-1]
	}
	e.findings = append(e.findings, Finding{Inspector: r.Inspector, ID: r.ID, Severity: severity, Doc: e.doc, Path: path, Offset: offset, Message: message})
}

// skip counts findings beyond the limit of an inspector, none of which decides.
func (e *emitter) skip(s Severity, n int) {
	e.counts[s] += n
	e.dropped += n
}

// drop is skip for findings of reasons that the inspector does not know. One that would refuse may
// be about a reason that is not observed: it refuses, in the name of the first one that would.
func (e *emitter) drop(s Severity, n int) {
	e.skip(s, n)
	if s == Refuse && n > 0 && e.decided == nil {
		e.decided = e.would
	}
}
