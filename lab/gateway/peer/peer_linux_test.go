package main

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// address returns a loopback address that nobody listens at.
func address(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}

// run starts a role and waits until it listens.
func run(t *testing.T, role string, o *options) {
	t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- roles[role](o) }()
	for {
		select {
		case err := <-ended:
			t.Fatal(role, err)
		default:
		}
		if c, err := net.Dial("tcp", o.listen); err == nil {
			c.Close()
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// TestPeers sends requests through every peer to the sink: bodies arrive unchanged, in one piece or
// in many, and the decoding ones refuse what is not a request.
func TestPeers(t *testing.T) {
	up := address(t)
	run(t, "sink", &options{listen: up, loops: 2})
	app, err := os.ReadFile("../../../testdata/bench/app.json")
	if err != nil {
		t.Fatal(err)
	}
	rules := filepath.Join(t.TempDir(), "rules.yaml")
	const text = `{version: 1, rules: [{name: blocked, when: 'app.bundle == "com.blocked"', severity: refuse}]}`
	if err := os.WriteFile(rules, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	long := append(bytes.Repeat([]byte(" "), 200_000), app...)
	for _, role := range []string{"", "fasthttp", "reverse", "json", "gojson", "json-checked", "gojson-checked"} {
		at := up
		if role != "" {
			at = address(t)
			run(t, role, &options{listen: at, upstream: up, config: rules})
		}
		post := func(body []byte, check bool) (int, string) {
			r, _ := http.NewRequest(http.MethodPost, "http://"+at+"/openrtb2/auction", bytes.NewReader(body))
			r.Header.Set("Content-Type", "application/json")
			if check {
				r.Header.Set(checkHeader, "1")
			}
			answer, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(role, err)
			}
			defer answer.Body.Close()
			text, err := io.ReadAll(answer.Body)
			if err != nil {
				t.Fatal(role, err)
			}
			return answer.StatusCode, string(text)
		}
		for _, body := range [][]byte{app, long} {
			h := fnv.New64a()
			h.Write(body)
			if status, text := post(body, true); status != 200 || text != strconv.FormatUint(h.Sum64(), 16) {
				t.Errorf("%s: %d %q", role, status, text)
			}
			for range 3 {
				if status, text := post(body, false); status != 200 || len(text) != 300 {
					t.Errorf("%s: %d %q", role, status, text)
				}
			}
		}
		if strings.Contains(role, "json") {
			bodies := map[string]int{`{`: 400, `{"id":"1","imp":[]}`: 204, `{"id":"1","imp":[{"id":"1"}]}`: 204}
			if strings.Contains(role, "checked") {
				const imp = `{"id":"1","imp":[{"id":"1","banner":{"w":1,"h":2}}],`
				bodies[imp+`"app":{"bundle":"com.fine"}}`] = 200
				bodies[imp+`"app":{"bundle":"com.blocked"}}`] = 204
				bodies[imp+`"app":{"bundle":"com.fine","name":"<script>alert(1)</script>"}}`] = 204
			}
			for body, want := range bodies {
				if status, _ := post([]byte(body), false); status != want {
					t.Errorf("%s: %s: %d, want %d", role, body, status, want)
				}
			}
		}
	}
}

// TestSinkTakesTime delays answers, and serves one after the other.
func TestSinkTakesTime(t *testing.T) {
	const delay, service, requests = 20 * time.Millisecond, 5 * time.Millisecond, 8
	up := address(t)
	run(t, "sink", &options{listen: up, delay: delay, service: service})
	began := time.Now()
	answers := make(chan error, requests)
	for range requests {
		go func() {
			r, err := http.Post("http://"+up, "application/json", bytes.NewReader([]byte("{}")))
			if err == nil {
				if err = r.Body.Close(); r.StatusCode != http.StatusOK {
					err = fmt.Errorf("status %d", r.StatusCode)
				}
			}
			answers <- err
		}()
	}
	for range requests {
		if err := <-answers; err != nil {
			t.Error(err)
		}
	}
	if took := time.Since(began); took < delay+requests*service {
		t.Errorf("%d requests took %v", requests, took)
	}
}

// TestSinkRefuses closes connections that send what no proxy here sends.
func TestSinkRefuses(t *testing.T) {
	up := address(t)
	run(t, "sink", &options{listen: up})
	for _, text := range []string{
		"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
		"POST / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n", string(bytes.Repeat([]byte("x"), sinkRead)),
	} {
		c, err := net.Dial("tcp", up)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(c, text)
		if got, _ := io.ReadAll(c); len(got) > 0 {
			t.Errorf("%.40q: %q", text, got)
		}
		c.Close()
	}
}
