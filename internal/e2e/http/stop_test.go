package http

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/testkit"
)

// sender sends good requests until it is told to stop, or the listener closes. It returns what was
// lost: a request that was written, on a connection that was made, without an answer.
type sender struct {
	p        *process
	keep     bool // connections
	answers  *atomic.Int64
	stop     *atomic.Bool
	statuses func(int) bool
}

func (s sender) run() error {
	var c *client
	for i := 0; !s.stop.Load(); i++ {
		if c == nil {
			i = 0
			conn, err := net.Dial("tcp", s.p.address)
			if err != nil {
				if errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ECONNRESET) {
					return nil // nothing was taken
				}
				return err
			}
			_ = conn.SetDeadline(time.Now().Add(patience))
			c = newClient(conn)
		}
		if _, err := io.WriteString(c, post(good)); err != nil {
			return fmt.Errorf("request %d on its connection: %w", i, err)
		}
		r, err := c.read(http.MethodPost)
		if err != nil {
			return fmt.Errorf("after %d answers, %d on its connection: %w", s.answers.Load(), i, err)
		}
		if !s.statuses(r.StatusCode) {
			return fmt.Errorf("status %d", r.StatusCode)
		}
		s.answers.Add(1)
		if r.Close || !s.keep {
			_ = c.Close()
			c = nil
		}
	}
	return nil
}

func isOK(status int) bool { return status == http.StatusOK }

// TestTerm sends SIGTERM to a gateway under load: whatever it took is answered, and it exits with
// 0.
func TestTerm(t *testing.T) {
	bothPlanes(t, func(t *testing.T, plane string) {
		core := simulated(t, "--bid", "50%", "--latency", "2ms")
		for round := range testkit.Scale(t, 3, 6, 40) {
			p := serve(t, plane, "http://"+core.address, "--drain-delay", []string{"0s", "50ms"}[round%2])
			var answers atomic.Int64
			var stop atomic.Bool
			var senders sync.WaitGroup
			for n := range 12 {
				senders.Go(func() {
					s := sender{p, n%4 != 0, &answers, &stop, func(status int) bool { return status == 200 || status == 204 }}
					if err := s.run(); err != nil {
						t.Errorf("round %d: a request was lost: %v", round, err)
					}
				})
			}
			waitFor(t, "load", func() bool { return answers.Load() > 300 })
			p.Signal(t, syscall.SIGTERM)
			status := p.Status(t)
			senders.Wait()
			if status != 0 {
				t.Errorf("round %d: exit status %d: %s", round, status, p.Text())
			}
		}
	})
}

// TestHeldSocket replaces the gateway again and again under load, as systemd does: its socket stays
// open meanwhile. No connection is refused, and no request is lost.
func TestHeldSocket(t *testing.T) {
	bothPlanes(t, func(t *testing.T, plane string) {
		core := simulated(t, "--bid", "100%")
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer ln.Close()
		socket, err := ln.(*net.TCPListener).File()
		if err != nil {
			t.Fatal(err)
		}
		defer socket.Close()
		started := func() *process {
			cmd := exec.Command("sh", "-c", `export LISTEN_FDS=1 LISTEN_FDNAMES=http LISTEN_PID=$$; exec "$0" "$@"`,
				program, "serve", "--http", plane, "--listen", "systemd:http", "--admin", "127.0.0.1:0", "--upstream", "http://"+core.address, "--upstream-timeout", "30s")
			cmd.ExtraFiles = []*os.File{socket}
			return launch(t, 2, cmd)
		}
		p := started()
		answers, stop := sendOn(t, ln.Addr().String())
		for range testkit.Scale(t, 3, 6, 40) {
			before := answers.Load()
			waitFor(t, "load", func() bool { return answers.Load() > before+200 })
			p.Stop(t)
			p = started()
		}
		stop()
	})
}

// sendOn sends requests to an address until stop is called, on connections that are kept and on
// others, while gateways there come and go: no connection may be refused, no request lost.
func sendOn(t *testing.T, address string) (answers *atomic.Int64, stop func()) {
	answers = new(atomic.Int64)
	stopped := new(atomic.Bool)
	var senders sync.WaitGroup
	for n := range 8 {
		senders.Go(func() {
			for !stopped.Load() {
				s := sender{&process{address: address}, n%4 != 0, answers, stopped, isOK}
				if err := s.run(); err != nil {
					t.Errorf("a request was lost: %v", err)
					return
				}
				if !stopped.Load() {
					t.Error("a connection was refused")
					return
				}
			}
		})
	}
	return answers, func() {
		stopped.Store(true)
		senders.Wait()
	}
}

// TestSharedPort replaces the gateway by another one that listens at the same port before the first
// one stops (SO_REUSEPORT). No connection is refused, and no request is lost.
func TestSharedPort(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs Linux")
	}
	bothPlanes(t, func(t *testing.T, plane string) {
		core := simulated(t, "--bid", "100%")
		started := func(address string) *process {
			return launch(t, 3, exec.Command(program, "serve", "--http", plane, "--listen", address, "--listeners", "2", "--admin", "127.0.0.1:0", "--upstream", "http://"+core.address, "--upstream-timeout", "30s"))
		}
		p := started("127.0.0.1:0")
		address := p.address
		answers, stop := sendOn(t, address)
		for range testkit.Scale(t, 3, 6, 40) {
			next := started(address)
			before := answers.Load()
			waitFor(t, "load", func() bool { return answers.Load() > before+200 })
			p.Stop(t)
			p = next
		}
		stop()
	})
}

// TestTermStuck sends SIGTERM while an upstream never answers: the gateway ends at its deadline,
// with status 2.
func TestTermStuck(t *testing.T) {
	bothPlanes(t, func(t *testing.T, plane string) {
		got := make(chan struct{}, 1)
		up := newUpstream(t, func(c net.Conn, _ *message) bool {
			got <- struct{}{}
			_, _ = c.Read(make([]byte, 1))
			return false
		})
		p := serve(t, plane, up.url(), "--drain-timeout", "500ms", "--upstream-timeout", "1m")
		c := connect(t, p)
		c.send(post(good))
		<-got
		p.Signal(t, syscall.SIGTERM)
		if status := p.Status(t); status != 2 { // after the time for upstreams it would be 0
			t.Errorf("exit status %d: %s", status, p.Text())
		}
	})
}

// TestReload replaces the configuration a hundred times under load, with good files and broken
// ones: no request fails, good ones take effect, and broken ones change nothing.
func TestReload(t *testing.T) {
	bothPlanes(t, func(t *testing.T, plane string) {
		core := simulated(t, "--bid", "100%")
		second := simulated(t, "--bid", "100%")
		path := filepath.Join(t.TempDir(), "rtbwire.yaml")
		write := func(text string) {
			if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(path+".new", path); err != nil {
				t.Fatal(err)
			}
		}
		// Configuration n refuses the site that its name says, and no other.
		config := func(n int) string {
			upstreams := fmt.Sprintf("%q", "http://"+core.address)
			if n%2 == 1 {
				upstreams += fmt.Sprintf(", %q", "http://"+second.address)
			}
			return fmt.Sprintf("version: 1\ngateway: {upstreams: [%s], windows: false, no_bid: 400-json, timeouts: {upstream: 30s}}\nrules: [{name: n%d, when: site.domain == \"n%d.example\", severity: refuse, nbr: 7}]\n", upstreams, n, n)
		}
		write(config(0))
		p := serveWith(t, plane, func(*exec.Cmd) {}, "--config", path)
		var answers atomic.Int64
		var stop atomic.Bool
		var senders sync.WaitGroup
		for n := range 6 {
			senders.Go(func() {
				if err := (sender{p, n%3 != 0, &answers, &stop, isOK}).run(); err != nil {
					t.Errorf("a request failed: %v", err)
				}
			})
		}
		probe := connect(t, p)
		refuses := func(n int) bool {
			probe.send(post(strings.Replace(good, "a.example", fmt.Sprintf("n%d.example", n), 1)))
			return probe.answer(t).StatusCode == http.StatusBadRequest
		}
		rounds := testkit.Scale(t, 20, 100, 400)
		for n := 1; n <= rounds; n++ {
			_ = probe.SetDeadline(time.Now().Add(patience))
			write(config(n))
			p.Signal(t, syscall.SIGHUP)
			waitFor(t, "the new configuration", func() bool { return refuses(n) })
			if refuses(n - 1) {
				t.Errorf("round %d: the rule before is still there", n)
			}
			failed := p.metrics(t)[`rtbwire_gateway_reloads_total{result="failed"}`]
			write([]string{"version: 1\nrules: [", "version: 2\n", config(n) + "rules: []\n", "", "version: 1\ngateway: {upstreams: [\"ftp://a\"]}\n"}[n%5])
			p.Signal(t, syscall.SIGHUP)
			waitFor(t, "the report of the broken one", func() bool { return p.metrics(t)[`rtbwire_gateway_reloads_total{result="failed"}`] > failed })
			if !refuses(n) {
				t.Errorf("round %d: a broken file took effect", n)
			}
		}
		stop.Store(true)
		senders.Wait()
		if answers.Load() < int64(rounds) {
			t.Errorf("only %d requests", answers.Load())
		}
		p.Stop(t)
	})
}

// TestDescriptors has a gateway that may open few files, and more clients than that: it waits
// without spinning, and serves again when they are gone.
func TestDescriptors(t *testing.T) {
	bothPlanes(t, func(t *testing.T, plane string) {
		up := newUpstream(t, nil)
		p := serveWith(t, plane, func(cmd *exec.Cmd) {
			cmd.Args = append([]string{"sh", "-c", `ulimit -n 64; exec "$0" "$@"`}, cmd.Args...)
			cmd.Path = "/bin/sh"
		}, "--upstream", up.url(), "--upstream-timeout", "30s")
		fine(t, p)
		var list []net.Conn
		for range 200 {
			c, err := net.Dial("tcp", p.address)
			if err != nil {
				break
			}
			list = append(list, c)
		}
		waitFor(t, "the limit", func() bool { return p.descriptors(t) >= 60 })
		before := p.cpu(t)
		time.Sleep(2 * time.Second)
		if used := p.cpu(t) - before; used > 500*time.Millisecond {
			t.Errorf("it spins: %v of processor time in 2 s", used)
		}
		for _, c := range list {
			_ = c.Close()
		}
		fine(t, p)
		settled(t, p)
	})
}
