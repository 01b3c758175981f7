package agreement

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/gateway"
	"github.com/rtbwire/rtbwire/inspect/window"
)

// windowed refuses duplicates. All that windows have room for is 300 ids in each table.
const windowed = `version: 1
severities: {"fraud.*": off}
rules: [{name: seen, when: facts.seen, severity: refuse}]
gateway:
  upstreams: ["http://127.0.0.1:9"]
  no_bid: "400"
  window_tables: {ifas: 300, addresses: 300, ids: 300}
partners:
  a: {match: {path: /a, from: [127.0.0.0/8]}, no_bid: "400"}
  b: {match: {path: /b, from: [127.0.0.0/8]}, no_bid: "400", limits: {rate: 1000000}}
  c: {match: {path: /c, from: [127.0.0.0/8]}, no_bid: "400", window_tables: {ifas: 300, addresses: 300, ids: 300}}
`

// accepts answers every request.
type accepts struct{}

// Do implements [gateway.Core].
func (accepts) Do(_ *fasthttp.Request, resp *fasthttp.Response, _ time.Duration) error {
	resp.SetStatusCode(fasthttp.StatusNoContent)
	return nil
}

// TestWindowsOfPartners: whoever floods a gateway, it forgets no id of another sender, whether that
// is a partner with a share, with a rate, with a table of its own, or nobody known.
func TestWindowsOfPartners(t *testing.T) {
	for plane, serve := range map[string]func(*gateway.Gateway, net.Listener) error{
		"fast": (*gateway.Gateway).Serve, "std": (*gateway.Gateway).ServeStd,
	} {
		t.Run(plane, func(t *testing.T) {
			url := serveWindows(t, serve)
			client := &http.Client{Timeout: time.Minute}
			defer client.CloseIdleConnections()
			const ids, flood = 40, 1500
			send := func(path, id string) int {
				body := fmt.Appendf(nil, `{"id":%q,"imp":[{"id":"1","banner":{"w":300,"h":250}}],"site":{"page":"https://example.com/"},"device":{"ua":"Mozilla/5.0","ip":"8.8.8.8"}}`, id)
				r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+path, bytes.NewReader(body))
				if err != nil {
					t.Fatal(err)
				}
				r.Header.Set("Content-Type", "application/json")
				answer, err := client.Do(r)
				if err != nil {
					t.Fatal(err)
				}
				answer.Body.Close()
				return answer.StatusCode
			}
			senders := []string{"/a", "/b", "/c", gateway.PathDefault}
			for _, loud := range senders {
				all := func(want int) {
					t.Helper()
					for _, quiet := range senders {
						for n := range ids {
							if quiet == loud {
								continue
							}
							if got := send(quiet, fmt.Sprint(loud, n)); got != want {
								t.Fatalf("%s, id %d, next to %s: status %d, want %d", quiet, n, loud, got, want)
							}
						}
					}
				}
				all(http.StatusNoContent)
				for n := range flood {
					if got := send(loud, fmt.Sprint("flood-", n)); got != http.StatusNoContent {
						t.Fatalf("%s, id %d: status %d", loud, n, got)
					}
				}
				all(http.StatusBadRequest)
			}
		})
	}
}

// serveWindows starts a gateway with the configuration, and returns its URL.
func serveWindows(t *testing.T, serve func(*gateway.Gateway, net.Listener) error) string {
	t.Helper()
	s := load(t, windowed)
	own, err := gateway.Configured(&s.Config.Scope, nil)
	if err != nil {
		t.Fatal(err)
	}
	of, _ := gateway.ConfiguredWindows(&s.Config.Scope)
	o := own.Options
	if o.Windows, err = window.New(of); err != nil {
		t.Fatal(err)
	}
	o.Engine, o.Upstreams, o.Core, o.OverloadTolerance, o.Logger = s.Engine, nil, accepts{}, -1, slog.New(slog.DiscardHandler)
	g, err := gateway.New(o)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- serve(g, ln) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := errors.Join(g.Shutdown(ctx), <-served); err != nil {
			t.Error(err)
		}
	})
	return "http://" + ln.Addr().String()
}
