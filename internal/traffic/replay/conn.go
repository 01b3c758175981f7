package replay

import (
	"errors"
	"io"
	"strconv"
)

// conn is a connection, with the request that is on its way.
type conn struct {
	ident
	stream  *stream
	socket  socket
	state   connState
	since   int64 // when it became free, at the earliest
	refused int   // how often in a row it could not be made

	seq       int64 // of the request
	due, sent int64
	pending   []byte // what is left to write
	answer    response
}

type connState uint8

const (
	stateDialing connState = iota
	stateIdle
	stateBusy
)

// send sends the next request on a free connection.
func (l *loop) send(c *conn, now int64) {
	s := c.stream
	c.seq, c.due, c.sent = s.schedule.seq, s.schedule.due, now
	if s.schedule.closed() {
		c.due = now
	} else {
		s.tally.lag.record(s.late(now, c.since))
	}
	s.schedule.advance()
	body := l.config.Bodies.At(int(c.seq % int64(l.config.Bodies.Len())))
	l.out = append(l.out[:0], s.head...)
	l.out = strconv.AppendInt(l.out, int64(len(body)), 10)
	l.out = append(append(l.out, "\r\n\r\n"...), body...)
	c.answer.reset()
	c.state = stateBusy
	s.busy++
	s.tally.sent++
	s.tally.bytesOut += int64(len(l.out))
	n, err := c.socket.write(l.out)
	if err == nil && n < len(l.out) {
		c.pending = append(c.pending[:0], l.out[n:]...)
		err = c.socket.wantWrite(true)
	}
	if err != nil {
		l.fail(c, FailureBroken, l.now())
	}
}

// handle deals with an event.
func (l *loop) handle(c *conn, hangup bool) {
	if c.socket == nil {
		return
	}
	if len(c.pending) > 0 {
		l.writeMore(c)
	}
	for c.socket != nil {
		n, err := c.socket.read(l.scratch)
		now := l.now()
		if err == errAgain {
			return
		}
		if err != nil {
			l.ended(c, err, now)
			return
		}
		l.received(c, l.scratch[:n], now)
		if n < len(l.scratch) && !hangup {
			return
		}
	}
}

// writeMore writes what is left of the request.
func (l *loop) writeMore(c *conn) {
	n, err := c.socket.write(c.pending)
	c.pending = c.pending[n:]
	if err == nil && len(c.pending) == 0 {
		err = c.socket.wantWrite(false)
	}
	if err != nil {
		c.pending = nil // the answer may have been sent all the same
	}
}

// received reads the answer further.
func (l *loop) received(c *conn, text []byte, now int64) {
	if c.state != stateBusy {
		l.reconnect(c) // an unsolicited answer
		return
	}
	c.stream.tally.bytesIn += int64(len(text))
	used, done, err := c.answer.feed(text)
	switch {
	case err == nil && used < len(text):
		err = errExtra
		fallthrough
	case err != nil:
		l.fail(c, failureOf(err), now)
	case done:
		l.answered(c, now)
	}
}

func failureOf(err error) Failure {
	if errors.Is(err, errSize) {
		return FailureSize
	}
	return FailureHTTP
}

// answered counts an answer and sends the next request, if one is due.
func (l *loop) answered(c *conn, now int64) {
	s, t := c.stream, c.stream.tally
	t.answered++
	t.statuses[c.answer.status()]++
	t.latency.record(now - c.due)
	t.naive.record(now - c.sent)
	t.last, l.progress = now, now
	if l.judge != nil {
		l.judge.submit(s.index, c.seq, c.answer.status(), c.answer.body)
	}
	s.busy--
	if c.answer.closes() || len(c.pending) > 0 {
		l.reconnect(c)
		return
	}
	c.state, c.since = stateIdle, l.since
	s.free.put(c)
	if s.schedule.ready(now) {
		l.send(s.free.take(), now)
	}
}

// ended deals with the end of a connection.
func (l *loop) ended(c *conn, err error, now int64) {
	switch {
	case c.state != stateBusy:
		l.reconnect(c)
	case err == io.EOF && c.answer.finish():
		l.answered(c, now)
	case err == io.EOF:
		l.fail(c, FailureClosed, now)
	default:
		l.fail(c, FailureBroken, now)
	}
}

// fail gives a request up, and its connection with it.
func (l *loop) fail(c *conn, why Failure, now int64) {
	l.count(c, why, now)
	c.stream.busy--
	l.reconnect(c)
}

// count counts a request without an answer. How long it has waited is a latency, too: the answer
// would have come later still.
func (l *loop) count(c *conn, why Failure, now int64) {
	t := c.stream.tally
	t.failures[why]++
	t.latency.record(now - c.due)
	t.naive.record(now - c.sent)
	l.progress = now
	if l.judge != nil {
		l.judge.submit(c.stream.index, c.seq, 0, nil)
	}
}

// reconnect makes a connection again.
func (l *loop) reconnect(c *conn) {
	if c.state == stateIdle {
		c.stream.free.remove(c)
	}
	c.hangUp()
	c.stream.tally.reconnects++
	l.dial(c)
}

// hangUp closes the connection.
func (c *conn) hangUp() {
	if c.socket != nil {
		c.socket.close()
	}
	c.socket, c.pending = nil, nil
	c.generation++
}
