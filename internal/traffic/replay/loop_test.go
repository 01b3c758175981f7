package replay

import (
	"errors"
	"testing"
	"time"
)

// TestTimeout gives up requests whose answers take too long, and no others.
func TestTimeout(t *testing.T) {
	l := testLoop(t, Config{Requests: 2, Timeout: 100 * time.Millisecond}, time.Second, &scripted{end: errAgain}, &scripted{end: errAgain})
	s := l.streams[0]
	old, young := s.free.take(), s.free.take()
	now := l.now()
	l.send(old, now-int64(101*time.Millisecond))
	l.send(young, now-int64(90*time.Millisecond))
	l.housekeeping(now)
	if s.tally.failures[FailureTimeout] != 1 || old.state != stateDialing || young.state != stateBusy || s.busy != 1 {
		t.Fatalf("failures %v, states %v and %v, %d busy", s.tally.failures, old.state, young.state, s.busy)
	}
	if s.tally.latency.Count() != 1 || s.tally.latency.Max() < 100*time.Millisecond {
		t.Errorf("%d latencies to %v: a request that failed has waited, too", s.tally.latency.Count(), s.tally.latency.Max())
	}
	young.sent -= int64(time.Second)
	l.housekeeping(now + 1)
	if s.tally.failures[FailureTimeout] != 1 {
		t.Error("the loop looked again at once")
	}
	l.housekeeping(now + int64(sweepMax))
	if s.tally.failures[FailureTimeout] != 2 {
		t.Error("the loop did not look again")
	}
}

// TestUnsent counts what was due and never sent, and what has no answer in the end.
func TestUnsent(t *testing.T) {
	l := testLoop(t, Config{Rate: 10, Duration: 450 * time.Millisecond}, time.Second, &scripted{end: errAgain})
	s := l.streams[0]
	l.sendDue(l.now())
	l.unsent()
	if s.tally.failures[FailureUnsent] != 4 || s.tally.failures[FailureTimeout] != 1 || s.tally.sent != 1 {
		t.Errorf("failures %v, %d sent; 5 were due, with one connection", s.tally.failures, s.tally.sent)
	}
	if s.tally.latency.Count() != 5 || s.tally.latency.Min() < 599*time.Millisecond || s.tally.latency.Max() < 999*time.Millisecond || s.tally.naive.Count() != 1 {
		t.Errorf("%d latencies from %v to %v, %d naive ones", s.tally.latency.Count(), s.tally.latency.Min(), s.tally.latency.Max(), s.tally.naive.Count())
	}
	closed := testLoop(t, Config{Requests: 5}, time.Second, &scripted{end: errAgain})
	closed.unsent()
	if closed.streams[0].tally.failed() != 0 {
		t.Error("a closed loop owes nothing")
	}
}

// TestFinished is about when a run is over.
func TestFinished(t *testing.T) {
	second := int64(time.Second)
	for _, tt := range []struct {
		name   string
		config Config
		now    int64
		busy   int
		change func(l *loop)
		want   bool
	}{
		{"before the end", Config{Rate: 1, Duration: 10 * time.Second}, 9 * second, 0, nil, false},
		{"the last request is due, and not sent", Config{Rate: 1, Duration: 10 * time.Second}, 10 * second, 0, nil, false},
		{"all was sent and answered", Config{Rate: 1, Duration: time.Second / 2}, second, 0, func(l *loop) { l.streams[0].schedule.advance() }, true},
		{"an answer is missing", Config{Rate: 1, Duration: time.Second / 2}, second, 1, func(l *loop) { l.streams[0].schedule.advance() }, false},
		{"an answer is missing for good", Config{Rate: 1, Duration: time.Second / 2}, 3 * second, 1, func(l *loop) {
			l.streams[0].schedule.advance()
			l.finished(second) // from then on there is a second left
		}, true},
		{"a closed loop", Config{Duration: time.Second}, second, 0, nil, true},
		{"a closed loop that waits for an answer", Config{Duration: time.Second}, second, 1, nil, false},
		{"a number of requests, which take their time", Config{Requests: 5, Duration: time.Minute}, 4 * second, 1, nil, false},
		{"a number of requests, without a target", Config{Requests: 5, Duration: time.Minute}, 4 * second, 0, nil, true},
		{"a number of requests, with a target until now", Config{Requests: 5, Duration: time.Minute}, 4 * second, 0, func(l *loop) { l.progress = 2 * second }, false},
	} {
		l := testLoop(t, tt.config, 0)
		l.streams[0].busy = tt.busy
		if tt.change != nil {
			tt.change(l)
		}
		if got := l.finished(tt.now); got != tt.want {
			t.Errorf("%s: finished: %v", tt.name, got)
		}
	}
}

// TestPatience wants a loop to sleep until there is something to do, and not too long.
func TestPatience(t *testing.T) {
	const ms = int64(time.Millisecond)
	for _, tt := range []struct {
		name  string
		free  bool
		due   int64
		sweep int64
		tick  int64
		want  int64
	}{
		{"nothing to do", true, never, 100 * ms, 100 * ms, int64(waitMax)},
		{"a request is due soon", true, 11 * ms, 100 * ms, 100 * ms, ms},
		{"a request is due", true, 9 * ms, 100 * ms, 100 * ms, 0},
		{"a request is due, and no connection is free", false, 9 * ms, 100 * ms, 100 * ms, int64(waitMax)},
		{"timeouts", true, never, 11 * ms, 100 * ms, ms},
		{"tallies", true, never, 100 * ms, 11 * ms, ms},
		{"tallies are late", true, 11 * ms, 100 * ms, 5 * ms, 0},
	} {
		l := testLoop(t, Config{Rate: 1}, 0, &scripted{})
		l.sweep, l.tick, l.streams[0].schedule.due = tt.sweep, tt.tick, tt.due
		if !tt.free {
			l.streams[0].free.take()
		}
		if got := l.patience(10 * ms); got != time.Duration(tt.want) {
			t.Errorf("%s: %v, expected %v", tt.name, got, time.Duration(tt.want))
		}
	}
}

// TestStop hands over what was counted, and lets nothing more become due.
func TestStop(t *testing.T) {
	l := testLoop(t, Config{Rate: 100, Duration: time.Minute}, time.Second, &scripted{end: errAgain})
	handed := 0
	l.hand = func(l *loop, final bool) {
		handed++
		if s := l.streams[0]; final || s.tally.busy != 1 || s.tally.waiting < 90 {
			t.Errorf("%d in flight and %d waiting are handed over; final: %v", s.tally.busy, s.tally.waiting, final)
		}
	}
	l.sendDue(l.now())
	l.housekeeping(l.now())
	if !l.tell(func() { l.stop = true }) || !l.poller.(*idlePoller).woken {
		t.Error("the loop was not told")
	}
	now := l.now()
	l.housekeeping(now)
	if handed != 1 || l.drain != now+int64(l.config.Timeout) || l.streams[0].schedule.due != never || l.finished(now) || !l.finished(l.drain) {
		t.Errorf("handed over %d times, waits until %d", handed, l.drain)
	}
}

// TestConnect makes a connection again that could not be made, and gives up when the loop ends.
func TestConnect(t *testing.T) {
	broken, open := &scripted{}, &scripted{}
	l := testLoop(t, Config{Rate: 1}, 0, broken, open)
	s, c := l.streams[0], l.conns[0]
	c.hangUp()
	l.connected(dialed{c, nil, errors.New("connection refused")})
	l.connected(dialed{c, nil, nil}) // the poller has no place for it
	if s.tally.refused != 2 || c.refused != 2 || c.state != stateDialing {
		t.Errorf("%d refused, %d in a row, state %v", s.tally.refused, c.refused, c.state)
	}
	l.close()
	if !broken.closed || !open.closed || l.conns[1].socket != nil || !l.poller.(*idlePoller).closed {
		t.Error("something is left open")
	}
	if l.tell(func() { t.Error("a loop that has ended was changed") }) {
		t.Error("a loop that has ended was told")
	}
}

// TestRing takes free connections in turn.
func TestRing(t *testing.T) {
	list := make([]conn, 4)
	r := ring{list: make([]*conn, len(list))}
	for turn := range 3 {
		for i := range list {
			r.put(&list[i])
		}
		r.remove(&list[1])
		r.remove(&list[1]) // it is not there
		for _, i := range []int{0, 2, 3} {
			if c := r.take(); c != &list[i] {
				t.Fatalf("turn %d: another connection than %d", turn, i)
			}
		}
		if r.len() != 0 {
			t.Fatalf("turn %d: %d are left", turn, r.len())
		}
	}
}

// TestOverslept blames a loop that slept too long for the requests that became due meanwhile.
func TestOverslept(t *testing.T) {
	const ms = int64(time.Millisecond)
	l := testLoop(t, Config{Rate: 1000, Duration: time.Minute}, 0)
	s := l.streams[0]
	s.overslept(5*ms, 25*ms)
	for _, tt := range []struct{ due, now, since, want int64 }{
		{4 * ms, 30 * ms, 29 * ms, ms},        // due before; the connection was free for 1 ms
		{6 * ms, 30 * ms, 29 * ms, 19 * ms},   // due while the loop slept: late until it woke, at least
		{25 * ms, 30 * ms, 10 * ms, 5 * ms},   // due when it woke, and sent 5 ms later
		{26 * ms, 30 * ms, 29 * ms, 1 * ms},   // due later
		{28 * ms, 30 * ms, 10 * ms, 2 * ms},   // due later, with a connection that was free
		{40 * ms, 40 * ms, 10 * ms, 0},        // on time
		{50 * ms, 60 * ms, 60 * ms, 0 * ms},   // the connection became free just now
		{50 * ms, 61 * ms, 60 * ms, 1 * ms},   // and a moment ago
		{70 * ms, 170 * ms, 0, 100 * ms},      // all is the loop's fault
		{70 * ms, 170 * ms, 169 * ms, 1 * ms}, // nearly nothing is
	} {
		s.schedule.due = tt.due
		if got := s.late(tt.now, tt.since); got != tt.want {
			t.Errorf("due at %d, sent at %d, connection free since %d: late by %d, expected %d", tt.due, tt.now, tt.since, got, tt.want)
		}
	}
	idle := testLoop(t, Config{Rate: 1000}, 0).streams[0]
	idle.idle = true
	idle.overslept(5*ms, 25*ms)
	closed := testLoop(t, Config{}, 0).streams[0]
	closed.overslept(5*ms, 25*ms)
	if len(idle.stalls.list)+len(closed.stalls.list) != 0 {
		t.Error("a stall is noted in the wrong place")
	}
}
