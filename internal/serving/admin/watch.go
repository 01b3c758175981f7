package admin

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// What the port notices by itself, besides what its source counts: that somebody is refused, and
// that the clock was set. Names of metrics, without the namespace.
const (
	MetricRefused    = "admin_refused_total"
	MetricClockJumps = "clock_jumps_total"
)

// The values of the label cause.
const (
	causeToken   = "token"    // one is there, and it is wrong
	causeNoToken = "no_token" // browsers ask for one then
	causeHost    = "host"
	causeSite    = "site"
	causeForm    = "form" // the method, the type, or the length
)

// causeOf is the cause of a refusal.
func causeOf(status int, r *http.Request) string {
	switch {
	case status == http.StatusUnauthorized && r.Header.Get("Authorization") != "":
		return causeToken
	case status == http.StatusUnauthorized:
		return causeNoToken
	case status == http.StatusMisdirectedRequest:
		return causeHost
	case status == http.StatusForbidden:
		return causeSite
	}
	return causeForm
}

// clockJump is by how much the clock must have been set, between two looks, to be told about.
const clockJump = 2 * time.Second

// refusedEvery is the least time between two lines of the log about refusals.
const refusedEvery = time.Second

// noticeEnds is how long something must have been well for its notice to be over.
const noticeEnds = time.Minute

// watch is what the port counts and writes to the log.
type watch struct {
	log     *slog.Logger
	refused *prometheus.CounterVec
	jumps   prometheus.Counter
	looked  time.Time // at the clock, by one goroutine

	mu   sync.Mutex
	last time.Time // a line about refusals was written
	more int       // refusals without a line since then

	seen map[[2]string]time.Time // notices that have a line, by one goroutine
}

func newWatch(namespace string, log *slog.Logger) *watch {
	w := &watch{
		log: log, seen: map[[2]string]time.Time{},
		refused: prometheus.NewCounterVec(prometheus.CounterOpts{Name: namespace + MetricRefused, Help: "Requests to the admin port that were refused, by cause: token (wrong), no_token, host, site, form."}, []string{"cause"}),
		jumps:   prometheus.NewCounter(prometheus.CounterOpts{Name: namespace + MetricClockJumps, Help: "Times that the clock of the machine was set."}),
	}
	for _, cause := range []string{causeToken, causeNoToken, causeHost, causeSite, causeForm} {
		w.refused.WithLabelValues(cause) // so that it is 0 before the first one
	}
	return w
}

// refusal counts a request that is refused. One that an operator's program would not send is a line
// of the log, once in a while.
func (w *watch) refusal(status int, r *http.Request, now time.Time) {
	cause := causeOf(status, r)
	w.refused.WithLabelValues(cause).Inc()
	if cause == causeNoToken || cause == causeForm {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if now.Sub(w.last) < refusedEvery {
		w.more++
		return
	}
	args := []any{"cause", cause, "from", r.RemoteAddr}
	if w.more > 0 {
		args = append(args, "more", w.more)
	}
	w.last, w.more = now, 0
	w.log.Warn("a request to the admin port was refused", args...)
}

// clock compares the time of the day with the time that has passed.
func (w *watch) clock(now time.Time) {
	if !w.looked.IsZero() {
		by := now.Round(0).Sub(w.looked.Round(0)) - now.Sub(w.looked) // Round takes the time that passes away
		w.jumped(by)
	}
	w.looked = now
}

func (w *watch) jumped(by time.Duration) {
	if by.Abs() < clockJump {
		return
	}
	w.jumps.Inc()
	w.log.Warn("the clock was set", "by", by.Round(time.Second).String())
}

// attend writes the notices that nothing else writes: when they begin, and when they are over.
func (w *watch) attend(notices []Notice, now time.Time) {
	for i := range notices {
		n := &notices[i]
		if !n.unlogged {
			continue
		}
		key := [2]string{n.Kind, n.Place}
		if _, known := w.seen[key]; !known {
			level := slog.LevelWarn
			if n.State == stateBad {
				level = slog.LevelError
			}
			w.log.Log(context.Background(), level, "needs attention", w.args(key, "text", n.Text)...)
		}
		w.seen[key] = now
	}
	for key, last := range w.seen {
		if now.Sub(last) >= noticeEnds {
			delete(w.seen, key)
			w.log.Info("needs no more attention", w.args(key)...)
		}
	}
}

// args are the arguments of a line about a notice.
func (*watch) args(key [2]string, more ...any) []any {
	args := []any{"kind", key[0]}
	if key[1] != "" {
		args = append(args, "place", key[1])
	}
	return append(args, more...)
}

// Describe implements [prometheus.Collector].
func (w *watch) Describe(out chan<- *prometheus.Desc) {
	w.refused.Describe(out)
	w.jumps.Describe(out)
}

// Collect implements [prometheus.Collector].
func (w *watch) Collect(out chan<- prometheus.Metric) {
	w.refused.Collect(out)
	w.jumps.Collect(out)
}

// run keeps the history, and looks at what it says, until the port is closed.
func (s *Server) run() {
	tick := time.NewTicker(Interval)
	defer tick.Stop()
	for {
		s.watch.clock(time.Now())
		d := s.document(query{})
		s.watch.attend(d.Notices, d.Now)
		select {
		case <-tick.C:
		case <-s.stop:
			return
		}
	}
}
