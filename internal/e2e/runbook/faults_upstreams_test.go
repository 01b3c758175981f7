package runbook

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"time"

	"github.com/rtbwire/rtbwire/internal/certtest"
)

const (
	breakerOpen = "upstream left alone: its breaker is open"
	oneSecond   = "gateway: {upstreams: [{name: core, url: \"http://CORE\"}], timeouts: {upstream: 1s}}\n"
)

// listen replaces the core with a server that treats each connection as it likes.
func (s *stage) listen(handle func(c *net.TCPConn)) {
	s.Helper()
	s.kill(s.core)
	var ln net.Listener
	s.until("the core's port", func() (free bool) {
		var err error
		ln, err = net.Listen("tcp", s.core.address)
		return err == nil
	})
	s.Cleanup(func() { ln.Close() })
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				_, _ = c.Read(make([]byte, 64<<10))
				handle(c.(*net.TCPConn))
			}()
		}
	}()
}

var upstreamFaults = []fault{
	{
		title: "The core is not there at the start", prepare: func(s *stage) { s.core = &core{address: s.nobody()} },
		log: []string{breakerOpen}, metrics: []string{`upstream_healthy{upstream="core"} = 0`, "upstream_available = 0", "upstream_failures_total", `rejected_total{reason="gateway.upstream-absent"}`},
		page: []string{"upstreams"},
		then: "The gateway runs and answers with no-bids; `/readyz` stays 200, because another gateway would not do better. Start the core, or correct `gateway.upstreams`. The gateway finds it within seconds.",
	},
	{
		title: "The core dies", make: func(s *stage) { s.kill(s.core) },
		log: []string{breakerOpen}, metrics: []string{`upstream_healthy{upstream="core"} = 0`, "upstream_available = 0", "upstream_failures_total", `requests_total{request_status="failed"}`},
		page: []string{"upstreams", "failed"},
		then: "Exchanges get no-bids. Start the core again; the breaker tries it every second or so. If there are others, they have its requests meanwhile.",
	},
	{
		title: "The core answers with status 500", make: func(s *stage) { s.replaceCore("--bid", "0%", "--error", "100%") },
		log: []string{"a request to an upstream has failed"}, metrics: []string{`upstream_responses_total{code="5xx"}`, "upstream_failures_total", `rejected_total{reason="gateway.upstream-status"}`},
		page: []string{"failed"},
		then: "Exchanges get no-bids in place of the core's error page. The fault is the core's: look at its log, and roll back what was deployed last.",
	},
	{
		title: "The core is slow", config: oneSecond, make: func(s *stage) { s.replaceCore("--latency", "3s") },
		log: []string{breakerOpen}, metrics: []string{"upstream_failures_total", `rejected_total{reason="gateway.upstream-slow"}`, `requests_total{request_status="failed"}`},
		page: []string{"failed"},
		then: "Answers come later than `timeouts.upstream`, or than the request's `tmax`. The chart of latency says how much of it is the core's. Add cores, or give them less to do; longer timeouts only move the loss to the exchange.",
	},
	{
		title: "The core resets connections",
		make:  func(s *stage) { s.listen(func(c *net.TCPConn) { _ = c.SetLinger(0) }) },
		log:   []string{breakerOpen}, metrics: []string{"upstream_failures_total", `rejected_total{reason="gateway.upstream-broken"}`},
		page: []string{"failed"},
		then: "The core, or a proxy before it, closes connections before it answers: it restarts again and again, has no more file descriptors, or a limit of connections. Its log says which.",
	},
	{
		title: "The core answers with what is no HTTP",
		make: func(s *stage) {
			s.listen(func(c *net.TCPConn) { _, _ = c.Write([]byte("ERR unknown command 'POST'\r\n")) })
		},
		log: []string{breakerOpen}, metrics: []string{"upstream_failures_total", `rejected_total{reason="gateway.upstream-broken"}`},
		page: []string{"failed"},
		then: "Something else than the core has its port. Look at what listens there, and correct `gateway.upstreams`.",
	},
	{
		title: "The core's answers are no OpenRTB", config: "gateway: {upstreams: [{name: core, url: \"http://CORE\"}], responses: {mode: observe, sample: 100%}}\n",
		make: func(s *stage) { s.replaceCore("--bid", "0%", "--garbage", "100%") },
		log:  []string{"needs attention"}, metrics: []string{`responses_total{mode="observe",result="refused"}`}, page: []string{"responses"},
		then: "The answers are forwarded, because responses are observed only: exchanges will refuse them. `responses: {mode: enforce}` would send no-bids in their place. The fault is the core's.",
	},
	{
		title: "One of two cores fails", config: "gateway: {upstreams: [{name: core, url: \"http://CORE\"}, {name: other, url: \"http://OTHER\"}], outlier: {base_ejection_time: 5m}}\n",
		prepare: func(s *stage) { s.other = s.startCore("") },
		make:    func(s *stage) { s.replaceCore("--bid", "0%", "--error", "100%") },
		log:     []string{"upstream ejected"}, metrics: []string{`upstream_addresses{state="ejected",upstream="core"} = 1`, `upstream_ejections_total{result="done",upstream="core"}`}, page: []string{"ejected"},
		then: "The other core has all requests; nothing is lost but what failed first. The core comes back by itself after its time, which grows each time. Repair it, or drain it: `rtbwire ctl drain upstream core`.",
	},
	{
		title: "The core's certificate has expired", config: "gateway: {upstreams: [{name: core, url: \"https://CORE\"}], upstream_ca: authority.pem}\n",
		prepare: func(s *stage) {
			authority := certtest.New(s.T, "authority")
			authority.Write(s.T, s.path("authority.pem"))
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			s.must(err)
			server := &http.Server{TLSConfig: &tls.Config{Certificates: []tls.Certificate{authority.Sign(s.T, []string{"127.0.0.1"}, func(c *x509.Certificate) {
				c.NotAfter = time.Now().Add(-time.Hour)
				c.NotBefore = time.Now().Add(-2 * time.Hour)
			}).Pair(s.T)}}, ErrorLog: silent}
			go func() { _ = server.ServeTLS(ln, "", "") }()
			s.Cleanup(func() { server.Close() })
			s.core = &core{address: ln.Addr().String()}
		},
		log: []string{breakerOpen}, metrics: []string{`upstream_healthy{upstream="core"} = 0`, "upstream_failures_total"}, page: []string{"upstreams"},
		then: "The error in the log names the certificate. Renew it at the core; the gateway tries again by itself. There is no switch to trust an expired one.",
	},
	{
		title: "The name of an upstream is not resolved any more", long: true, start: startNamed,
		config: "gateway: {upstreams: [{name: core, url: \"http://core.example:PORT\"}], dns_interval: 1s}\n",
		make:   func(s *stage) { s.must(overwrite(s.path("hosts"), "127.0.0.1 localhost\n")) },
		log:    []string{"the name of an upstream was not resolved"}, metrics: []string{"upstream_resolve_failures_total"}, page: []string{"unresolved"},
		then: "The addresses before stay in use, so nothing is lost until the cores move. Look at the name service, and at the record.",
	},
}
