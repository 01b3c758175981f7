package stream

import (
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/window"
	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/internal/serving/rejects"
)

// The reasons of dead letters that are not reasons of a verdict.
const (
	// ReasonSize is that of a record longer than [Options.MaxRecord], or too large for the topic of
	// accepted records.
	ReasonSize = "stream.size"
	// ReasonUndeliverable is that of a record that the upstream, or the topic of accepted records,
	// does not take.
	ReasonUndeliverable = "stream.undeliverable"
	// ReasonEdits is that of a record whose edits could not be made: it may hold what was to be
	// removed.
	ReasonEdits = "stream.edits"
)

// judge judges chunks, one after the other.
type judge struct {
	n       *session
	worker  *inspect.Worker
	judging *Judging
	headers []inspect.Header
}

// judge is one of the jobs.
func (n *session) judge() {
	j := judge{n: n}
	for {
		c, ok := n.todo.pop()
		if !ok {
			return
		}
		p := c.p
		if !p.isStopped() {
			j.chunk(c)
		}
		p.wasJudged(c)
	}
}

func (j *judge) chunk(c *chunk) {
	if now := j.n.s.judging.Load(); now != j.judging { // an engine knows the partners of its own facts
		j.judging, j.worker = now, now.Engine.NewWorker()
	}
	c.fates = append(c.fates[:0], make([]fate, len(c.records))...)
	for i, r := range c.records {
		j.record(c, i, r)
	}
	j.worker.Release() // an idle job keeps no record
}

// record finds out what becomes of a record.
func (j *judge) record(c *chunk, i int, r *kgo.Record) {
	f := &c.fates[i]
	if f.control = r.Attrs.IsControl(); f.control {
		return
	}
	f.value, f.offset = r.Value, -1
	defer j.n.address(c, i)
	if len(r.Value) > j.n.o.MaxRecord {
		f.refuse(ReasonSize, inspect.NBRLimit)
		return
	}
	facts := j.facts(r)
	if err := j.worker.Decode(r.Value); err == nil && j.judging.Windows != nil {
		j.judging.Windows.Fill(&facts, j.worker.Request(), window.Delivery{Topic: c.p.topic, Partition: c.p.number, Offset: r.Offset})
	}
	v := j.worker.Judge(facts)
	f.decision, f.score, f.partner = v.Decision, v.Score, facts.Partner
	if v.Shadow != nil {
		f.shadow = v.Shadow.Decision
	}
	if v.Action == inspect.ActionRefuse {
		f.place(&v)
		j.note(&v, &facts, r)
		return
	}
	if len(v.Edits) > 0 {
		start := len(c.buf)
		out, err := v.Apply(c.buf, r.Value)
		if err != nil {
			f.refuse(ReasonEdits, adcom.NoBidReasonTechnicalError)
			return
		}
		c.buf = out
		r.Value = out[start:len(out):len(out)]
	}
}

// refuse refuses a record for a reason that is not the verdict's.
func (f *fate) refuse(reason string, nbr adcom.NoBidReason) {
	f.path, f.offset = "", -1
	f.decision = inspect.Decision{Action: inspect.ActionRefuse, Reason: reason, NBR: nbr}
}

// place notes where the finding is that decided.
func (f *fate) place(v *inspect.Verdict) {
	for i := range v.Findings {
		if own := &v.Findings[i]; own.Severity == inspect.Refuse && own.ID == v.Reason {
			f.path, f.offset = own.Path, own.Offset
			return
		}
	}
}

// note keeps a refused record for operators, if it is in the sample.
func (j *judge) note(v *inspect.Verdict, facts *inspect.Facts, r *kgo.Record) {
	now := time.Now()
	if !j.n.s.rejects.Wants(now) {
		return
	}
	j.n.s.rejects.Add(rejects.Reject{
		Time: now, Partner: facts.Partner, Reason: v.Reason, NBR: int(v.NBR), Score: v.Score, Full: j.n.o.FullRejects,
	}, r.Value, v.Findings)
}

// facts returns what is known of a record besides its value.
func (j *judge) facts(r *kgo.Record) inspect.Facts {
	f := j.judging.Facts
	if f.Time.IsZero() {
		f.Time = r.Timestamp
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
