// Package replay sends recorded bid requests to a server at a given rate and measures how it
// answers.
//
//	bodies, err := replay.Load([]batch.Input{batch.File("bids.ndjson.gz")}, replay.LoadOptions{})
//	target, err := replay.ParseTarget("http://127.0.0.1:8080/openrtb2/auction")
//	result, err := replay.Run(ctx, replay.Config{Target: target, Bodies: bodies, Rate: 5000, Duration: time.Minute})
//	fmt.Println(result.Target.Latency.Quantile(0.99))
//
// # What is measured
//
// The load is an open loop: every request has a time when it is due, whatever became of those
// before it. Its latency counts from that time. A generator that waits for answers before it sends
// the next request asks less of a server that is slow, and doesn't notice how long others would
// have waited (coordinated omission). The latency from the moment when a request was really sent is
// kept beside it, as [TargetResult.Naive].
//
// A request that is due while all connections are busy waits for one; that is the target's doing
// and part of the latency. A request that is sent late although a connection was free is the
// generator's doing. [TargetResult.Lag] has how late; a run that is too late too often is invalid
// ([Result.Invalid]), because its latencies are the generator's.
//
// # Files of this package
//
// replay.go is the configuration, run.go runs it; target.go and bodies.go are what is sent, and
// where to; schedule.go when; loop.go sends and receives on many connections, with conn.go,
// response.go for HTTP and poll*.go for the system; tally.go counts, result.go is the outcome;
// judge.go checks, compares and records answers, with compare.go and expect.go; limit.go searches
// the highest rate that a target carries.
package replay

import (
	"errors"
	"fmt"
	"io"
	"math"
	"time"
)

// Limits and defaults. The defaults apply to [Config].
const (
	ConnectionsDefault = 64
	ConnectionsMax     = 20_000
	DurationDefault    = 10 * time.Second
	DurationMax        = 24 * time.Hour
	TimeoutDefault     = time.Second
	TimeoutMax         = time.Minute
	LagDefault         = time.Millisecond
	LoopsMax           = 64
	// RateMax is the highest rate, in requests a second.
	RateMax = 10_000_000
	// ResponseDefault is the largest body of an answer, in bytes.
	ResponseDefault = 1 << 20
	// HeadMax is the largest head of an answer, in bytes.
	HeadMax = 16 << 10
	// LatencyMax is the longest latency that is told apart from longer ones.
	LatencyMax = 10 * time.Minute
	// IntervalDefault is the length of an interval of a result.
	IntervalDefault = tickInterval
	// IntervalsMax is how many intervals a result has at most; see [TargetResult.Intervals].
	IntervalsMax = 600
)

// Header is a header field of every request.
type Header struct{ Name, Value string }

// Config says what is sent where, and how fast.
type Config struct {
	// Target is where requests are sent.
	Target Target
	// Against, if not nil, gets the same requests at the same times, and its answers are compared
	// with the target's; see [Judgement].
	Against *Target
	// Bodies are the requests. They are sent in order, and again from the first after the last.
	Bodies *Bodies
	// Header fields are sent with every request. Content-Type is application/json and
	// X-Openrtb-Version 2.6 unless they are among them.
	Header []Header

	// Rate is how many requests are due a second. 0 is a closed loop: every connection sends its
	// next request when it has the answer to the last, which measures throughput. The latency of a
	// closed loop is naive.
	Rate float64
	// Poisson makes the times between requests random, as they are when many independent clients
	// send. Otherwise they are all the same.
	Poisson bool
	// Seed chooses among random times.
	Seed uint64
	// Duration is how long requests become due. Default: [DurationDefault].
	Duration time.Duration
	// Requests ends the run after that many requests if the duration doesn't before. 0: no limit.
	Requests int64

	// Connections is the number of connections to each target. Default: [ConnectionsDefault].
	Connections int
	// Loops is the number of threads that send. Connections and requests are dealt out evenly
	// among them. Default: 1.
	Loops int
	// Timeout is how long an answer may take from the moment when its request was sent, how long a
	// connection may take to be made, and how long a run waits for answers in the end. Default:
	// [TimeoutDefault].
	Timeout time.Duration
	// MaxResponse is the largest body of an answer in bytes. Default: [ResponseDefault].
	MaxResponse int
	// LagMax is the largest 99th percentile of [TargetResult.Lag] in a valid run. Default:
	// [LagDefault].
	LagMax time.Duration

	// Interval is how long an interval of the result is; see [TargetResult.Intervals]. Default and
	// least: [IntervalDefault].
	Interval time.Duration

	// Check has every answer checked: with the rules of OpenRTB for responses, and for pairs of a
	// request and a response.
	Check bool
	// Expect, if not nil, are the answers to compare with.
	Expect *Expected
	// Record, if not nil, gets the target's answers, one per line; see [Judgement.Recorded].
	Record io.Writer

	// Progress, if not nil, is called about once a second from another goroutine.
	Progress func(Snapshot)

	poller func() (poller, error) // for tests
}

// withDefaults fills in the defaults and checks the values.
func (c Config) withDefaults() (Config, error) {
	or := func(n *int, otherwise int) {
		if *n == 0 {
			*n = otherwise
		}
	}
	or(&c.Connections, ConnectionsDefault)
	or(&c.Loops, 1)
	or(&c.MaxResponse, ResponseDefault)
	for d, otherwise := range map[*time.Duration]time.Duration{
		&c.Duration: DurationDefault, &c.Timeout: TimeoutDefault, &c.LagMax: LagDefault, &c.Interval: IntervalDefault,
	} {
		if *d == 0 {
			*d = otherwise
		}
	}
	if c.poller == nil {
		c.poller = newPoller
	}
	c.Loops = min(c.Loops, max(c.Connections, 1))
	switch {
	case c.Bodies == nil || c.Bodies.Len() == 0:
		return c, errors.New("replay: there are no requests to send")
	case c.Target.Address == "" || c.Against != nil && c.Against.Address == "":
		return c, errors.New("replay: a target has no address; make it with ParseTarget")
	case math.IsNaN(c.Rate) || c.Rate < 0 || c.Rate > RateMax:
		return c, fmt.Errorf("replay: Rate is %v (want 0 to %d requests a second)", c.Rate, RateMax)
	case c.Requests < 0:
		return c, fmt.Errorf("replay: Requests is %d (want at least 1, or 0 for no limit)", c.Requests)
	case c.Connections < 1 || c.Connections > ConnectionsMax:
		return c, fmt.Errorf("replay: Connections is %d (want 1 to %d)", c.Connections, ConnectionsMax)
	case c.Loops < 1 || c.Loops > LoopsMax:
		return c, fmt.Errorf("replay: Loops is %d (want 1 to %d)", c.Loops, LoopsMax)
	case c.Duration < 0 || c.Duration > DurationMax:
		return c, fmt.Errorf("replay: Duration is %v (want up to %v)", c.Duration, DurationMax)
	case c.Timeout < 0 || c.Timeout > TimeoutMax:
		return c, fmt.Errorf("replay: Timeout is %v (want up to %v)", c.Timeout, TimeoutMax)
	case c.MaxResponse < 0:
		return c, fmt.Errorf("replay: MaxResponse is %d (want a number of bytes)", c.MaxResponse)
	case c.Interval < IntervalDefault || c.Interval > DurationMax:
		return c, fmt.Errorf("replay: Interval is %v (want %v to %v)", c.Interval, IntervalDefault, DurationMax)
	case c.LagMax < 0:
		return c, fmt.Errorf("replay: LagMax is %v (want a duration)", c.LagMax)
	}
	for _, h := range c.Header {
		if err := checkHeader(h); err != nil {
			return c, err
		}
	}
	return c, nil
}

// judges reports whether somebody looks at the text of answers.
func (c *Config) judges() bool {
	return c.Check || c.Expect != nil || c.Against != nil || c.Record != nil
}
