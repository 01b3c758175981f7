package capture

import (
	"fmt"
	"strings"
	"time"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/record"
)

// lineKeepMax is how large the buffers for a line may be that are used again, in bytes.
const lineKeepMax = 256 << 10

// scribe makes lines of items, on one goroutine.
type scribe struct {
	redactor record.Redactor
	worker   *inspect.Worker
	engine   *inspect.Engine // of the worker
	request  []byte
	line     []byte
	serial   int
}

// discard counts an item that is given up.
func (w *Writer) discard(i *item) {
	w.counts.closed.Add(1)
	w.queue.taken(i)
}

// write writes an item. A panic costs the item, and not the process.
func (w *Writer) write(s *scribe, i *item) {
	defer func() {
		if p := recover(); p != nil {
			*s = scribe{serial: s.serial} // in an unknown state
			w.counts.redact.Add(1)
			w.options.Logger.Error("panic while a request was captured", "panic", p)
		}
		w.queue.taken(i)
	}()
	if !w.files.Ready(time.Now()) {
		w.counts.disk.Add(1)
		return
	}
	r, ok := s.record(i, w.options.Raw)
	if !ok {
		w.counts.redact.Add(1)
		return
	}
	var err error
	if s.line, err = record.Append(s.line[:0], r); err != nil {
		w.counts.line.Add(1)
		return
	}
	if !w.files.Write(s.line) {
		w.counts.disk.Add(1)
	}
	if cap(s.line) > lineKeepMax {
		s.line, s.request = nil, nil
	}
}

// record returns an item as a record. It reports false if personal data can't be taken out.
func (s *scribe) record(i *item, raw bool) (*record.Record, bool) {
	s.serial++
	sent := record.Decision{Action: i.action.String(), Reason: i.reason, NBR: i.nbr, Score: i.score}
	r := &record.Record{
		Request: i.Body(), Facts: i.Facts(), Expect: sent,
	}
	r.Name = fmt.Sprintf("%s %d", r.Facts.Time.UTC().Format("2006-01-02T15:04:05.000000Z"), s.serial)
	if raw {
		return r, true
	}
	if s.engine != i.engine || s.worker == nil {
		s.engine, s.worker = i.engine, i.engine.NewWorker()
	}
	defer s.worker.Release()
	if s.worker.Decode(r.Request) != nil {
		return nil, false // what can't be read can't be redacted
	}
	var err error
	if s.request, err = s.redactor.Request(s.request[:0], r.Request, s.worker.Request()); err != nil {
		return nil, false
	}
	r.Request, r.Facts = s.request, s.redactor.Facts(r.Facts)
	v := s.worker.Inspect(r.Request, r.Facts)
	if strings.HasPrefix(v.Reason, "json.") {
		return nil, false // a number was overwritten
	}
	r.Expect = record.Decision{Action: v.Action.String(), Reason: v.Reason, NBR: int(v.NBR), Score: v.Score}
	if r.Expect != sent {
		r.Verdict = &sent
	}
	return r, true
}
