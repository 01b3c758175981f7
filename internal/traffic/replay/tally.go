package replay

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Failure is why a request has no answer.
type Failure uint8

// The failures.
const (
	FailureTimeout Failure = iota // there was no answer within [Config.Timeout]
	FailureClosed                 // the connection ended before the answer did
	FailureBroken                 // the connection broke: a reset, for instance
	FailureHTTP                   // the answer is not HTTP/1.1
	FailureSize                   // the answer is larger than [Config.MaxResponse]
	FailureUnsent                 // no connection was free until the run was over
	failures
)

var failureNames = [...]string{
	FailureTimeout: "timeout", FailureClosed: "closed", FailureBroken: "broken", FailureHTTP: "not HTTP",
	FailureSize: "too large", FailureUnsent: "unsent",
}

// String returns "timeout", "closed", "broken", "not HTTP", "too large" or "unsent".
func (f Failure) String() string { return failureNames[f] }

// statusMax is the number of statuses.
const statusMax = 600

// Latencies is a distribution of latencies, exact to one in a thousand.
type Latencies struct{ h *hdrhistogram.Histogram }

func newLatencies() *Latencies {
	const exact, digits = 1000, 3 // microseconds, in nanoseconds
	return &Latencies{hdrhistogram.New(exact, int64(LatencyMax), digits)}
}

func (l *Latencies) record(ns int64) {
	_ = l.h.RecordValue(min(max(ns, 0), int64(LatencyMax))) // so it is always in range
}

func (l *Latencies) add(other *Latencies) { l.h.Merge(other.h) }

// Count returns the number of latencies.
func (l *Latencies) Count() int64 { return l.h.TotalCount() }

// Quantile returns the latency that a share of q, from 0 to 1, of all latencies is not above.
func (l *Latencies) Quantile(q float64) time.Duration {
	return l.orZero(l.h.ValueAtPercentile(100 * q))
}

// Max returns the longest latency.
func (l *Latencies) Max() time.Duration { return l.orZero(l.h.Max()) }

// Mean returns the mean.
func (l *Latencies) Mean() time.Duration { return l.orZero(int64(l.h.Mean())) }

// orZero returns 0 for a distribution without latencies, as all methods do.
func (l *Latencies) orZero(ns int64) time.Duration {
	if l.Count() == 0 {
		return 0
	}
	return time.Duration(ns)
}

// tally is what one loop has counted of one target since the last interval.
type tally struct {
	sent, answered, reconnects, refused int64 // refused: connections that could not be made
	bytesIn, bytesOut                   int64
	statuses                            [statusMax]int64
	failures                            [failures]int64
	latency, naive, lag                 *Latencies
	busy, waiting                       int64 // at the end of the interval
	last                                int64 // when the last answer came
}

func newTally() *tally {
	return &tally{latency: newLatencies(), naive: newLatencies(), lag: newLatencies()}
}

// reset makes an empty tally of a used one.
func (t *tally) reset() {
	latency, naive, lag := t.latency, t.naive, t.lag
	for _, l := range [...]*Latencies{latency, naive, lag} {
		l.h.Reset()
	}
	*t = tally{latency: latency, naive: naive, lag: lag}
}

// failed returns the number of requests without an answer.
func (t *tally) failed() (n int64) {
	for _, f := range t.failures {
		n += f
	}
	return n
}

// add adds the counts of another tally.
func (t *tally) add(o *tally) {
	t.sent += o.sent
	t.answered += o.answered
	t.reconnects += o.reconnects
	t.refused += o.refused
	t.bytesIn += o.bytesIn
	t.bytesOut += o.bytesOut
	for i, n := range o.statuses {
		t.statuses[i] += n
	}
	for i, n := range o.failures {
		t.failures[i] += n
	}
	t.latency.add(o.latency)
	t.naive.add(o.naive)
	t.lag.add(o.lag)
	t.busy += o.busy
	t.waiting += o.waiting
	t.last = max(t.last, o.last)
}
