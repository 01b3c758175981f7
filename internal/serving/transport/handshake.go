package transport

import (
	"container/list"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

// progress knows the handshakes that are in progress, and bounds them.
type progress struct {
	timeout, grace time.Duration

	slots chan struct{}
	mu    sync.Mutex
	list  list.List // of *handshake, the oldest first
}

// handshake is one in progress.
type handshake struct {
	listener *Listener
	conn     net.Conn
	begun    time.Time
	until    time.Time
	place    *list.Element // nil when it is not in progress any more
}

func (p *progress) init(o *Options) {
	p.timeout, p.grace, p.slots = o.HandshakeTimeout, o.HandshakeGrace, make(chan struct{}, o.HandshakesMax)
}

// enter notes a handshake, once there are fewer than the limit.
func (p *progress) enter(l *Listener, c net.Conn) *handshake {
	for {
		select {
		case p.slots <- struct{}{}:
			return p.add(l, c)
		default:
		}
		wait := time.NewTimer(p.evict())
		select {
		case p.slots <- struct{}{}:
			wait.Stop()
			return p.add(l, c)
		case <-wait.C:
		}
	}
}

func (p *progress) add(l *Listener, c net.Conn) *handshake {
	p.mu.Lock()
	defer p.mu.Unlock()
	h := &handshake{listener: l, conn: c, begun: time.Now()}
	h.until = h.begun.Add(p.timeout)
	_ = c.SetDeadline(h.until) // on a closed connection, which the handshake will notice
	h.place = p.list.PushBack(h)
	return h
}

// evict cuts the oldest handshake if it has taken too long while others wait. It returns how
// long to wait for room.
func (p *progress) evict() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	first := p.list.Front()
	if first == nil { // all are done, and wait for their server
		return p.grace
	}
	h := first.Value.(*handshake)
	if left := p.grace - time.Since(h.begun); left > 0 {
		return left
	}
	p.remove(h)
	h.listener.t.metrics.handshakes.WithLabelValues(resultCut).Inc()
	h.cut()
	return p.grace
}

// remove takes a handshake from the list.
func (p *progress) remove(h *handshake) {
	p.list.Remove(h.place)
	h.place = nil
}

// done notes that a handshake is over. It reports false if that was cut meanwhile. Otherwise the
// connection has no deadline any more.
func (p *progress) done(h *handshake) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if h.place == nil {
		return false
	}
	p.remove(h)
	_ = h.conn.SetDeadline(time.Time{}) // on a closed connection, which its server will notice
	return true
}

// leave ends a handshake, so that another may begin.
func (p *progress) leave(*handshake) { <-p.slots }

// each calls a function for all handshakes of a listener.
func (p *progress) each(l *Listener, do func(*handshake)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for e := p.list.Front(); e != nil; e = e.Next() {
		if h := e.Value.(*handshake); h.listener == l {
			do(h)
		}
	}
}

// count returns how many handshakes are in progress.
func (p *progress) count() int { return len(p.slots) }

// cut ends a handshake.
func (h *handshake) cut() { _ = h.conn.Close() } // nothing is lost

// hurry gives a handshake little time.
func (h *handshake) hurry() {
	if soon := time.Now().Add(h.listener.t.options.HandshakeGrace); soon.Before(h.until) {
		h.until = soon
		_ = h.conn.SetDeadline(soon)
	}
}

// establish does what comes before HTTP, and says which server the connection is for.
func (l *Listener) establish(c net.Conn) (net.Conn, *queue, error) {
	if l.t.expectsHeader(c.RemoteAddr()) {
		var err error
		if c, err = readHeader(c); err != nil {
			return nil, nil, &headerError{err}
		}
		l.t.metrics.headers.WithLabelValues(resultDone).Inc()
	}
	if !l.secure {
		return c, l.plain, nil
	}
	secure := tls.Server(c, l.t.certificates.config(l.wantsHTTP2.Load()))
	if err := secure.HandshakeContext(context.Background()); err != nil { // the connection has a deadline
		answerPlain(err)
		return nil, nil, err
	}
	state := secure.ConnectionState()
	l.t.metrics.established(&state)
	if state.NegotiatedProtocol == protocolHTTP2 {
		return secure, l.http2, nil
	}
	return secure, l.plain, nil
}

// notTLS answers a request without TLS, so that its sender sees what is wrong.
const notTLS = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"

// answerMax bounds what is read after the answer, so that the system delivers it.
const answerMax = 64 << 10

// answerPlain answers a client that speaks HTTP without TLS. The handshake's deadline applies.
func answerPlain(err error) {
	var record tls.RecordHeaderError
	if !errors.As(err, &record) || record.Conn == nil || !looksLikeHTTP(record.RecordHeader) {
		return
	}
	if _, err := io.WriteString(record.Conn, notTLS); err != nil {
		return
	}
	if half, ok := record.Conn.(interface{ CloseWrite() error }); ok && half.CloseWrite() == nil {
		_, _ = io.CopyN(io.Discard, record.Conn, answerMax) // until the client closes
	}
}

// looksLikeHTTP reports whether the first bytes of a connection begin an HTTP request.
func looksLikeHTTP(b [5]byte) bool {
	for _, c := range b {
		if (c < 'A' || c > 'Z') && c != ' ' && c != '/' && c != '*' {
			return false
		}
	}
	return true
}
