package main

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

const requests = `{"id":"1","imp":[{"id":"1","banner":{"w":300,"h":250}}],"site":{"id":"s"},"device":{"ip":"192.0.2.1","ua":"Mozilla/5.0"}}
{"id":"2","imp":[{"id":"1","banner":{"w":300,"h":250}}],"site":{"id":"s"},"device":{"ip":"192.0.2.1","ua":"Examplebot/1.0"}}
{"id":"3","imp":[{"id":"1","banner":{"w":300,"h":250}}],"site":{"id":"s"}}
{"id":
`

const verdicts = `forward  [{ivt 0 false}]
refuse policy.fraud [{ivt 100 false}]
forward  []
refuse json.truncated []
`

// long is a deadline that no machine misses.
const long = 10 * time.Second

func expect(t *testing.T, url, want string) {
	t.Helper()
	var out strings.Builder
	if err := run(url, long, strings.NewReader(requests), &out); err != nil || out.String() != want {
		t.Errorf("%v\n%s, want\n%s", err, &out, want)
	}
}

func TestRun(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(score))
	defer s.Close()
	expect(t, s.URL, verdicts)
	if err := run("nowhere", long, strings.NewReader(requests), io.Discard); err == nil {
		t.Error("an address that is no URL is asked")
	}
	r, err := http.Post(s.URL, "application/json", strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusBadRequest {
		t.Errorf("status %d", r.StatusCode)
	}
}

// TestNoService judges without answers.
func TestNoService(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = listener.Close()
	expect(t, "http://"+listener.Addr().String(), "forward  [{ivt 0 true}]\nforward  [{ivt 0 true}]\nforward  []\nrefuse json.truncated []\n")
}

// TestMain is the program itself where the environment says so.
func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

const asProgram = "RTBWIRE_VENDOR_EXAMPLE"

func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self, append([]string{"-deadline", long.String()}, args...)...)
	c.Env = append(os.Environ(), asProgram+"=1")
	return c
}

// TestProgram runs the program, with the service in the same and in another process.
func TestProgram(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := listener.Addr().String()
	_ = listener.Close()
	service := program(t, "-serve", addr)
	if err := service.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = service.Process.Kill()
		_ = service.Wait()
	}()
	for start := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		if c, err := net.Dial("tcp", addr); err == nil {
			_ = c.Close()
			break
		}
		if time.Since(start) > long {
			t.Fatal("the service does not listen")
		}
	}
	for _, args := range [][]string{nil, {"-url", "http://" + addr}} {
		c := program(t, args...)
		c.Stdin = strings.NewReader(requests)
		if out, err := c.Output(); err != nil || string(out) != verdicts {
			t.Errorf("%v: %v\n%s, want\n%s", args, err, out, verdicts)
		}
	}
}
