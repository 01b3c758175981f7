package replay

import "time"

// sum adds up the tallies of one target.
type sum struct {
	target    Target
	total     *tally
	intervals []Interval
	width     int64
	current   part // of the interval in progress
	recent    part // since the last snapshot
}

// part is what was counted since a time.
type part struct {
	from, to               int64
	sent, answered, failed int64
	latency                *Latencies
	busy, waiting          map[int]int64 // by loop
}

func newPart() part {
	return part{latency: newLatencies(), busy: map[int]int64{}, waiting: map[int]int64{}}
}

func newSum(t Target, interval time.Duration) *sum {
	return &sum{target: t, total: newTally(), width: int64(interval), current: newPart(), recent: newPart()}
}

func (p *part) add(h handed) {
	p.to = max(p.to, h.at)
	p.sent += h.tally.sent
	p.answered += h.tally.answered
	p.failed += h.tally.failed()
	p.latency.add(h.tally.latency)
	p.busy[h.loop], p.waiting[h.loop] = h.tally.busy, h.tally.waiting
}

// take returns what was counted as an interval and begins the next.
func (p *part) take() Interval {
	i := Interval{
		At: time.Duration(p.from), Length: time.Duration(p.to - p.from), Sent: p.sent, Answered: p.answered, Failed: p.failed,
		P50: p.latency.Quantile(0.5), P99: p.latency.Quantile(0.99), Max: p.latency.Max(),
	}
	for loop := range p.busy {
		i.InFlight += p.busy[loop]
		i.Waiting += p.waiting[loop]
	}
	p.from, p.sent, p.answered, p.failed = p.to, 0, 0, 0
	p.latency.h.Reset()
	return i
}

// add adds a tally.
func (s *sum) add(h handed) {
	if h.at >= s.current.from+s.width+int64(tickInterval)/2 { // so that the loops' tallies come together
		s.flush()
	}
	s.total.add(h.tally)
	s.current.add(h)
	s.recent.add(h)
}

// flush ends the interval in progress.
func (s *sum) flush() {
	if s.current.to == s.current.from {
		return
	}
	s.intervals = append(s.intervals, s.current.take())
	if len(s.intervals) < IntervalsMax {
		return
	}
	s.width *= 2
	for i := range len(s.intervals) / 2 {
		s.intervals[i] = s.intervals[2*i].join(s.intervals[2*i+1])
	}
	s.intervals = s.intervals[:len(s.intervals)/2]
}

// snapshot returns what is known at a time.
func (s *sum) snapshot(at int64, length time.Duration) Snapshot {
	return Snapshot{
		Elapsed: time.Duration(at), Length: length, Sent: s.total.sent, Answered: s.total.answered,
		Failed: s.total.failed(), Recent: s.recent.take(),
	}
}

// result returns what was counted in all.
func (s *sum) result(elapsed time.Duration) TargetResult {
	t := s.total
	r := TargetResult{
		Target: s.target, Sent: t.sent, Answered: t.answered, Reconnects: t.reconnects, Refused: t.refused,
		BytesIn: t.bytesIn, BytesOut: t.bytesOut, Latency: t.latency, Naive: t.naive, Lag: t.lag, Intervals: s.intervals,
		Failures: map[Failure]int64{}, Statuses: map[int]int64{},
	}
	for status, n := range t.statuses {
		if n > 0 {
			r.Statuses[status] = n
		}
	}
	for f, n := range t.failures {
		if n > 0 {
			r.Failures[Failure(f)] = n
		}
	}
	if elapsed > 0 {
		r.Rate = float64(t.answered) / elapsed.Seconds()
	}
	return r
}
