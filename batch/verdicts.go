package batch

import (
	"strings"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/fraud"
	"github.com/rtbwire/rtbwire/inspect/schema"
)

// This file has requests judged by an engine of package inspect: by the rules of a configuration,
// not of the specification alone.

// Judging says how requests are judged. The zero value leaves them to the engine of package schema.
type Judging struct {
	// Engine judges the requests. Responses are checked as ever.
	Engine *inspect.Engine
	// Facts apply to every request.
	Facts inspect.Facts
}

// Verdicts counts verdicts on requests. The zero value is empty.
type Verdicts struct {
	// Refused counts requests by the decision that refuses them: a fraud score has the no-bid
	// reason of its heaviest signal.
	Refused map[inspect.Decision]int64
	// Observed counts forwarded requests by the decision that would refuse them if nothing was only
	// observed: they are outside of the share that is enforced, or their scrubs are observed.
	Observed map[inspect.Decision]int64
	// Shadow counts requests by the decision that there would be if no layer was in shadow, where
	// the verdict has another reason.
	Shadow map[inspect.Decision]int64
	// Errors counts conditions without a value, by the rule's reason or the scrub.
	Errors map[string]int64
	// Scrubbed counts requests that would be changed by each scrub.
	Scrubbed map[string]int64
	// Scores counts requests by their fraud score, with layers in shadow; requests that can't be
	// decoded have none. Suspicious counts those that reach the threshold of their layers.
	Scores     [fraud.ScoreMax + 1]int64
	Suspicious int64
}

// newVerdicts returns an empty count.
func newVerdicts() *Verdicts {
	return &Verdicts{
		Refused: map[inspect.Decision]int64{}, Observed: map[inspect.Decision]int64{}, Shadow: map[inspect.Decision]int64{}, Errors: map[string]int64{}, Scrubbed: map[string]int64{},
	}
}

// add counts a verdict.
func (c *Verdicts) add(v *inspect.Verdict) {
	if v.Action == inspect.ActionRefuse {
		c.Refused[v.Decision]++
	}
	full := v.Decision
	if would := v.WouldRefuse(); would.Action == inspect.ActionRefuse {
		full = would
		c.Observed[would]++
	}
	if v.Shadow != nil && v.Shadow.Reason != full.Reason {
		c.Shadow[v.Shadow.Decision]++
	}
	errs := v.Errors
	if v.Shadow != nil { // which all rules were asked for
		errs = v.Shadow.Errors
	}
	for i := range errs {
		c.Errors[errs[i].ID]++
	}
	for _, name := range v.Scrubs {
		c.Scrubbed[name]++
	}
}

// score counts the score of a request that was decoded, of the verdict that w has given last.
func (c *Verdicts) score(w *inspect.Worker, v *inspect.Verdict) {
	if w.Request() == nil {
		return
	}
	if v.Shadow != nil { // which all signals were asked for
		v = v.Shadow
	}
	c.Scores[v.Score]++
	c.Suspicious += int64(btoi(w.Suspicious(v)))
}

// merge adds what another count has.
func (c *Verdicts) merge(o *Verdicts) {
	if c.Refused == nil {
		*c = *newVerdicts()
	}
	for _, m := range [...]struct{ to, from map[string]int64 }{
		{c.Errors, o.Errors}, {c.Scrubbed, o.Scrubbed},
	} {
		for id, n := range m.from {
			m.to[id] += n
		}
	}
	for d, n := range o.Refused {
		c.Refused[d] += n
	}
	for d, n := range o.Observed {
		c.Observed[d] += n
	}
	for d, n := range o.Shadow {
		c.Shadow[d] += n
	}
	for score, n := range o.Scores {
		c.Scores[score] += n
	}
	c.Suspicious += o.Suspicious
}

// reset makes the count empty. It keeps its memory.
func (c *Verdicts) reset() {
	clear(c.Refused)
	clear(c.Observed)
	clear(c.Shadow)
	clear(c.Errors)
	clear(c.Scrubbed)
	clear(c.Scores[:])
	c.Suspicious = 0
}

// The rules of the specification have names of their own in reports: their ids.
const schemaPrefix = "schema."

// RuleID is the id that a reason has in reports: without "schema." for rules of the specification.
func RuleID(reason string) string { return strings.TrimPrefix(reason, schemaPrefix) }

// judge judges a request. The findings are valid until the next call.
func (w *checker) judge(doc []byte, verdicts *Verdicts) schema.Report {
	w.verdict = w.judging.Inspect(doc, w.opts.Judging.Facts)
	v := &w.verdict
	if verdicts != nil {
		verdicts.add(v)
		verdicts.score(w.judging, v)
	}
	w.judged = append(w.judged[:0], v.Findings...)
	for i := range w.judged {
		w.judged[i].ID = RuleID(w.judged[i].ID)
	}
	return schema.Report{Findings: w.judged, Dropped: v.Dropped, Counts: v.Counts}
}

// reasonTooLarge is the reason that package inspect has for documents beyond the limit.
const reasonTooLarge = "limit.size"

// judgeTooLarge refuses a request that is beyond the limit without reading it.
func (w *checker) judgeTooLarge(verdicts *Verdicts) schema.Report {
	w.verdict = inspect.Verdict{
		Decision: inspect.Decision{Action: inspect.ActionRefuse, Reason: reasonTooLarge, NBR: inspect.NBRLimit},
		Findings: []inspect.Finding{{ID: reasonTooLarge, Severity: inspect.Refuse}},
	}
	if verdicts != nil {
		verdicts.add(&w.verdict)
	}
	finding := w.tooLarge[0]
	finding.ID, finding.Severity = reasonTooLarge, schema.Error
	report := schema.Report{Findings: []schema.Finding{finding}}
	report.Counts[schema.Error] = 1
	return report
}
