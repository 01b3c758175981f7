package main

import (
	"bytes"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"sync/atomic"
)

const bodyLimit = 64 << 10

var httpBody = experiment{
	name: "http-body",
	advice: "In a handler, limit the body with http.MaxBytesReader, and drain what you don't read; in a client, " +
		"drain the answer before you close it. What is left unread costs the connection.",
	method: "A server and a client on the loopback interface send one request after the other. Counted: " +
		"connections opened (the server's ConnState hook), bytes the server read, requests that failed. " +
		"The limit is 64 KiB.",
	varies:  "the side, and on how much is left unread",
	seconds: [2]float64{4, 0.7},
	run: func(t *trial) error {
		n := t.pick(200, 50, 3)
		for _, c := range []struct {
			name string
			size int
		}{{"16 kB", 16e3}, {"1 MB", 1e6}} {
			t.say("requests of " + c.name)
			var counts [4]traffic
			for i, h := range []struct {
				name    string
				handler http.HandlerFunc
			}{
				{"all read", readAll}, {"all read, with the limit", limited(readAll)},
				{"a part read", readPart}, {"a part read, then drained", drained(readPart)},
			} {
				var err error
				if counts[i], err = exchange(h.handler, n, make([]byte, c.size), true); err != nil {
					return err
				}
				t.addTraffic("request of "+c.name+": "+h.name, counts[i])
			}
			connections := func(a, b traffic) quantity {
				return exactly(float64(a.opened)/float64(b.opened), "")
			}
			t.ask("draining requests of "+c.name, "connections, drained / not",
				connections(counts[3], counts[2]), atMost, 0.5)
			if c.size > bodyLimit {
				t.ask("limiting requests of "+c.name, "bytes the server read, with the limit / without",
					exactly(float64(counts[1].read)/float64(counts[0].read), ""), atMost, 0.5)
			}
			t.ask("keeping connections with the limit and requests of "+c.name, "connections, with the limit / without",
				connections(counts[1], counts[0]), atMost, 1)

			t.say("answers of " + c.name)
			answer := func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, c.size)) }
			left, err := exchange(answer, n, nil, false)
			if err != nil {
				return err
			}
			read, err := exchange(answer, n, nil, true)
			if err != nil {
				return err
			}
			t.addTraffic("answer of "+c.name+": closed unread", left)
			t.addTraffic("answer of "+c.name+": drained", read)
			t.ask("draining answers of "+c.name, "connections, drained / not", connections(read, left), atMost, 0.5)
		}
		return nil
	},
}

func (t *trial) addTraffic(label string, c traffic) {
	t.add(label, count(c.requests, "requests"), exactly(float64(c.opened), "connections"),
		count(c.failed, "failed"), exactly(float64(c.read)/float64(c.requests), "bytes read per request"))
}

// The handlers.

func readAll(w http.ResponseWriter, r *http.Request) {
	var tooLarge *http.MaxBytesError
	if _, err := io.ReadAll(r.Body); errors.As(err, &tooLarge) {
		w.WriteHeader(http.StatusRequestEntityTooLarge)
	}
}

// readPart refuses a request after a look at its beginning.
func readPart(w http.ResponseWriter, r *http.Request) {
	_, _ = io.ReadFull(r.Body, make([]byte, 512))
	w.WriteHeader(http.StatusBadRequest)
}

func limited(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, bodyLimit)
		next(w, r)
	}
}

// drained reads what is left before the handler's status is sent, as the server decides then
// whether the connection stays.
func drained(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		next(draining{w, r.Body}, r)
	}
}

type draining struct {
	http.ResponseWriter
	body io.Reader
}

func (d draining) WriteHeader(status int) {
	_, _ = io.Copy(io.Discard, d.body)
	d.ResponseWriter.WriteHeader(status)
}

// traffic is what n requests came to.
type traffic struct {
	requests, failed int
	opened, read     int64 // connections, and bytes that the server read
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
		if !post(client, "http://"+listener.Addr().String(), body, readAnswer) {
			c.failed++
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

func post(client *http.Client, url string, body []byte, readAnswer bool) (ok bool) {
	response, err := client.Post(url, "application/json", bytes.NewReader(body))
	if err != nil {
		return false
	}
	if readAnswer {
		_, err = io.Copy(io.Discard, response.Body)
	}
	return errors.Join(err, response.Body.Close()) == nil
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
