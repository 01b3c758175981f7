// Package admin serves what operators ask a gateway: metrics, health, profiles, the configuration
// in use, and the last refused requests. It has a port of its own, which is net/http's.
//
//	/healthz       200 as long as the process answers
//	/readyz        200 while requests should be sent, 503 from the beginning of a shutdown
//	/metrics       for Prometheus
//	/version       of the program
//	/config        the configuration in use, without secrets
//	/rejects       the last refused requests, with findings; nothing of the requests themselves
//	/debug/pprof/  profiles
package admin

import (
	"encoding/json"
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/rtbwire/rtbwire/gateway"
)

// Options say what is served.
type Options struct {
	// Version is that of the program.
	Version string
	// Config returns the configuration in use, without secrets. May be nil.
	Config func() any
	// Hosts are names that the header Host may have, besides loopback addresses and localhost.
	Hosts []string
}

// Handler returns the pages of a gateway.
func Handler(g *gateway.Gateway, o Options) http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(g.Collector(), collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { writeText(w, http.StatusOK, "ok\n") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if !g.Ready() {
			writeText(w, http.StatusServiceUnavailable, "stopping\n")
			return
		}
		writeText(w, http.StatusOK, "ready\n")
	})
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /version", func(w http.ResponseWriter, _ *http.Request) { writeText(w, http.StatusOK, o.Version+"\n") })
	mux.HandleFunc("GET /rejects", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, rejects(g)) })
	if o.Config != nil {
		mux.HandleFunc("GET /config", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, o.Config()) })
	}
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return sameHost(mux, o.Hosts)
}

// sameHost refuses requests whose Host is another name: a page of a stranger whose name resolves to
// this address (DNS rebinding) could read everything here otherwise.
func sameHost(next http.Handler, hosts []string) http.Handler {
	known := map[string]bool{"localhost": true}
	for _, h := range hosts {
		known[h] = true
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		if address, err := netip.ParseAddr(trimBrackets(host)); !known[host] && (err != nil || !address.IsLoopback()) {
			http.Error(w, "unknown host", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// trimBrackets takes the brackets from an IPv6 address.
func trimBrackets(host string) string {
	if len(host) > 1 && host[0] == '[' && host[len(host)-1] == ']' {
		return host[1 : len(host)-1]
	}
	return host
}

func writeText(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text)) // whoever asked is gone
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	_ = e.Encode(v) // whoever asked is gone
}

type reject struct {
	Time     string    `json:"time"`
	Partner  string    `json:"partner,omitempty"`
	Reason   string    `json:"reason"`
	NBR      int       `json:"nbr"`
	Score    int       `json:"score"`
	Bytes    int       `json:"bytes"`
	Findings []finding `json:"findings"`
}

type finding struct {
	ID       string `json:"id"`
	Severity string `json:"severity"`
	Path     string `json:"path"`
	Offset   int    `json:"offset"`
	Message  string `json:"message"`
}

// rejects returns the last refused requests for programs.
func rejects(g *gateway.Gateway) []reject {
	list := []reject{}
	for _, r := range g.Rejects() {
		own := reject{r.Time.UTC().Format("2006-01-02T15:04:05.000Z"), r.Partner, r.Reason, r.NBR, r.Score, r.Bytes, []finding{}}
		for i := range r.Findings {
			f := &r.Findings[i]
			own.Findings = append(own.Findings, finding{f.ID, f.Severity.String(), f.Path, f.Offset, f.Message})
		}
		list = append(list, own)
	}
	return list
}
