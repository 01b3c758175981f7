package core

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/internal/cputime"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
)

// modeVariable makes this test binary a server, whose processor time can be told from the client's.
const modeVariable = "RTBWIRE_CORE_TEST_MODE"

func TestMain(m *testing.M) {
	mode := os.Getenv(modeVariable)
	if mode == "" {
		os.Exit(m.Run())
	}
	if err := childServer(mode); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// childServer answers as a core, or with the lines on its standard input up to an empty one, as the
// header field X-Line of the request says. It prints its address, and for each line after that the
// processor time that it has used.
func childServer(mode string) error {
	in := bufio.NewReader(os.Stdin)
	var bodies [][]byte
	for {
		body, err := in.ReadBytes('\n')
		if err != nil {
			return err
		}
		if body = bytes.TrimSpace(body); len(body) == 0 {
			break
		}
		bodies = append(bodies, body)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s, err := New(Config{BidShare: 1})
	if err != nil {
		return err
	}
	if mode == "bare" {
		s.http.Handler = func(ctx *fasthttp.RequestCtx) {
			n, err := fasthttp.ParseUint(ctx.Request.Header.Peek("X-Line"))
			if err != nil {
				panic(err)
			}
			json200(ctx, bodies[n])
		}
	}
	go s.Serve(l)
	fmt.Println(l.Addr())
	for {
		if _, err := in.ReadString('\n'); err != nil {
			return nil //nolint:nilerr // the parent has enough
		}
		fmt.Println(int64(cputime.Process()))
	}
}

// child is a server process.
type child struct {
	address string
	in      io.Writer
	out     *bufio.Reader
}

func startChild(t *testing.T, mode string, list []exchange) *child {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), modeVariable+"="+mode)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close() // which ends it
		_ = cmd.Wait()
	})
	c := &child{in: in, out: bufio.NewReader(out)}
	for _, e := range list {
		fmt.Fprintf(in, "%s\n", e.response)
	}
	fmt.Fprintln(in)
	c.address = c.line(t)
	return c
}

func (c *child) line(t *testing.T) string {
	t.Helper()
	text, err := c.out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(text)
}

// exchange is a request, with its head, and the body of its response.
type exchange struct{ request, response []byte }

// exchanges returns the requests that a core bids on, with its responses.
func exchanges(t *testing.T, requests [][]byte) (list []exchange) {
	t.Helper()
	var b Bidder
	for _, request := range requests {
		req, err := openrtb.Parse(request)
		if err != nil {
			continue
		}
		d := drawsOf(0, req.ID)
		d.unit() // as the server draws them: the latency, then the outcome
		d.unit()
		d.unit()
		if response, ok := b.append(nil, req, &d); ok {
			text := fmt.Appendf(nil, "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nX-Line: %d\r\nContent-Length: %d\r\n\r\n%s",
				len(list), len(request), request)
			list = append(list, exchange{text, response})
		}
	}
	return list
}

// cpu returns how much processor time the server takes for n requests on some connections.
func (c *child) cpu(t *testing.T, list []exchange, n int) time.Duration {
	t.Helper()
	used := func() (d time.Duration) {
		fmt.Fprintln(c.in)
		if _, err := fmt.Sscan(c.line(t), (*int64)(&d)); err != nil {
			t.Fatal(err)
		}
		return d
	}
	const connections = 64
	before := used()
	var group sync.WaitGroup
	for from := range connections {
		group.Go(func() {
			conn, err := net.Dial("tcp", c.address)
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			buf := make([]byte, 64<<10)
			for i := range n / connections {
				e := &list[(i*connections+from)%len(list)]
				if _, err := conn.Write(e.request); err != nil {
					t.Error(err)
					return
				}
				for have := 0; !bytes.HasSuffix(buf[:have], e.response); {
					k, err := conn.Read(buf[have:])
					if have += k; err != nil {
						t.Errorf("%v after %q", err, buf[:have])
						return
					}
				}
			}
		})
	}
	group.Wait()
	return used() - before
}

// TestCost compares the processor time of a request with that of a bare fasthttp server that
// answers the same bytes: at least 0.8 of its rate with an ordinary request of one impression. The
// corpus has native ads, whose requests and answers are documents of their own. The app request
// takes about as long to decode as the server needs for the rest; it is measured for the
// documentation only. A ratio like this needs a quiet machine and the fast decoder, so no ordinary
// run asks for it.
func TestCost(t *testing.T) {
	if !testkit.Long(t) || testkit.Race {
		t.Skip("a measurement: RTBWIRE_LONG=1, without the race detector")
	}
	file := func(name string) [][]byte {
		text, err := os.ReadFile(testkit.Path(t, name))
		if err != nil {
			t.Fatal(err)
		}
		return [][]byte{bytes.TrimSpace(text)}
	}
	const n = 640_000 // requests of each row
	for _, tt := range []struct {
		name     string
		requests [][]byte
		least    float64 // of the bare server's rate
	}{
		{"banner, 800 bytes", file("testdata/bench/banner.json"), 0.8},
		{"corpus, 550 bytes", testkit.Requests(t), 0.65},
		{"app, 4.4 KB with three impressions", file("testdata/bench/app.json"), 0},
	} {
		list := exchanges(t, tt.requests)
		bare, core := startChild(t, "bare", list), startChild(t, "core", nil)
		// In turns, so that both meet the same disturbances; more of them if it is close.
		var b, c time.Duration
		const rounds = 10
		for round := 0; round < rounds || float64(b) < tt.least*float64(c) && round < 6*rounds; round++ {
			b += bare.cpu(t, list, n/rounds)
			c += core.cpu(t, list, n/rounds)
		}
		t.Logf("%s: bare %v, core %v: %.2f of the rate", tt.name, b, c, float64(b)/float64(c))
		if float64(b) < tt.least*float64(c) {
			t.Errorf("%s: %.2f of the bare server's rate, want %v", tt.name, float64(b)/float64(c), tt.least)
		}
	}
}
