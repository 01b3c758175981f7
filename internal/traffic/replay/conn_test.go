package replay

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// scripted is a connection whose other side is a script.
type scripted struct {
	reads    []string // what comes, a read each; then
	end      error    // this
	room     []int    // how much each write takes; then all
	writeErr error
	wantErr  error

	written strings.Builder
	wants   []bool
	closed  bool
}

func (s *scripted) read(b []byte) (int, error) {
	if len(s.reads) == 0 {
		return 0, s.end
	}
	n := copy(b, s.reads[0])
	s.reads = s.reads[1:]
	return n, nil
}

func (s *scripted) write(b []byte) (int, error) {
	if s.writeErr != nil {
		return 0, s.writeErr
	}
	n := len(b)
	if len(s.room) > 0 {
		n, s.room = min(n, s.room[0]), s.room[1:]
	}
	s.written.Write(b[:n])
	return n, nil
}

func (s *scripted) wantWrite(on bool) error {
	s.wants = append(s.wants, on)
	return s.wantErr
}

func (s *scripted) close() { s.closed = true }

// idlePoller reports nothing, and takes no connection.
type idlePoller struct{ woken, closed bool }

var errNoPlace = errors.New("no place")

func (p *idlePoller) add(net.Conn, ident) (socket, error)                 { return nil, errNoPlace }
func (p *idlePoller) wait(list []event, _ time.Duration) ([]event, error) { return list, nil }
func (p *idlePoller) wake()                                               { p.woken = true }
func (p *idlePoller) close()                                              { p.closed = true }

// testLoop returns a loop that began a time ago, with a free connection for each script. It makes
// no connection: the target is not there.
func testLoop(t *testing.T, c Config, ago time.Duration, scripts ...*scripted) *loop {
	t.Helper()
	c.Target = Target{Network: "unix", Address: t.TempDir() + "/none", Host: "x", Path: "/"}
	c.Connections = max(len(scripts), 1)
	if c.Bodies == nil {
		c.Bodies = texts("{}")
	}
	c, err := c.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	s := &stream{target: &c.Target, head: c.Target.head(nil), schedule: newSchedule(&c, 0), free: ring{list: make([]*conn, c.Connections)}, tally: newTally()}
	l := &loop{
		config: &c, base: time.Now().Add(-ago), poller: new(idlePoller), scratch: make([]byte, keptMax), streams: []*stream{s},
		drain: never, hand: func(*loop, bool) {},
	}
	for i, script := range scripts {
		conn := &conn{ident: ident{index: int32(i)}, stream: s, answer: response{limits: responseLimits(c.MaxResponse)}, socket: script, state: stateIdle}
		l.conns = append(l.conns, conn)
		s.free.put(conn)
	}
	t.Cleanup(l.close)
	return l
}

// TestSendParts sends a request that the socket takes in parts.
func TestSendParts(t *testing.T) {
	for _, room := range [][]int{nil, {0}, {1, 0, 3}, {40, 40}} {
		script := &scripted{room: room, end: errAgain}
		l := testLoop(t, Config{Bodies: texts(`{"id":"1"}`)}, 0, script)
		c := l.streams[0].free.take()
		l.send(c, l.now())
		for range len(room) {
			l.handle(c, false)
		}
		const want = "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nX-Openrtb-Version: 2.6\r\nContent-Length: 10\r\n\r\n{\"id\":\"1\"}"
		if script.written.String() != want {
			t.Errorf("room %v: %q", room, script.written.String())
		}
		if n := len(script.wants); (room == nil) != (n == 0) || n > 0 && (!script.wants[0] || script.wants[n-1]) {
			t.Errorf("room %v: events of writing %v", room, script.wants)
		}
		if tally := l.streams[0].tally; c.state != stateBusy || tally.sent != 1 || tally.bytesOut != int64(len(want)) {
			t.Errorf("room %v: %d sent, %d bytes", room, tally.sent, tally.bytesOut)
		}
	}
}

// TestAnswerParts reads an answer that comes in pieces of every size, some pieces with each event.
func TestAnswerParts(t *testing.T) {
	for _, text := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789",
		"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n012\r\n7;x=y\r\n3456789\r\n0\r\nA: b\r\n\r\n",
	} {
		for size := 1; size <= len(text); size++ {
			script := &scripted{end: errAgain}
			l := testLoop(t, Config{Requests: 1}, 0, script)
			c := l.streams[0].free.take()
			l.send(c, l.now())
			for rest := text; rest != ""; {
				n := min(size, len(rest))
				script.reads = append(script.reads, rest[:n])
				if rest = rest[n:]; len(script.reads) == 3 || rest == "" {
					l.handle(c, true) // an event with hangup is read to its end
				}
			}
			s := l.streams[0]
			if s.tally.answered != 1 || s.tally.statuses[200] != 1 || string(c.answer.body) != "0123456789" ||
				c.state != stateIdle || s.busy != 0 || s.free.len() != 1 || s.tally.bytesIn != int64(len(text)) {
				t.Fatalf("%q in pieces of %d: %+v, body %q", text, size, s.tally, c.answer.body)
			}
		}
	}
}

// TestConnectionEnds is about connections that break in every state.
func TestConnectionEnds(t *testing.T) {
	const none = failures // no request has failed
	reset := errors.New("connection reset by peer")
	for _, tt := range []struct {
		name     string
		script   scripted
		idle     bool // no request was sent
		answered int64
		failure  Failure
		kept     bool // the connection is used further
	}{
		{"an answer", scripted{reads: []string{"HTTP/1.1 204 No Content\r\n\r\n"}, end: errAgain}, false, 1, none, true},
		{"the end before an answer", scripted{end: io.EOF}, false, 0, FailureClosed, false},
		{"the end in a head", scripted{reads: []string{"HTTP/1.1 200 OK\r\nConte"}, end: io.EOF}, false, 0, FailureClosed, false},
		{"the end in a body", scripted{reads: []string{"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n{}"}, end: io.EOF}, false, 0, FailureClosed, false},
		{"the end in a chunk", scripted{reads: []string{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{}"}, end: io.EOF}, false, 0, FailureClosed, false},
		{"the end before the last chunk", scripted{reads: []string{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n"}, end: io.EOF}, false, 0, FailureClosed, false},
		{"the end after an interim answer", scripted{reads: []string{"HTTP/1.1 100 Continue\r\n\r\n"}, end: io.EOF}, false, 0, FailureClosed, false},
		{"the end of the body", scripted{reads: []string{"HTTP/1.1 200 OK\r\n\r\n{", "}"}, end: io.EOF}, false, 1, none, false},
		{"a reset in a body that the end completes", scripted{reads: []string{"HTTP/1.1 200 OK\r\n\r\n{}"}, end: reset}, false, 0, FailureBroken, false},
		{"a reset before an answer", scripted{end: reset}, false, 0, FailureBroken, false},
		{"a reset in a body", scripted{reads: []string{"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n{}"}, end: reset}, false, 0, FailureBroken, false},
		{"an answer, and the end announced", scripted{reads: []string{"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"}, end: errAgain}, false, 1, none, false},
		{"two answers to a request", scripted{reads: []string{strings.Repeat("HTTP/1.1 204 No Content\r\n\r\n", 2)}, end: errAgain}, false, 0, FailureHTTP, false},
		{"two answers in two reads", scripted{reads: []string{"HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 204 No Content\r\n\r\n"}, end: errAgain}, false, 1, none, false},
		{"an answer to nothing", scripted{reads: []string{"HTTP/1.1 204 No Content\r\n\r\n"}, end: errAgain}, true, 0, none, false},
		{"the end while idle", scripted{end: io.EOF}, true, 0, none, false},
		{"a reset while idle", scripted{end: reset}, true, 0, none, false},
		{"not HTTP", scripted{reads: []string{"SSH-2.0-x\r\n"}, end: errAgain}, false, 0, FailureHTTP, false},
		{"another protocol", scripted{reads: []string{"HTTP/1.1 101 Switching Protocols\r\n\r\n"}, end: errAgain}, false, 0, FailureHTTP, false},
		{"a body that is too large", scripted{reads: []string{"HTTP/1.1 200 OK\r\nContent-Length: 101\r\n\r\n"}, end: errAgain}, false, 0, FailureSize, false},
		{"a body that gets too large", scripted{reads: []string{"HTTP/1.1 200 OK\r\n\r\n", strings.Repeat("x", 60), strings.Repeat("x", 60)}, end: errAgain}, false, 0, FailureSize, false},
		{"chunks that get too large", scripted{reads: []string{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n40\r\n", strings.Repeat("x", 64), "\r\n40\r\n"}, end: errAgain}, false, 0, FailureSize, false},
		{"a write that fails", scripted{writeErr: reset}, false, 0, FailureBroken, false},
		{"no events of writing", scripted{room: []int{1}, wantErr: reset}, false, 0, FailureBroken, false},
		{"an answer before the request is written", scripted{room: []int{5, 0, 0}, reads: []string{"HTTP/1.1 413 No\r\nContent-Length: 0\r\n\r\n"}, end: errAgain}, false, 1, none, false},
	} {
		script := tt.script
		l := testLoop(t, Config{Requests: 2, MaxResponse: 100}, 0, &script)
		s, c := l.streams[0], l.conns[0]
		if !tt.idle {
			s.free.take()
			l.send(c, 0)
			s.schedule.due = never // no second request
		}
		for range 2 {
			l.handle(c, true)
		}
		var want [failures]int64
		failed := int64(0)
		if tt.failure < none {
			want[tt.failure], failed = 1, 1
		}
		if s.tally.failures != want || s.tally.answered != tt.answered || s.tally.latency.Count() != tt.answered+failed || s.busy != 0 {
			t.Errorf("%s: %d answered, failures %v, %d latencies, %d busy", tt.name, s.tally.answered, s.tally.failures, s.tally.latency.Count(), s.busy)
		}
		if kept := !script.closed; kept != tt.kept || kept != (c.state == stateIdle) || kept != (s.tally.reconnects == 0) || kept != (s.free.len() == 1) {
			t.Errorf("%s: kept %v, state %v, %d connections made again, %d free", tt.name, kept, c.state, s.tally.reconnects, s.free.len())
		}
		if !tt.kept && c.generation == 0 {
			t.Errorf("%s: events of the old connection count for the new one", tt.name)
		}
	}
}

// TestCorrectedLatency counts latencies from when requests were due: one that waited for a
// connection has waited, whoever made it wait.
func TestCorrectedLatency(t *testing.T) {
	script := &scripted{end: errAgain}
	l := testLoop(t, Config{Rate: 100, Duration: time.Minute}, 2*time.Second, script)
	s, c := l.streams[0], l.streams[0].free.take()
	c.since = l.now() // it was busy until now
	for n := range 3 {
		if n == 0 {
			l.send(c, l.now())
		}
		if c.seq != int64(n) || c.due != int64(n)*int64(10*time.Millisecond) {
			t.Fatalf("request %d is due at %d", c.seq, c.due)
		}
		l.since = l.now()
		script.reads = []string{"HTTP/1.1 204 No Content\r\n\r\n"}
		l.handle(c, true) // the next request is due, and is sent at once
	}
	tally := s.tally
	if tally.answered != 3 || tally.sent != 4 || c.state != stateBusy {
		t.Fatalf("%d answered, %d sent", tally.answered, tally.sent)
	}
	if least := 1900 * time.Millisecond; tally.latency.Min() < least || tally.naive.Max() > tally.latency.Min()-time.Second {
		t.Errorf("latencies from %v, expected %v and more; naive ones to %v", tally.latency.Min(), least, tally.naive.Max())
	}
	if tally.lag.Max() > time.Second {
		t.Errorf("the generator is blamed for %v: no connection was free", tally.lag.Max())
	}
}

// TestLag blames the generator for a request that is sent late although a connection was free.
func TestLag(t *testing.T) {
	l := testLoop(t, Config{Rate: 100, Duration: time.Minute}, 500*time.Millisecond, &scripted{end: errAgain})
	l.sendDue(l.now())
	if lag := l.streams[0].tally.lag; lag.Count() != 1 || lag.Max() < 499*time.Millisecond {
		t.Errorf("%d requests, late by %v", lag.Count(), lag.Max())
	}
}

// TestClosedLoopConnection sends the next request when the answer to the last is there, not before.
func TestClosedLoopConnection(t *testing.T) {
	script := &scripted{end: errAgain}
	l := testLoop(t, Config{Requests: 3}, time.Second, script)
	l.sendDue(l.now())
	s := l.streams[0]
	for n := int64(1); n <= 3; n++ {
		if s.tally.sent != n || s.busy != 1 {
			t.Fatalf("%d sent, %d busy, expected %d and 1", s.tally.sent, s.busy, n)
		}
		script.reads = []string{fmt.Sprintf("HTTP/1.1 %d x\r\nContent-Length: 0\r\n\r\n", 500+n)}
		l.handle(l.conns[0], true)
	}
	if s.tally.sent != 3 || s.busy != 0 || s.tally.statuses[501]+s.tally.statuses[502]+s.tally.statuses[503] != 3 || !l.finished(l.now()) {
		t.Errorf("%d sent, %d busy", s.tally.sent, s.busy)
	}
	if s.tally.lag.Count() != 0 || s.tally.latency.Max() > 900*time.Millisecond {
		t.Errorf("%d requests late, latencies to %v: nothing is due in a closed loop", s.tally.lag.Count(), s.tally.latency.Max())
	}
}
