package main

import (
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// checkHeader asks the sink for the hash of the body, so that the lab sees that what was sent is
// what arrives.
const checkHeader = "X-Lab-Check"

// answer is what the sink sends: a body of 300 bytes.
var answer = func() []byte {
	const size = 300
	head, tail := `{"id":"1","seatbid":[{"bid":[{"id":"1","impid":"1","price":1.5,"adm":"`, `"}]}],"cur":"USD"}`
	body := head + strings.Repeat("x", size-len(head)-len(tail)) + tail
	return fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-Openrtb-Version: 2.6\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
}()

// The memory and the time of the sink.
const (
	sinkEvents  = 512
	sinkBacklog = 4096
	sinkRead    = 64 << 10
	sinkBodyMax = 1 << 20
)

// server is one loop over its connections: two system calls for each request, so that the upstream
// takes as little as possible of the processor that it shares with the generator.
type server struct {
	poll           int
	conns          map[int]*sinkConn
	delay, service time.Duration
	free           time.Time // when the one who serves is free again
	late           []owed    // answers that are due later, in order of time
	first          int       // of late
}

// sinkConn is a connection.
type sinkConn struct {
	fd   int
	in   []byte // of a request that is not complete
	skip int    // bytes of its body that were not read yet, when they are not needed
	born int    // tells connections of one descriptor apart
}

// owed is an answer that is due.
type owed struct {
	at   time.Time
	conn *sinkConn
	born int
	data []byte
}

// sink answers requests until it fails, with a socket of its own for each loop: the kernel deals
// connections out among them.
func sink(o *options) error {
	ended := make(chan error, 1)
	for range max(o.loops, 1) {
		go func() { ended <- sinkLoop(o) }()
	}
	return <-ended
}

// sinkLoop answers the requests of its connections.
func sinkLoop(o *options) error {
	address, err := netip.ParseAddrPort(o.listen)
	if err != nil {
		return err
	}
	listener, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	if err := unix.SetsockoptInt(listener, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1); err != nil {
		return err
	}
	if err := unix.SetsockoptInt(listener, unix.SOL_SOCKET, unix.SO_REUSEPORT, 1); err != nil {
		return err
	}
	if err := unix.Bind(listener, &unix.SockaddrInet4{Port: int(address.Port()), Addr: address.Addr().As4()}); err != nil {
		return &net.OpError{Op: "listen", Net: "tcp", Addr: net.TCPAddrFromAddrPort(address), Err: err}
	}
	if err := unix.Listen(listener, sinkBacklog); err != nil {
		return err
	}
	s := &server{conns: map[int]*sinkConn{}, delay: o.delay, service: o.service}
	if s.poll, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return err
	}
	if err := s.watch(listener); err != nil {
		return err
	}
	events, buffer := make([]unix.EpollEvent, sinkEvents), make([]byte, sinkRead)
	for {
		n, err := unix.EpollWait(s.poll, events, s.wait())
		if err != nil && !errors.Is(err, unix.EINTR) {
			return err
		}
		for i := range max(n, 0) {
			if fd := int(events[i].Fd); fd == listener {
				s.accept(listener)
			} else if c := s.conns[fd]; c != nil {
				s.read(c, buffer)
			}
		}
		s.pay()
	}
}

func (s *server) watch(fd int) error {
	return unix.EpollCtl(s.poll, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(fd)})
}

// accept takes all connections that wait.
func (s *server) accept(listener int) {
	for {
		fd, _, err := unix.Accept4(listener, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
		if err != nil {
			return
		}
		_ = unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1)
		if s.watch(fd) != nil {
			_ = unix.Close(fd)
			continue
		}
		s.conns[fd] = &sinkConn{fd: fd}
	}
}

func (s *server) drop(c *sinkConn) {
	delete(s.conns, c.fd)
	c.born++
	_ = unix.Close(c.fd)
}

// read takes what a connection has.
func (s *server) read(c *sinkConn, buffer []byte) {
	n, err := unix.Read(c.fd, buffer)
	switch {
	case errors.Is(err, unix.EAGAIN), errors.Is(err, unix.EINTR):
		return
	case err != nil, n == 0:
		s.drop(c)
		return
	}
	data := buffer[:n]
	if len(c.in) > 0 {
		c.in = append(c.in, data...)
		data = c.in
	}
	for len(data) > 0 {
		if c.skip > 0 {
			k := min(c.skip, len(data))
			c.skip -= k
			if data = data[k:]; c.skip == 0 {
				s.answer(c, answer)
			}
			continue
		}
		used, ok := s.request(c, data)
		if !ok {
			s.drop(c)
			return
		}
		if used == 0 {
			break
		}
		data = data[used:]
	}
	c.in = append(c.in[:0], data...)
}

var (
	endOfHead  = []byte("\r\n\r\n")
	lengthName = []byte("content-length:")
	checkName  = []byte("x-lab-check:")
)

// request takes one request from data, and returns how much of it was used: 0 for not enough. A
// request without a length is refused: every proxy here can send one.
func (s *server) request(c *sinkConn, data []byte) (used int, ok bool) {
	end := bytes.Index(data, endOfHead)
	if end < 0 {
		return 0, len(data) < sinkRead
	}
	length, check := -1, false
	for line := range bytes.Lines(data[:end+2]) {
		switch {
		case hasPrefixFold(line, lengthName):
			n, err := strconv.Atoi(string(bytes.TrimSpace(line[len(lengthName):])))
			if err != nil || n < 0 || n > sinkBodyMax {
				return 0, false
			}
			length = n
		case hasPrefixFold(line, checkName):
			check = true
		}
	}
	if length < 0 {
		return 0, false
	}
	head := end + len(endOfHead)
	have := len(data) - head
	switch {
	case have >= length && check:
		h := fnv.New64a()
		_, _ = h.Write(data[head : head+length]) // never fails
		sum := strconv.FormatUint(h.Sum64(), 16)
		s.answer(c, fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s", len(sum), sum))
		return head + length, true
	case have >= length:
		s.answer(c, answer)
		return head + length, true
	case check:
		return 0, true
	}
	c.skip = length - have
	return len(data), true
}

func hasPrefixFold(line, prefix []byte) bool {
	return len(line) >= len(prefix) && bytes.EqualFold(line[:len(prefix)], prefix)
}

// answer sends an answer, or notes when it is due.
func (s *server) answer(c *sinkConn, data []byte) {
	if s.delay == 0 && s.service == 0 {
		s.write(c, data)
		return
	}
	at := time.Now()
	if s.service > 0 {
		if s.free.Before(at) {
			s.free = at
		}
		s.free = s.free.Add(s.service)
		at = s.free
	}
	s.late = append(s.late, owed{at.Add(s.delay), c, c.born, data})
}

// write sends an answer. It is short, so that a socket always has room for it, unless the other
// side reads nothing.
func (s *server) write(c *sinkConn, data []byte) {
	if n, err := unix.Write(c.fd, data); err != nil || n < len(data) {
		s.drop(c)
	}
}

// pay sends the answers that are due.
func (s *server) pay() {
	if s.first == len(s.late) {
		return
	}
	now := time.Now()
	for ; s.first < len(s.late) && !s.late[s.first].at.After(now); s.first++ {
		if o := &s.late[s.first]; o.conn.born == o.born {
			s.write(o.conn, o.data)
		}
	}
	if s.first == len(s.late) || s.first > sinkBacklog {
		s.late = append(s.late[:0], s.late[s.first:]...)
		s.first = 0
	}
}

// wait is how long the loop may sleep, in milliseconds; -1 without an end. It is rounded up: a loop
// that turns until an answer is due would take the processor from the generator.
func (s *server) wait() int {
	if s.first == len(s.late) {
		return -1
	}
	return max(0, int((time.Until(s.late[s.first].at)+time.Millisecond-1)/time.Millisecond))
}
