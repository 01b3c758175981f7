package replay

import (
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// epoll is the poller of Linux. The runtime's own rounds times up to milliseconds, and a wait in it
// takes two more system calls for each answer, so connections are taken from it.
type epoll struct {
	fd, timer, waker int
	events           [eventsMax]unix.EpollEvent
}

// eventsMax is how many events one wait returns.
const eventsMax = 128

// The indexes of the two descriptors that are not connections.
const (
	indexTimer = -1
	indexWaker = -2
)

// spinMax is the longest wait that is not worth a system call to set the timer.
const spinMax = 2 * time.Microsecond

func newPoller() (poller, error) {
	p := &epoll{fd: -1, timer: -1, waker: -1}
	var err error
	if p.fd, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err == nil {
		p.timer, err = unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	}
	if err == nil {
		p.waker, err = unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC)
	}
	for fd, index := range map[int]int32{p.timer: indexTimer, p.waker: indexWaker} {
		if err == nil {
			// Edge-triggered, so they need not be read.
			err = p.control(unix.EPOLL_CTL_ADD, fd, unix.EPOLLIN|unix.EPOLLET, ident{index: index})
		}
	}
	if err != nil {
		p.close()
		return nil, fmt.Errorf("replay: cannot wait for connections: %w", err)
	}
	return p, nil
}

func (p *epoll) control(op, fd int, events uint32, id ident) error {
	return unix.EpollCtl(p.fd, op, fd, &unix.EpollEvent{Events: events, Fd: id.index, Pad: id.generation})
}

func (p *epoll) add(c net.Conn, id ident) (socket, error) {
	defer c.Close()
	raw, err := c.(syscall.Conn).SyscallConn()
	if err != nil {
		return nil, err
	}
	s := &epollSocket{p: p, id: id}
	control := raw.Control(func(fd uintptr) { s.fd, err = unix.FcntlInt(fd, unix.F_DUPFD_CLOEXEC, 0) })
	if err := errors.Join(control, err); err != nil {
		return nil, err
	}
	if err := p.control(unix.EPOLL_CTL_ADD, s.fd, socketEvents, id); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (p *epoll) wait(list []event, d time.Duration) ([]event, error) {
	ms := 0
	if d > spinMax {
		ms = -1
		spec := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(d))}
		if err := unix.TimerfdSettime(p.timer, 0, &spec, nil); err != nil {
			return list, err
		}
	}
	n, err := unix.EpollWait(p.fd, p.events[:], ms)
	if err != nil && err != unix.EINTR {
		return list, err
	}
	for i := range p.events[:max(n, 0)] {
		e := &p.events[i]
		if e.Fd >= 0 {
			hangup := e.Events&(unix.EPOLLRDHUP|unix.EPOLLHUP|unix.EPOLLERR) != 0
			list = append(list, event{ident{e.Fd, e.Pad}, hangup})
		}
	}
	return list, nil
}

func (p *epoll) wake() {
	one := [8]byte{1, 0, 0, 0, 0, 0, 0, 1}                 // not 0 in either byte order
	if _, err := unix.Write(p.waker, one[:]); err != nil { // full: it has been woken
		return
	}
}

func (p *epoll) close() {
	for _, fd := range [...]int{p.fd, p.timer, p.waker} {
		if fd >= 0 {
			_ = unix.Close(fd) // there is nothing to be done about it
		}
	}
}

// socketEvents are edges: an event says that something has changed, and comes once.
const socketEvents = unix.EPOLLIN | unix.EPOLLRDHUP | unix.EPOLLET

// epollSocket is a connection in non-blocking mode.
type epollSocket struct {
	p  *epoll
	id ident
	fd int
}

func (s *epollSocket) read(b []byte) (int, error) {
	for {
		n, err := unix.Read(s.fd, b)
		switch {
		case err == unix.EINTR:
		case err == unix.EAGAIN:
			return 0, errAgain
		case err != nil:
			return 0, err
		case n == 0:
			return 0, io.EOF
		default:
			return n, nil
		}
	}
}

func (s *epollSocket) write(b []byte) (int, error) {
	for {
		n, err := unix.Write(s.fd, b)
		switch {
		case err == unix.EINTR:
		case err == unix.EAGAIN:
			return 0, nil
		case err != nil:
			return 0, err
		default:
			return n, nil
		}
	}
}

func (s *epollSocket) wantWrite(on bool) error {
	events := uint32(socketEvents)
	if on {
		events |= unix.EPOLLOUT
	}
	return s.p.control(unix.EPOLL_CTL_MOD, s.fd, events, s.id)
}

func (s *epollSocket) close() { _ = unix.Close(s.fd) }
