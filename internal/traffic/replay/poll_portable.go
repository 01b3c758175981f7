package replay

import (
	"net"
	"time"
)

// portable is the poller of systems without epoll: a goroutine for each connection reads ahead. Its
// times have the resolution of the runtime's timers, and a write waits for slow readers.
type portable struct {
	events chan event
	woken  chan struct{}
	timer  *time.Timer
}

func newPortable() (poller, error) {
	p := &portable{events: make(chan event, 1024), woken: make(chan struct{}, 1), timer: time.NewTimer(time.Hour)}
	p.timer.Stop()
	return p, nil
}

// portableWriteMax is how long a write may wait.
const portableWriteMax = time.Second

func (p *portable) add(c net.Conn, id ident) (socket, error) {
	s := &portableSocket{p: p, conn: c, pieces: make(chan []byte, 1), used: make(chan struct{}, 1), quit: make(chan struct{})}
	go s.readAhead(id)
	return s, nil
}

func (p *portable) wait(list []event, d time.Duration) ([]event, error) {
	if d > 0 {
		p.timer.Reset(d)
		select {
		case e := <-p.events:
			list = append(list, e)
		case <-p.woken:
		case <-p.timer.C:
		}
		p.timer.Stop()
	}
	for {
		select {
		case e := <-p.events:
			list = append(list, e)
		default:
			return list, nil
		}
	}
}

func (p *portable) wake() {
	select {
	case p.woken <- struct{}{}:
	default: // it has been woken
	}
}

func (p *portable) close() {}

// portableSocket is a connection with the piece that was read last.
type portableSocket struct {
	p      *portable
	conn   net.Conn
	pieces chan []byte // what was read; closed at the end
	err    error       // why it ended; read after pieces is closed
	used   chan struct{}
	quit   chan struct{} // closed when reading ends
	piece  []byte
}

// readAhead reads until the connection ends. It waits for each piece to be used.
func (s *portableSocket) readAhead(id ident) {
	buf := make([]byte, keptMax)
	for {
		n, err := s.conn.Read(buf)
		if n > 0 {
			s.pieces <- buf[:n] // never waits: the last one was used
		}
		if err != nil {
			s.err = err
			close(s.pieces)
		}
		select {
		case s.p.events <- event{id, err != nil}:
		case <-s.quit:
			return
		}
		if err != nil {
			return
		}
		select {
		case <-s.used:
		case <-s.quit:
			return
		}
	}
}

func (s *portableSocket) read(b []byte) (int, error) {
	if len(s.piece) == 0 {
		select {
		case piece, more := <-s.pieces:
			if !more {
				return 0, s.err
			}
			s.piece = piece
		default:
			return 0, errAgain
		}
	}
	n := copy(b, s.piece)
	if s.piece = s.piece[n:]; len(s.piece) == 0 {
		s.used <- struct{}{}
	}
	return n, nil
}

func (s *portableSocket) write(b []byte) (int, error) {
	if err := s.conn.SetWriteDeadline(time.Now().Add(portableWriteMax)); err != nil {
		return 0, err
	}
	return s.conn.Write(b)
}

func (s *portableSocket) wantWrite(bool) error { return nil }

func (s *portableSocket) close() {
	_ = s.conn.Close()
	close(s.quit)
}
