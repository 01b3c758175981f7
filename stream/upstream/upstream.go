// Package upstream delivers accepted records of a stream to an HTTP server: one POST for each, with
// the verdict in headers as the gateway sends it. It is a [stream.Destination].
//
// A record is delivered when the server has answered with a status from 200 to 299. Everything else
// is tried again after a pause. What a record alone is at fault for is tried a bounded number of
// times, and is then undeliverable; a server that is down is waited for, however long that takes.
// Which of the two it is, a gate finds out (see [Options.Failures]).
//
// A server can get a record twice: when its answer was lost, or when the stream reads the record
// again after a crash. The header X-Rtbwire-Source is the same each time, and names the record.
//
//	keys.go      the keys of configurations, their flags, defaults and ranges
//	upstream.go  Options, Deliver: attempts and pauses
//	attempt.go   one exchange of HTTP
//	gate.go      is it the record, or the server? who waits, who tries
//	metrics.go   what is counted
package upstream

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/rtbwire/rtbwire/internal/serving/upstreams"
	"github.com/rtbwire/rtbwire/internal/setting"
	"github.com/rtbwire/rtbwire/stream"
)

// Defaults of [Options].
const (
	// PathDefault is posted to if the URL has no path. It is the gateway's.
	PathDefault = "/openrtb2/auction"

	TimeoutDefault     = 5 * time.Second
	AttemptsDefault    = 5
	AttemptsMax        = 1000
	BackoffDefault     = 250 * time.Millisecond
	FailuresDefault    = 5
	PauseDefault       = time.Second
	ConnectionsDefault = stream.ConcurrencyDefault
	ConnectionsMax     = 1 << 16
	ResponseMaxDefault = 1 << 20
)

// What is not to be set.
const (
	// RetryAfterMax is the longest time that an answer's Retry-After is followed for.
	RetryAfterMax = 10 * time.Second
	// idleTimeout is how long a connection is kept. It should be less than the server's.
	idleTimeout = 4 * time.Second

	// backoffTimes is the longest pause, in units of Backoff.
	backoffTimes = 20

	headMax     = 16 << 10 // of an answer
	responseMax = 1 << 30
)

// The headers of requests.
const (
	headerVersion   = "X-Openrtb-Version"
	headerRequestID = "X-Request-Id"
	headerPrefix    = "X-Rtbwire-"
	versionDefault  = "2.6" // of OpenRTB, for records whose headers do not say it
)

// Options say where records are posted to, and how long that is tried. Only URL has no default.
type Options struct {
	// URL is http://host:port or https://host:port, with a path or without one, or
	// unix:/path/to/socket. Default path: [PathDefault].
	URL string
	// Authorities are certificates as PEM, one of which must have signed the server's. Default:
	// those of the system.
	Authorities string
	// Timeout is how long one attempt may take, from the connection to the end of the answer: a
	// millisecond to an hour. Default: [TimeoutDefault].
	Timeout time.Duration
	// Attempts is how often a record is tried that fails while others do not, from 1 to 1,000.
	// Default: [AttemptsDefault]. Attempts that could not connect do not count, nor do those while
	// the gate is closed. Between two attempts is a pause: Backoff, three quarters of it at least,
	// and twice as long each time, up to 20 times Backoff; or what the answer's Retry-After asks
	// for, up to [RetryAfterMax]. Default of Backoff: [BackoffDefault].
	Attempts int
	Backoff  time.Duration
	// Failures is how many different records must fail, without one in between that is delivered,
	// until the server counts as down: a gate closes then, all records wait, and one of them tries
	// once in each Pause. The first that is delivered opens the gate. Connections that can't be
	// made close it alone. Defaults: [FailuresDefault], [PauseDefault].
	Failures int
	Pause    time.Duration
	// Connections bounds those to the server. It should not be less than the stream's Concurrency.
	// Default: [ConnectionsDefault].
	Connections int
	// ResponseMax is the longest answer, in bytes; a longer one is a failed attempt. Default:
	// [ResponseMaxDefault].
	ResponseMax int
	// Log is told when the gate closes and opens. Default: [slog.Default].
	Log *slog.Logger
}

func (o *Options) validate() error {
	for _, n := range []struct {
		name            string
		value           *int
		otherwise, most int
	}{
		{"Failures", &o.Failures, FailuresDefault, AttemptsMax},
		{"Connections", &o.Connections, ConnectionsDefault, ConnectionsMax},
		{"ResponseMax", &o.ResponseMax, ResponseMaxDefault, responseMax},
	} {
		if *n.value == 0 {
			*n.value = n.otherwise
		}
		if *n.value < 1 || *n.value > n.most {
			return fmt.Errorf("upstream: %s is %d (want 0 for the default, or 1 to %d)", n.name, *n.value, n.most)
		}
	}
	for _, d := range []struct {
		name      string
		value     *time.Duration
		otherwise time.Duration
	}{{"Backoff", &o.Backoff, BackoffDefault}, {"Pause", &o.Pause, PauseDefault}} {
		if *d.value == 0 {
			*d.value = d.otherwise
		}
		if *d.value < 0 {
			return fmt.Errorf("upstream: %s is %v (want 0 for the default, or more)", d.name, *d.value)
		}
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return setting.Complete("upstream", o, keys)
}

// Upstream is an HTTP server that records are delivered to. Make it with [New].
type Upstream struct {
	options Options
	client  *client
	gate    gate
	metrics metrics

	logging sync.Mutex
	logged  time.Time // when a record was logged last
	more    int       // that were given up since
}

// New returns an upstream. It opens no connection.
func New(o Options) (*Upstream, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	at, err := upstreams.Parse(o.URL)
	if err != nil {
		return nil, fmt.Errorf("upstream: %w", err)
	}
	client, err := newClient(&at, &o)
	if err != nil {
		return nil, fmt.Errorf("upstream: %w", err)
	}
	u := &Upstream{options: o, client: client}
	u.metrics.init(u)
	u.gate.init(o.Failures, o.Pause, o.Log)
	return u, nil
}

// Close closes connections that are not in use. No call of Deliver may be under way.
func (u *Upstream) Close() {
	u.gate.close()
	u.client.pool.CloseIdleConnections()
}

// Paused reports whether the server counts as down, and records wait for it.
func (u *Upstream) Paused() bool { return u.gate.isClosed() }

// Deliver posts a record until it is delivered, and returns the answer's body, nil if it is empty.
// The error is a [*stream.Undeliverable] after [Options.Attempts], or that of ctx.
func (u *Upstream) Deliver(ctx context.Context, d stream.Delivery) (answer []byte, err error) {
	r := record{}
	for counted := 0; ; {
		if err := u.gate.enter(ctx, &r); err != nil {
			return nil, err
		}
		u.metrics.inFlight.Add(1)
		result := u.client.attempt(ctx, &d)
		u.metrics.inFlight.Add(-1)
		if ctx.Err() != nil && result.err != nil {
			u.gate.leave(&r)
			return nil, ctx.Err()
		}
		u.metrics.attempted(&result)
		if result.err == nil {
			u.gate.success(&r)
			return result.body, nil
		}
		counts := u.gate.failure(&r, &result, counted+1 >= u.options.Attempts)
		if counts {
			if counted++; counted >= u.options.Attempts {
				u.givenUp(&d, counted, result.err)
				return nil, &stream.Undeliverable{Attempts: counted, Err: result.err}
			}
		}
		if u.gate.isClosed() {
			continue // the gate says when to try again
		}
		if err := sleep(ctx, u.options.pauseAfter(counted, result.retryAfter)); err != nil {
			return nil, err
		}
	}
}

// logEvery is the least time between two lines about records that were given up.
const logEvery = time.Second

// givenUp logs a record that is undeliverable, unless another one was logged just before.
func (u *Upstream) givenUp(d *stream.Delivery, attempts int, err error) {
	u.logging.Lock()
	now := time.Now()
	if now.Sub(u.logged) < logEvery {
		u.more++
		u.logging.Unlock()
		return
	}
	more := u.more
	u.logged, u.more = now, 0
	u.logging.Unlock()
	u.options.Log.Warn("a record can't be delivered", "source", d.Source(), "attempts", attempts, "error", err, "more", more)
}

// pauseAfter returns how long to wait after a number of attempts.
func (o *Options) pauseAfter(attempts int, retryAfter time.Duration) time.Duration {
	pause := o.Backoff * time.Duration(min(1<<min(max(attempts-1, 0), 10), backoffTimes))
	pause -= time.Duration(rand.Int64N(int64(pause/4) + 1))
	return max(pause, retryAfter)
}

// sleep waits, unless the context ends.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// StatusError is an answer that does not take the record.
type StatusError struct {
	// Status is that of HTTP.
	Status int
}

// Error names the status.
func (e *StatusError) Error() string {
	return fmt.Sprintf("the upstream answers %d %s", e.Status, http.StatusText(e.Status))
}

// errUnreachable is the error of an attempt that could not connect.
var errUnreachable = errors.New("the upstream can't be reached")
