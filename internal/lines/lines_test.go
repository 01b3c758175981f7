package lines

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
)

func annotating(t testing.TB) *inspect.Engine {
	t.Helper()
	engine, err := inspect.New(inspect.Config{Annotate: true})
	if err != nil {
		t.Fatal(err)
	}
	return engine
}

func filter(t testing.TB, in string, o Options) (lines []string, stats Stats) {
	t.Helper()
	if o.Engine == nil {
		o.Engine = annotating(t)
	}
	var out bytes.Buffer
	stats, err := Filter(t.Context(), &out, strings.NewReader(in), o)
	if err != nil {
		t.Fatal(err)
	}
	text, ok := strings.CutSuffix(out.String(), "\n")
	if !ok && out.Len() > 0 {
		t.Fatalf("the last line has no end: %q", out.String())
	}
	if out.Len() == 0 {
		return nil, stats
	}
	return strings.Split(text, "\n"), stats
}

const (
	good = `{"id":"1","imp":[{"id":"1","banner":{"w":300,"h":250}}],"site":{"id":"1","domain":"a.example"},"device":{"ua":"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0","ip":"8.8.8.8"}}`
	bad  = `{"id":"2","imp":[{"banner":{"w":300,"h":250}}],"site":{"id":"1"}}`
	note = `"ext":{"rtbwire":{"action":"`
)

// poison are lines that are no request, or hardly one.
var poison = []string{
	"", " ", "{", "null", "[]", `"x"`, "{}", `{"id":`, "\x00\xff", good[:len(good)/2], good + good, strings.Repeat("[", 100_000),
	`{"id":"` + strings.Repeat("x", 3*ChunkSize) + `"}`, `{"a":"` + "\xff" + `"}`, "\ufeff" + good,
}

// TestEmit writes each kind of line in each form.
func TestEmit(t *testing.T) {
	in := good + "\n" + bad + "\r\n{\n" + strings.Replace(good, `{"id"`, `{"ext":5,"id"`, 1)
	for emit, want := range map[Emit][]string{
		Annotated: {
			good[:len(good)-1] + `,` + note + `forward","reason":"","score":`, bad[:len(bad)-1] + `,` + note + `refuse","reason":"schema.Imp.id.required","score":`,
			`{"id":null,"action":"refuse","reason":"json.truncated","nbr":`, `{"id":"1","action":"refuse"`,
		},
		Verdicts: {
			`{"id":"1","action":"forward","reason":"","nbr":0,"score":`, `{"id":"2","action":"refuse","reason":"schema.Imp.id.required","nbr":2,"score":`,
			`{"id":null,"action":"refuse","reason":"json.truncated","nbr":2,"score":0,"findings":[{"id":"json.truncated","severity":"refuse","path":"","offset":1}]}`, `{"id":"1","action":"refuse"`,
		},
		Accepted: {good, "", "", ""},
	} {
		o := Options{Emit: emit}
		if emit != Annotated {
			o.Engine = new(inspect.Engine)
		}
		got, stats := filter(t, in, o)
		if len(got) != len(want) || stats.Lines != 4 || stats.Forwarded+stats.Refused != 4 || stats.Refused < 2 || stats.Read != int64(len(in)) || stats.Written != int64(len(strings.Join(got, "\n"))+1) {
			t.Fatalf("%v: %+v, %q", emit, stats, got)
		}
		for i, line := range got {
			if !strings.HasPrefix(line, want[i]) || emit == Accepted && strings.TrimSuffix(line, "\r") != want[i] {
				t.Errorf("%v, line %d:\n%s\nwant\n%s", emit, i+1, line, want[i])
			}
			if line != "" && !json.Valid([]byte(line)) {
				t.Errorf("%v, line %d is not JSON: %s", emit, i+1, line)
			}
		}
	}
}

// TestOrder sends requests with poison between them through many jobs, cut at any place: line n of
// the output is about line n of the input.
func TestOrder(t *testing.T) { eachJobs(t, order) }

// eachJobs runs a test with one job, which works alone, and with several.
func eachJobs(t *testing.T, test func(t *testing.T, jobs int)) {
	for _, jobs := range []int{1, 4} {
		t.Run(fmt.Sprint(jobs), func(t *testing.T) { test(t, jobs) })
	}
}

func order(t *testing.T, jobs int) {
	n := testkit.Scale(t, 2_000, 20_000, 10_000_000)
	random := testkit.Rand(testkit.Seed(t))
	reader, writer := io.Pipe()
	go func() {
		var b bytes.Buffer
		for i := range n {
			if i%40 == 39 {
				b.WriteString(poison[i/40%(len(poison)*50)%len(poison)])
			} else {
				fmt.Fprintf(&b, `{"id":"%d","imp":[{"id":"1"}]}`, i)
			}
			b.WriteByte('\n')
			if random.IntN(20) == 0 {
				cut := random.IntN(b.Len() + 1)
				writer.Write(b.Next(cut))
			}
		}
		writer.Write(b.Bytes())
		writer.Close()
	}()
	result, out := io.Pipe()
	done := make(chan Stats, 1)
	go func() {
		stats, err := Filter(context.Background(), out, reader, Options{Emit: Verdicts, Jobs: jobs})
		out.CloseWithError(err)
		done <- stats
	}()
	d := json.NewDecoder(result)
	for i := range n {
		var v struct {
			ID     *string
			Action string
			Reason string
		}
		if err := d.Decode(&v); err != nil {
			t.Fatalf("line %d: %v", i, err)
		}
		if i%40 == 39 {
			if v.ID != nil && *v.ID == fmt.Sprint(i) || v.Action == "" {
				t.Fatalf("line %d: %+v", i, v)
			}
		} else if v.ID == nil || *v.ID != fmt.Sprint(i) {
			t.Fatalf("line %d: %+v", i, v)
		}
	}
	if _, err := d.Token(); err != io.EOF {
		t.Fatalf("more lines: %v", err)
	}
	if stats := <-done; stats.Lines != int64(n) || stats.Forwarded+stats.Refused != stats.Lines {
		t.Errorf("%+v", stats)
	}
}

// TestReference compares with a worker that reads line after line, for any way in which a reader
// cuts.
func TestReference(t *testing.T) { eachJobs(t, reference) }

func reference(t *testing.T, jobs int) {
	var docs []string
	for _, r := range testkit.Requests(t)[:200] {
		docs = append(docs, string(r))
	}
	docs = append(docs, poison...)
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(docs), func(i, k int) { docs[i], docs[k] = docs[k], docs[i] })
	in := strings.Join(docs, "\n")
	for _, emit := range []Emit{Annotated, Verdicts, Accepted} {
		o := Options{Engine: annotating(t), Emit: emit, Jobs: jobs, MaxLine: 2 * ChunkSize}
		j := newJudge(&o)
		var want bytes.Buffer
		for _, line := range docs {
			if len(line) > o.MaxLine {
				want.Write(j.tooLong(nil))
			} else {
				want.Write(j.line(nil, []byte(line)))
				want.WriteByte('\n')
			}
		}
		for name, r := range map[string]io.Reader{
			"whole": strings.NewReader(in), "halves": iotest.HalfReader(strings.NewReader(in)), "bytes": iotest.OneByteReader(strings.NewReader(in)),
			"end with data": iotest.DataErrReader(strings.NewReader(in)),
		} {
			if name == "bytes" && testing.Short() {
				continue
			}
			var out bytes.Buffer
			if _, err := Filter(t.Context(), &out, r, o); err != nil || !bytes.Equal(out.Bytes(), want.Bytes()) {
				t.Errorf("%v, %s: %v, %d bytes, want %d", emit, name, err, out.Len(), want.Len())
			}
		}
	}
}

// TestPause: what came before a pause of the input is out before more comes.
func TestPause(t *testing.T) { eachJobs(t, pause) }

func pause(t *testing.T, jobs int) {
	in, feed := io.Pipe()
	result, out := io.Pipe()
	go func() {
		_, err := Filter(context.Background(), out, in, Options{Emit: Verdicts, Jobs: jobs})
		out.CloseWithError(err)
	}()
	d := json.NewDecoder(result)
	for i := range 20 {
		io.WriteString(feed, good+"\n"+bad+"\n{\"id\":\"not yet")
		var v any
		for range 2 {
			if err := d.Decode(&v); err != nil {
				t.Fatalf("round %d: %v", i, err)
			}
		}
		io.WriteString(feed, "\"}\n")
		if err := d.Decode(&v); err != nil {
			t.Fatalf("round %d: %v", i, err)
		}
	}
	feed.Close()
	if _, err := d.Token(); err != io.EOF {
		t.Error(err)
	}
}

// TestErrors: errors of the input, of the output and of the context end a run; what was read is
// written.
func TestErrors(t *testing.T) { eachJobs(t, failing) }

func failing(t *testing.T, jobs int) {
	var out bytes.Buffer
	broken := errors.New("broken")
	o := Options{Emit: Verdicts, Jobs: jobs}
	stats, err := Filter(t.Context(), &out, io.MultiReader(strings.NewReader(good+"\n"+bad), iotest.ErrReader(broken)), o)
	if !errors.Is(err, broken) || stats.Lines != 2 || bytes.Count(out.Bytes(), []byte("\n")) != 2 {
		t.Errorf("%v, %+v, %s", err, stats, &out)
	}
	closed, w := io.Pipe()
	closed.CloseWithError(broken)
	if _, err := Filter(t.Context(), w, strings.NewReader(strings.Repeat(good+"\n", 10_000)), o); !errors.Is(err, broken) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	silent, feed := io.Pipe()
	out.Reset()
	go func() {
		io.WriteString(feed, good+"\n")
		time.Sleep(10 * time.Millisecond)
		cancel()
	}()
	if _, err := Filter(ctx, &out, silent, o); !errors.Is(err, context.Canceled) || out.Len() == 0 {
		t.Errorf("%v, %q", err, &out)
	}
	if _, err := Filter(t.Context(), &out, strings.NewReader(""), Options{}); !errors.Is(err, ErrNotAnnotating) {
		t.Error(err)
	}
	if _, err := Filter(t.Context(), &out, silentReader{}, o); !errors.Is(err, io.ErrNoProgress) {
		t.Error(err)
	}
}

type silentReader struct{}

func (silentReader) Read([]byte) (int, error) { return 0, nil }

// TestAnnotationOnly: an annotation that the sender has written does not survive.
func TestAnnotationOnly(t *testing.T) {
	forged := strings.Replace(bad, `{"id"`, `{"ext":{"rtbwire":{"action":"forward"}},"id"`, 1)
	got, _ := filter(t, forged, Options{})
	r, err := openrtb.Parse([]byte(got[0]))
	if err != nil || strings.Count(got[0], "rtbwire") != 1 || !strings.Contains(string(r.Ext), `"action":"refuse"`) {
		t.Errorf("%v: %s", err, got[0])
	}
}

func TestEmitString(t *testing.T) {
	for e, want := range map[Emit]string{Annotated: "annotated", Verdicts: "verdict", Accepted: "accepted", 9: "Emit(9)"} {
		if e.String() != want {
			t.Errorf("%v, want %s", e, want)
		}
	}
}

// TestCompressed: compressed input is an error that says so, however few bytes a Read returns. The
// same bytes further on are lines like any other.
func TestCompressed(t *testing.T) {
	for _, jobs := range []int{1, 4} {
		for _, head := range []string{"\x1f\x8b\x08\x00", "\x28\xb5\x2f\xfd"} {
			o := Options{Engine: annotating(t), Jobs: jobs}
			for _, in := range []io.Reader{strings.NewReader(head + "x\n\n"), iotest.OneByteReader(strings.NewReader(head))} {
				var out bytes.Buffer
				if _, err := Filter(t.Context(), &out, in, o); !errors.Is(err, ErrCompressed) || out.Len() > 0 {
					t.Errorf("%d jobs, %x: %v, %q", jobs, head, err, out.String())
				}
			}
			if got, _ := filter(t, good+"\n"+head+"\n", o); len(got) != 2 {
				t.Errorf("%d jobs, %x: %d lines", jobs, head, len(got))
			}
		}
	}
}
