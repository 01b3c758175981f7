package transport

import (
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// Listener accepts connections of HTTP. It shakes hands with many clients at once.
type Listener struct {
	net.Listener
	t      *Transport
	secure bool

	plain, http2 *queue
	wantsHTTP2   atomic.Bool
	begins       sync.Once
	handshakes   sync.WaitGroup
	closed       atomic.Bool
}

// queue hands connections to one server.
type queue struct {
	addr  net.Addr
	conns chan net.Conn
	close sync.Once
	done  chan struct{} // closed when there will be no more
	gone  chan struct{} // closed when the server takes no more
	err   error         // of Accept after done
}

func newQueue(addr net.Addr) *queue {
	return &queue{addr: addr, conns: make(chan net.Conn), done: make(chan struct{}), gone: make(chan struct{})}
}

// put hands a connection over, or closes it if the server takes no more.
func (q *queue) put(c net.Conn) {
	select {
	case q.conns <- c:
	case <-q.gone:
		_ = c.Close() // it says that nothing was read
	}
}

// Accept returns the next connection. All those that were accepted come before the error.
func (q *queue) Accept() (net.Conn, error) {
	select {
	case c := <-q.conns:
		return c, nil
	case <-q.done:
		return nil, q.err
	case <-q.gone:
		return nil, net.ErrClosed
	}
}

// Close ends the queue for its server. The socket stays open.
func (q *queue) Close() error {
	q.close.Do(func() { close(q.gone) })
	return nil
}

func (q *queue) Addr() net.Addr { return q.addr }

// Accept returns the next connection of HTTP/1.1. Before the first call, no connection is taken
// from the socket.
func (l *Listener) Accept() (net.Conn, error) {
	l.begins.Do(func() { go l.accept() })
	return l.plain.Accept()
}

// HTTP2 returns the listener for connections of HTTP/2, nil if there can't be any. Clients are
// offered HTTP/2 from the first call on: call it before Accept, or the first clients are not. Its
// It ends with l; closing it does not close l.
func (l *Listener) HTTP2() net.Listener {
	if !l.secure {
		return nil
	}
	l.wantsHTTP2.Store(true)
	return l.http2
}

// SetDeadline ends the listener at a time: the connections that are queued then are accepted first,
// and handshakes in progress get HandshakeGrace. After that Accept returns an error, for good.
func (l *Listener) SetDeadline(t time.Time) error {
	d, ok := l.Listener.(interface{ SetDeadline(time.Time) error })
	if !ok {
		return errors.ErrUnsupported
	}
	return d.SetDeadline(t)
}

// Close closes the socket. Handshakes in progress are cut.
func (l *Listener) Close() error {
	err := l.Listener.Close()
	if !l.closed.Swap(true) {
		_, _ = l.plain.Close(), l.http2.Close() // which can't fail
		l.t.progress.each(l, (*handshake).cut)
	}
	return err
}

// Times between attempts to accept, while the system refuses: it has no descriptors left, say.
const (
	retryFirst = 5 * time.Millisecond
	retryMax   = time.Second
)

// accept takes connections from the socket until that ends.
func (l *Listener) accept() {
	retry := retryFirst
	for {
		c, err := l.Listener.Accept()
		switch {
		case err == nil:
			retry = retryFirst
			l.begin(c)
		case isTimeout(err), errors.Is(err, net.ErrClosed), l.closed.Load():
			l.end(err)
			return
		default:
			l.t.options.Logger.Debug("a connection can't be accepted", "error", err)
			time.Sleep(retry)
			retry = min(2*retry, retryMax)
		}
	}
}

// begin begins the handshake of a connection.
func (l *Listener) begin(c net.Conn) {
	h := l.t.progress.enter(l, c)
	l.handshakes.Go(func() {
		defer l.t.progress.leave(h)
		conn, to, err := l.establish(c)
		if !l.t.progress.done(h) { // it was cut meanwhile, which is counted
			_ = c.Close()
			return
		}
		if err != nil {
			l.t.metrics.failed(err)
			l.t.options.Logger.Debug("a connection was refused before HTTP", "peer", c.RemoteAddr(), "error", err)
			_ = c.Close()
			return
		}
		to.put(conn)
	})
}

// end waits for handshakes in progress, and ends the queues.
func (l *Listener) end(err error) {
	l.t.progress.each(l, (*handshake).hurry)
	l.handshakes.Wait()
	for _, q := range []*queue{l.plain, l.http2} {
		q.err = err
		close(q.done)
	}
}

func isTimeout(err error) bool {
	var t net.Error
	return errors.As(err, &t) && t.Timeout()
}
