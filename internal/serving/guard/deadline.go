package guard

import (
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

// deadlines are the guard's own deadline for reading and the server's. The earlier one counts.
type deadlines struct {
	until time.Duration // of the head or body that is being read, 0 before it; of the reading goroutine

	mu     sync.Mutex
	own    time.Duration // 0: none
	theirs time.Time     // zero: none
}

// SetReadDeadline sets the server's deadline for reading, beside those of the guard.
func (c *Conn) SetReadDeadline(t time.Time) error {
	d := &c.deadlines
	d.mu.Lock()
	defer d.mu.Unlock()
	d.theirs = t
	return c.Conn.SetReadDeadline(d.earlier())
}

// SetDeadline sets the server's deadlines for reading, beside those of the guard, and for writing.
func (c *Conn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// earlier returns the deadline that counts, with d.mu held.
func (d *deadlines) earlier() time.Time {
	if d.own == 0 {
		return d.theirs
	}
	if t := clock.Add(d.own); d.theirs.IsZero() || t.Before(d.theirs) {
		return t
	}
	return d.theirs
}

// arm sets the guard's own deadline. One that is earlier by at most slack stays.
func (c *Conn) arm(until, slack time.Duration) {
	d := &c.deadlines
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.own != 0 && d.own <= until && until-d.own <= slack {
		return
	}
	d.own = until
	_ = c.Conn.SetReadDeadline(d.earlier()) // on a closed connection, which Read will notice
}

// passed reports whether the guard's own deadline has passed, and the server's has not.
func (c *Conn) passed() bool {
	d := &c.deadlines
	d.mu.Lock()
	defer d.mu.Unlock()
	t := now()
	return d.own != 0 && d.own <= t && (d.theirs.IsZero() || d.theirs.After(clock.Add(t)))
}

// idle reports whether no byte of the next head has come.
func (c *Conn) idle() bool { return !c.inBody && c.to == c.from }

// fill reads from the guarded connection, within the deadline for what is being read. Its errors
// are as for Read.
func (c *Conn) fill(p []byte) (int, error) {
	o, d := &c.guard.options, &c.deadlines
	for waits := 0; ; waits++ {
		switch {
		case c.idle():
			c.arm(now()+o.IdleTimeout, o.IdleTimeout/64)
		case d.until == 0:
			d.until = now() + o.HeadTimeout
			if c.inBody {
				d.until = now() + o.BodyTimeout
			}
			c.arm(d.until, 0)
		}
		n, err := c.Conn.Read(p)
		if n > 0 {
			c.arrived = now()
			return n, nil // the next read returns the error
		}
		if err == nil {
			err = io.ErrNoProgress // a broken connection, which must not be read in a loop
		}
		passed := isTimeout(err) && c.passed()
		if passed && c.idle() && !c.turn && waits < serverWaitsMax {
			// The server is the one that takes its time. The client's begins with the answer.
			if c.flags.Load()&answered != 0 {
				waits = serverWaitsMax
			}
			continue
		}
		return 0, c.failed(err, passed)
	}
}

func isTimeout(err error) bool {
	var e net.Error
	return errors.As(err, &e) && e.Timeout()
}

// failed turns an error of the guarded connection into one of Read. The guard's own deadline may
// have passed.
func (c *Conn) failed(err error, passed bool) error {
	ended := errors.Is(err, io.EOF)
	switch {
	case !passed && !ended:
		if !isTimeout(err) {
			c.err = err
		}
		return err // after the server's own deadline it may read again
	case c.idle():
		c.err = io.EOF
		return io.EOF
	case passed && c.inBody:
		return c.refuse(bodyTimeout)
	case passed:
		return c.refuse(headTimeout)
	case c.inBody:
		return c.refuse(bodyTruncated)
	}
	return c.refuse(headTruncated)
}
