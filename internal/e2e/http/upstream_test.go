package http

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// upstream is a server of the test that keeps the bytes it gets. It reads requests in the one way
// that the gateway is allowed to write them, and notes everything else as a fault.
type upstream struct {
	net.Listener
	t      *testing.T
	handle func(c net.Conn, got *message) (keep bool)

	mu       sync.Mutex
	messages []*message
	forgets  bool // keeps no messages: there are too many
	faults   []string
	conns    map[net.Conn]struct{}
	accepted int
	closing  bool
}

// message is a request as it came.
type message struct {
	head string // with the empty line
	body []byte
	conn int // the number of the connection
}

const answerBody = `{"id":"answer","seatbid":[]}`

// answer is a complete answer of an upstream.
func answer(body string, fields ...string) string {
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\n\r\n%s", strings.Join(fields, ""), len(body), body)
}

// answers returns a handler that writes some text, and keeps the connection or not.
func answers(text string, keep bool) func(net.Conn, *message) bool {
	return func(c net.Conn, _ *message) bool {
		_, err := io.WriteString(c, text)
		return keep && err == nil
	}
}

// newUpstream starts an upstream. Without a function it answers with answerBody.
func newUpstream(t *testing.T, handle func(c net.Conn, got *message) bool) *upstream {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if handle == nil {
		handle = answers(answer(answerBody), true)
	}
	u := &upstream{Listener: ln, t: t, handle: handle, conns: map[net.Conn]struct{}{}}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			u.mu.Lock()
			u.accepted++
			n := u.accepted
			closing := u.closing
			u.conns[c] = struct{}{}
			u.mu.Unlock()
			if closing {
				_ = c.Close()
			}
			all.Go(func() { u.serve(c, n) })
		}
	})
	t.Cleanup(func() {
		_ = ln.Close()
		u.mu.Lock()
		u.closing = true
		for c := range u.conns {
			_ = c.Close()
		}
		u.mu.Unlock()
		all.Wait()
		for _, fault := range u.faults {
			t.Errorf("the upstream: %s", fault)
		}
	})
	return u
}

func (u *upstream) url() string { return "http://" + u.Addr().String() }

// serve reads requests of a connection.
func (u *upstream) serve(c net.Conn, n int) {
	defer func() {
		_ = c.Close()
		u.mu.Lock()
		delete(u.conns, c)
		u.mu.Unlock()
	}()
	r := bufio.NewReader(c)
	for {
		m, err := readMessage(r)
		if m != nil {
			m.conn = n
			u.mu.Lock()
			if !u.forgets {
				u.messages = append(u.messages, m)
			}
			u.mu.Unlock()
		}
		switch {
		case err != nil && err != io.EOF:
			u.fault("%v", err)
			return
		case err != nil:
			return
		}
		if !u.handle(c, m) {
			return
		}
	}
}

func (u *upstream) fault(format string, args ...any) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !u.closing {
		u.faults = append(u.faults, fmt.Sprintf(format, args...))
	}
}

// forget has the upstream keep no requests; its handler has to look at them.
func (u *upstream) forget() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.forgets = true
}

// take returns the requests since the last call.
func (u *upstream) take() []*message {
	u.mu.Lock()
	defer u.mu.Unlock()
	list := u.messages
	u.messages = nil
	return list
}

// connections is how many connections were accepted.
func (u *upstream) connections() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.accepted
}

// forbidden are fields that never go on.
var forbidden = map[string]bool{
	"transfer-encoding": true, "connection": true, "keep-alive": true, "te": true, "trailer": true, "upgrade": true,
	"expect": true, "proxy-connection": true, "proxy-authorization": true,
}

// readMessage reads a request strictly. The end of the connection between two requests is io.EOF;
// one in the middle of a request, which happens when the gateway gives up, is too.
func readMessage(r *bufio.Reader) (*message, error) {
	var head strings.Builder
	length := -1
	seen := map[string]int{}
	for first := true; ; first = false {
		line, err := r.ReadString('\n')
		if err != nil {
			return nil, io.EOF // nothing, or a part: the gateway has closed
		}
		head.WriteString(line)
		text, ok := strings.CutSuffix(line, "\r\n")
		if !ok || strings.ContainsAny(text, "\r\n\x00") {
			return nil, fmt.Errorf("a line that does not end with CRLF alone: %q", line)
		}
		switch {
		case first:
			if method, _, _ := strings.Cut(text, " "); (method != "POST" && method != "GET") || !strings.HasSuffix(text, " HTTP/1.1") {
				return nil, fmt.Errorf("no request line: %.200q", line)
			}
			continue
		case text == "":
			if length < 0 && strings.HasPrefix(head.String(), "GET ") {
				length = 0
			}
			if length < 0 || seen["host"] != 1 || seen["content-length"] > 1 {
				return nil, fmt.Errorf("the framing is not clear: %q", head.String())
			}
			m := &message{head: head.String(), body: make([]byte, length)}
			if _, err := io.ReadFull(r, m.body); err != nil {
				return nil, io.EOF
			}
			return m, nil
		}
		name, value, ok := strings.Cut(text, ":")
		name = strings.ToLower(name)
		seen[name]++
		if !ok || name != strings.TrimSpace(name) || name == "" || forbidden[name] {
			return nil, fmt.Errorf("a field that never goes on: %q", line)
		}
		if name == "content-length" {
			n, err := strconv.Atoi(strings.TrimSpace(value))
			if err != nil || n < 0 {
				return nil, fmt.Errorf("not a length: %q", line)
			}
			length = n
		}
	}
}

// field returns the values of a field, with commas between them.
func (m *message) field(name string) string {
	var values []string
	for line := range strings.SplitSeq(m.head, "\r\n") {
		if n, value, ok := strings.Cut(line, ":"); ok && strings.EqualFold(n, name) {
			values = append(values, strings.TrimSpace(value))
		}
	}
	return strings.Join(values, ",")
}

// is reports whether a body is the one that was sent.
func (m *message) is(body string) bool { return bytes.Equal(m.body, []byte(body)) }
