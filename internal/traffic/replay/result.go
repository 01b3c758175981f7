package replay

import "time"

// Result is the outcome of a run.
type Result struct {
	Start   time.Time
	Elapsed time.Duration // until the last answer, or the end of the schedule if that is later
	// Rate is how many requests were to be due a second, 0 for a closed loop.
	Rate float64
	// Connections and Loops come from the configuration.
	Connections, Loops int
	// Interrupted tells that the context ended before the run did.
	Interrupted bool
	// Invalid says why the latencies are the generator's and not the target's. It is empty for a
	// valid run.
	Invalid string
	// CPU is how much processor time this process has used.
	CPU time.Duration

	Target TargetResult
	// Against is what became of the requests at the other target, nil without one.
	Against *TargetResult
	// Judgement is what was found in the answers, nil if they were not judged.
	Judgement *Judgement
}

// TargetResult is what became of the requests at one target.
type TargetResult struct {
	Target Target
	// Sent counts the requests that were sent, Answered those that have an answer. Failures counts
	// the others: those that were sent in vain and those that were never sent.
	Sent, Answered int64
	Failures       map[Failure]int64
	// Statuses counts answers by status.
	Statuses map[int]int64
	// Rate is the number of answers a second.
	Rate float64
	// Reconnects counts the connections that were made again, Refused those that could not be made.
	Reconnects, Refused int64
	// BytesOut and BytesIn count what was sent and read, headers and bodies.
	BytesOut, BytesIn int64

	// Latency counts from the time when a request was due, Naive from the time when it was sent. A
	// request that failed is in both, with the time after which it was given up.
	Latency, Naive *Latencies
	// Lag is how late requests were sent although a connection was free.
	Lag *Latencies
	// Intervals are the course of the run, in time order. There are at most [IntervalsMax]: those
	// of long runs are longer.
	Intervals []Interval
}

// Failed returns the number of requests without an answer.
func (r *TargetResult) Failed() (n int64) {
	for _, f := range r.Failures {
		n += f
	}
	return n
}

// ServerErrors returns the number of answers with a status of 500 and above.
func (r *TargetResult) ServerErrors() (n int64) {
	for status, count := range r.Statuses {
		if status >= 500 {
			n += count
		}
	}
	return n
}

// ErrorShare returns the share of requests that failed or were answered with 500 and above.
func (r *TargetResult) ErrorShare() float64 {
	failed := r.Failed()
	all := r.Answered + failed
	if all == 0 {
		return 0
	}
	return float64(failed+r.ServerErrors()) / float64(all)
}

// Interval is a part of a run.
type Interval struct {
	At, Length             time.Duration // from the start
	Sent, Answered, Failed int64
	// InFlight and Waiting are the requests at its end that wait for their answer, and those that
	// wait for a connection.
	InFlight, Waiting int64
	// P50, P99 and Max are quantiles of the latency. Of intervals that were joined, P50 is the mean
	// by answers, and P99 the larger one.
	P50, P99, Max time.Duration
}

// join joins two intervals that follow one another.
func (i Interval) join(next Interval) Interval {
	a, b := i.Answered+i.Failed, next.Answered+next.Failed
	if a+b > 0 {
		i.P50 = time.Duration((float64(i.P50)*float64(a) + float64(next.P50)*float64(b)) / float64(a+b))
	}
	i.Length += next.Length
	i.Sent += next.Sent
	i.Answered += next.Answered
	i.Failed += next.Failed
	i.InFlight, i.Waiting = next.InFlight, next.Waiting
	i.P99, i.Max = max(i.P99, next.P99), max(i.Max, next.Max)
	return i
}

// Snapshot is what is known while a run goes on.
type Snapshot struct {
	Elapsed, Length time.Duration // so far, and of the whole run
	Sent, Answered  int64         // so far
	Failed          int64         // so far
	Recent          Interval      // about the last second
}

// Rate returns the number of answers a second in the interval.
func (i Interval) Rate() float64 {
	if i.Length <= 0 {
		return 0
	}
	return float64(i.Answered) / i.Length.Seconds()
}
