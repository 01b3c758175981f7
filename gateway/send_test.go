package gateway

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"time"
)

// TestEarlyDeadline answers later than the deadline of an exchange before on the same connection,
// which was shorter: the later one has its own time.
func TestEarlyDeadline(t *testing.T) {
	var wait atomic.Int64
	up := newCore(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		time.Sleep(time.Duration(wait.Load()))
		io.WriteString(w, answered)
	})
	g := start(t, Options{Upstreams: At(up.URL), UpstreamTimeout: 30 * time.Second})
	g.post(t, PathDefault, withTMax(good(t), 400)) // which may be too slow for a busy machine
	wait.Store(int64(600 * time.Millisecond))
	if r := g.post(t, PathDefault, good(t)); r.status != 200 {
		t.Errorf("%+v", r)
	}
}

// TestLargeBodies sends bodies larger than what is written at once, and than what sockets hold, to
// a core that begins to read late.
func TestLargeBodies(t *testing.T) {
	for _, size := range []int{sendMax - 400, sendMax, sendMax + 1, 100_000, 16 << 20} {
		body := noise(size)
		got := make(chan []byte, 1)
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		late := make(chan struct{})
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			<-late
			text, err := io.ReadAll(r.Body)
			if err != nil {
				t.Error(err)
			}
			got <- text
			io.WriteString(w, answered)
		})}
		go server.Serve(ln)
		g := start(t, Options{Upstreams: At("http://" + ln.Addr().String()), UpstreamTimeout: 30 * time.Second, BodyMax: 32 << 20, BodyTimeout: 30 * time.Second, Passthrough: []Passthrough{{Path: "/win", Method: "POST"}}})
		go func() {
			for g.overload.inFlight.Load() == 0 {
				time.Sleep(time.Millisecond)
			}
			close(late)
		}()
		if r := g.post(t, "/win", body); r.status != 200 || r.body != answered {
			t.Errorf("%d bytes: %+v", len(body), r)
		} else if !bytes.Equal(<-got, body) {
			t.Errorf("%d bytes: the core got others", len(body))
		}
		server.Close()
	}
}

// TestWriteTimeout wants the connection of a client cut that does not read its answer.
func TestWriteTimeout(t *testing.T) {
	eachPlane(t, testWriteTimeout)
}

func testWriteTimeout(t *testing.T, serve func(Options) *started) {
	up := newCore(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) { w.Write(make([]byte, 32<<20)) })
	g := serve(Options{Upstreams: At(up.URL), ResponseMax: 64 << 20, UpstreamTimeout: 30 * time.Second, WriteTimeout: 50 * time.Millisecond})
	c := g.dial(t)
	ok := string(good(t))
	c.write(t, fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", PathDefault, len(ok), ok))
	waitFor(t, "the request", func() bool { return g.conns.count() == 1 })
	waitFor(t, "the end of the connection", func() bool { return g.conns.count() == 0 })
}

// TestHexDigits compares with package fmt.
func TestHexDigits(t *testing.T) {
	for i := range uint32(100_000) {
		n := i * 2654435761 // all digits in all places
		if got := binary.BigEndian.AppendUint64(nil, hexDigits(n)); string(got) != fmt.Sprintf("%08x", n) {
			t.Fatalf("%08x: %s", n, got)
		}
	}
}
