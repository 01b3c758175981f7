package files

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/testkit"
)

// childVariable has the root of a stream that this program is then.
const childVariable = "RTBWIRE_FILES_CHILD"

func TestMain(m *testing.M) {
	if root := os.Getenv(childVariable); root != "" {
		os.Exit(child(root))
	}
	os.Exit(m.Run())
}

// child is a process with a stream, which is killed or stopped.
func child(root string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	fmt.Println("up") // from here on a signal is noticed
	p := &place{root: root}
	p.setUp()
	p.options.IdleAfter, p.options.Pattern = crashIdle, crashPattern
	r, err := p.connect()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	if err := r.Run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	return 0
}

const (
	// crashIdle closes files often.
	crashIdle = 30 * time.Millisecond
	// crashPattern matches files that were renamed before the stream has seen them.
	crashPattern = "*.ndjson*"
)

// killable is a stream that runs in this process or in another one.
type killable interface {
	kill()
	drained()
}

// childProcess is a stream in another process.
type childProcess struct {
	tb  testing.TB
	cmd *exec.Cmd
}

func startChild(p *place) killable {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"="+p.root)
	cmd.Stderr = os.Stderr
	up, err := cmd.StdoutPipe()
	if err != nil {
		p.tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		p.tb.Fatal(err)
	}
	if _, err := up.Read(make([]byte, 1)); err != nil {
		p.tb.Error(err)
	}
	p.tb.Cleanup(func() { _ = cmd.Process.Kill() })
	return &childProcess{p.tb, cmd}
}

func (c *childProcess) kill() {
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait()
}

func (c *childProcess) drained() {
	_ = c.cmd.Process.Signal(syscall.SIGTERM)
	if err := c.cmd.Wait(); err != nil {
		c.tb.Error(err)
	}
}

// TestCrash kills the stream at any point, while files grow in pieces, are renamed and truncated:
// every record arrives, in the order of its file, and twice only what was not committed.
func TestCrash(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			crash(t, testkit.Rand(testkit.Seed(t)+seed), 60, func(p *place) killable { return p.start() })
		})
	}
}

// TestCrashProcess is TestCrash with a process that is really killed.
func TestCrashProcess(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a process can't be asked to stop there")
	}
	crash(t, testkit.Rand(testkit.Seed(t)), 60, startChild)
}

func crash(t *testing.T, random *rand.Rand, steps int, start func(*place) killable) {
	p := newPlace(t)
	p.options.IdleAfter, p.options.Pattern = crashIdle, crashPattern
	w := &writers{place: p, random: random, committed: map[string]int{}}
	for i := range 3 {
		w.all = append(w.all, &writer{name: fmt.Sprintf("f%d.ndjson", i)})
		w.next(w.all[i])
	}
	r := start(p)
	for range steps {
		f := w.all[random.IntN(len(w.all))]
		switch n := random.IntN(20); {
		case n < 12:
			w.write(f)
		case n < 14:
			w.rotate(f)
		case n < 15:
			w.truncate(f)
		case n < 17:
			time.Sleep(time.Duration(random.IntN(int(2 * crashIdle))))
		case n < 19:
			r.kill()
			w.check(true)
			r = start(p)
		default:
			r.drained()
			w.check(true)
			r = start(p)
		}
	}
	for _, f := range w.all {
		w.flush(f)
	}
	eventually(t, "all is committed", w.allCommitted)
	r.drained()
	w.check(false)
	if w.seen < len(w.written) {
		t.Errorf("%d records arrived, want %d", w.seen, len(w.written))
	}
}

// writers write files in pieces, and know what they have written.
type writers struct {
	*place
	random  *rand.Rand
	all     []*writer
	old     []*writer // that were renamed
	over    []writer  // that were truncated
	written []string  // ids

	accepted, refused int            // lines of the sinks that were checked
	seen              int            // different records
	arrived           map[string]int // the highest number that was seen, by generation
	committed         map[string]int // how many records, by generation, were committed at the last restart
}

// writer writes a file. A generation is what is in it until it is renamed or truncated.
type writer struct {
	name       string
	generation string
	count      int   // of records in the generation
	text       int64 // length of what was written
	ends       []int64
	rest       string // of a line, to be written
}

func (w *writers) next(f *writer) {
	f.generation = fmt.Sprintf("%s-%d", f.name, len(w.old)+len(w.written)+w.random.IntN(1e9))
	f.count, f.text, f.ends, f.rest = 0, 0, nil, ""
}

// write appends some lines and half of another one.
func (w *writers) write(f *writer) {
	text := f.rest
	begin := f.text
	for range w.random.IntN(40) {
		id := fmt.Sprintf("%s/%d", f.generation, f.count)
		line := bid(id)
		switch w.random.IntN(10) {
		case 0:
			line = `{"bad":"` + id + `"`
		case 1:
			text += "\n \r\n"
		}
		text += line + []string{"\n", "\r\n"}[w.random.IntN(2)]
		f.count++
		f.ends = append(f.ends, begin+int64(len(text)))
		w.written = append(w.written, id)
	}
	cut := len(text)
	if cut > 0 && w.random.IntN(2) == 0 {
		cut = w.random.IntN(cut)
	}
	w.append(f.name, text[:cut])
	f.text, f.rest = begin+int64(cut), text[cut:]
}

func (w *writers) flush(f *writer) {
	w.append(f.name, f.rest)
	f.text, f.rest = f.text+int64(len(f.rest)), ""
}

// rotate renames a file, and ends its last line afterwards.
func (w *writers) rotate(f *writer) {
	old := *f
	old.name = fmt.Sprintf("%s.%d", f.name, len(w.old))
	if err := os.Rename(w.in(f.name), w.in(old.name)); err != nil {
		if os.IsNotExist(err) {
			return
		}
		w.tb.Fatal(err)
	}
	w.flush(&old)
	w.old = append(w.old, &old)
	w.next(f)
	w.append(f.name, "")
}

// truncate truncates a file when nothing of it can get lost.
func (w *writers) truncate(f *writer) {
	w.flush(f)
	eventually(w.tb, "the file is committed, which is going to be truncated", func() bool { return w.at(f) == f.text })
	w.over = append(w.over, *f)
	if err := os.Truncate(w.in(f.name), 0); err != nil && !os.IsNotExist(err) {
		w.tb.Fatal(err)
	}
	w.next(f)
}

// at returns the committed position of a file, 0 if it is that of what was in it before.
func (w *writers) at(f *writer) int64 {
	in, err := os.Open(w.in(f.name))
	if err != nil {
		return 0
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		w.tb.Fatal(err)
	}
	all, err := readPositions(w.options.Positions)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.tb.Fatal(err)
	}
	for _, e := range all {
		if _, same := e.begins(in); same && e.Inode == inode(info) {
			return e.Position
		}
	}
	return 0
}

func (w *writers) allCommitted() bool {
	for _, f := range append(slices.Clip(w.old), w.all...) {
		if w.at(f) < f.text {
			return false
		}
	}
	return true
}

// check looks at what the sinks have got since the last check: records of a file in their order,
// from the committed one on. It begins again at the committed ones if the stream does.
func (w *writers) check(restart bool) {
	w.tb.Helper()
	if w.arrived == nil {
		w.arrived = map[string]int{}
	}
	accepted, refused := w.lines("ok.ndjson"), w.lines("refused.ndjson")
	var ids [2][]string
	for _, line := range accepted[w.accepted:] {
		var r struct{ ID string }
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			w.tb.Fatalf("%q: %v", line, err)
		}
		ids[0] = append(ids[0], r.ID)
	}
	for _, line := range refused[w.refused:] {
		var r struct{ Value string }
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			w.tb.Fatalf("%q: %v", line, err)
		}
		_, id, is := strings.Cut(strings.TrimSuffix(r.Value, `"`), `{"bad":"`)
		if !is {
			w.tb.Fatalf("a good record was refused: %s", line)
		}
		ids[1] = append(ids[1], id)
	}
	w.accepted, w.refused = len(accepted), len(refused)
	for _, ids := range ids {
		last := map[string]int{}
		for _, id := range ids {
			generation, text, _ := strings.Cut(id, "/")
			var n int
			fmt.Sscan(text, &n)
			if before, seen := last[generation]; seen && n <= before {
				w.tb.Fatalf("%s came after %d", id, before)
			}
			if n < w.committed[generation] {
				w.tb.Fatalf("%s came again, and was committed", id)
			}
			last[generation] = n
			if w.arrived[id] == 0 {
				w.arrived[id], w.seen = 1, w.seen+1
			}
		}
	}
	if !restart {
		return
	}
	for _, f := range append(slices.Clip(w.old), w.all...) {
		at, n := w.at(f), 0
		for n < len(f.ends) && f.ends[n] <= at {
			n++
		}
		w.committed[f.generation] = n
	}
	for _, f := range w.over {
		w.committed[f.generation] = f.count
	}
}
