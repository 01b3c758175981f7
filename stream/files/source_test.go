package files

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/wholefile"
	"github.com/rtbwire/rtbwire/stream"
)

// committed reports whether a file is delivered and committed up to a position.
func (p *place) committed(name string, at int) bool {
	all, err := readPositions(p.options.Positions)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		p.tb.Fatal(err)
	}
	return slices.ContainsFunc(all, func(e *entry) bool { return e.Name == name && e.Position == int64(at) })
}

// has waits until exactly the records with these ids are accepted, in this order.
func (p *place) has(want []string) {
	p.tb.Helper()
	eventually(p.tb, "all are there", func() bool { return len(p.ids()) >= len(want) })
	if got := p.ids(); !slices.Equal(got, want) {
		p.tb.Fatalf("got %q, want %q", got, want)
	}
}

// TestFollow: records arrive in order, each once, over stops.
func TestFollow(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.append("a.ndjson", bids(0, 500))
	p.append("other.txt", bids(1000, 1001))
	p.append(".b.ndjson", bids(1000, 1001))
	r := p.start()
	p.has(numbers(500))
	p.append("a.ndjson", bids(500, 600))
	p.has(numbers(600))
	r.drained()
	p.append("a.ndjson", bids(600, 700))
	r = p.start()
	p.has(numbers(700))
	r.drained()
	if !p.committed("a.ndjson", len(bids(0, 700))) {
		t.Error("not all is committed after a clean end")
	}
}

// TestLines: blank lines are nothing, CR LF ends a line, and half a line waits for its end.
func TestLines(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	r := p.start()
	p.append("a.ndjson", "\n\r\n  \n"+bid(0)+"\r\n\n\n"+bid(1)+"\n\n"+bid(2)[:20])
	p.has(numbers(2))
	half := len("\n\r\n  \n"+bid(0)+"\r\n\n\n"+bid(1)) + len("\n\n")
	eventually(t, "what is before the half is committed", func() bool { return p.committed("a.ndjson", half) })
	r.drained()
	r = p.start()
	p.append("a.ndjson", bid(2)[20:])
	p.append("b.ndjson", bid(3)+"\n") // is read later than the rest of a.ndjson
	eventually(t, "b.ndjson", func() bool { return p.committed("b.ndjson", len(bid(3))+1) })
	p.append("a.ndjson", "\n")
	p.has([]string{"0", "1", "3", "2"})
	r.drained()
	if got := p.lines("refused.ndjson"); len(got) > 0 {
		t.Errorf("dead letters: %q", got)
	}
}

// TestRename: a file that is rotated while it is read is read to its end, the new one too, and a
// last line without newline counts when the old one does not grow any more.
func TestRename(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.options.IdleAfter = 50 * time.Millisecond
	p.append("a.ndjson", bids(0, 100))
	r := p.start()
	p.has(numbers(100))
	rename := func(from, to string) {
		t.Helper()
		if err := os.Rename(p.in(from), p.in(to)); err != nil {
			t.Fatal(err)
		}
	}
	rename("a.ndjson", "a.ndjson.1")
	p.append("a.ndjson.1", bids(100, 110)+bid(110)) // the writer has not noticed yet
	p.has(numbers(110))
	time.Sleep(3 * p.options.IdleAfter)
	p.has(numbers(110)) // nobody else has the name: the line may go on
	p.append("a.ndjson", bids(111, 120))
	eventually(t, "all", func() bool { return len(p.ids()) == 120 })
	r.drained()
	got := p.ids()
	for _, want := range numbers(120) {
		if !slices.Contains(got, want) {
			t.Errorf("%s is missing", want)
		}
	}

	// While nobody follows, too.
	rename("a.ndjson.1", "a.ndjson.2")
	rename("a.ndjson", "a.ndjson.1")
	p.append("a.ndjson.1", bids(120, 130))
	p.append("a.ndjson", bids(130, 140))
	r = p.start()
	eventually(t, "all", func() bool { return len(p.ids()) >= 140 })
	r.drained()
	if n := len(p.ids()); n != 140 {
		t.Errorf("%d records, want 140: something came twice", n)
	}
}

// TestTruncate: a truncated file is read from its beginning, and the log says so.
func TestTruncate(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.append("a.ndjson", bids(0, 50))
	r := p.start()
	p.has(numbers(50))
	eventually(t, "all is committed", func() bool { return p.committed("a.ndjson", len(bids(0, 50))) })
	if err := os.Truncate(p.in("a.ndjson"), 0); err != nil {
		t.Fatal(err)
	}
	p.append("a.ndjson", bids(50, 200)) // longer than before, so that only the beginning tells
	p.has(numbers(200))
	if !p.log.Has("truncated or written anew") {
		t.Error("the log does not say so")
	}
	r.drained()
	if err := os.Truncate(p.in("a.ndjson"), 0); err != nil {
		t.Fatal(err)
	}
	p.append("a.ndjson", bids(200, 500))
	r = p.start()
	p.has(numbers(500))
	r.drained()
	all, err := readPositions(p.options.Positions)
	if err != nil || len(all) != 1 || all[0].Number != 2 {
		t.Errorf("%v, %+v: want one file, as the third of its name", err, all)
	}
}

// TestForeign: what is written anew under a name that is not read is another file, and is not read.
func TestForeign(t *testing.T) {
	t.Parallel()
	for _, known := range []int{0, 10} {
		p := newPlace(t)
		p.append("a.ndjson", bids(0, known))
		r := p.start()
		p.has(numbers(known))
		eventually(t, "it is followed", func() bool { return p.committed("a.ndjson", len(bids(0, known))) })
		if err := os.Rename(p.in("a.ndjson"), p.in("x")); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p.in("x"), []byte(bids(100, 300)), 0o600); err != nil {
			t.Fatal(err)
		}
		p.append("b.ndjson", bids(known, known+5))
		p.has(numbers(known + 5))
		eventually(t, "x is forgotten", func() bool { return r.gauge(gaugeFiles) == 1 })
		r.drained()
		p.has(numbers(known + 5))
	}
}

// TestDelete: what a deleted file has is read, and its inode may be used again.
func TestDelete(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.options.IdleAfter = 20 * time.Millisecond
	r := p.start()
	n := 0
	for range 5 {
		p.append("a.ndjson", bids(n, n+10))
		n += 10
		p.has(numbers(n))
		if err := os.Remove(p.in("a.ndjson")); err != nil {
			t.Fatal(err)
		}
		eventually(t, "it is closed", func() bool { return r.gauge(gaugeOpen) == 0 })
	}
	r.drained()
}

// TestDeleteAndStop: half a line at the end of a deleted file is read before a stop, as nobody can
// read it later.
func TestDeleteAndStop(t *testing.T) {
	t.Parallel()
	for name, half := range map[string]string{"half": bid(2), "long": strings.Repeat("x", 3000), "none": ""} {
		p := newPlace(t)
		p.stream.MaxRecord = 2000
		r := p.start()
		p.append("a.ndjson", bids(0, 2)+half)
		p.has(numbers(2))
		if err := os.Remove(p.in("a.ndjson")); err != nil {
			t.Fatal(err)
		}
		r.drained()
		switch name {
		case "half":
			p.has(numbers(3))
		case "long":
			if got := p.lines("refused.ndjson"); len(got) != 1 || !strings.Contains(got[0], `"size":3000`) {
				t.Errorf("dead letters: %q", got)
			}
		}
		if p.log.Has("the rest is lost") {
			t.Errorf("%s: %s", name, p.log.String())
		}
	}
}

// TestIdle: a file that does not grow is closed, and goes on when it grows.
func TestIdle(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.options.IdleAfter = 20 * time.Millisecond
	r := p.start()
	for i := range 5 {
		p.append("a.ndjson", bids(10*i, 10*i+10))
		p.has(numbers(10*i + 10))
		eventually(t, "it is closed", func() bool { return r.gauge(gaugeOpen) == 0 })
		if lag := r.gauge(gaugeLagAll); lag != 0 {
			t.Errorf("the lag is %v bytes", lag)
		}
	}
	r.drained()
}

// TestManyFiles: more files than may be open are read, all of them.
func TestManyFiles(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	want := map[string]bool{}
	for i := range openMax + 50 {
		p.append(bidName(i), bid(i)+"\n")
		want[bidName(i)] = true
	}
	r := p.start()
	eventually(t, "all", func() bool { return len(p.ids()) >= len(want) })
	if n := len(p.ids()); n != len(want) {
		t.Errorf("%d records, want %d", n, len(want))
	}
	r.drained()
}

func bidName(i int) string { return "f" + numbers(i + 1)[i] + ".ndjson" }

// TestFilesMax: files beyond the limit wait until there are fewer.
func TestFilesMax(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.options.FilesMax, p.options.IdleAfter = 1, 20*time.Millisecond
	p.append("a.ndjson", bids(0, 1))
	p.append("b.ndjson", bids(1, 2))
	r := p.start()
	p.has(numbers(1))
	eventually(t, "the log says so", func() bool { return p.log.Has("more files than are followed") })
	if err := os.Remove(p.in("a.ndjson")); err != nil {
		t.Fatal(err)
	}
	p.has(numbers(2))
	r.drained()
}

// TestLongLines: a line longer than MaxRecord is a dead letter without its text, wherever the
// reads cut it, and what follows is read.
func TestLongLines(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name      string
		maxRecord int
		long      int
	}{
		{"in a read", 1000, 1001},
		{"over many reads", 1000, 3*readSize + 17},
		{"a window that grows", 2 * readSize, 2*readSize + 1},
		{"a window that grows, and more", 2 * readSize, 5 * readSize},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.stream.MaxRecord = tt.maxRecord
			fits := strings.Replace(bid(1), "example", strings.Repeat("e", tt.maxRecord-len(bid(1))+len("example")), 1)
			p.append("a.ndjson", bid(0)+"\n"+strings.Repeat("x", tt.long)[:tt.long/2])
			r := p.start()
			p.has(numbers(1))
			p.append("a.ndjson", strings.Repeat("x", tt.long)[tt.long/2:]+"\n"+fits+"\r\n"+bid(2)+"\n")
			p.has(numbers(3))
			r.drained()
			var letter struct {
				Source, Reason, Value string
				Size                  int
			}
			lines := p.lines("refused.ndjson")
			if len(lines) != 1 {
				t.Fatalf("%d dead letters", len(lines))
			}
			if err := json.Unmarshal([]byte(lines[0]), &letter); err != nil {
				t.Fatal(err)
			}
			if letter.Reason != stream.ReasonSize || letter.Size != tt.long || letter.Value != "" || letter.Source != "a.ndjson/0/"+numbers(len(bid(0)) + 2)[len(bid(0))+1] {
				t.Errorf("%+v", letter)
			}
		})
	}
}

// TestCompressed: a compressed file is left out, and the log says so once.
func TestCompressed(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.append("a.ndjson", "\x1f\x8b\x08\x00 more\n")
	p.append("b.ndjson", bids(0, 3))
	r := p.start()
	p.has(numbers(3))
	eventually(t, "the log says so", func() bool { return p.log.Has("compressed=gzip") })
	if n := r.gauge(gaugeRefused); n != 1 {
		t.Errorf("%v files are refused", n)
	}
	r.drained()
}

// TestDefaultPattern: a rotated file is read that was never seen under its first name. Compressed
// ones are left out with a message, and take no place of a file that is read.
func TestDefaultPattern(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.options.FilesMax = 1
	p.append("a.ndjson.1.gz", "\x1f\x8b\x08\x00 more\n")
	p.append("a.ndjson.2.zst", "\x28\xb5\x2f\xfd more\n")
	r := p.start()
	eventually(t, "both are refused", func() bool { return r.gauge(gaugeRefused) == 2 })
	p.append("a.ndjson.1", bids(0, 3))
	p.append("copy.txt", bids(3, 4))
	p.has(numbers(3))
	for _, by := range []string{"compressed=gzip", "compressed=zstd"} {
		if !p.log.Has(by) {
			t.Errorf("no word of %s", by)
		}
	}
	r.drained()
}

// TestFolderGone: while the folder can't be read the stream is not ready and says why.
func TestFolderGone(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.append("a.ndjson", bids(0, 3))
	r := p.start()
	p.has(numbers(3))
	eventually(t, "it reads", r.Ready)
	away := p.options.Folder + "-away"
	if err := os.Rename(p.options.Folder, away); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it says that it does not read", func() bool { return strings.Contains(r.NotReady(), "the folder can't be read") })
	if err := os.Rename(away, p.options.Folder); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it reads again", r.Ready)
	p.append("a.ndjson", bids(3, 5))
	p.has(numbers(5))
	r.drained()
}

// TestAtEnd leaves out what is there, half a line of it too, even if nothing else was ever
// committed.
func TestAtEnd(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.options.AtEnd = true
	p.append("a.ndjson", bids(100, 110)+bid(0)[:10])
	r := p.start()
	eventually(t, "it reads", r.Ready)
	r.kill()
	p.append("a.ndjson", bid(0)[10:]+"\n"+bid(1)+"\n")
	r = p.start()
	p.has(numbers(2))
	p.append("b.ndjson", bids(2, 4))
	p.has(numbers(4))
	r.drained()
}

// TestDamaged: damaged positions end the stream, and are left as they are.
func TestDamaged(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.append("a.ndjson", bids(0, 3))
	r := p.start()
	p.has(numbers(3))
	r.drained()
	good, err := os.ReadFile(p.options.Positions)
	if err != nil {
		t.Fatal(err)
	}
	for what, bad := range map[string]string{
		"empty":         "",
		"cut":           string(good[:len(good)/2]),
		"more":          string(good) + "{}",
		"version":       strings.Replace(string(good), `"version": 1`, `"version": 2`, 1),
		"unknown":       strings.Replace(string(good), `"lane"`, `"lain"`, 1),
		"negative":      strings.Replace(string(good), `"position": `, `"position": -`, 1),
		"head":          strings.Replace(string(good), `"head": "`, `"head": "zz`, 1),
		"head and size": strings.Replace(string(good), `"head_size": `, `"head_size": 9`, 1),
		"null":          `{"version":1,"files":[null]}`,
	} {
		if bad == string(good) {
			t.Fatalf("%s: nothing is damaged", what)
		}
		if err := os.WriteFile(p.options.Positions, []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		r := p.start()
		<-r.done
		r.end()
		if r.err == nil || !strings.Contains(r.err.Error(), p.options.Positions) || !strings.Contains(r.err.Error(), "remove it") {
			t.Errorf("%s: %v", what, r.err)
		}
		if now, err := os.ReadFile(p.options.Positions); err != nil || string(now) != bad {
			t.Errorf("%s: the file was changed: %v", what, err)
		}
	}
	p.has(numbers(3))
}

// TestTwoProcesses: the second one ends at once.
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	r := p.start()
	eventually(t, "it reads", r.Ready)
	if _, err := NewSink(SinkOptions{Path: filepath.Join(p.root, "out", "ok.ndjson")}); !errors.Is(err, wholefile.ErrBusy) {
		t.Errorf("the same sink: %v", err)
	}
	other := newPlace(t)
	other.options.Folder, other.options.Positions = p.options.Folder, p.options.Positions
	second := other.start()
	<-second.done
	if !errors.Is(second.err, wholefile.ErrBusy) || !strings.Contains(second.err.Error(), p.options.Positions) {
		t.Errorf("got %v", second.err)
	}
	r.drained()
}

// TestCannotBegin: what can't work ends the stream, with the place.
func TestCannotBegin(t *testing.T) {
	t.Parallel()
	for what, change := range map[string]func(*place) (names string){
		"no folder": func(p *place) string {
			p.options.Folder = filepath.Join(p.root, "none")
			return p.options.Folder
		},
		"a file": func(p *place) string {
			p.append("x", "")
			p.options.Folder = p.in("x")
			return p.options.Folder
		},
		"no folder of positions": func(p *place) string {
			p.options.Positions = filepath.Join(p.root, "none", "positions.json")
			return "none"
		},
		"a folder in the place of positions": func(p *place) string {
			p.options.Positions = filepath.Join(p.root, "state")
			return p.options.Positions
		},
	} {
		p := newPlace(t)
		names := change(p)
		r := p.start()
		<-r.done
		if r.err == nil || !strings.Contains(r.err.Error(), names) {
			t.Errorf("%s: %v", what, r.err)
		}
	}
}

// TestPositionsFail: while positions can't be written records go on, and are committed when they
// can be.
func TestPositionsFail(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	r := p.start()
	eventually(t, "it reads", r.Ready)
	state := filepath.Dir(p.options.Positions)
	if err := os.Rename(state, state+"-gone"); err != nil {
		t.Fatal(err)
	}
	p.append("a.ndjson", bids(0, 10))
	p.has(numbers(10))
	eventually(t, "the log says so", func() bool { return p.log.Has("a commit failed") })
	if err := os.Rename(state+"-gone", state); err != nil {
		t.Fatal(err)
	}
	eventually(t, "all is committed", func() bool { return p.committed("a.ndjson", len(bids(0, 10))) })
	r.drained()
}

// fullSink is a sink of a disk that is full.
type fullSink struct{ full *atomic.Bool }

func (fullSink) Check(*stream.Record) error { return nil }

func (s fullSink) Write(_ context.Context, _ *stream.Record, done func(error)) {
	if s.full.Load() {
		done(errFull)
	} else {
		done(nil)
	}
}

var errFull = errors.New("the disk is full")

// TestUndelivered: while nothing can be written, between sessions too, the lag is all that the
// files have, and a stop says what is not delivered.
func TestUndelivered(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	text := bids(0, 200)
	p.append("a.ndjson", text)
	source, err := NewSource(p.options)
	if err != nil {
		t.Fatal(err)
	}
	full := &atomic.Bool{}
	full.Store(true)
	run := func() (s *stream.Stream, stop func() error) {
		o := p.stream
		o.Source, o.Accepted, o.DeadLetters = source, fullSink{full}, fullSink{full}
		s, err := stream.New(o)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- s.Run(ctx) }()
		return s, func() error { cancel(); return <-ended }
	}
	_, stop := run()
	eventually(t, "it waits for the next session", func() bool { return p.log.Has("begins anew") })
	r := &running{source: source, tb: t}
	for range 100 { // in sessions and between them
		if lag := r.gauge(gaugeLagAll); lag != float64(len(text)) {
			t.Fatalf("the lag is %v, want %d", lag, len(text))
		}
		time.Sleep(5 * time.Millisecond)
	}
	err = stop()
	if want := fmt.Sprintf("%d bytes of a.ndjson/0; they are not committed", len(text)); !errors.Is(err, stream.ErrUndelivered) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), errFull.Error()) {
		t.Errorf("got %v, want %q", err, want)
	}
	full.Store(false)
	_, stop = run()
	eventually(t, "all is committed", func() bool { return p.committed("a.ndjson", len(text)) })
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// TestOptions refuses what no source can be made of.
func TestOptions(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for _, tt := range []struct {
		change func(*Options)
		want   string
	}{
		{func(o *Options) { o.Folder = "" }, "no folder"},
		{func(o *Options) { o.Positions = "" }, "no file for positions"},
		{func(o *Options) { o.Pattern = "[" }, "the pattern"},
		{func(o *Options) { o.PollInterval = 1 }, "PollInterval"},
		{func(o *Options) { o.IdleAfter = -1 }, "IdleAfter"},
		{func(o *Options) { o.FilesMax = FilesMaxMax + 1 }, "FilesMax"},
		{func(o *Options) { o.Positions = p.in("positions.ndjson") }, "positions.ndjson is written"},
		{func(o *Options) { o.Written = []string{p.in("ok.ndjson")} }, "ok.ndjson is written"},
		{func(o *Options) { o.Written, o.Pattern = []string{p.in("ok")}, "ok.*" }, "is written"},
	} {
		o := p.options
		tt.change(&o)
		if _, err := NewSource(o); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("got %v, want %q", err, tt.want)
		}
	}
}
