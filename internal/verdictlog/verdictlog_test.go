package verdictlog

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/batch"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/serving/judged"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

const personal = `{"id":"1","imp":[{"id":"1","banner":{"w":300,"h":250},"bidfloor":0.5,"secure":0}],"app":{"bundle":"com.example.a","publisher":{"id":"pub-1"}},` +
	`"device":{"ifa":"6f1a2b3c-0000-4000-8000-00000000abcd","ip":"203.0.113.77","ua":"Agent/7","geo":{"country":"USA","lat":12.345}},"user":{"id":"somebody","buyeruid":"other"}}`

// judge judges a body and adds it to a log.
func judge(w *Writer, body string, f inspect.Facts) inspect.Verdict {
	var e inspect.Engine
	worker := e.NewWorker()
	_ = worker.Decode([]byte(body))
	v := worker.Judge(f)
	w.Add(judged.Request{Body: []byte(body), Request: worker.Request(), Facts: &f, Verdict: &v})
	return v
}

// openTo opens a log to a buffer.
func openTo(t *testing.T, out io.Writer, s Settings) *Writer {
	t.Helper()
	w, err := OpenTo(out, Options{Settings: s, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestLine writes the verdict on a request with personal data, of which nothing is in the line.
func TestLine(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w := openTo(t, &out, Settings{To: Stdout, Share: 1, Refused: 1})
	at := time.Date(2026, 11, 27, 1, 2, 3, 0, time.UTC)
	v := judge(w, personal, inspect.Facts{Partner: "exchange-a", Time: at})
	judge(w, "{", inspect.Facts{Time: at})
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"6f1a2b3c", "203.0.113", "Agent", "somebody", "other", "12.345"} {
		if strings.Contains(out.String(), word) {
			t.Errorf("%s is in %s", word, out.String())
		}
	}
	var lines []map[string]any
	for line := range strings.Lines(out.String()) {
		var own map[string]any
		if err := json.Unmarshal([]byte(line), &own); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		lines = append(lines, own)
	}
	if len(lines) != 2 {
		t.Fatalf("%q", out.String())
	}
	for name, want := range map[string]any{
		"time": "2026-11-27T01:02:03Z", "type": "request", "id": "1", "action": "forward", "score": float64(v.Score), "partner": "exchange-a", "publisher_id": "pub-1", "channel": "app",
		"app_bundle": "com.example.a", "country": "USA", "media": "banner", "width": 300.0, "bidfloor": 0.5, "secure": 0.0, "imps": 1.0, "size": float64(len(personal)), "offset": nil, "site_domain": nil,
	} {
		if lines[0][name] != want {
			t.Errorf("%s is %v, want %v", name, lines[0][name], want)
		}
	}
	if reason, _ := lines[1]["reason"].(string); lines[1]["action"] != "refuse" || !strings.HasPrefix(reason, "json.") || lines[1]["findings"] == nil || lines[1]["imps"] != nil {
		t.Errorf("%v", lines[1])
	}
}

// TestColumns holds the members of lines to the columns of the table.
func TestColumns(t *testing.T) {
	t.Parallel()
	for _, of := range []reflect.Type{reflect.TypeFor[batch.Row](), reflect.TypeFor[batch.RowFinding]()} {
		for i := range of.NumField() {
			f := of.Field(i)
			column, _, _ := strings.Cut(f.Tag.Get("parquet"), ",")
			member, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if column == "" || column != member {
				t.Errorf("%s.%s is the column %q and the member %q", of.Name(), f.Name, column, member)
			}
		}
	}
}

// TestSource writes where a record was read, its first position too.
func TestSource(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w := openTo(t, &out, Settings{To: Stdout, Share: 1, Refused: 1})
	for position := range int64(2) {
		w.Add(judged.Request{Source: "bids/3", Position: position, Body: []byte("x"), Facts: &inspect.Facts{}, Verdict: &inspect.Verdict{}})
	}
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"file":"bids/3"`, `"offset":0`, `"offset":1`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s is not in %s", want, out.String())
		}
	}
}

// TestShares samples by the id of the request: the same ones each time, and all that are refused.
func TestShares(t *testing.T) {
	t.Parallel()
	ids := func(s Settings) (list []string, refused int) {
		var out bytes.Buffer
		w := openTo(t, &out, s)
		for _, body := range testkit.Requests(t)[:500] {
			if judge(w, string(body), inspect.Facts{}).Action == inspect.ActionRefuse {
				refused++
			}
		}
		if err := w.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			var own batch.Row
			if err := json.Unmarshal([]byte(line), &own); err != nil {
				t.Fatal(err)
			}
			list = append(list, own.Action+own.ID)
		}
		return list, refused
	}
	all, refused := ids(Settings{To: Stdout, Share: 1, Refused: 1})
	if len(all) != 500 || refused == 0 || refused == 500 {
		t.Fatalf("%d lines, %d refused", len(all), refused)
	}
	only, _ := ids(Settings{To: Stdout, Refused: 1})
	if len(only) != refused || slices.ContainsFunc(only, func(id string) bool { return !strings.HasPrefix(id, "refuse") }) {
		t.Errorf("%d lines of %d that are refused", len(only), refused)
	}
	some, _ := ids(Settings{To: Stdout, Share: 0.3, Refused: 0})
	again, _ := ids(Settings{To: Stdout, Share: 0.3, Refused: 0})
	if len(some) == 0 || len(some) == 500-refused || !slices.Equal(some, again) {
		t.Errorf("%d lines, then %d", len(some), len(again))
	}
}

// stuck is a sink that takes nothing until it is released.
type stuck struct{ wait chan struct{} }

func (s stuck) Write([]byte) bool         { <-s.wait; return true }
func (s stuck) Flush()                    {}
func (s stuck) Lost() uint64              { return 0 }
func (stuck) Close(context.Context) error { return nil }

// TestFullQueue adds more than fits while nothing is written: nobody waits, and all are counted.
func TestFullQueue(t *testing.T) {
	t.Parallel()
	sink := stuck{make(chan struct{})}
	w, err := Open(Options{Settings: Settings{To: Kafka, Topic: "t", Share: 1, Refused: 1}, Sink: sink})
	if err != nil {
		t.Fatal(err)
	}
	const sent = 3 * QueueMax
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			for range sent / 3 {
				w.Add(judged.Request{Body: []byte("x"), Facts: &inspect.Facts{}, Verdict: &inspect.Verdict{}})
			}
		})
	}
	all.Wait()
	close(sink.wait)
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := w.Stats()
	if s.Lines+s.Skipped.Queue != sent || s.Lines > QueueMax+1 || s.Lines < QueueMax/2 || w.queue.bytes.Load() != 0 {
		t.Errorf("%+v, %d bytes are still counted", s, w.queue.bytes.Load())
	}
}

// TestLongRow fills the queue by bytes: rows of requests with many findings are large.
func TestLongRow(t *testing.T) {
	t.Parallel()
	sink := stuck{make(chan struct{})}
	w, err := Open(Options{Settings: Settings{To: Kafka, Topic: "t", Share: 1, Refused: 1}, Sink: sink})
	if err != nil {
		t.Fatal(err)
	}
	v := inspect.Verdict{Findings: make([]inspect.Finding, 1000)}
	for i := range v.Findings {
		v.Findings[i].Path = strings.Repeat("/a", 100)
	}
	const sent = 500
	for range sent {
		w.Add(judged.Request{Body: []byte("x"), Facts: &inspect.Facts{}, Verdict: &v})
	}
	held := w.queue.bytes.Load()
	close(sink.wait)
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s := w.Stats(); s.Skipped.Queue == 0 || held > QueueBytesMax || s.Lines+s.Skipped.Queue != sent {
		t.Errorf("%+v with %d bytes", s, held)
	}
}

// TestClose gives up when its time is over, though a write hangs.
func TestClose(t *testing.T) {
	t.Parallel()
	sink := stuck{make(chan struct{})}
	w, err := Open(Options{Settings: Settings{To: Kafka, Topic: "t", Share: 1, Refused: 1}, Sink: sink})
	if err != nil {
		t.Fatal(err)
	}
	judge(w, personal, inspect.Facts{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.Close(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	judge(w, personal, inspect.Facts{})
	if n := w.Stats().Skipped.Closed; n != 1 {
		t.Errorf("%d verdicts after the end", n)
	}
	close(sink.wait)
}

// TestBrokenPipe goes on when nobody reads standard output any more.
func TestBrokenPipe(t *testing.T) {
	t.Parallel()
	r, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	defer out.Close()
	w := openTo(t, out, Settings{To: Stdout, Share: 1, Refused: 1})
	judge(w, personal, inspect.Facts{})
	for end := time.Now().Add(20 * time.Second); w.Stats().Skipped.Write == 0 && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		judge(w, personal, inspect.Facts{})
	}
	if err := w.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if w.Stats().Skipped.Write == 0 {
		t.Errorf("%+v", w.Stats())
	}
}

// TestFiles writes files of a folder, with whole lines, and completes the last one at the end.
func TestFiles(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "a", "verdicts")
	w, err := Open(Options{Settings: Settings{To: Files, Folder: folder, Share: 1, Refused: 1}})
	if err != nil {
		t.Fatal(err)
	}
	w.sink.(*files).FileMax = 10_000 // smaller than is allowed
	const sent = 200
	for range sent {
		judge(w, personal, inspect.Facts{})
	}
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	names, _ := filepath.Glob(filepath.Join(folder, "verdicts-*.ndjson"))
	lines := 0
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil || len(text) > 10_000 || !bytes.HasSuffix(text, []byte("}\n")) {
			t.Errorf("%s: %v, %d bytes", name, err, len(text))
		}
		lines += bytes.Count(text, []byte("\n"))
	}
	all, _ := os.ReadDir(folder)
	if s := w.Stats(); lines != sent || len(names) < 3 || len(all) != len(names) || s.Lines != sent || s.Files == nil || s.Files.Files != int64(len(names)) {
		t.Errorf("%d lines in %d files of %d, %+v", lines, len(names), len(all), s)
	}
}

// TestValidate checks bounds.
func TestValidate(t *testing.T) {
	t.Parallel()
	for _, s := range []Settings{
		{To: Files}, {To: Kafka}, {To: Stdout, Share: 2}, {To: Stdout, Refused: -1}, {To: Files, Folder: "x", FileMax: 1}, {To: Files, Folder: "x", DiskMax: FileMaxDefault}, {To: Files, Folder: "x", AgeMax: 1},
		{To: Stdout, Folder: "x"}, {To: Stdout, Topic: "x"}, {To: Files, Folder: "x", Topic: "x"}, {To: Kafka, Folder: "x", Topic: "x"},
	} {
		if err := s.Validate(); err == nil {
			t.Errorf("%+v is valid", s)
		}
	}
	if _, err := Open(Options{Settings: Settings{To: Stdout}}); err == nil {
		t.Error("a log without a sink is open")
	}
}
