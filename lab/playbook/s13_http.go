package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/rtbwire/rtbwire/lab/figures"
)

var httpBody = experiment{
	section: 13, name: "http-body", title: "HTTP body decoding: bound, decode, drain",
	says: "In a handler, limit the body with MaxBytesReader, decode it from the stream without buffering it, and drain what is left, or " +
		"the connection is lost. Draining takes microseconds. None of the three is optional.",
	method: "The section's handler, with and without each of its parts, on the loopback interface: one client, one request after the " +
		"other. Counted are connections that were opened and bytes that the server read. Bodies have a second document " +
		"of 0 to 900 kB after the first. Bytes allocated by a Decoder on a body are compared with ReadAll and Unmarshal.",
	cases: []label{
		{"small-decoder", "a body of 73 bytes, a Decoder on the stream"},
		{"small-read-all", "a body of 73 bytes, ReadAll and Unmarshal"},
		{"large-decoder", "one value of 1 MB, a Decoder on the stream"},
		{"large-read-all", "one value of 1 MB, ReadAll and Unmarshal"},
		{"many-decoder", "1 MB of many values, decoded one after the other"},
		{"many-read-all", "1 MB of many values, ReadAll and Unmarshal of each line"},
	},
	values: append(append([]label{
		{"limit/read", "8 MB sent: bytes that the server read of each body, with the limit"},
		{"no-limit/read", "8 MB sent: bytes that the server read of each body, without the limit"},
		{"limit/read-over-no-limit", "8 MB sent: bytes read, with the limit / without"},
		{"large-decoder/bytes-over-large-read-all", "one value of 1 MB: bytes allocated, Decoder / ReadAll"},
		{"many-decoder/bytes-over-many-read-all", "1 MB of many values: bytes allocated, Decoder / ReadAll"},
		{"second-document/accepted", "share of requests answered with 200 although a second document follows"},
		{"refused/connections", "a bad body of 900 kB, the section's handler: connections for each request"},
		{"drain-nothing/ns", "draining when nothing is left"},
		{"drain-900k/ns", "draining 900 kB"},
	}, drainLabels()...),
		label{"unread-answer/connections", "the client closes answers of 1 MB unread: connections for each request"},
		label{"drained-answer/connections", "the client drains answers of 1 MB: connections for each request"}),
	keys: []string{
		"limit/read-over-no-limit", "no-drain-0/connections", "no-drain-100k/connections", "no-drain-900k/connections", "drain-900k/connections",
		"drain-900k/ns", "second-document/accepted", "large-decoder/bytes-over-large-read-all",
	},
	claims: []claim{
		{"the limit bounds what is read (a quarter or less)", "you limit the body", "limit/read-over-no-limit", atMost(0.25)},
		{"a connection is lost where nothing is drained", "the first document is the whole body", "no-drain-0/connections", atLeast(0.5)},
		{"a connection is lost where nothing is drained", "up to 256 KiB are left unread", "no-drain-100k/connections", atLeast(0.5)},
		{"a connection is lost where nothing is drained", "more than 256 KiB are left unread", "no-drain-900k/connections", atLeast(0.5)},
		{"draining keeps the connection", "more than 256 KiB are left unread", "drain-900k/connections", atMost(0.1)},
		{"the handler keeps the connection", "a large body is refused, where the section's handler returns before it drains", "refused/connections", atMost(0.1)},
		{"draining takes microseconds (100 at most)", "you count the time to drain where nothing is left", "drain-nothing/ns", atMost(100e3)},
		{"draining takes microseconds (100 at most)", "you count the time to drain 900 kB", "drain-900k/ns", atMost(100e3)},
		{"a Decoder does not buffer the body (half of the bytes or less)", "the body is one large value", "large-decoder/bytes-over-large-read-all", atMost(0.5)},
		{"a Decoder does not buffer the body (half of the bytes or less)", "the body is a stream of many values", "many-decoder/bytes-over-many-read-all", atMost(0.5)},
		{"the handler is safe: it accepts one document only", "clients send a second document", "second-document/accepted", atMost(0)},
		{"unread bodies cost the connection", "you are the client and close a large answer unread", "unread-answer/connections", atLeast(0.5)},
	},
	seconds: [2]float64{12, 2},
	run: func(t *trial) error {
		if err := t.decodeBodies(); err != nil {
			return err
		}
		n := t.pick(200, 50, 3)
		t.say("limits")
		var read [2]float64
		for i, p := range []parts{{limit: true, drain: true}, {drain: true}} {
			c, err := exchange(p.handler(nil), n, []byte(`{"name":"`+strings.Repeat("x", 8e6)+`"}`), true)
			if err != nil {
				return err
			}
			read[i] = float64(c.read) / float64(c.requests)
		}
		t.set("limit/read", figures.Exactly(read[0], "B"))
		t.set("no-limit/read", figures.Exactly(read[1], "B"))
		t.set("limit/read-over-no-limit", share(read[0], read[1]))
		if err := t.drains(n); err != nil {
			return err
		}
		t.say("answers")
		answer := func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 1e6)) }
		for name, drain := range map[string]bool{"unread-answer": false, "drained-answer": true} {
			c, err := exchange(answer, n, nil, drain)
			if err != nil {
				return err
			}
			t.set(name+"/connections", c.perRequest())
		}
		return nil
	},
}

// leftOvers are lengths of a second document.
var leftOvers = []struct {
	name  string
	bytes int
}{{"0", 0}, {"100k", 100e3}, {"900k", 900e3}}

func drainLabels() (list []label) {
	for _, l := range leftOvers {
		list = append(list,
			label{"no-drain-" + l.name + "/connections", l.name + " left, not drained: connections for each request"},
			label{"drain-" + l.name + "/connections", l.name + " left, drained: connections for each request"})
	}
	return list
}

// decodeBodies compares the ways to read a body, without a network.
func (t *trial) decodeBodies() error {
	one := []byte(`{"name":"` + strings.Repeat("x", t.pick(1e6, 1e6, 1e4)) + `"}`)
	many := bytes.Repeat([]byte(userText+"\n"), t.pick(13000, 13000, 100))
	body := func(text []byte) io.Reader { return struct{ io.Reader }{bytes.NewReader(text)} }
	decode := func(text []byte) func() error {
		return func() error { return json.NewDecoder(body(text)).Decode(new(user)) }
	}
	readAll := func(text []byte, use func([]byte) error) func() error {
		return func() error {
			text, err := io.ReadAll(body(text))
			if err != nil {
				return err
			}
			return use(text)
		}
	}
	whole := func(text []byte) error { return json.Unmarshal(text, new(user)) }
	lines := func(text []byte) error {
		for line := range bytes.Lines(text) {
			if err := whole(line); err != nil {
				return err
			}
		}
		return nil
	}
	for _, group := range [][]way{
		{{name: "small-decoder", do: decode([]byte(userText))}, {name: "small-read-all", do: readAll([]byte(userText), whole)}},
		{{name: "large-decoder", do: decode(one)}, {name: "large-read-all", do: readAll(one, whole)}},
		{{name: "many-decoder", do: func() error {
			d := json.NewDecoder(body(many))
			return forEach(func() error { return d.Decode(new(user)) })
		}}, {name: "many-read-all", do: readAll(many, lines)}},
	} {
		if err := t.compare(group...); err != nil {
			return err
		}
	}
	t.bytesOver("large-decoder", "large-read-all")
	t.bytesOver("many-decoder", "many-read-all")
	return nil
}

// drains counts connections.
func (t *trial) drains(n int) error {
	t.say("drains")
	for _, l := range leftOvers {
		body := []byte(userText)
		if l.bytes > 0 {
			body = append(body, ` {"name":"`+strings.Repeat("x", l.bytes)+`"}`...)
		}
		for _, p := range []parts{{limit: true}, {limit: true, drain: true}} {
			name := "no-drain-" + l.name
			var times []float64
			if p.drain {
				name = "drain-" + l.name
			}
			c, err := exchange(p.handler(&times), n, body, true)
			if err != nil {
				return err
			}
			t.set(name+"/connections", c.perRequest())
			if !p.drain {
				continue
			}
			switch l.bytes {
			case 0:
				t.set("drain-nothing/ns", median(times, "ns"))
			case 100e3:
				t.set("second-document/accepted", share(float64(c.accepted), float64(c.requests)))
			case 900e3:
				t.set("drain-900k/ns", median(times, "ns"))
			}
		}
	}
	bad := []byte(`{"unknown":1,"name":"` + strings.Repeat("x", 900e3) + `"}`)
	c, err := exchange(parts{limit: true, drain: true}.handler(nil), n, append([]byte(`{"unknown":1} `), bad...), true)
	t.set("refused/connections", c.perRequest())
	return err
}

// parts says which parts of the section's handler there are.
type parts struct{ limit, drain bool }

// handler is the section's. It appends to times how long draining took, in nanoseconds: requests
// come one after the other.
func (p parts) handler(times *[]float64) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if p.limit {
			r.Body = http.MaxBytesReader(w, r.Body, 1<<20)
		}
		d := json.NewDecoder(r.Body)
		d.DisallowUnknownFields()
		if err := d.Decode(new(user)); err != nil {
			http.Error(w, "bad request", http.StatusBadRequest)
			return
		}
		if !p.drain {
			return
		}
		start := time.Now()
		_, _ = io.Copy(io.Discard, r.Body)
		if times != nil {
			*times = append(*times, max(float64(time.Since(start).Nanoseconds()), 1))
		}
	}
}

// traffic is what n requests came to.
type traffic struct {
	requests, accepted int
	opened, read       int64 // connections, and bytes that the server read
}

// perRequest is the number of connections, without the one that is needed anyway.
func (c traffic) perRequest() figures.Figure {
	return figures.Exactly(float64(c.opened-1)/float64(c.requests), "")
}

// exchange sends n requests to a new server.
func exchange(handler http.HandlerFunc, n int, body []byte, readAnswer bool) (traffic, error) {
	var opened, read atomic.Int64
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return traffic{}, err
	}
	server := &http.Server{
		Handler:  handler,
		ErrorLog: log.New(io.Discard, "", 0),
		ConnState: func(_ net.Conn, s http.ConnState) {
			if s == http.StateNew {
				opened.Add(1)
			}
		},
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(countingListener{listener, &read}) }()
	transport := &http.Transport{}
	client := &http.Client{Transport: transport}
	c := traffic{requests: n}
	for range n {
		if post(client, "http://"+listener.Addr().String(), body, readAnswer) {
			c.accepted++
		}
	}
	transport.CloseIdleConnections()
	err = server.Close()
	if e := <-served; !errors.Is(e, http.ErrServerClosed) {
		err = errors.Join(err, e)
	}
	c.opened, c.read = opened.Load(), read.Load()
	return c, err
}

// post reports whether the answer was 200.
func post(client *http.Client, url string, body []byte, readAnswer bool) (accepted bool) {
	response, err := client.Post(url, "application/json", bytes.NewReader(body))
	if err != nil {
		return false
	}
	if readAnswer {
		_, err = io.Copy(io.Discard, response.Body)
	}
	return errors.Join(err, response.Body.Close()) == nil && response.StatusCode == http.StatusOK
}

type countingListener struct {
	net.Listener
	read *atomic.Int64
}

func (l countingListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return countingConn{c, l.read}, err
}

type countingConn struct {
	net.Conn
	read *atomic.Int64
}

func (c countingConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.read.Add(int64(n))
	return n, err
}
