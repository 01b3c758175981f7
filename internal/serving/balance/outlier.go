package balance

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// latencyRequests is how many answers an address must have had in an interval for its latency to
// count, latencyAddresses how many such addresses there must be, and latencyMin by how much the
// latency must be above the median, so that nobody is ejected for microseconds. The first is
// Envoy's success_rate_request_volume.
const (
	latencyRequests  = 100
	latencyAddresses = 3
	latencyMin       = 5 * time.Millisecond
)

// eject leaves an address alone for a time, if enough others are left.
func (e *Endpoint) eject(cause string, n int, err error) {
	s := e.lock()
	if s == nil {
		return
	}
	defer s.mu.Unlock()
	if state := e.state.Load(); e.source.apart || state&(ejected|gone) != 0 {
		return
	}
	o := &s.options.Outlier
	total, out := 0, 0
	for _, other := range s.endpoints() {
		if !other.source.apart {
			total++
			if other.state.Load()&ejected != 0 {
				out++
			}
		}
	}
	if o.MaxEjected == 0 || total < 2 || out >= max(1, int(o.MaxEjected*float64(total))) {
		e.Stats.NotEjected.Add(1)
		return
	}
	at := now()
	if e.ejections > 0 {
		e.ejections = max(0, e.ejections-int((at-e.back)/o.Interval))
	}
	e.ejections++
	wait := o.BaseEjectionTime * time.Duration(min(e.ejections, ejectionsMax))
	wait = min(wait, max(o.MaxEjectionTime, o.BaseEjectionTime))
	e.until = time.Now().Add(wait)
	e.mark(ejected, true)
	e.Stats.Ejections.Add(1)
	args := e.names("cause", cause, "requests", n, "for", wait.String(), "ejections", e.ejections)
	if err != nil {
		args = append(args, "error", err)
	}
	s.options.Log.Error("upstream ejected", args...)
	s.rebuild()
	time.AfterFunc(wait, e.restore)
}

// ejectionsMax bounds the factor of ejection times.
const ejectionsMax = 1 << 20

// restore ends an ejection.
func (e *Endpoint) restore() {
	e.lost.Store(0)
	e.update(func() bool {
		at := now()
		e.back = at
		e.warm.Store(int64(at))
		changed := e.mark(ejected, false)
		if changed && e.state.Load()&gone == 0 {
			e.log.to.Info("the ejection of an upstream is over", e.names()...)
		}
		return changed
	})
}

// latencies ejects addresses that took much longer than the others in the last interval.
func (s *Set) latencies() {
	type mean struct {
		e    *Endpoint
		n    int64
		took time.Duration
	}
	var means []mean
	s.mu.Lock()
	for _, e := range s.endpoints() {
		took, n := e.took.Swap(0), e.answered.Swap(0)
		if n >= latencyRequests && !e.source.apart {
			means = append(means, mean{e, n, time.Duration(took / n)})
		}
	}
	s.mu.Unlock()
	if len(means) < latencyAddresses {
		return
	}
	slices.SortFunc(means, func(a, b mean) int { return cmp.Compare(a.took, b.took) })
	median := means[len(means)/2].took
	for _, m := range slices.Backward(means) {
		if m.took > median*time.Duration(s.options.Outlier.Latency) && m.took > median+latencyMin {
			m.e.eject("its answers are slow", int(m.n), fmt.Errorf("%v on average, while the median of all is %v", m.took, median))
		}
	}
}
