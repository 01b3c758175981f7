// Package candidate judges a copy of requests by a second configuration beside the live one, and
// counts where the two verdicts differ.
//
//	c := candidate.New(candidate.Options{Holder: holder, Namespace: "rtbwire_gateway_"})
//	c.Start()
//	...
//	c.Add(body, &facts, observing, &verdict) // of the live configuration
//	...
//	c.Stop()
//
// Nothing of it reaches a live answer. Add copies the request into a bounded queue and returns; if
// the queue is full, the request is left out and counted. One goroutine judges, so the candidate
// takes at most one processor. It asks nothing and keeps nothing: facts are those of the live
// configuration, with what its windows and services have said, and verdicts are compared and
// forgotten. A panic costs the request that it is about.
package candidate

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/serving/kept"
	"github.com/rtbwire/rtbwire/internal/verdictchange"
)

// QueueMax and QueueBytesMax bound what waits to be judged.
const (
	QueueMax      = 1024
	QueueBytesMax = 16 << 20
)

// panicInterval is the time between two lines of the log about panics.
const panicInterval = 10 * time.Second

// Options say what is compared with the live configuration.
type Options struct {
	// Holder has the engine of the candidate. It may be swapped at any time.
	Holder *inspect.Holder
	// Share of requests is judged, chosen by chance: a hash of the id chooses those of samples, and
	// a share of these would be no sample of all. 0 means all.
	Share float64
	// Namespace begins the names of metrics.
	Namespace string
	// Logger is told about panics. Default: [slog.Default].
	Logger *slog.Logger
}

// Validate refuses a share that is none.
func Validate(share float64) error {
	if !(share >= 0 && share <= 1) { // also NaN
		return fmt.Errorf("the candidate's share is %v (want more than 0, at most 1; 0 for all)", share)
	}
	return nil
}

// Candidate judges copies of requests. A nil Candidate takes none.
type Candidate struct {
	options Options
	metrics metrics

	items chan *item
	bytes atomic.Int64
	pool  sync.Pool

	stop, done chan struct{}
	stopping   sync.Once
	started    atomic.Bool
	panicked   time.Time // when the log had a line
}

// item is a copy of a request, and what the live configuration says about it.
type item struct {
	kept.Request
	observing *inspect.Observing
	live      verdictchange.Summary
}

// New returns a candidate, nil without a holder.
func New(o Options) *Candidate {
	if o.Holder == nil {
		return nil
	}
	if o.Share == 0 {
		o.Share = 1
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	c := &Candidate{
		options: o, items: make(chan *item, QueueMax), stop: make(chan struct{}), done: make(chan struct{}),
		pool: sync.Pool{New: func() any { return new(item) }},
	}
	c.metrics.init(o.Namespace, o.Share)
	return c
}

// Start begins to judge.
func (c *Candidate) Start() {
	if c == nil || c.started.Swap(true) {
		return
	}
	go c.run()
}

// Stop ends judging, and waits for the request that is being judged. Requests that are added
// afterwards are left out.
func (c *Candidate) Stop() {
	if c == nil || !c.started.Load() {
		return
	}
	c.stopping.Do(func() { close(c.stop) })
	<-c.done
}

// Add has a request judged that the live configuration has given a verdict on, or counts it as left
// out. What operators observe, if anything, counts for the candidate too. Add never waits, and
// keeps nothing of its other arguments.
func (c *Candidate) Add(body []byte, f *inspect.Facts, o *inspect.Observing, live *inspect.Verdict) {
	if c == nil || c.options.Share < 1 && rand.Float64() >= c.options.Share {
		return
	}
	size := int64(len(body))
	if c.bytes.Add(size) > QueueBytesMax {
		c.bytes.Add(-size)
		c.metrics.full.Inc()
		return
	}
	i := c.pool.Get().(*item)
	i.Fill(body, f)
	i.observing, i.live = o, verdictchange.Of(live)
	c.bytes.Add(i.Size() - size)
	select {
	case c.items <- i:
	default:
		c.metrics.full.Inc()
		c.recycle(i)
	}
}

func (c *Candidate) recycle(i *item) {
	c.bytes.Add(-i.Size())
	i.Reset()
	i.observing, i.live = nil, verdictchange.Summary{}
	c.pool.Put(i)
}

// run judges what is in the queue.
func (c *Candidate) run() {
	defer close(c.done)
	w := c.options.Holder.NewWorker()
	for {
		select {
		case <-c.stop:
			return
		default:
		}
		select {
		case <-c.stop:
			return
		case i := <-c.items:
			if !c.judge(w, i) {
				w = c.options.Holder.NewWorker() // the other one is in an unknown state
			}
			c.recycle(i)
		}
	}
}

// judge judges a request. It reports false after a panic.
func (c *Candidate) judge(w *inspect.Worker, i *item) (ok bool) {
	defer func() {
		if p := recover(); p != nil {
			c.metrics.panics.Inc()
			if now := time.Now(); now.Sub(c.panicked) > panicInterval {
				c.panicked = now
				c.options.Logger.Error("panic while the candidate judged a request; the live configuration is not concerned", "panic", p, "stack", string(debug.Stack()))
			}
		}
	}()
	_ = w.Decode(i.Body()) // JudgeObserving knows
	v := w.JudgeObserving(i.Facts(), i.observing)
	after := verdictchange.Of(&v)
	c.metrics.judged(verdictchange.Between(&i.live, &after))
	w.Release() // an idle worker keeps no request
	return true
}
