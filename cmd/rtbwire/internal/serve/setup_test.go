package serve

import (
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/gateway"
	"github.com/rtbwire/rtbwire/inspect"
)

func open(t *testing.T, text string) *config.Setup {
	t.Helper()
	name := filepath.Join(t.TempDir(), "rtbwire.yaml")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, problems := config.Open(name, config.OpenOptions{})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return s
}

// configured returns the options of a configuration.
func configured(t *testing.T, s *config.Setup, environ []string) gateway.Options {
	t.Helper()
	own, err := gateway.Configured(&s.Config.Scope, environ)
	if err != nil {
		t.Fatal(err)
	}
	return own.Options
}

// TestDefaults holds the defaults of the file's keys to those of package gateway.
func TestDefaults(t *testing.T) {
	s := open(t, "version: 1\ngateway: {upstreams: [\"http://127.0.0.1:9\"]}\n")
	fromFile := configured(t, s, nil)
	// What New makes of zero options is what it makes of the file's.
	shown := func(o gateway.Options) any {
		g, err := gateway.New(o)
		if err != nil {
			t.Fatal(err)
		}
		return g.Options().Redacted()
	}
	zero := shown(gateway.Options{Upstreams: gateway.At("http://127.0.0.1:9")})
	if got := shown(fromFile); !reflect.DeepEqual(got, zero) || !reflect.DeepEqual(fromFile.Redacted(), zero) {
		t.Errorf("got  %v\nfile %v\nwant %v", got, fromFile.Redacted(), zero)
	}
}

// TestOptions reads every key.
func TestOptions(t *testing.T) {
	t.Parallel()
	s := open(t, `
version: 1
gateway:
  upstreams:
    - http://127.0.0.1:1
    - unix:/x
    - {name: b, url: ["http://127.0.0.1:2", "http://127.0.0.1:3"], weight: 3, zone: z, routed: true, health_path: /ready}
    - {url: "http://127.0.0.1:4", canary: 5%}
    - {url: "http://127.0.0.1:5", mirror: 1%}
  balance: least_request
  zone: z
  panic_threshold: 0%
  slow_start: 30s
  dns_interval: 1s
  outlier: {consecutive_5xx: 6, latency: 7, interval: 8s, base_ejection_time: 9s, max_ejection_time: 10s, max_ejection_percent: 50%}
  health_check: {path: /health, interval: 3s, jitter: 20%, timeout: 4s, healthy_threshold: 5, unhealthy_threshold: 6}
  upstream_errors: pass
  path: /bid
  no_bid: 400-json
  trusted_proxies: [10.0.0.0/8]
  headers: [X-A]
  passthrough: [{path: /win}, {path: /sync, method: POST}]
  shadow: true
  forward_gzip: true
  operators: {full_rejects: true}
  metrics: {publishers: 9}
  responses: {mode: enforce, sample: 5%}
  compress: 1400
  timeouts: {head: 1ms, body: 2ms, write: 3ms, idle: 4ms, upstream: 5ms, upstream_idle: 6ms, reserve: 7ms, drain_delay: 8ms, drain: 9ms}
  max: {body: 1, head: 2, response: 3, ratio: 4, connections: 5, in_flight: 6, memory: 7, upstream_connections: 8, streams: 9, resets: 10, mirror_queue: 11, mirror_requests: 12}
partners:
  a: {match: {path: /a, mtls: a.example, from: [192.0.2.0/24], token_env: A_TOKEN, header: {X-B: c}}, no_bid: "200", upstreams: [b], canary: 0%, tmax: 120, responses: {mode: observe, sample: 50%}, limits: {rate: 1, burst: 2, in_flight: 3}, publishers: {p: {limits: {rate: 4}}, q: {upstreams: [b, "unix:/x"]}}}
`)
	o := configured(t, s, []string{"A_TOKEN=secret"})
	none := 0.0
	want := gateway.Options{
		Upstreams: append(gateway.At("http://127.0.0.1:1", "unix:/x"),
			gateway.Upstream{Name: "b", URLs: []string{"http://127.0.0.1:2", "http://127.0.0.1:3"}, Weight: 3, Zone: "z", Routed: true, CheckPath: "/ready"},
			gateway.Upstream{URLs: []string{"http://127.0.0.1:4"}, Weight: 1, Canary: 0.05}, gateway.Upstream{URLs: []string{"http://127.0.0.1:5"}, Weight: 1, Mirror: 0.01}),
		Balance: gateway.LeastRequest, Zone: "z", PanicThreshold: -1, SlowStart: 30e9, DNSInterval: 1e9, UpstreamErrors: gateway.ErrorsPass,
		Outlier:        gateway.Outlier{Consecutive5xx: 6, Latency: 7, Interval: 8e9, BaseEjectionTime: 9e9, MaxEjectionTime: 10e9, MaxEjected: 0.5},
		HealthCheck:    gateway.HealthCheck{Path: "/health", Interval: 3e9, Jitter: 0.2, Timeout: 4e9, Healthy: 5, Unhealthy: 6},
		MirrorQueueMax: 11, MirrorRequestsMax: 12,
		Path: "/bid", NoBid: gateway.NoBid400JSON,
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, FactHeaders: []string{"X-A"},
		Passthrough: []gateway.Passthrough{{Path: "/win", Method: "GET"}, {Path: "/sync", Method: "POST"}}, Shadow: true, ForwardGzip: true, FullRejects: true, PublisherMetricsMax: 9,
		CaptureShares: gateway.Shares{Forwarded: 0.01, Refused: 0.1},
		Responses:     gateway.Responses{Mode: gateway.ResponsesEnforce, Sample: 0.05}, CompressMin: gateway.CompressMinDefault,
		HeadTimeout: 1e6, BodyTimeout: 2e6, WriteTimeout: 3e6, IdleTimeout: 4e6, UpstreamTimeout: 5e6, UpstreamIdleTimeout: 6e6, Reserve: 7e6, DrainDelay: 8e6, DrainTimeout: 9e6,
		BodyMax: 1, HeadMax: 2, ResponseMax: 3, RatioMax: 4, ConnectionsMax: 5, InFlightMax: 6, MemoryMax: 7, UpstreamConnectionsMax: 8, StreamsMax: 9, ResetsMax: 10,
		Partners: []gateway.Partner{{
			Name: "a", NoBid: gateway.NoBid200, TMaxMs: 120, Responses: gateway.Responses{Mode: gateway.ResponsesObserve, Sample: 0.5}, Limits: gateway.Limits{Rate: 1, Burst: 2, InFlight: 3},
			Match: gateway.Match{
				Path: "/a", MTLS: "a.example", From: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}, Token: "secret", Headers: []inspect.Header{{Name: "X-B", Value: "c"}},
			},
			Publishers: map[string]gateway.Limits{"p": {Rate: 4}},
			Upstreams:  []string{"b"}, PublisherUpstreams: map[string][]string{"q": {"b", "unix:/x"}}, Canary: &none,
		}},
	}
	if !reflect.DeepEqual(o, want) {
		t.Errorf("got  %+v\nwant %+v", o, want)
	}
}
