package files

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/stream"
)

// patience is how long tests wait for what must happen. Nothing depends on it but the time that a
// failure takes.
const patience = 60 * time.Second

// place has the folders of a test.
type place struct {
	tb      testing.TB
	root    string
	options Options
	stream  stream.Options
	log     testkit.Log
}

func newPlace(tb testing.TB) *place {
	tb.Helper()
	p := &place{tb: tb, root: tb.TempDir()}
	p.setUp()
	return p
}

// setUp sets options for folders below the root.
func (p *place) setUp() {
	for _, folder := range []string{"in", "out", "state"} {
		if err := os.MkdirAll(filepath.Join(p.root, folder), 0o700); err != nil {
			panic(err)
		}
	}
	p.options = Options{
		Folder: filepath.Join(p.root, "in"), Positions: filepath.Join(p.root, "state", "positions.json"),
		PollInterval: PollIntervalMin, IdleAfter: time.Hour,
	}
	p.stream = stream.Options{CommitInterval: 3 * time.Millisecond, DrainTimeout: patience, Jobs: 2, Log: slog.New(slog.NewTextHandler(&p.log, nil))}
}

func (p *place) in(name string) string { return filepath.Join(p.root, "in", name) }

// append appends to a file that is read.
func (p *place) append(name, text string) {
	p.tb.Helper()
	f, err := os.OpenFile(p.in(name), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err == nil {
		_, err = f.WriteString(text)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		p.tb.Fatal(err)
	}
}

// lines returns the lines of a sink's file and of those that it has renamed, in their order.
func (p *place) lines(name string) (lines []string) {
	path := filepath.Join(p.root, "out", name)
	last, err := lastRotated(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		p.tb.Fatal(err)
	}
	for i := 1; i <= last+1; i++ {
		from := rotatedName(path, i)
		if i > last {
			from = path
		}
		text, err := os.ReadFile(from)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			p.tb.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if whole, is := strings.CutSuffix(line, "\n"); is { // else it is being written
				lines = append(lines, whole)
			}
		}
	}
	return lines
}

// ids returns the ids of the accepted records.
func (p *place) ids() (ids []string) {
	for _, line := range p.lines("ok.ndjson") {
		var r struct{ ID string }
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			p.tb.Fatalf("%q: %v", line, err)
		}
		ids = append(ids, r.ID)
	}
	return ids
}

// bid returns a record that is accepted.
func bid(id any) string {
	return fmt.Sprintf(`{"id":"%v","imp":[{"id":"1","banner":{"w":300,"h":250}}],"site":{"page":"https://example.com/"}}`, id)
}

// bids returns lines of records that are accepted.
func bids(from, to int) string {
	var text strings.Builder
	for i := from; i < to; i++ {
		text.WriteString(bid(i) + "\n")
	}
	return text.String()
}

// running is a stream from the folder in to files of the folder out.
type running struct {
	*stream.Stream
	source *Source
	tb     testing.TB
	sinks  []*Sink
	stop   context.CancelFunc
	done   chan struct{}
	err    error
	mortal *mortal
}

func (p *place) connect() (*running, error) {
	source, err := NewSource(p.options)
	if err != nil {
		return nil, err
	}
	r := &running{source: source, tb: p.tb, done: make(chan struct{}), mortal: &mortal{Source: source}}
	o := p.stream
	o.Source = r.mortal
	for _, out := range []struct {
		to   *stream.Sink
		name string
		form Form
	}{{&o.Accepted, "ok.ndjson", Values}, {&o.DeadLetters, "refused.ndjson", Objects}} {
		sink, err := NewSink(SinkOptions{Path: filepath.Join(p.root, "out", out.name), Form: out.form, SyncInterval: time.Millisecond, RotateSize: 64 << 10, Log: o.Log})
		if err != nil {
			return nil, err
		}
		r.sinks = append(r.sinks, sink)
		*out.to = r.mortal.sink(sink, r.done)
	}
	r.Stream, err = stream.New(o)
	return r, err
}

func (p *place) start() *running {
	p.tb.Helper()
	r, err := p.connect()
	if err != nil {
		p.tb.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	r.stop = stop
	go func() {
		defer close(r.done)
		r.err = r.Run(ctx)
	}()
	p.tb.Cleanup(r.end)
	return r
}

func (r *running) end() {
	r.stop()
	<-r.done
	for _, s := range r.sinks {
		if err := s.Close(); err != nil {
			r.tb.Error(err)
		}
	}
}

// drained ends the stream as it should end.
func (r *running) drained() {
	r.tb.Helper()
	r.end()
	if r.err != nil {
		r.tb.Error(r.err)
	}
}

// kill ends the stream at once: nothing more is written or committed.
func (r *running) kill() {
	r.mortal.dead()
	r.end()
}

// mortal is a source that dies, with its sinks: it keeps no positions any more, and they drop what
// they have not written yet.
type mortal struct {
	*Source
	mu   sync.Mutex
	died bool
}

func (m *mortal) dead() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.died = true
}

func (m *mortal) Open(ctx context.Context, f *stream.Flow) (stream.Session, error) {
	n, err := m.Source.Open(ctx, f)
	if err != nil {
		return nil, err
	}
	return &mortalSession{n, m}, nil
}

type mortalSession struct {
	stream.Session
	m *mortal
}

func (n *mortalSession) Commit(ctx context.Context, at []stream.Position) error {
	n.m.mu.Lock()
	defer n.m.mu.Unlock()
	if n.m.died {
		return stream.ErrLaneLost
	}
	return n.Session.Commit(ctx, at)
}

func (m *mortal) isDead() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.died
}

// mortalSink passes records on a little later, half of what it has at a time.
type mortalSink struct {
	*Sink
	m    *mortal
	mu   sync.Mutex
	held []func(dead bool)
}

// lateness is the time until a mortal sink passes something on.
const lateness = 2 * time.Millisecond

// sink returns a sink that dies with m. It passes records on until done is closed.
func (m *mortal) sink(to *Sink, done chan struct{}) *mortalSink {
	s := &mortalSink{Sink: to, m: m}
	go func() {
		tick := time.NewTicker(lateness)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
			case <-done:
				return
			}
			s.mu.Lock()
			n := (len(s.held) + 1) / 2 // so that some are delivered and some are not
			held := slices.Clone(s.held[:n])
			s.held = s.held[n:]
			s.mu.Unlock()
			for dead := m.isDead(); len(held) > 0; held = held[1:] {
				held[0](dead)
			}
		}
	}()
	return s
}

func (s *mortalSink) Write(ctx context.Context, r *stream.Record, done func(error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = append(s.held, func(dead bool) {
		if dead {
			done(context.Canceled)
		} else {
			s.Sink.Write(ctx, r, done)
		}
	})
}

// eventually waits for what must happen.
func eventually(tb testing.TB, what string, is func() bool) {
	tb.Helper()
	for end := time.Now().Add(patience); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			tb.Fatalf("still not: %s", what)
		}
	}
}

// numbers returns the texts of the numbers from 0 to n.
func numbers(n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprint(i))
	}
	return all
}

// gauge returns a gauge of the source.
func (r *running) gauge(desc *prometheus.Desc) (value float64) {
	all := make(chan prometheus.Metric)
	go func() {
		defer close(all)
		r.source.Collect(all)
	}()
	for m := range all {
		if m.Desc() != desc {
			continue
		}
		var own dto.Metric
		if err := m.Write(&own); err != nil {
			r.tb.Error(err)
		}
		value = own.GetGauge().GetValue()
	}
	return value
}
