package gateway

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/testkit"
)

// A pipeline is a connection on which requests come one after the other, without waiting for the
// answers. The model of a gateway is the list of what each piece of a pipeline does.

// piece is a request, good or bad, in a pipeline.
type piece struct {
	text     string
	status   int    // of its answer
	forwards string // the id that the core gets; "" if it gets nothing
	closes   bool   // the connection ends with the answer
	whole    bool   // a part of it is a message without its end
}

// pieces are the kinds of a pipeline's requests. Each function makes one of number n.
var pieces = []func(body string, n int, r *rand.Rand) piece{
	func(body string, n int, _ *rand.Rand) piece { // good
		return piece{post("", body), 200, id(n), false, true}
	},
	func(body string, n int, r *rand.Rand) piece { // good, in chunks
		return piece{postHead("Transfer-Encoding: chunked\r\n") + inChunks(body, r), 200, id(n), false, true}
	},
	func(body string, n int, _ *rand.Rand) piece { // good, and asks first
		return piece{post("Expect: 100-continue\r\n", body), 200, id(n), false, true}
	},
	func(body string, n int, _ *rand.Rand) piece { // good, and the last
		return piece{post("Connection: close\r\n", body), 200, id(n), true, true}
	},
	func(body string, n int, _ *rand.Rand) piece { // good, with the look of another request in it
		return piece{post("", strings.Replace(body, "{", "{\r\n\r\n"+strings.Repeat(" ", n), 1)), 200, id(n), false, true}
	},
	fixed(post("", `{"id":"1","imp":[]}`), 204, false),
	fixed(post("", `{"id":`), 400, false),
	fixed(post("", `POST /openrtb2/auction HTTP/1.1`+"\r\n\r\n"), 400, false),
	fixed(post("Content-Type: text/plain\r\n", `{}`), 415, false),
	fixed("POST /other HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}", 404, false),
	fixed("GET /openrtb2/auction HTTP/1.1\r\nHost: x\r\n\r\n", 405, false),
	fixed("GET /status HTTP/1.1\r\nHost: x\r\n\r\n", 200, false),
	fixed("GET /status?a=b HTTP/1.1\r\nHost: x\r\nX: y\r\n\r\n", 200, false),
	// What follows on the connection is never looked at.
	fixed(postHead("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n")+"0\r\n\r\n", 400, true),
	fixed(postHead("Content-Length: 5\r\nContent-Length: 6\r\n")+"abcde", 400, true),
	fixed(postHead("Transfer-Encoding: chunked, chunked\r\n")+"0\r\n\r\n", 400, true),
	fixed(postHead("Transfer-Encoding: chunked\r\n")+"0x5\r\nabcde\r\n0\r\n\r\n", 400, true),
	fixed(postHead("Transfer-Encoding: chunked\r\n")+"5;a\nabcde\r\n0\r\n\r\n", 400, true),
	fixed(postHead("Content-Length : 5\r\n")+"abcde", 400, true),
	fixed(postHead("X: a\r\n b\r\n"), 400, true),
	fixed("\r\nGET /status HTTP/1.1\r\nHost: x\r\n\r\n", 400, true),
	fixed("GET /status HTTP/1.1\nHost: x\n\n", 400, true),
	fixed("GET /status HTTP/1.1\r\n\r\n", 400, true),
	fixed("GET /status HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx", 400, true),
	fixed("GET /status HTTP/2.0\r\nHost: x\r\n\r\n", 505, true),
	fixed("CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n", 405, true),
	fixed(postHead("Content-Length: 99999999\r\n"), 413, true),
	fixed(postHead("Transfer-Encoding: chunked\r\n")+"fffffff\r\n", 413, true),
	fixed(postHead("X: "+strings.Repeat("x", 17<<10)+"\r\n"), 431, true),
}

// fixed is a piece that is the same each time, and does not reach the core.
func fixed(text string, status int, closes bool) func(string, int, *rand.Rand) piece {
	return func(string, int, *rand.Rand) piece { return piece{text, status, "", closes, !closes} }
}

func postHead(fields string) string {
	return "POST " + PathDefault + " HTTP/1.1\r\nHost: x\r\n" + fields + "\r\n"
}

func post(fields, body string) string {
	return postHead(fmt.Sprintf("%sContent-Length: %d\r\n", fields, len(body))) + body
}

// inChunks is a chunked body.
func inChunks(body string, r *rand.Rand) string {
	var b strings.Builder
	for len(body) > 0 {
		n := 1 + r.IntN(len(body))
		fmt.Fprintf(&b, "%x\r\n%s\r\n", n, body[:n])
		body = body[n:]
	}
	return b.String() + "0\r\n\r\n"
}

func id(n int) string { return fmt.Sprintf("pipelined-%d", n) }

// modeled is what the model says about a pipeline.
type modeled struct {
	text     string
	statuses []int
	forwards []string
}

// pipeline makes a pipeline of choices. Cut is how many bytes of the last piece are missing, if a
// part of that is not a message.
func pipeline(choices []byte, cut int, body func(id string) string, r *rand.Rand) (m modeled) {
	open := true
	for n, choice := range choices {
		p := pieces[int(choice)%len(pieces)](body(id(n)), n, r)
		if n == len(choices)-1 && p.whole && cut%len(p.text) > 0 {
			p = piece{text: p.text[:len(p.text)-cut%len(p.text)], status: 400, closes: true}
		}
		m.text += p.text
		if !open {
			continue
		}
		open = !p.closes
		m.statuses = append(m.statuses, p.status)
		if p.forwards != "" {
			m.forwards = append(m.forwards, p.forwards)
		}
	}
	return m
}

// exchangePipeline sends a pipeline in parts, and returns the statuses of the answers.
func (s *started) exchangePipeline(text string, r *rand.Rand) (statuses []int, err error) {
	c, err := net.Dial("tcp", s.addr)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	var parts []string
	for len(text) > 0 {
		n := min(len(text), 1+r.IntN(1+r.IntN(3000)))
		parts, text = append(parts, text[:n]), text[n:]
	}
	go func() {
		for _, part := range parts {
			if _, err := io.WriteString(c, part); err != nil {
				return // the gateway has closed, which is for the model to say
			}
		}
		c.(*net.TCPConn).CloseWrite()
	}()
	c.SetReadDeadline(time.Now().Add(time.Minute))
	answers := bufio.NewReader(c)
	for {
		if _, err := answers.Peek(1); err != nil {
			// Reset: what came after the last answer was not read.
			if errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) {
				err = nil
			}
			return statuses, err
		}
		a, err := http.ReadResponse(answers, nil)
		if err != nil {
			return statuses, fmt.Errorf("answer %d: %w", len(statuses), err)
		}
		if _, err := io.Copy(io.Discard, a.Body); err != nil {
			return statuses, fmt.Errorf("answer %d: %w", len(statuses), err)
		}
		if a.StatusCode >= 200 {
			statuses = append(statuses, a.StatusCode)
		}
	}
}

// checkPipeline compares a gateway with the model.
func checkPipeline(t *testing.T, g *started, up *core, choices []byte, cut int, r *rand.Rand) {
	t.Helper()
	ok := good(t)
	m := pipeline(choices, cut, func(id string) string { return string(named(ok, id)) }, r)
	statuses, err := g.exchangePipeline(m.text, r)
	if err != nil || !slices.Equal(statuses, m.statuses) {
		t.Errorf("choices %v, cut %d: answers %v, %v, want %v", choices, cut, statuses, err, m.statuses)
	}
	var forwards []string
	for _, got := range up.take() {
		_, rest, _ := bytes.Cut(got.body, []byte(`"id":"`))
		name, _, _ := bytes.Cut(rest, []byte(`"`))
		forwards = append(forwards, string(name))
	}
	if !slices.Equal(forwards, m.forwards) {
		t.Errorf("choices %v, cut %d: the core got %q, want %q", choices, cut, forwards, m.forwards)
	}
}

// TestPipelines sends random pipelines of good and bad requests: there are as many answers as the
// model says, with its statuses, and nothing reaches the core that the model refuses.
func TestPipelines(t *testing.T) {
	eachPlane(t, func(t *testing.T, serve func(Options) *started) {
		up := newCore(t, nil)
		g := serve(Options{Upstreams: At(up.URL), OverloadTolerance: -1, HeadTimeout: time.Minute, BodyTimeout: time.Minute})
		seed := testkit.Seed(t)
		r := testkit.Rand(seed)
		for i := range pieces { // each of them alone, and between good ones
			for _, choices := range [][]byte{{byte(i)}, {0, byte(i), 0}, {1, byte(i), 1}} {
				checkPipeline(t, g, up, choices, 0, r)
			}
		}
		for i := range testkit.Scale(t, 50, 200, 20000) {
			choices := make([]byte, 1+r.IntN(8))
			for k := range choices {
				// Most are such that the connection goes on.
				if choices[k] = byte(r.IntN(13)); r.IntN(6) == 0 {
					choices[k] = byte(r.IntN(len(pieces)))
				}
			}
			checkPipeline(t, g, up, choices, r.IntN(2)*r.IntN(2000), r)
			if t.Failed() {
				t.Fatalf("seed %d, pipeline %d", seed, i)
			}
		}
	})
}

// TestRefusalAfterLongAnswer wants a long answer whole, and the next request refused after it.
func TestRefusalAfterLongAnswer(t *testing.T) {
	long := strings.Repeat("x", 300_000)
	eachPlane(t, func(t *testing.T, serve func(Options) *started) {
		up := newCore(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) { io.WriteString(w, long) })
		g := serve(Options{Upstreams: At(up.URL), OverloadTolerance: -1})
		for range 20 {
			c := g.dial(t)
			c.write(t, post("", string(good(t)))+"GET /status\n\n")
			c.SetReadDeadline(time.Now().Add(time.Minute))
			for _, status := range []int{200, 400} {
				a, err := http.ReadResponse(c.answers, nil)
				if err != nil {
					t.Fatal(err)
				}
				body, err := io.ReadAll(a.Body)
				if err != nil || a.StatusCode != status || status == 200 && string(body) != long {
					t.Fatalf("status %d, %d bytes, %v", a.StatusCode, len(body), err)
				}
			}
		}
	})
}

// FuzzPipeline is TestPipelines with choices of the fuzzer.
func FuzzPipeline(f *testing.F) {
	f.Add([]byte{0, 1, 2, 5, 6, 7, 8, 9, 10, 11, 12}, 0, uint64(1))
	f.Add([]byte{0, 13, 0}, 0, uint64(2))
	f.Add([]byte{4, 1, 1}, 7, uint64(3))
	up := newCore(f, nil)
	g := start(f, Options{Upstreams: At(up.URL), OverloadTolerance: -1, HeadTimeout: time.Minute, BodyTimeout: time.Minute})
	f.Fuzz(func(t *testing.T, choices []byte, cut int, seed uint64) {
		if len(choices) > 0 && len(choices) <= 16 && cut >= 0 {
			checkPipeline(t, g, up, choices, cut, testkit.Rand(seed))
		}
	})
}
