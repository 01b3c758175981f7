package capture

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/record"
	"github.com/rtbwire/rtbwire/internal/serving/linefiles"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

func open(tb testing.TB, o Options) *Writer {
	tb.Helper()
	o.Folder = filepath.Join(tb.TempDir(), "a", "b")
	o.Logger = slog.New(slog.DiscardHandler)
	w, err := Open(o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = w.Close(context.Background()) })
	return w
}

// add judges a request and captures it.
func add(w *Writer, body []byte, f inspect.Facts) inspect.Verdict {
	var e inspect.Engine
	v := e.NewWorker().Inspect(body, f)
	w.Add(&Request{Body: body, Facts: &f, Verdict: &v, Engine: &e})
	return v
}

// lines returns the records in a folder, and the names of its files.
func lines(tb testing.TB, folder string) (list []*record.Record, names []string) {
	tb.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		tb.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
		text, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			tb.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			r, err := record.Parse(line)
			if err != nil {
				tb.Fatalf("%s: %v", e.Name(), err)
			}
			list = append(list, r)
		}
	}
	return list, names
}

const good = `{"id":"1","imp":[{"id":"1","banner":{"w":300,"h":250}}],"app":{"bundle":"com.example.a"},"device":{"ifa":"6f1a2b3c-0000-4000-8000-00000000abcd","ip":"203.0.113.77"}}`

// TestCapture writes the corpus, redacted and raw. What the lines expect is what the engine says
// about them.
func TestCapture(t *testing.T) {
	t.Parallel()
	requests := testkit.Requests(t)
	for _, raw := range []bool{false, true} {
		w := open(t, Options{Raw: raw, RateMax: RateMaxMax})
		want := map[string]inspect.Verdict{}
		for i, body := range requests[:300] {
			f := inspect.Facts{Partner: fmt.Sprintf("p%d", i), Time: time.Now()}
			v := add(w, body, f)
			want[f.Partner] = inspect.Verdict{Decision: v.Decision, Score: v.Score}
		}
		if err := w.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		list, names := lines(t, w.options.Folder)
		s := w.Stats()
		if len(names) != 1 || strings.HasSuffix(names[0], linefiles.PartEnd) || !strings.HasPrefix(names[0], "capture-") {
			t.Errorf("the files are %q", names)
		}
		if uint64(len(list)) != s.Lines || s.Skipped.Queue+s.Skipped.Rate+s.Skipped.Line+s.Skipped.Disk+s.Skipped.Closed != 0 || len(list)+int(s.Skipped.Redact) != 300 || raw && s.Skipped.Redact > 0 || s.Skipped.Redact > 30 {
			t.Errorf("%d lines, %+v", len(list), s)
		}
		var e inspect.Engine
		worker := e.NewWorker()
		for _, r := range list {
			v := worker.Inspect(r.Request, r.Facts)
			if got := (record.Decision{Action: v.Action.String(), Reason: v.Reason, NBR: int(v.NBR), Score: v.Score}); got != r.Expect {
				t.Errorf("the line expects %+v, the verdict is %+v", r.Expect, got)
			}
			sent := want[r.Facts.Partner]
			was := r.Expect
			if r.Verdict != nil {
				was = *r.Verdict
			}
			if was.Action != sent.Action.String() || was.Reason != sent.Reason || was.Score != sent.Score {
				t.Errorf("the line says that the verdict was %+v, it was %+v", was, sent)
			}
		}
	}
}

// TestRedacted captures personal data, and looks for them in the file.
func TestRedacted(t *testing.T) {
	t.Parallel()
	w := open(t, Options{})
	add(w, []byte(good), inspect.Facts{})
	add(w, []byte(`{"id":"1","device":{"ifa":"6f1a2b3c"`), inspect.Facts{}) // can't be redacted
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	list, _ := lines(t, w.options.Folder)
	if len(list) != 1 || bytes.Contains(list[0].Request, []byte("6f1a2b3c")) || bytes.Contains(list[0].Request, []byte("113.77")) || w.Stats().Skipped.Redact != 1 {
		t.Errorf("%d lines, %+v", len(list), w.Stats())
	}
}

// TestNotText captures what is not JSON, and what no line can hold.
func TestNotText(t *testing.T) {
	t.Parallel()
	w := open(t, Options{Raw: true})
	add(w, []byte("{\n"), inspect.Facts{})
	add(w, []byte("\xff"), inspect.Facts{})
	add(w, bytes.Repeat([]byte("x"), record.LineMax), inspect.Facts{})
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	list, _ := lines(t, w.options.Folder)
	if len(list) != 1 || string(list[0].Request) != "{\n" || list[0].Expect.Action != "refuse" || w.Stats().Skipped.Line != 2 {
		t.Errorf("%+v, %+v", list, w.Stats())
	}
}

// block makes the writer wait before its next file until the function that it returns is called.
func block(w *Writer) (release func()) {
	wait := make(chan struct{})
	create := w.files.Create
	w.files.Create = func(name string) (linefiles.Output, error) { <-wait; return create(name) }
	return func() { close(wait) }
}

// TestFullQueue adds more than fits while the writer is stuck: nothing waits, and the rest is
// counted.
func TestFullQueue(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		size int
		most int
	}{{100, QueueMax}, {100 << 10, QueueBytesMax / (100 << 10)}} {
		w := open(t, Options{Raw: true, RateMax: RateMaxMax})
		release := block(w)
		body := bytes.Repeat([]byte("x"), tt.size)
		const sent = 5000
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() {
				var e inspect.Engine
				for range sent / 5 {
					w.Add(&Request{Body: body, Facts: &inspect.Facts{}, Verdict: &inspect.Verdict{}, Engine: &e})
				}
			})
		}
		all.Wait() // with the writer stuck: Add does not wait
		release()
		if err := w.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		s := w.Stats()
		if s.Lines > uint64(tt.most)+1 || s.Lines < uint64(tt.most)/2 || s.Lines+s.Skipped.Queue+s.Skipped.Rate != sent {
			t.Errorf("%d bytes: %+v", tt.size, s)
		}
		if held := w.queue.bytes.Load(); held != 0 {
			t.Errorf("%d bytes are still counted", held)
		}
	}
}

// TestRate captures no more than the rate allows.
func TestRate(t *testing.T) {
	t.Parallel()
	w := open(t, Options{RateMax: 1})
	for range 10 {
		add(w, []byte(good), inspect.Facts{})
	}
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s := w.Stats(); s.Lines < 1 || s.Skipped.Rate < 5 || s.Lines+s.Skipped.Rate != 10 {
		t.Errorf("%+v", s)
	}
}

// TestClose does not wait longer than its context, and counts what is added afterwards.
func TestClose(t *testing.T) {
	t.Parallel()
	w := open(t, Options{Raw: true})
	release := block(w)
	for range 5 {
		add(w, []byte(good), inspect.Facts{})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	ended := make(chan error)
	go func() { ended <- w.Close(ctx) }()
	<-w.loop.Aborted() // Close has given up
	release()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("Close: %v", err)
	}
	add(w, []byte(good), inspect.Facts{})
	if s := w.Stats(); s.Lines > 1 || s.Skipped.Closed < 5 || s.Lines+s.Skipped.Closed != 6 {
		t.Errorf("%+v", s)
	}
}

// TestRotation begins a new file at a size, and removes the oldest to stay below the limit.
func TestRotation(t *testing.T) {
	t.Parallel()
	w := open(t, Options{Raw: true, FileMax: FileMaxMin, DiskMax: 2 * FileMaxMin, RateMax: RateMaxMax})
	w.files.FileMax, w.files.DiskMax = 10_000, 50_000 // smaller than is allowed
	stranger := filepath.Join(w.options.Folder, "capture-of-mine.ndjson")
	if err := os.WriteFile(stranger, bytes.Repeat([]byte("x"), 100_000), 0o600); err != nil {
		t.Fatal(err)
	}
	const sent = 500
	for i := range sent {
		add(w, []byte(good), inspect.Facts{Publisher: "", Counts: inspect.Counts{IFA: i + 1}})
		if i%100 == 99 {
			wait(t, func() bool { return len(w.queue.items) == 0 })
		}
	}
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(stranger); err != nil {
		t.Fatalf("a file of somebody else is gone: %v", err)
	}
	list, names := lines(t, w.options.Folder)
	if len(names) < 4 || !slices.IsSorted(names) || len(list) < 100 || len(list) > sent/2 || w.Stats().Lines != sent || w.Stats().Removed == 0 {
		t.Errorf("%d files with %d lines, %+v", len(names), len(list), w.Stats())
	}
	for i, r := range list { // the last ones, in order
		if want := sent - len(list) + i + 1; r.Facts.Counts.IFA != want {
			t.Fatalf("line %d is number %d, want %d", i, r.Facts.Counts.IFA, want)
		}
	}
	total := int64(0)
	for _, name := range names {
		info, err := os.Stat(filepath.Join(w.options.Folder, name))
		if err != nil || info.Size() > 10_000 || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
		total += info.Size()
	}
	if total > 50_000 || w.Stats().Disk != total {
		t.Errorf("%d bytes, want at most the limit; counted as %d", total, w.Stats().Disk)
	}
}

func wait(tb testing.TB, holds func() bool) {
	tb.Helper()
	for end := time.Now().Add(20 * time.Second); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			tb.Fatal("waited for 20 s")
		}
	}
}

// TestAge completes a file that is old, without another request.
func TestAge(t *testing.T) {
	t.Parallel()
	w := open(t, Options{AgeMax: time.Second})
	add(w, []byte(good), inspect.Facts{})
	wait(t, func() bool {
		names, _ := filepath.Glob(filepath.Join(w.options.Folder, "capture-*.ndjson"))
		return len(names) == 1
	})
	if list, _ := lines(t, w.options.Folder); len(list) != 1 {
		t.Errorf("%d lines", len(list))
	}
}

// TestLeftOver completes files that crashed processes have left, and leaves those that another one
// may be writing.
func TestLeftOver(t *testing.T) {
	t.Parallel()
	w := open(t, Options{})
	old := filepath.Join(w.options.Folder, "capture-20260101T000000.000Z-0123abcd-000001.ndjson")
	young := filepath.Join(w.options.Folder, "capture-20260102T000000.000Z-0123abce-000001.ndjson")
	for _, name := range []string{old, young} {
		if err := os.WriteFile(name+linefiles.PartEnd, []byte(`{"capture":1,"na`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	past := time.Now().Add(-2 * AgeMaxDefault)
	if err := os.Chtimes(old+linefiles.PartEnd, past, past); err != nil {
		t.Fatal(err)
	}
	add(w, []byte(good), inspect.Facts{})
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, there := range map[string]bool{old: true, old + linefiles.PartEnd: false, young: false, young + linefiles.PartEnd: true} {
		if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) == there {
			t.Errorf("%s: %v", filepath.Base(name), err)
		}
	}
}

// fullDisk is a file with room for some bytes.
type fullDisk struct {
	linefiles.Output
	room int
}

func (f *fullDisk) Write(b []byte) (int, error) {
	if len(b) > f.room {
		n, _ := f.Output.Write(b[:f.room])
		f.room = 0
		return n, syscall.ENOSPC
	}
	f.room -= len(b)
	return f.Output.Write(b)
}

// TestFullDisk writes to a disk that is full: the file ends with a whole line, everything is
// counted, and after a while there is another file.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	w := open(t, Options{Raw: true, RateMax: RateMaxMax})
	create, made := w.files.Create, 0
	w.files.Create = func(name string) (linefiles.Output, error) {
		out, err := create(name)
		if made++; made == 1 {
			out = &fullDisk{out, 100_000}
		}
		return out, err
	}
	const sent = 600
	for range sent {
		add(w, []byte(good), inspect.Facts{})
	}
	wait(t, func() bool { return w.Stats().Lines+w.Stats().Skipped.Disk == sent })
	list, _ := lines(t, w.options.Folder)
	if s := w.Stats(); uint64(len(list)) != s.Lines || len(list) < 100 || len(list) > 500 || s.Skipped.Disk == 0 {
		t.Errorf("%d lines, %+v", len(list), s)
	}
	total := uint64(0)
	names, _ := filepath.Glob(filepath.Join(w.options.Folder, "*"))
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		total += uint64(info.Size())
	}
	if total != w.Stats().Bytes {
		t.Errorf("%d bytes are counted, %d are there", w.Stats().Bytes, total)
	}
}

// TestFolderVanishes goes on after its folder was removed and made again.
func TestFolderVanishes(t *testing.T) {
	t.Parallel()
	w := open(t, Options{AgeMax: time.Second})
	w.files.Pause = time.Millisecond
	if err := os.RemoveAll(w.options.Folder); err != nil {
		t.Fatal(err)
	}
	add(w, []byte(good), inspect.Facts{})
	wait(t, func() bool { return w.Stats().Skipped.Disk == 1 })
	if err := os.MkdirAll(w.options.Folder, 0o700); err != nil {
		t.Fatal(err)
	}
	wait(t, func() bool {
		add(w, []byte(good), inspect.Facts{})
		return w.Stats().Lines > 0
	})
}

// TestFileVanishes removes a folder with the file that is being written: what comes then is counted
// as left out, and not as written to a file that nobody can read.
func TestFileVanishes(t *testing.T) {
	t.Parallel()
	w := open(t, Options{})
	w.files.Pause = time.Millisecond
	add(w, []byte(good), inspect.Facts{})
	wait(t, func() bool {
		names, _ := filepath.Glob(filepath.Join(w.options.Folder, "*"+linefiles.PartEnd))
		return len(names) == 1
	})
	if err := os.RemoveAll(w.options.Folder); err != nil {
		t.Fatal(err)
	}
	add(w, []byte(good), inspect.Facts{})
	wait(t, func() bool { return w.Stats().Skipped.Disk > 0 })
	if err := os.MkdirAll(w.options.Folder, 0o700); err != nil {
		t.Fatal(err)
	}
	before := w.Stats().Lines
	wait(t, func() bool {
		add(w, []byte(good), inspect.Facts{})
		return w.Stats().Lines > before
	})
}

// TestValidate checks bounds.
func TestValidate(t *testing.T) {
	t.Parallel()
	for _, o := range []Options{
		{}, {Folder: "x", FileMax: 1}, {Folder: "x", DiskMax: FileMaxDefault}, {Folder: "x", AgeMax: 1}, {Folder: "x", RateMax: -1}, {Folder: "x", RateMax: RateMaxMax + 1},
	} {
		if err := o.Validate(); err == nil {
			t.Errorf("%+v is valid", o)
		}
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if w, err := Open(Options{Folder: file}); err == nil {
		t.Errorf("a file is a folder: %v", w)
	}
}

// BenchmarkAdd is what a captured request costs the one who sends it on.
func BenchmarkAdd(b *testing.B) {
	w := open(b, Options{RateMax: RateMaxMax})
	body := testkit.Requests(b)[0]
	var e inspect.Engine
	f := inspect.Facts{UserAgent: "x", Time: time.Now()}
	v := e.NewWorker().Inspect(body, f)
	b.ReportAllocs()
	for b.Loop() {
		w.Add(&Request{Body: body, Facts: &f, Verdict: &v, Engine: &e})
	}
}

// BenchmarkLine is what the goroutine that writes does for a request.
func BenchmarkLine(b *testing.B) {
	var s scribe
	var e inspect.Engine
	for _, raw := range []bool{false, true} {
		b.Run(fmt.Sprintf("raw=%v", raw), func(b *testing.B) {
			requests := testkit.Requests(b)
			var line []byte
			var i item
			for n := 0; b.Loop(); n++ {
				i.fill(&Request{Body: requests[n%len(requests)], Facts: &inspect.Facts{}, Verdict: &inspect.Verdict{}, Engine: &e})
				if r, ok := s.record(&i, raw); ok {
					line, _ = record.Append(line[:0], r)
				}
			}
		})
	}
}
