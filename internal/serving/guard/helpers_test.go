package guard

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"regexp"
	"slices"
	"testing"
	"time"
)

// limits are small ones, so that cases are small too.
var limits = Options{HeadBytes: 1024, Fields: 20, TargetBytes: 512, BodyBytes: 1000, LingerTimeout: time.Second}

// script is a connection that delivers what it is told to, one piece a Read.
type script struct {
	net.Conn // nil: every other method panics

	pieces    []string
	then      error  // after the last piece, io.EOF by default
	onRead    func() // called once
	written   bytes.Buffer
	halves    int // calls of CloseWrite
	closes    int
	lingered  int // bytes read after CloseWrite
	deadlines []time.Time
}

func (s *script) Read(p []byte) (int, error) {
	if s.onRead != nil {
		s.onRead()
		s.onRead = nil
	}
	if len(s.pieces) == 0 {
		if s.then != nil {
			return 0, s.then
		}
		return 0, io.EOF
	}
	n := copy(p, s.pieces[0])
	if s.pieces[0] = s.pieces[0][n:]; s.pieces[0] == "" {
		s.pieces = s.pieces[1:]
	}
	if s.halves > 0 {
		s.lingered += n
	}
	return n, nil
}

func (s *script) Write(p []byte) (int, error)       { return s.written.Write(p) }
func (s *script) CloseWrite() error                 { s.halves++; return nil }
func (s *script) Close() error                      { s.closes++; return nil }
func (s *script) SetReadDeadline(t time.Time) error { s.deadlines = append(s.deadlines, t); return nil }
func (s *script) SetWriteDeadline(time.Time) error  { return nil }

// mustGuard returns a guard that adds the codes of its refusals to codes.
func mustGuard(tb testing.TB, o Options, codes *[]string) *Guard {
	tb.Helper()
	if codes != nil {
		o.OnRefuse = func(code string, _ int) { *codes = append(*codes, code) }
	}
	g, err := New(o)
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

const okAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

// outcome is what came of a connection.
type outcome struct {
	handed  string
	answers int // of the server
	written string
	codes   []string
	err     error
	conn    *Conn
	script  *script
}

// serve reads a connection to its end with a buffer of the given size, and answers each message
// when it is complete.
func serve(tb testing.TB, o Options, size int, pieces []string) (out outcome) {
	tb.Helper()
	out.script = &script{pieces: slices.Clone(pieces)}
	c := mustGuard(tb, o, &out.codes).Conn(out.script)
	out.conn = c
	var handed []byte
	p, zeros := make([]byte, size), make([]byte, size)
	for {
		clear(p)
		n, err := c.Read(p)
		handed = append(handed, p[:n]...)
		if !bytes.Equal(p[n:], zeros[n:]) {
			tb.Errorf("Read returned %d and left %q in the buffer", n, p[n:])
		}
		if err != nil {
			out.err = err
			break
		}
		if !c.Unread() {
			out.answers++
			if _, err := io.WriteString(c, okAnswer); err != nil {
				tb.Errorf("Write: %v", err)
			}
		}
	}
	out.handed, out.written = string(handed), out.script.written.String()
	if n, err := c.Read(p); n != 0 || err == nil {
		tb.Errorf("Read after %v: %d, %v", out.err, n, err)
	}
	return out
}

// ways is the number of ways of split.
const ways = 5

// split cuts a text in one of several ways: not at all, in bytes, in short and in long pieces.
func split(text string, way int, r *rand.Rand) (pieces []string) {
	for len(text) > 0 {
		n := len(text)
		switch way {
		case 0:
		case 1:
			n = 1
		default:
			n = 1 + r.IntN(min(n, 1<<(2*way)))
		}
		pieces, text = append(pieces, text[:n]), text[n:]
	}
	return pieces
}

// connKey is the key of a server's connection in its requests' contexts.
type connKey struct{}

func withConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// packageTable returns the rows of the table in the package's comment, code and status.
func packageTable(t *testing.T) (rows []string) {
	t.Helper()
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, match := range regexp.MustCompile(`(?m)^//\t([a-z]+\.\S+) +(\d+) +\S`).FindAllStringSubmatch(string(text), -1) {
		rows = append(rows, match[1]+" "+match[2])
	}
	return rows
}

// pair returns two ends of a TCP connection.
func pair(tb testing.TB) (client *net.TCPConn, server net.Conn) {
	tb.Helper()
	l := listen(tb)
	client = dial(tb, l)
	server, err := l.Accept()
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = server.Close() })
	return client, server
}

func listen(tb testing.TB) net.Listener {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = l.Close() })
	return l
}

// dial connects to a listener. Tests that hang end after some time.
func dial(tb testing.TB, l net.Listener) *net.TCPConn {
	tb.Helper()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = c.Close() })
	if err := c.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		tb.Fatal(err)
	}
	return c.(*net.TCPConn)
}
