package stream_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/stream"
)

// patience is how long tests wait for what must happen. Nothing depends on it but the time that a
// failure takes.
const patience = 60 * time.Second

// memory is a source whose lanes are lists of values, and that keeps positions over sessions.
type memory struct {
	mu        sync.Mutex
	values    [][]string // by lane
	committed []int64
	read      []int64
	sessions  int
	commits   int   // that were tried
	fails     error // of commits
	openFails error
	size      int64 // of each record, as Record.Size
	each      int   // records that are added at a time
}

func newMemory(values ...[]string) *memory {
	return &memory{values: values, committed: make([]int64, len(values)), read: make([]int64, len(values)), each: 50}
}

func (m *memory) Open(_ context.Context, f *stream.Flow) (stream.Session, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.openFails != nil {
		return nil, m.openFails
	}
	m.sessions++
	n := &memorySession{memory: m, f: f}
	copy(m.read, m.committed)
	for i := range m.values {
		lane := f.Add(stream.LaneID{Name: "lane", Number: int32(i)})
		lane.Begin(m.committed[i])
		lane.SetEnd(int64(len(m.values[i])))
		n.lanes = append(n.lanes, lane)
	}
	return n, nil
}

type memorySession struct {
	*memory
	f     *stream.Flow
	lanes []*stream.Lane
}

func (n *memorySession) Read(ctx context.Context) {
	n.f.Ready()
	for ctx.Err() == nil {
		n.f.Wait(ctx)
		for i, lane := range n.lanes {
			n.mu.Lock()
			var records []stream.Record
			for at := n.read[i]; at < int64(len(n.values[i])) && len(records) < n.each; at++ {
				records = append(records, stream.Record{
					Key: fmt.Append(nil, at), Value: []byte(n.values[i][at]), Mark: n.values[i][at] == mark, Size: n.size,
					Headers: []stream.Header{{Key: "own", Value: []byte("1")}}, Position: at, Next: at + 1,
				})
			}
			n.read[i] += int64(len(records))
			n.mu.Unlock()
			lane.Add(records)
		}
		select {
		case <-time.After(time.Millisecond):
		case <-ctx.Done():
		}
	}
}

func (n *memorySession) Commit(_ context.Context, at []stream.Position) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.commits++
	if n.fails != nil {
		return n.fails
	}
	for i := range at {
		n.committed[at[i].Lane.ID.Number] = at[i].At
		at[i].Stored = true
	}
	return nil
}

func (*memorySession) Close(context.Context) {}

// locked returns what f returns, while nobody changes the source.
func locked[T any](m *memory, f func() T) T {
	m.mu.Lock()
	defer m.mu.Unlock()
	return f()
}

func (m *memory) allCommitted() bool {
	return locked(m, func() bool {
		for i := range m.values {
			if m.committed[i] != int64(len(m.values[i])) {
				return false
			}
		}
		return true
	})
}

// shelf is a sink that keeps copies of records. Each is done at once, unless they are held back.
type shelf struct {
	mu      sync.Mutex
	records []stream.Record
	hold    bool
	held    []func(error)
	errs    []error // of the next records
	check   error
}

func (s *shelf) Check(r *stream.Record) error {
	if len(r.Value) == 0 && len(r.Key) == 0 {
		return nil
	}
	return s.check
}

func (s *shelf) Write(_ context.Context, r *stream.Record, done func(error)) {
	s.mu.Lock()
	var err error
	if len(s.errs) > 0 {
		err, s.errs = s.errs[0], s.errs[1:]
	}
	if err == nil {
		kept := *r
		kept.Value = bytes.Clone(r.Value)
		s.records = append(s.records, kept)
	}
	if s.hold {
		s.held = append(s.held, done)
		s.mu.Unlock()
		return
	}
	s.mu.Unlock()
	done(err)
}

// release calls done for a record that is held back.
func (s *shelf) release(i int) {
	s.mu.Lock()
	done := s.held[i]
	s.mu.Unlock()
	done(nil)
}

func (s *shelf) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.records)
}

// keys returns the keys of the records of a lane.
func (s *shelf) keys(lane int32) (keys []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.records {
		if r.Lane.ID.Number == lane {
			keys = append(keys, string(r.Key))
		}
	}
	return keys
}

// mark is the value of what is no record.
const mark = "mark"

func good(n int) (values []string) {
	for i := range n {
		values = append(values, fmt.Sprintf(`{"id":"%d","imp":[{"id":"1","banner":{"w":300,"h":250}}],"site":{"page":"https://example.com/"}}`, i))
	}
	return values
}

func keys(from, to int) (keys []string) {
	for i := from; i < to; i++ {
		keys = append(keys, fmt.Sprint(i))
	}
	return keys
}

// running is a stream of a test.
type running struct {
	*stream.Stream
	t              *testing.T
	source         *memory
	accepted, dead *shelf
	stop           context.CancelFunc
	done           chan struct{}
	err            error
}

func start(t *testing.T, source *memory, change func(*stream.Options)) *running {
	t.Helper()
	r := &running{t: t, source: source, accepted: &shelf{}, dead: &shelf{}, done: make(chan struct{})}
	o := stream.Options{
		Source: source, Accepted: r.accepted, DeadLetters: r.dead, CommitInterval: 5 * time.Millisecond, Jobs: 4,
		DrainTimeout: patience, Log: slog.New(slog.DiscardHandler),
	}
	if change != nil {
		change(&o)
	}
	var err error
	if r.Stream, err = stream.New(o); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	r.stop = stop
	go func() {
		defer close(r.done)
		r.err = r.Run(ctx)
	}()
	t.Cleanup(func() {
		stop()
		<-r.done
	})
	return r
}

// ended stops the stream and returns what Run has returned.
func (r *running) ended() error {
	r.stop()
	<-r.done
	return r.err
}

func (r *running) eventually(what string, is func() bool) {
	r.t.Helper()
	for end := time.Now().Add(patience); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			r.t.Fatalf("still not: %s", what)
		}
	}
}

// TestOrder: lanes keep their order in each sink, though many jobs judge.
func TestOrder(t *testing.T) {
	t.Parallel()
	const n = 3000
	values := make([][]string, 3)
	for i := range values {
		values[i] = good(n)
		for j := i; j < n; j += 7 {
			values[i][j] = "bad"
		}
	}
	r := start(t, newMemory(values...), nil)
	r.eventually("all is committed", r.source.allCommitted)
	if err := r.ended(); err != nil {
		t.Error(err)
	}
	for i := range values {
		var accepted, dead []string
		for j, key := range keys(0, n) {
			if values[i][j] == "bad" {
				dead = append(dead, key)
			} else {
				accepted = append(accepted, key)
			}
		}
		if got := r.accepted.keys(int32(i)); !slices.Equal(got, accepted) {
			t.Errorf("lane %d: %d accepted records, want %d in order", i, len(got), len(accepted))
		}
		if got := r.dead.keys(int32(i)); !slices.Equal(got, dead) {
			t.Errorf("lane %d: %d dead letters, want %d in order", i, len(got), len(dead))
		}
	}
}

// TestPrefix: what is committed is what is delivered without a gap, in whatever order.
func TestPrefix(t *testing.T) {
	t.Parallel()
	source := newMemory(good(300))
	r := start(t, source, func(o *stream.Options) { o.Accepted.(*shelf).hold = true })
	r.eventually("all are written", func() bool { return r.accepted.count() == 300 })
	for i := 299; i > 0; i-- {
		r.accepted.release(i)
	}
	before := locked(source, func() int { return source.commits })
	time.Sleep(20 * time.Millisecond)
	if at := locked(source, func() int64 { return source.committed[0] }); at != 0 || before > 0 {
		t.Errorf("committed %d (%d commits), and the first record is not delivered", at, before)
	}
	r.accepted.release(0)
	r.eventually("all is committed", source.allCommitted)
	if err := r.ended(); err != nil {
		t.Error(err)
	}
}

// TestBudget: reading pauses while as much is in flight as may be.
func TestBudget(t *testing.T) {
	t.Parallel()
	value := good(1)[0]
	value += strings.Repeat(" ", 64<<10-len(value))
	source := newMemory(slices.Repeat([]string{value}, 200))
	source.each = 1
	r := start(t, source, func(o *stream.Options) {
		o.MaxInFlight = stream.MaxInFlightMin
		o.Accepted.(*shelf).hold = true
	})
	fits := stream.MaxInFlightMin / len(value)
	r.eventually("the budget is full", func() bool { return r.accepted.count() >= fits-1 })
	time.Sleep(20 * time.Millisecond)
	if got := r.accepted.count(); got > fits+1 {
		t.Errorf("%d records are in flight, want at most %d", got, fits+1)
	}
	for i := range 200 {
		r.eventually("the next one is read", func() bool { return r.accepted.count() > i })
		r.accepted.release(i)
	}
	r.eventually("all is committed", source.allCommitted)
	if err := r.ended(); err != nil {
		t.Error(err)
	}
}

// TestDeadLetters: a dead letter is what was read, with the reason; what its sink can't take of it
// is left out.
func TestDeadLetters(t *testing.T) {
	t.Parallel()
	header := func(r *stream.Record, key string) string {
		for _, h := range r.Added {
			if h.Key == key {
				return string(h.Value)
			}
		}
		return ""
	}
	for _, tt := range []struct {
		name, value  string
		size         int64
		check        error
		reason, kept string
		length       string
		dropped      string
	}{
		{name: "refused", value: "bad", reason: "json.syntax", kept: "bad"},
		{name: "too long", value: strings.Repeat("x", 1001), reason: stream.ReasonSize, kept: strings.Repeat("x", 1001)},
		{name: "not read", value: "", size: 5000, reason: stream.ReasonSize, length: "5000"},
		{name: "too large for the sink", value: "bad", check: stream.ErrTooLarge, reason: "json.syntax", length: "3", dropped: "key,headers"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			source := newMemory([]string{tt.value})
			source.size = tt.size
			r := start(t, source, func(o *stream.Options) {
				o.MaxRecord = 1000
				o.DeadLetters.(*shelf).check = tt.check
			})
			r.eventually("it is committed", source.allCommitted)
			if err := r.ended(); err != nil {
				t.Error(err)
			}
			got := &r.dead.records[0]
			if string(got.Value) != tt.kept || header(got, stream.HeaderSource) != "lane/0/0" || header(got, stream.HeaderReason) != tt.reason ||
				header(got, stream.HeaderSize) != tt.length || header(got, stream.HeaderDropped) != tt.dropped || (len(got.Headers) == 0) != (tt.dropped != "") {
				t.Errorf("got %q with %q", got.Value, got.Added)
			}
			// The same is on the page, with its place.
			if shown := r.Rejects(); len(shown) != 1 || shown[0].Reason != tt.reason || shown[0].Source != "lane/0, offset 0" || len(shown[0].Findings) != 1 || shown[0].Findings[0].Message == "" {
				t.Errorf("operators see %+v", shown)
			}
		})
	}
}

// TestMark: what is no record is committed, and neither judged nor written.
func TestMark(t *testing.T) {
	t.Parallel()
	source := newMemory([]string{mark, good(1)[0], mark, mark})
	r := start(t, source, nil)
	r.eventually("all is committed", source.allCommitted)
	if err := r.ended(); err != nil {
		t.Error(err)
	}
	if a, d := r.accepted.count(), r.dead.count(); a != 1 || d != 0 {
		t.Errorf("%d accepted, %d dead letters", a, d)
	}
}

// TestUndeliverable: an accepted record that its sink does not take is a dead letter; a dead letter
// that its sink does not take ends the stream.
func TestUndeliverable(t *testing.T) {
	t.Parallel()
	source := newMemory(good(3))
	one := &stream.Undeliverable{Attempts: 1, Err: errors.New("not this one")}
	r := start(t, source, func(o *stream.Options) { o.Accepted.(*shelf).errs = []error{nil, one} })
	r.eventually("all is committed", source.allCommitted)
	if err := r.ended(); err != nil {
		t.Error(err)
	}
	if got := r.dead.keys(0); !slices.Equal(got, []string{"1"}) {
		t.Errorf("dead letters %q", got)
	}
	if shown := r.Rejects(); len(shown) != 1 || shown[0].Reason != stream.ReasonUndeliverable || shown[0].Source != "lane/0, offset 1" || shown[0].Findings[0].Message != "not delivered after 1 attempts: not this one" {
		t.Errorf("operators see %+v", shown)
	}

	source = newMemory([]string{"bad"})
	r = start(t, source, func(o *stream.Options) { o.DeadLetters.(*shelf).errs = []error{one} })
	<-r.done
	if !errors.Is(r.err, one.Err) || source.committed[0] != 0 {
		t.Errorf("got %v, committed %d", r.err, source.committed[0])
	}
}

// TestSinkFails: after an error of a sink the next session reads again from what is committed.
func TestSinkFails(t *testing.T) {
	t.Parallel()
	source := newMemory(good(500))
	r := start(t, source, func(o *stream.Options) {
		o.Accepted.(*shelf).errs = append(make([]error, 250), errors.New("the disk is full"))
	})
	r.eventually("all is committed", source.allCommitted)
	if err := r.ended(); err != nil {
		t.Error(err)
	}
	if n := locked(source, func() int { return source.sessions }); n != 2 {
		t.Errorf("%d sessions, want 2", n)
	}
	got := r.accepted.keys(0)
	again := slices.Index(got[250:], "250") // perhaps after some of the records before it, twice
	if !slices.Equal(got[:250], keys(0, 250)) || again < 0 || !slices.Equal(got[250+again:], keys(250, 500)) {
		t.Errorf("got %q", got)
	}
}

// TestUndelivered: a stop says what nobody has delivered, though the source waits to be opened
// again, and until then the lag stays.
func TestUndelivered(t *testing.T) {
	t.Parallel()
	source := newMemory(good(50))
	full := errors.New("the disk is full")
	r := start(t, source, func(o *stream.Options) { o.Accepted.(*shelf).errs = slices.Repeat([]error{full}, 1000) })
	r.eventually("the source is read", func() bool { return locked(source, func() bool { return source.read[0] == 50 }) })
	locked(source, func() bool { source.openFails = errors.New("not yet"); return true })
	r.eventually("the session is over", func() bool { return !r.Ready() })
	r.eventually("the lag between sessions", func() bool { return collected(t, r.Stream, "rtbwire_stream_partitions") == 0 })
	if lag := collected(t, r.Stream, "rtbwire_stream_lag_records"); lag != 50 {
		t.Errorf("the lag is %v, want 50", lag)
	}
	if err := r.ended(); !errors.Is(err, stream.ErrUndelivered) || !strings.Contains(err.Error(), "50 records of lane/0") {
		t.Errorf("got %v", err)
	}
}

// collected returns a gauge of a stream, of its only lane.
func collected(t *testing.T, s *stream.Stream, name string) float64 {
	t.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(s.Collector())
	all, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range all {
		if family.GetName() == name {
			m := family.GetMetric()[0]
			return m.GetGauge().GetValue() + m.GetCounter().GetValue() // one of which is missing
		}
	}
	t.Fatalf("no metric %s", name)
	return 0
}

// undecided is a condition without a value, holds one that holds.
type undecided struct{}

func (undecided) Holds(*rule.Input) (bool, error) { return false, errors.New("no value") }

type holds struct{}

func (holds) Holds(*rule.Input) (bool, error) { return true, nil }

// TestJudgedMetrics counts rules that can't decide and findings that refuse nothing, of records
// that are accepted.
func TestJudgedMetrics(t *testing.T) {
	t.Parallel()
	warn := inspect.Warn
	engine, err := inspect.New(inspect.Config{Global: inspect.Layer{
		Severities: []inspect.Setting{{Reasons: "schema.*", Severity: inspect.Off}},
		Rules:      []inspect.Rule{{Name: "undecided", When: undecided{}, OnError: rule.PassOnError}, {Name: "odd", When: holds{}, Severity: &warn}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	const n = 300
	r := start(t, newMemory(good(n)), func(o *stream.Options) { o.Engine, o.Facts.Partner = engine, "p" })
	r.eventually("all is committed", r.source.allCommitted)
	for _, name := range []string{"judged_total", "rule_errors_total", "findings_total"} {
		if got := collected(t, r.Stream, stream.Namespace+name); got != n {
			t.Errorf("%s is %v, want %d", name, got, n)
		}
	}
	if got := r.accepted.count(); got != n {
		t.Errorf("%d accepted records, want %d", got, n)
	}
}

// TestOpenFails: a session that can't begin is tried again, unless the error is fatal.
func TestOpenFails(t *testing.T) {
	t.Parallel()
	source := newMemory(good(3))
	source.openFails = errors.New("not yet")
	r := start(t, source, nil)
	time.Sleep(20 * time.Millisecond)
	if why := r.NotReady(); r.Ready() || !strings.Contains(why, "begins again after a failure") {
		t.Errorf("without a session it is not ready because %q", why)
	}
	locked(source, func() bool { source.openFails = nil; return true })
	r.eventually("all is committed", source.allCommitted)
	if why := r.NotReady(); !r.Ready() || why != "" {
		t.Errorf("it reads, and is not ready because %q", why)
	}
	if err := r.ended(); err != nil || r.NotReady() != "stopping" {
		t.Errorf("%v, not ready because %q", err, r.NotReady())
	}

	source = newMemory(good(3))
	never := errors.New("never")
	source.openFails = stream.Fatal(never)
	r = start(t, source, nil)
	<-r.done
	if !errors.Is(r.err, never) {
		t.Errorf("got %v", r.err)
	}
	if err := r.Run(t.Context()); err == nil {
		t.Error("Run was called twice")
	}
}

// TestFirstCommit: the first deliveries are committed long before the interval is over.
func TestFirstCommit(t *testing.T) {
	t.Parallel()
	source := newMemory(good(10))
	r := start(t, source, func(o *stream.Options) { o.CommitInterval = time.Hour })
	r.eventually("all is committed", source.allCommitted)
	locked(source, func() bool { // the second deliveries too
		source.values[0] = append(source.values[0], good(10)...)
		return true
	})
	r.eventually("more is committed", source.allCommitted)
	if err := r.ended(); err != nil {
		t.Error(err)
	}
}

// TestCommitFails: a commit that fails is tried again, unless the error is fatal.
func TestCommitFails(t *testing.T) {
	t.Parallel()
	source := newMemory(good(10))
	source.fails = errors.New("not yet")
	r := start(t, source, nil)
	r.eventually("commits are tried again", func() bool { return locked(source, func() int { return source.commits }) > 3 })
	locked(source, func() bool { source.fails = nil; return true })
	r.eventually("all is committed", source.allCommitted)
	if err := r.ended(); err != nil || source.sessions != 1 {
		t.Errorf("%v, %d sessions", err, source.sessions)
	}

	source = newMemory(good(10))
	never := errors.New("never")
	source.fails = stream.Fatal(never)
	r = start(t, source, nil)
	<-r.done
	if !errors.Is(r.err, never) {
		t.Errorf("got %v", r.err)
	}
}

// TestDrain: the end waits for what is on its way and commits it, for as long as it may.
func TestDrain(t *testing.T) {
	t.Parallel()
	source := newMemory(good(20))
	r := start(t, source, func(o *stream.Options) { o.Accepted.(*shelf).hold = true })
	r.eventually("all are written", func() bool { return r.accepted.count() == 20 })
	r.stop()
	for i := range 20 {
		r.accepted.release(i)
	}
	if err := r.ended(); err != nil || !source.allCommitted() {
		t.Errorf("%v, committed %d", err, source.committed[0])
	}

	source = newMemory(good(20))
	r = start(t, source, func(o *stream.Options) {
		o.DrainTimeout = time.Millisecond
		o.Accepted.(*shelf).hold = true
	})
	r.eventually("all are written", func() bool { return r.accepted.count() == 20 })
	for i := range 7 {
		r.accepted.release(i)
	}
	go func() { // what is given up is told so
		time.Sleep(50 * time.Millisecond)
		for i := 7; i < 20; i++ {
			r.accepted.held[i](context.Canceled)
		}
	}()
	if err := r.ended(); !errors.Is(err, stream.ErrDrain) || source.committed[0] != 7 {
		t.Errorf("%v, committed %d, want 7", err, source.committed[0])
	}
}

// upstream is a destination that answers.
type upstream struct {
	mu  sync.Mutex
	got map[string]string // value by source
	err error             // of each second record
}

func (u *upstream) Deliver(_ context.Context, d stream.Delivery) ([]byte, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.err != nil && d.Position%2 == 1 {
		return nil, u.err
	}
	u.got[d.Source()] = string(d.Value)
	return []byte("answer to " + string(d.Key)), nil
}

// TestDestination: accepted records go to the upstream, and what it answers to the responses.
func TestDestination(t *testing.T) {
	t.Parallel()
	values := append(good(20), "bad")
	source := newMemory(values)
	u := &upstream{got: map[string]string{}, err: &stream.Undeliverable{Attempts: 5, Err: errors.New("no")}}
	responses := &shelf{}
	r := start(t, source, func(o *stream.Options) { o.Accepted, o.Upstream, o.Responses = nil, u, responses })
	r.eventually("all is committed", source.allCommitted)
	if err := r.ended(); err != nil {
		t.Error(err)
	}
	for i := 0; i < 20; i += 2 {
		if got := u.got[fmt.Sprintf("lane/0/%d", i)]; got != values[i] {
			t.Errorf("%d: got %q", i, got)
		}
	}
	if len(u.got) != 10 || responses.count() != 10 || r.dead.count() != 11 {
		t.Errorf("%d delivered, %d responses, %d dead letters", len(u.got), responses.count(), r.dead.count())
	}
	for _, response := range responses.records {
		if string(response.Value) != "answer to "+string(response.Key) {
			t.Errorf("%q has the answer %q", response.Key, response.Value)
		}
	}
}

// TestAnswerTooLarge: an answer that its sink does not take is not written; its record is
// delivered.
func TestAnswerTooLarge(t *testing.T) {
	t.Parallel()
	source := newMemory(good(20))
	u := &upstream{got: map[string]string{}}
	responses := &shelf{check: stream.ErrTooLarge}
	r := start(t, source, func(o *stream.Options) { o.Accepted, o.Upstream, o.Responses = nil, u, responses })
	r.eventually("all is committed", source.allCommitted)
	if err := r.ended(); err != nil {
		t.Error(err)
	}
	if len(u.got) != 20 || responses.count() != 0 || r.dead.count() != 0 {
		t.Errorf("%d delivered, %d responses, %d dead letters", len(u.got), responses.count(), r.dead.count())
	}
}

// TestNew refuses what no stream can be made of.
func TestNew(t *testing.T) {
	t.Parallel()
	whole := stream.Options{Source: newMemory(), Accepted: &shelf{}, DeadLetters: &shelf{}}
	if _, err := stream.New(whole); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*stream.Options){
		"no source":           func(o *stream.Options) { o.Source = nil },
		"dead letters":        func(o *stream.Options) { o.DeadLetters = nil },
		"no destination":      func(o *stream.Options) { o.Accepted = nil },
		"both":                func(o *stream.Options) { o.Upstream = &upstream{} },
		"without an upstream": func(o *stream.Options) { o.Responses = &shelf{} },
		"CommitInterval":      func(o *stream.Options) { o.CommitInterval = -1 },
		"DrainTimeout":        func(o *stream.Options) { o.DrainTimeout = -1 },
		"MaxRecord is":        func(o *stream.Options) { o.MaxRecord = stream.MaxRecordMax + 1 },
		"MaxInFlight is 1 ":   func(o *stream.Options) { o.MaxInFlight = 1 },
		"Concurrency is -1":   func(o *stream.Options) { o.Concurrency = -1 },
		"Jobs is 10000":       func(o *stream.Options) { o.Jobs = 10000 },
	} {
		o := whole
		change(&o)
		if _, err := stream.New(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
