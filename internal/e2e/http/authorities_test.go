package http

import (
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/rtbwire/rtbwire/internal/certtest"
)

// TestReloadAuthorities replaces the file of upstream_ca: an upstream is trusted as the file says
// that was there at the last SIGHUP, whatever connections to it there are. A broken file changes
// nothing.
func TestReloadAuthorities(t *testing.T) {
	bothPlanes(t, func(t *testing.T, plane string) {
		authority, other := certtest.New(t, "authority"), certtest.New(t, "other")
		core := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			_, _ = io.WriteString(w, answerBody)
		}))
		core.TLS = &tls.Config{Certificates: []tls.Certificate{authority.Sign(t, []string{"127.0.0.1"}).Pair(t)}}
		core.StartTLS()
		t.Cleanup(core.Close)
		trusted := filepath.Join(t.TempDir(), "cores.pem")
		write := func(text []byte) {
			t.Helper()
			if err := os.WriteFile(trusted, text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		write(other.PEM)
		config := fmt.Sprintf("version: 1\ngateway: {upstreams: [%q], upstream_ca: %q, windows: false, timeouts: {upstream: 30s}}\n", core.URL, trusted)
		p := serveWith(t, plane, func(*exec.Cmd) {}, "--config", file(t, "rtbwire.yaml", config))
		reload := func(result string) {
			t.Helper()
			counter := fmt.Sprintf("rtbwire_gateway_reloads_total{result=%q}", result)
			before := p.metrics(t)[counter]
			p.Signal(t, syscall.SIGHUP)
			waitFor(t, "the reload", func() bool { return p.metrics(t)[counter] > before })
		}
		check := func(what string, want int) {
			t.Helper()
			for range 2 { // the second one by a connection that is there
				c := connect(t, p)
				c.send(post(good))
				if r := c.answer(t); r.StatusCode != want {
					t.Errorf("%s: status %d, want %d", what, r.StatusCode, want)
				}
				_ = c.Close()
			}
		}
		check("signed by somebody else", http.StatusServiceUnavailable)
		write(append(other.PEM, authority.PEM...))
		reload("done")
		check("with its authority in the file", http.StatusOK)
		write([]byte("no PEM"))
		reload("failed")
		check("with a broken file", http.StatusOK)
		write(other.PEM)
		reload("done")
		check("with its authority taken away", http.StatusServiceUnavailable)
		p.Stop(t)
	})
}
