package guard

import (
	"errors"
	"io"
	"net"
)

// refuse cuts the connection, now or when the message before the refused one is answered.
func (c *Conn) refuse(r *Refusal) error {
	if report := c.guard.options.OnRefuse; report != nil {
		report(r.Code, r.Status)
	}
	if c.early || !c.inBody && !c.turn {
		c.pending = r
		return c.hold()
	}
	return c.cut(r, !c.inBody)
}

// hold waits until the server has answered the message before the one that is refused. The server
// is known to wait for the next message too early, as net/http does: when it has answered, it
// interrupts the Read with a deadline, and reads again. What the client sends is dropped.
func (c *Conn) hold() error {
	if c.stash == nil {
		c.stash = c.guard.stash()
	}
	defer c.dropStash()
	c.from, c.to, c.ready, c.inBody, c.early = 0, 0, 0, false, false
	for {
		if _, err := c.fill(c.stash.bytes); err != nil {
			if errors.Is(err, io.EOF) {
				c.err = nil // the client has stopped sending, and still waits for the answers
			}
			return err
		}
	}
}

// cut ends the connection. The client is answered if the server has not begun to answer the same
// message.
func (c *Conn) cut(r *Refusal, boundary bool) error {
	before := c.flags.Or(refused)
	if c.err = r; boundary || c.count == 0 {
		c.err = io.EOF
	}
	c.dropStash()
	if boundary || before&answered == 0 {
		_ = c.Conn.SetWriteDeadline(clock.Add(now() + c.guard.options.LingerTimeout))
		if _, err := c.Conn.Write(c.guard.answer(r)); err == nil {
			c.linger()
		}
	}
	return c.err
}

// answer returns the answer to a refused message.
func (g *Guard) answer(r *Refusal) []byte {
	if g.options.Explain != nil {
		if text := g.options.Explain(r.Code, r.Status); text != "" {
			return refusalAnswer(r.Status, text)
		}
	}
	return r.answer
}

// linger tells the client that nothing more will come, and drops what it still sends, within
// bounds. To close at once would make the client's system discard the answer (RFC 9112, section
// 9.6).
func (c *Conn) linger() {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
	c.arm(now()+c.guard.options.LingerTimeout, 0)
	s := c.guard.stash()
	for left := c.guard.options.LingerBytes; left > 0; {
		n, err := c.Conn.Read(s.bytes)
		if err != nil {
			break
		}
		left -= int64(n)
	}
	c.guard.stashes.Put(s)
}

// Write writes the server's answer. After a refusal, which the guard answers, it returns an error.
func (c *Conn) Write(p []byte) (int, error) {
	flags := c.flags.Load()
	if flags&answered == 0 && len(p) > 0 && !isInterim(p) {
		flags = c.flags.Or(answered)
	}
	if flags&refused != 0 {
		return 0, net.ErrClosed
	}
	return c.Conn.Write(p)
}

// isInterim reports whether p begins an answer that another one follows: 1xx but 101.
func isInterim(p []byte) bool {
	const version = "HTTP/1.1 "
	return len(p) >= len(version)+3 && string(p[:len(version)]) == version &&
		p[len(version)] == '1' && string(p[len(version):len(version)+3]) != "101"
}

// Close closes the connection. If the client may still be sending a message that has been
// answered, it lingers within the guard's bounds before.
func (c *Conn) Close() error {
	before := c.flags.Or(closed)
	if before&answered != 0 && before&(unread|queued) != 0 && before&(refused|closed) == 0 {
		c.linger()
	}
	return c.Conn.Close()
}
