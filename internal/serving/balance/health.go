package balance

import (
	"errors"
	"fmt"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/internal/breaker"
	"github.com/rtbwire/rtbwire/internal/serving/upstreams"
)

// statusError is the first status that means that the core has failed.
const statusError = 500

// Done notes the end of a request: the status of its answer, or an error; the time that there was,
// and the time that it took. An error that IsNeutral says nothing about the address.
func (e *Endpoint) Done(status int, err error, timeout, took time.Duration) {
	e.inFlight.Add(-1)
	s := e.Stats
	s.Requests.Add(1)
	if err == nil {
		s.Statuses[classOf(status)].Add(1)
	}
	if err != nil || status >= statusError {
		s.Failures.Add(1)
	}
	switch {
	case err == nil && status < statusError:
		e.good(took)
	case err == nil:
		// The address can be reached: its breaker closes.
		e.changed(e.breaker.Success(), nil)
		e.lose(answerStatus(status))
	case says(err, timeout, e.source.connections.Slow):
		e.changed(e.breaker.Failure(), err)
		if upstreams.Unsent(err) {
			e.log.failing(e, err)
		} else {
			e.lose(err)
		}
	case says(err, timeout, e.usual()):
		// Only a number of addresses is ejected at a time. Their breakers could all open, when the
		// gateway itself stops for as long as senders wait.
		e.lose(err)
	}
}

// lateFactor is how many times as long as usual an address must have had for a late answer to
// count, and meanOver how many answers the usual time is the mean of.
const (
	lateFactor = 2
	meanOver   = 16
)

// usual is how long an address must have had for a late answer to count in a row of lost requests:
// the time of most senders is shorter than [Connections.Slow]. It follows from the address's own
// answers, or from the slowest of the others if it has given none.
func (e *Endpoint) usual() time.Duration {
	mean := e.mean.Load()
	if set := e.set.Load(); mean == 0 && set != nil {
		for _, other := range set.endpoints() {
			mean = max(mean, other.mean.Load())
		}
	}
	if mean == 0 {
		return e.source.connections.Slow
	}
	return lateFactor * time.Duration(mean)
}

// ErrNeutral is wrapped by errors that say nothing about an address: there was no memory, or no
// connection is free.
var ErrNeutral = errors.New("not the fault of the upstream")

// says reports whether an error says something about an address. A late answer does not if the
// sender gave too little time.
func says(err error, timeout, slow time.Duration) bool {
	return !errors.Is(err, ErrNeutral) && !errors.Is(err, fasthttp.ErrNoFreeConns) && (!upstreams.IsTimeout(err) || timeout >= slow)
}

// good notes an answer.
func (e *Endpoint) good(took time.Duration) {
	if e.lost.Load() != 0 {
		e.lost.Store(0)
	}
	if change := e.breaker.Success(); change != breaker.Same {
		e.changed(change, nil)
	}
	e.log.working(e)
	mean := int64(took)
	if before := e.mean.Load(); before != 0 {
		mean = before + (mean-before)/meanOver
	}
	e.mean.Store(max(mean, 1)) // of two at once one is enough
	if set := e.set.Load(); set != nil && set.options.Outlier.Latency > 0 {
		e.took.Add(int64(took))
		e.answered.Add(1)
	}
}

// lose notes a request that was sent and has no good answer.
func (e *Endpoint) lose(err error) {
	e.log.failing(e, err)
	set := e.set.Load()
	if set == nil {
		return
	}
	if n := e.lost.Add(1); int(n) >= set.options.Outlier.Consecutive5xx {
		e.lost.Store(0)
		e.eject("requests in a row were lost", int(n), err)
	}
}

// changed acts on a breaker that has opened or closed.
func (e *Endpoint) changed(change breaker.Change, err error) {
	switch change {
	case breaker.Same:
		return
	case breaker.Opened:
		e.log.opened(e, err)
	case breaker.Closed:
		e.log.closed(e)
		e.warm.Store(int64(now()))
	}
	// Of two changes at once the later one counts.
	e.update(func() bool { return e.mark(open, !e.breaker.Closed()) })
}

// update changes the state of the address, and then the tables that have it.
func (e *Endpoint) update(change func() bool) {
	set := e.lock()
	if set == nil {
		change()
		return
	}
	defer set.mu.Unlock()
	if change() {
		set.rebuild()
	}
}

// lock locks the set that the address is used in; nil if there is none.
func (e *Endpoint) lock() *Set {
	for {
		set := e.set.Load()
		if set == nil {
			return nil
		}
		set.mu.Lock()
		if e.set.Load() == set {
			return set
		}
		set.mu.Unlock() // another one was put in use meanwhile
	}
}

// answerStatus is the error of an answer of status 5xx.
type answerStatus int

// Error returns it as text.
func (s answerStatus) Error() string { return fmt.Sprintf("an answer of status %d", int(s)) }
