package stream

import (
	"fmt"
	"strings"
	"time"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/window"
	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/internal/serving/rejects"
)

// The reasons of dead letters that are not reasons of a verdict.
const (
	// ReasonSize is for a record longer than [Options.MaxRecord], or too large for
	// [Options.Accepted].
	ReasonSize = "stream.size"
	// ReasonUndeliverable is for a record that the upstream or [Options.Accepted] does not take.
	ReasonUndeliverable = "stream.undeliverable"
	// ReasonEdits is for a record whose edits could not be made: it may hold what was to be
	// removed.
	ReasonEdits = "stream.edits"
)

// reasonTexts are what these reasons ask for.
var reasonTexts = map[string]string{
	ReasonSize:          "a record must not be larger than the limit, or than its destination takes",
	ReasonUndeliverable: "the destination must take the record",
	ReasonEdits:         "the edits of the verdict must be possible",
}

// judge judges chunks, one after the other.
type judge struct {
	f       *Flow
	worker  *inspect.Worker
	judging *Judging
	counts  *rejects.Judged
	headers []inspect.Header
}

// judge is one of the jobs.
func (f *Flow) judge() {
	j := judge{f: f}
	for {
		c, ok := f.todo.pop()
		if !ok {
			return
		}
		lane := c.lane
		if !lane.isStopped() {
			j.chunk(c)
		}
		lane.wasJudged(c)
	}
}

func (j *judge) chunk(c *chunk) {
	if now := j.f.s.judging.Load(); now != j.judging { // an engine knows the partners of its own facts
		j.judging, j.worker, j.counts = now, now.Engine.NewWorker(), j.f.s.metrics.judged.Of(now.Facts.Partner)
	}
	c.outcomes = append(c.outcomes[:0], make([]outcome, len(c.records))...)
	for i := range c.records {
		j.record(c, i)
	}
	j.worker.Release() // an idle job keeps no record
}

// record finds out what becomes of a record.
func (j *judge) record(c *chunk, i int) {
	r, o := &c.records[i], &c.outcomes[i]
	if r.Mark {
		return
	}
	o.value, o.offset = r.Value, -1
	defer j.f.address(c, i)
	if len(r.Value) > j.f.o.MaxRecord || r.Size > 0 {
		o.refuse(ReasonSize, inspect.NBRLimit)
		return
	}
	facts := j.facts(r)
	if err := j.worker.Decode(r.Value); err == nil && j.judging.Windows != nil {
		j.judging.Windows.Fill(&facts, j.worker.Request(), window.Delivery{Topic: c.lane.ID.Name, Partition: c.lane.ID.Number, Offset: r.Position})
	}
	v := j.worker.Judge(facts)
	if c := j.f.s.candidate; c != nil {
		c.Add(r.Value, &facts, nil, &v)
	}
	j.counts.Count(&v)
	o.decision, o.would, o.score, o.partner, o.counts = v.Decision, v.WouldRefuse(), v.Score, facts.Partner, j.counts
	if v.Shadow != nil {
		o.shadow = v.Shadow.Decision
	}
	if v.Action == inspect.ActionRefuse {
		o.place(&v)
		j.note(v.Decision, &v, &facts, r)
		return
	}
	if o.would.Action == inspect.ActionRefuse {
		j.note(o.would, &v, &facts, r)
	}
	if len(v.Edits) > 0 {
		start := len(c.buf)
		out, err := v.Apply(c.buf, r.Value)
		if err != nil {
			o.refuse(ReasonEdits, adcom.NoBidReasonTechnicalError)
			return
		}
		c.buf = out
		r.Value = out[start:len(out):len(out)]
	}
}

// note keeps a record that was objected to for operators, if it is in the sample.
func (j *judge) note(d inspect.Decision, v *inspect.Verdict, facts *inspect.Facts, r *Record) {
	now := time.Now()
	if !j.f.s.rejects.Wants(now) {
		return
	}
	j.f.s.rejects.Add(rejects.Reject{
		Time: now, Partner: facts.Partner, Source: j.f.where(r), Reason: d.Reason, NBR: int(d.NBR), Score: v.Score, Full: j.f.o.FullRejects,
		Observed: v.Action == inspect.ActionForward,
	}, r.Value, v.Findings)
}

// noteOwn keeps a record for operators that is refused for a reason of the stream, if it is in the
// sample. The cause may be nil.
func (f *Flow) noteOwn(r *Record, o *outcome, cause error) {
	now := time.Now()
	if !f.s.rejects.Wants(now) {
		return
	}
	text := reasonTexts[o.decision.Reason]
	if cause != nil {
		text = strings.TrimPrefix(cause.Error(), "stream: ")
	}
	f.s.rejects.Add(rejects.Reject{
		Time: now, Partner: o.partner, Source: f.where(r), Reason: o.decision.Reason, NBR: int(o.decision.NBR), Score: o.score, Full: f.o.FullRejects,
	}, o.value, []inspect.Finding{{ID: o.decision.Reason, Severity: inspect.Refuse, Offset: -1, Message: text}})
}

// where says where a record was read, for people.
func (f *Flow) where(r *Record) string {
	if unit(f.o.Source) == unitByte {
		return fmt.Sprintf("%s, byte %d", r.Lane.ID.Name, r.Position)
	}
	return fmt.Sprintf("%s/%d, offset %d", r.Lane.ID.Name, r.Lane.ID.Number, r.Position)
}

// facts returns what is known of a record besides its value.
func (j *judge) facts(r *Record) inspect.Facts {
	f := j.judging.Facts
	if f.Time.IsZero() {
		f.Time = r.Time
	}
	if len(j.judging.FactHeaders) > 0 && len(r.Headers) > 0 {
		j.headers = append(j.headers[:0], f.Headers...)
		for _, name := range j.judging.FactHeaders {
			for i := range r.Headers {
				if r.Headers[i].Key == name {
					j.headers = append(j.headers, inspect.Header{Name: name, Value: mem.String(r.Headers[i].Value)})
					break
				}
			}
		}
		f.Headers = j.headers
	}
	return f
}
