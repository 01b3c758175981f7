// Package admin is the admin port of a running service, such as a gateway: metrics, health,
// profiles, the configuration in use, the last refused requests, and a page that shows all of it
// live. It has a port of its own, which is net/http's.
//
//	/              the page
//	/plain         the same for browsers without scripts, and for terminals
//	/live          its numbers, as JSON
//	/healthz       200 as long as the process answers
//	/readyz        200 while requests should be sent, or a stream reads; 503 and why otherwise
//	/metrics       for Prometheus
//	/version       of the program
//	/config        the configuration in use, without secrets
//	/rejects       the last refused requests, with findings and redacted excerpts
//	/judge         the verdict on a request that an operator sends
//	/api/v1/       what operators change: see api.go
//	/debug/pprof/  profiles
//
// The files:
//
//	admin.go    Options, New, what is served where
//	server.go   the server: listeners, limits, times
//	limit.go    how many connections there are, and which one ends for a new one
//	guard.go    who may ask: Host, Origin, tokens, certificates; headers of answers
//	api.go      what operators can change, and who they are
//	judge.go    verdicts on requests that operators paste
//	pace.go     how often
//	tokens.go   tokens from files, which are read again, and from the environment
//	sample.go   all metrics at a time
//	history.go  numbers over time, from the differences of samples
//	series.go   which numbers these are
//	document.go the document that /live answers
//	tiles.go    the numbers of now
//	notices.go  what an operator should look at
//	summary.go  tables of reasons, upstreams and partners
//	flow.go     tables of a stream: where it reads, where it writes
//	attention.go more of that, from counters and gauges
//	watch.go    lines of the log about that, and what the port itself counts
//	text.go     numbers for people
//	page.go     the files of the page
//	plain.go    the page without a script
//	log.go      a line for some refused requests
package admin

import (
	"crypto/rand"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/pprof"
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/rtbwire/rtbwire/internal/filewatch"
	"github.com/rtbwire/rtbwire/internal/serving/followed"
	"github.com/rtbwire/rtbwire/internal/serving/rejects"
)

// Options say what is served, and to whom.
type Options struct {
	// Version is the program's version.
	Version string
	// Config returns the configuration in use, without secrets. May be nil.
	Config func() any
	// Hosts are names that the header Host may have, besides localhost and IP addresses.
	Hosts []string
	// Tokens are tokens, and TokenFiles files with tokens, one per line. If there are any,
	// everything but /healthz and /readyz takes one: as a bearer token, or as the password of
	// HTTP's basic authentication, which browsers ask for.
	Tokens, TokenFiles []string
	// ClientCertificates says that listeners demand certificates of clients, and verify them: a
	// client with one needs no token.
	ClientCertificates bool
	// Flow says where the records of a stream come from and go to. Nil for a gateway.
	Flow *Flow
	// Origin and CandidateOrigin say what the configurations in use were read from; nil if from
	// nothing. May be nil.
	Origin, CandidateOrigin func() *filewatch.Origin
	// Files returns what is known about the files that the service follows. May be nil. The server
	// adds those of tokens.
	Files func() []filewatch.Named
	// Control is what operators can change. Nil for nothing.
	Control *Control
	// Judge explains requests that operators paste. Nil for nothing.
	Judge *Judge
	// TLS, if it is not nil, is what Serve uses TLS with.
	TLS *tls.Config
	// Logger gets problems with token files. Default: [slog.Default].
	Logger *slog.Logger
}

// Server serves a port of administration. Make it with [New].
type Server struct {
	options  Options
	source   rejects.Source
	tokens   *tokens
	history  *history
	registry *prometheus.Registry
	watch    *watch // nil for a playground
	handler  http.Handler
	instance string
	started  time.Time
	profiles chan struct{}    // has a place for each profile that may be made at once
	posts    map[string]int64 // the longest body of each path that takes one
	changes  *pace
	judges   *pace
	judging  chan struct{} // has a place for each request that may be judged at once
	serving
}

// New returns a server. It reads the tokens, and opens no connection.
func New(source rejects.Source, o Options) (*Server, error) {
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	tokens, err := newTokens(o.Tokens, o.TokenFiles, o.Logger)
	if err != nil {
		return nil, err
	}
	s := &Server{
		options: o, source: source, tokens: tokens, instance: rand.Text(), started: time.Now(), profiles: make(chan struct{}, profilesMax),
		posts: map[string]int64{}, changes: newPace(ChangesPerSecond), judges: newPace(JudgesPerSecond), judging: make(chan struct{}, judgesMax),
	}
	registry, err := Registry(source, &o, s.files)
	if err != nil {
		return nil, err
	}
	names, plotted := kindOf(&o)
	s.registry, s.watch = registry, newWatch(names, o.Logger)
	if err := registry.Register(s.watch); err != nil {
		return nil, fmt.Errorf("admin: %w", err)
	}
	s.history = newHistory(registry, plotted)
	s.handler = s.guard(s.routes(registry))
	s.serving.init(s)
	return s, nil
}

// kindOf returns the namespace of a service's metrics, and those that are plotted.
func kindOf(o *Options) (names string, plotted []series) {
	if o.Flow != nil {
		return streamNamespace, streamSeries
	}
	return namespace, gatewaySeries
}

// Registry returns the metrics of a service: its own, those of files that are followed, of the
// build and of the process.
func Registry(source rejects.Source, o *Options, files func() []filewatch.Named) (*prometheus.Registry, error) {
	registry := prometheus.NewRegistry()
	names, _ := kindOf(o)
	for _, c := range []prometheus.Collector{
		source.Collector(), followed.Collector(names, files), buildInfo(o.Version), collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	} {
		if err := registry.Register(c); err != nil {
			return nil, fmt.Errorf("admin: %w", err)
		}
	}
	return registry, nil
}

// Gatherer returns the metrics of /metrics.
func (s *Server) Gatherer() prometheus.Gatherer { return s.registry }

// files returns what is known about all files that are followed.
func (s *Server) files() (all []filewatch.Named) {
	if s.options.Files != nil {
		all = s.options.Files()
	}
	return append(all, s.tokens.followed()...)
}

// NewPlayground returns a server with a page for judging requests, and nothing else.
func NewPlayground(o Options) (*Server, error) {
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	tokens, err := newTokens(o.Tokens, o.TokenFiles, o.Logger)
	if err != nil {
		return nil, err
	}
	s := &Server{options: o, tokens: tokens, posts: map[string]int64{}, judges: newPace(JudgesPerSecond), judging: make(chan struct{}, judgesMax)}
	mux := http.NewServeMux()
	s.addJudge(mux)
	addPage(mux, playgroundPage)
	s.handler = s.guard(mux)
	s.serving.init(s)
	return s, nil
}

// buildInfo is a metric with the version in its labels.
func buildInfo(version string) prometheus.Collector {
	info := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "rtbwire_build_info", Help: "The version of the program, in labels."}, []string{"version", "goversion"})
	info.WithLabelValues(version, runtime.Version()).Set(1)
	return info
}

// routes returns the pages.
func (s *Server) routes(registry *prometheus.Registry) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { writeText(w, http.StatusOK, "ok\n") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if why := rejects.NotReady(s.source); why != "" {
			writeText(w, http.StatusServiceUnavailable, why+"\n")
			return
		}
		writeText(w, http.StatusOK, "ready\n")
	})
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{MaxRequestsInFlight: scrapesMax, ErrorLog: slog.NewLogLogger(s.options.Logger.Handler(), slog.LevelError)}))
	mux.HandleFunc("GET /version", func(w http.ResponseWriter, _ *http.Request) { writeText(w, http.StatusOK, s.options.Version+"\n") })
	mux.HandleFunc("GET /rejects", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, s.source.Rejects()) })
	mux.HandleFunc("GET /live", s.live)
	mux.HandleFunc("GET /plain", s.plain)
	if s.options.Config != nil {
		mux.HandleFunc("GET /config", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, s.options.Config()) })
	}
	mux.HandleFunc("GET /debug/pprof/", s.profile(pprof.Index))
	mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("GET /debug/pprof/profile", s.profile(pprof.Profile))
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", s.profile(pprof.Trace))
	if s.options.Control != nil {
		s.addAPI(mux)
	}
	if s.options.Judge != nil {
		s.addJudge(mux)
	}
	addPage(mux, servicePage)
	return mux
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
