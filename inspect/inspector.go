package inspect

import (
	"github.com/rtbwire/rtbwire/inspect/schema"
	"github.com/rtbwire/rtbwire/openrtb"
)

// This file is the seam between the engine and its inspectors. An inspector's own package knows
// nothing of the engine; a file of this package adapts it (schema.go).

// inspector is one kind of inspection. It is shared by all goroutines.
type inspector interface {
	// reasons lists everything that the inspector can report. A reason's place in the list is its
	// number in calls of [emitter.emit].
	reasons() []Reason
	// judge prepares an inspection with the given severities, by number. It is called while an
	// engine is built, so that what is off can cost nothing. A nil judge has nothing to look for.
	// limit is the number of findings that are kept.
	judge(severities []Severity, limit int) (judge, error)
}

// inspectors are asked in this order, which is the order of findings: a request is refused for
// what the first of them objects to.
var inspectors = [...]inspector{decoding{}, specification{}}

// judge is an inspector under one table of severities. It is shared by all goroutines.
type judge interface {
	// inspect reports what it objects to, in the order of the text. It must depend on nothing but
	// the input.
	inspect(in *input, out *emitter)
}

// input is a request that was decoded. Inspectors read it and keep nothing of it.
type input struct {
	body    []byte
	request *openrtb.BidRequest
	facts   Facts
	checker *schema.Checker // has decoded body
}

// emitter collects findings. It grades them and decides.
type emitter struct {
	table *table
	span  span // the reasons of the inspector that is asked
	max   int  // findings kept

	findings []Finding
	counts   [Refuse + 1]int
	dropped  int
	decided  int // the number of the reason that refuses; -1 if none does
}

// begin prepares for a new verdict.
func (e *emitter) begin(t *table, limit int) {
	e.table, e.max, e.findings, e.counts, e.dropped, e.decided = t, limit, e.findings[:0], [Refuse + 1]int{}, 0, -1
}

// emit adds a finding of the inspector's reason with the given number, if that is not off. Where
// there is no room left, the finding only counts, unless it decides: then the last one goes.
func (e *emitter) emit(reason int, path string, offset int, message string) {
	n := e.span.from + reason
	severity := e.table.severities[n]
	if severity == Off {
		return
	}
	decides := severity == Refuse && e.decided < 0
	if decides {
		e.decided = n
	}
	e.counts[severity]++
	if len(e.findings) >= e.max {
		e.dropped++
		if !decides {
			return
		}
		e.findings = e.findings[:e.max-1]
	}
	r := &registry().reasons[n]
	e.findings = append(e.findings, Finding{r.Inspector, r.ID, severity, path, offset, message})
}

// drop counts findings that an inspector has not kept.
func (e *emitter) drop(s Severity, n int) {
	e.counts[s] += n
	e.dropped += n
}
