package files

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rtbwire/rtbwire/internal/wholefile"
	"github.com/rtbwire/rtbwire/stream"
)

// newSink returns a sink of a test.
func newSink(t *testing.T, o SinkOptions) *Sink {
	t.Helper()
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s, err := NewSink(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// write writes records and waits until all are done.
func write(ctx context.Context, s *Sink, records ...stream.Record) (errs []error) {
	errs = make([]error, len(records))
	var all sync.WaitGroup
	for i := range records {
		all.Add(1)
		s.Write(ctx, &records[i], func(err error) {
			errs[i] = err
			all.Done()
		})
	}
	all.Wait()
	return errs
}

func text(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestSinkValues: a line for each value, which stays one line.
func TestSinkValues(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a")
	s := newSink(t, SinkOptions{Path: path})
	for _, err := range write(t.Context(), s, stream.Record{Value: []byte(`{"a":1}`)}, stream.Record{Value: []byte("{\r\n\"b\":\n2}")}) {
		if err != nil {
			t.Error(err)
		}
	}
	if got := text(t, path); got != "{\"a\":1}\n{  \"b\": 2}\n" {
		t.Errorf("got %q", got)
	}
}

// TestSinkObjects: what a record had comes back, byte by byte.
func TestSinkObjects(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a")
	s := newSink(t, SinkOptions{Path: path, Form: Objects})
	values := [][]byte{nil, {}, []byte("a\nb\r\n\"\\\x00\u2028<é"), {0xff, '\n', 0}, []byte(`{"id":"1"}`)}
	records := make([]stream.Record, 0, len(values))
	for _, v := range values {
		records = append(records, stream.Record{
			Key: v, Value: v, Time: time.Unix(1, 5), Headers: []stream.Header{{Key: "h\xff", Value: v}},
			Added: []stream.Header{
				{Key: stream.HeaderReason, Value: []byte("json.type")}, {Key: stream.HeaderNBR, Value: []byte("2")}, {Key: stream.HeaderPath, Value: []byte("/imp/0/\xffx")},
				{Key: stream.HeaderOffset, Value: []byte("-1")}, {Key: stream.HeaderSource, Value: []byte("bids/3/1200")},
			},
		})
	}
	write(t.Context(), s, records...)
	lines := slices.Collect(strings.Lines(text(t, path)))
	if len(lines) != len(values) {
		t.Fatalf("%d lines", len(lines))
	}
	bytesOf := func(m map[string]any, name string) []byte {
		if coded, is := m[name+"_base64"].(string); is {
			b, err := base64.StdEncoding.DecodeString(coded)
			if err != nil {
				t.Error(err)
			}
			return b
		}
		if s, is := m[name].(string); is {
			return []byte(s)
		}
		return nil
	}
	for i, line := range lines {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		header := m["headers"].([]any)[0].(map[string]any)
		for what, got := range map[string][]byte{"value": bytesOf(m, "value"), "key": bytesOf(m, "key"), "header": bytesOf(header, "value")} {
			if !bytes.Equal(got, values[i]) || (got == nil) != (values[i] == nil) {
				t.Errorf("%s: got %q, want %q", what, got, values[i])
			}
		}
		if string(bytesOf(m, "path")) != "/imp/0/\xffx" || string(bytesOf(header, "name")) != "h\xff" {
			t.Errorf("%v", m)
		}
		if m["reason"] != "json.type" || m["nbr"] != 2.0 || m["offset"] != -1.0 || m["source"] != "bids/3/1200" || m["time"] != "1970-01-01T00:00:01.000000005Z" {
			t.Errorf("%v", m)
		}
	}
}

// TestSinkTorn: half a line of a crash is removed, what is before it stays.
func TestSinkTorn(t *testing.T) {
	t.Parallel()
	for before, want := range map[string]string{
		"":          "",
		"whole\n":   "whole\n",
		"whole\nha": "whole\n",
		"half":      "",
		"w\n" + strings.Repeat("x", 2*readSize+100): "w\n",
	} {
		path := filepath.Join(t.TempDir(), "a")
		if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
			t.Fatal(err)
		}
		s := newSink(t, SinkOptions{Path: path})
		write(t.Context(), s, stream.Record{Value: []byte("{}")})
		if got := text(t, path); got != want+"{}\n" {
			t.Errorf("%.20q: got %.20q", before, got)
		}
	}
}

// TestSinkRotate: files keep their order, also over restarts, and no line is cut.
func TestSinkRotate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a")
	value := []byte(`"` + strings.Repeat("x", RotateSizeMin/2) + `"`)
	for range 2 {
		s := newSink(t, SinkOptions{Path: path, RotateSize: RotateSizeMin, SyncInterval: time.Microsecond})
		for range 4 {
			write(t.Context(), s, stream.Record{Value: value})
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	last, err := lastRotated(path)
	if err != nil || last != 3 {
		t.Fatalf("%d, %v: want 3 files that were rotated", last, err)
	}
	for i := 1; i <= last; i++ {
		if got := text(t, rotatedName(path, i)); got != strings.Repeat(string(value)+"\n", 2) {
			t.Errorf("%d: %d bytes", i, len(got))
		}
	}
}

// TestSinkMoved removes and renames the file that is written. What comes then is in the next file,
// and not in one that nobody can read; without its folder it is not delivered.
func TestSinkMoved(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "out")
	path := filepath.Join(folder, "a")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	s := newSink(t, SinkOptions{Path: path, Log: slog.New(slog.NewTextHandler(&log, nil))})
	deliver := func(value string) error { return write(t.Context(), s, stream.Record{Value: []byte(value)})[0] }
	if err := deliver("1"); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path, path+".old"); err != nil {
		t.Fatal(err)
	}
	if err := deliver("2"); err != nil || text(t, path+".old") != "1\n" || text(t, path) != "2\n" {
		t.Errorf("after renaming: %v, %q, %q", err, text(t, path+".old"), text(t, path))
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := deliver("3"); err != nil || text(t, path) != "3\n" {
		t.Errorf("after removing: %v, %q", err, text(t, path))
	}
	if n := strings.Count(log.String(), "was removed or renamed"); n != 2 {
		t.Errorf("%d lines of the log:\n%s", n, log.String())
	}
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	if err := deliver("4"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without a folder: %v", err)
	}
}

// TestSinkFails: after an error nothing overtakes until the session is over; then it goes on.
func TestSinkFails(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "out")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "a")
	s := newSink(t, SinkOptions{Path: path, RotateSize: RotateSizeMin})
	session, end := context.WithCancel(t.Context())
	write(session, s, stream.Record{Value: bytes.Repeat([]byte{'1'}, RotateSizeMin)})
	if err := os.Rename(folder, folder+"-gone"); err != nil { // the next one has to rotate
		t.Fatal(err)
	}
	for i, err := range write(session, s, stream.Record{Value: []byte("2")}, stream.Record{Value: []byte("3")}) {
		if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), path) {
			t.Errorf("%d: %v", i, err)
		}
	}
	if err := os.Rename(folder+"-gone", folder); err != nil {
		t.Fatal(err)
	}
	if errs := write(session, s, stream.Record{Value: []byte("4")}); errs[0] == nil {
		t.Error("a record has overtaken one that failed")
	}
	end()
	if errs := write(session, s, stream.Record{Value: []byte("5")}); !errors.Is(errs[0], context.Canceled) {
		t.Errorf("after the session: %v", errs[0])
	}
	if errs := write(t.Context(), s, stream.Record{Value: []byte("2")}); errs[0] != nil {
		t.Errorf("in the next session: %v", errs[0])
	}
	if got := text(t, path); got != "2\n" {
		t.Errorf("got %q", got)
	}
}

// TestSinkMetrics: what is written counts, by file, and so do tries that fail.
func TestSinkMetrics(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "out")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	ok, dead := filepath.Join(folder, "ok"), filepath.Join(folder, "dead")
	s, other := newSink(t, SinkOptions{Path: ok, RotateSize: RotateSizeMin}), newSink(t, SinkOptions{Path: dead, Form: Objects})
	source, err := NewSource(Options{Folder: folder, Pattern: "*.in", Positions: filepath.Join(folder, "positions")})
	if err != nil {
		t.Fatal(err)
	}
	of, err := stream.New(stream.Options{Source: source, Accepted: s, DeadLetters: other})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stream.New(stream.Options{Source: source, Accepted: other, DeadLetters: other}); err != nil {
		t.Errorf("one sink for everything: %v", err)
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(of.Collector())
	want := func(file string, records, written, failures float64) {
		t.Helper()
		families, err := registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]float64{}
		for _, f := range families {
			for _, m := range f.GetMetric() {
				if len(m.GetLabel()) == 1 && m.GetLabel()[0].GetName() == "file" && m.GetLabel()[0].GetValue() == file {
					got[strings.TrimPrefix(f.GetName(), "rtbwire_stream_file_")] = m.GetCounter().GetValue()
				}
			}
		}
		if all := map[string]float64{"written_records_total": records, "written_bytes_total": written, "write_errors_total": failures}; !maps.Equal(got, all) {
			t.Errorf("%s: %v, want %v", file, got, all)
		}
	}
	want(ok, 0, 0, 0)
	write(t.Context(), s, stream.Record{Value: bytes.Repeat([]byte{'1'}, RotateSizeMin)}, stream.Record{Value: []byte("2")})
	want(ok, 2, RotateSizeMin+3, 0)
	if err := os.Rename(folder, folder+"-gone"); err != nil { // the next one has to rotate
		t.Fatal(err)
	}
	session, end := context.WithCancel(t.Context())
	write(session, s, stream.Record{Value: []byte("3")})
	end()
	want(ok, 2, RotateSizeMin+3, 1)
	want(dead, 0, 0, 0)
}

// TestSinkWaits: Write waits when much is waiting, and gives up with its context.
func TestSinkWaits(t *testing.T) {
	t.Parallel()
	s := newSink(t, SinkOptions{Path: filepath.Join(t.TempDir(), "a"), SyncInterval: time.Second})
	ctx, stop := context.WithCancel(t.Context())
	s.Write(t.Context(), &stream.Record{Value: make([]byte, pendingMax)}, func(error) {})
	got := make(chan error, 1)
	go s.Write(ctx, &stream.Record{}, func(err error) { got <- err })
	stop()
	if err := <-got; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestSinkOptions refuses what no sink can be made of.
func TestSinkOptions(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "a")
	for _, tt := range []struct {
		o    SinkOptions
		want string
	}{
		{SinkOptions{}, "no file"},
		{SinkOptions{Path: path, Form: 9}, "Form(9)"},
		{SinkOptions{Path: path, RotateSize: 1}, "RotateSize is 1"},
		{SinkOptions{Path: path, SyncInterval: -1}, "SyncInterval"},
		{SinkOptions{Path: filepath.Join(folder, "none", "a")}, "none"},
		{SinkOptions{Path: folder}, "not a file"},
	} {
		if s, err := NewSink(tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("got %v, %v, want %q", s, err, tt.want)
		}
	}
	newSink(t, SinkOptions{Path: path})
	if _, err := NewSink(SinkOptions{Path: path}); !errors.Is(err, wholefile.ErrBusy) {
		t.Errorf("the second one: %v", err)
	}
}

// TestSinkStream: a stream whose sink fails for a while loses nothing and keeps the order.
func TestSinkStream(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	r := p.start()
	out := filepath.Join(p.root, "out")
	n := 0
	for range 3 {
		p.append("a.ndjson", bids(n, n+300))
		n += 300
		eventually(t, "all", func() bool { return slices.Contains(p.ids(), numbers(n)[n-1]) })
		if err := os.Rename(out, out+"-gone"); err != nil {
			t.Fatal(err)
		}
		before := len(p.log.With("the stream begins anew"))
		eventually(t, "the session fails", func() bool { // because the sink has to rotate
			p.append("a.ndjson", bids(n, n+100))
			n += 100
			return len(p.log.With("the stream begins anew")) > before
		})
		if err := os.Rename(out+"-gone", out); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "all", func() bool { return slices.Contains(p.ids(), numbers(n)[n-1]) })
	r.drained()
	next := 0
	for _, id := range p.ids() {
		i, err := strconv.Atoi(id)
		if err != nil || i > next {
			t.Fatalf("%s came before %d", id, next)
		}
		next = max(next, i+1)
	}
	if next != n {
		t.Errorf("%d records, want %d", next, n)
	}
}
