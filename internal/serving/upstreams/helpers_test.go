package upstreams

import (
	"bufio"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/certtest"
	"github.com/rtbwire/rtbwire/internal/serving/guard"
)

// limits of answers in tests.
var limits = &guard.Options{HeadBytes: 4096, Fields: 20, BodyBytes: 1 << 20}

// patience is how long tests wait for what should come.
const patience = 20 * time.Second

const (
	request = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n"
	ok      = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
)

// server is an upstream over real sockets whose connections a test plays.
type server struct {
	at     Location
	secure *tls.Config // of clients
	conns  chan net.Conn
}

// listen starts a server. The kind is tcp, unix or tls.
func listen(tb testing.TB, kind string) *server {
	tb.Helper()
	s := &server{conns: make(chan net.Conn, 16)}
	network, address := "tcp", "127.0.0.1:0"
	if kind == "unix" {
		folder, err := os.MkdirTemp("", "u") //nolint:usetesting // paths of sockets are short
		if err != nil {
			tb.Fatal(err)
		}
		tb.Cleanup(func() { os.RemoveAll(folder) })
		network, address = "unix", filepath.Join(folder, "s")
	}
	ln, err := net.Listen(network, address)
	if err != nil {
		tb.Fatal(err)
	}
	var name string
	switch kind {
	case "unix":
		name = "unix:" + address
	case "tls":
		name = "https://" + ln.Addr().String()
		authority := certtest.New(tb, "authority")
		leaf := authority.Sign(tb, []string{"127.0.0.1"})
		pair, err := tls.X509KeyPair(leaf.Certificate, leaf.Key)
		if err != nil {
			tb.Fatal(err)
		}
		ln = tls.NewListener(ln, &tls.Config{Certificates: []tls.Certificate{pair}, NextProtos: []string{"http/1.1"}, MinVersion: tls.VersionTLS12})
		s.at, s.secure = parse(tb, name, string(authority.PEM))
	default:
		name = "http://" + ln.Addr().String()
	}
	if s.secure == nil {
		s.at, s.secure = parse(tb, name, "")
	}
	tb.Cleanup(func() { ln.Close() })
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				close(s.conns)
				return
			}
			s.conns <- c
		}
	}()
	return s
}

func parse(tb testing.TB, name, authorities string) (Location, *tls.Config) {
	tb.Helper()
	at, err := Parse(name)
	if err != nil {
		tb.Fatal(err)
	}
	secure, err := at.TLS(authorities)
	if err != nil {
		tb.Fatal(err)
	}
	return at, secure
}

// connect returns both ends of a new connection. play is the server's end; it runs beside the test.
func (s *server) connect(tb testing.TB, play func(c net.Conn, r *bufio.Reader)) *Conn {
	tb.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		c, open := <-s.conns
		if !open {
			return
		}
		defer c.Close()
		c.SetDeadline(time.Now().Add(patience))
		if secure, ok := c.(*tls.Conn); ok {
			secure.Handshake() // the client knows if that fails
		}
		play(c, bufio.NewReader(c))
	}()
	c, err := s.at.Dial(s.secure, limits, patience)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		c.Close()
		<-done
	})
	return c.(*Conn)
}

// answer takes a request and answers it with a text. It reports the request's body.
func answer(c net.Conn, r *bufio.Reader, text string) (body string, err error) {
	req, err := http.ReadRequest(r)
	if err != nil {
		return "", err
	}
	b, err := io.ReadAll(req.Body)
	if err != nil {
		return "", err
	}
	_, err = io.WriteString(c, text)
	return string(b), err
}

// exchange does one exchange of a time, and returns the answer.
func exchange(c *Conn, took time.Duration, first, second string) (string, error) {
	if err := c.Begin(Now()+took, false); err != nil {
		return "", err
	}
	if err := c.Request([]byte(first), []byte(second)); err != nil {
		return "", err
	}
	return receive(c)
}

// receive reads an answer to its end.
func receive(c *Conn) (string, error) {
	var b strings.Builder
	p := make([]byte, 1000)
	for {
		n, err := c.Read(p)
		b.Write(p[:n])
		if c.answer.Done() || errors.Is(err, io.EOF) && c.answer.End() {
			return b.String(), nil
		}
		if err != nil {
			return b.String(), err
		}
	}
}

// eachKind runs a test over all kinds of sockets.
func eachKind(t *testing.T, test func(t *testing.T, s *server)) {
	t.Helper()
	for _, kind := range []string{"tcp", "unix", "tls"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			test(t, listen(t, kind))
		})
	}
}
