package batch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/inspect/schema"
)

// check runs Check and returns the findings as "input number line:column id path" lines.
func check(t *testing.T, inputs []Input, opts Options) ([]string, []InputStats, Counts, error) {
	t.Helper()
	var lines []string
	var ended []InputStats
	counts, err := Check(t.Context(), newEngine(t), inputs, opts, Handler{
		Result: func(r *Result) error {
			for _, f := range r.Findings {
				lines = append(lines, fmt.Sprintf("%s %d %d:%d %s %s", r.Input, r.Number, f.Line, f.Column, f.ID, f.Path))
			}
			return nil
		},
		InputDone: func(s *InputStats) error {
			ended = append(ended, *s)
			return nil
		},
	})
	return lines, ended, counts, err
}

// only keeps the findings of the given rules, so that tests say what they are about.
func only(lines []string, ids ...string) []string {
	var out []string
	for _, line := range lines {
		for _, id := range ids {
			if strings.Contains(line, " "+id+" ") {
				out = append(out, line)
			}
		}
	}
	return out
}

func TestCheckPlaces(t *testing.T) {
	in := "\ufeff" + valid + "\r\n\r\n" +
		`{"id":"ä","imp":[x]}` + "\n" +
		`  {"imp":[{"id":"1"}]}` + "\n" +
		`{"id":"1","imp":[{"id":"1"}]` // cut
	lines, ended, counts, err := check(t, []Input{From("a", strings.NewReader(in))}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(only(lines, "json.syntax", "BidRequest.id.required"), "\n")
	for _, want := range []string{"a 2 3:18 json.syntax ", "a 3 4:3 BidRequest.id.required /id", "a 4 5:"} {
		if !strings.Contains("\n"+got, "\n"+want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if counts.Documents != 4 || counts.Requests != 4 || counts.Invalid != 3 || counts.Bytes != int64(len(in)) || counts.Read != counts.Bytes {
		t.Errorf("counts = %+v", counts)
	}
	if len(ended) != 1 || ended[0].Counts != counts || ended[0].Layout != LayoutLines || ended[0].Encoding != Plain || ended[0].Err != nil {
		t.Errorf("inputs = %+v", ended)
	}
}

// TestCheckOrder gives every document a different cost and demands the order of the input,
// whatever the number of jobs, and the same results as one job has.
func TestCheckOrder(t *testing.T) {
	var texts []string
	for file := range 5 {
		var b strings.Builder
		for i := range 400 {
			fmt.Fprintf(&b, `{"n":"%s","imp":[]}`+"\n", strings.Repeat("x", (i*7919+file)%997))
		}
		texts = append(texts, b.String())
	}
	inputs := func() (in []Input) {
		for i, text := range texts {
			in = append(in, From(fmt.Sprint("file", i), strings.NewReader(text)))
		}
		return in
	}
	want, _, wantCounts, err := check(t, inputs(), Options{Jobs: 1, ChunkSize: 1 << 10})
	if err != nil || wantCounts.Documents != 2000 || wantCounts.Invalid != 2000 {
		t.Fatalf("%+v, %v", wantCounts, err)
	}
	for _, jobs := range []int{2, 8} {
		for _, size := range []int{1, 100, 3000, 1 << 20} {
			got, ended, counts, err := check(t, inputs(), Options{Jobs: jobs, ChunkSize: size})
			if err != nil || counts != wantCounts || len(ended) != len(texts) {
				t.Errorf("%d jobs, chunks of %d: %+v, %v, want %+v", jobs, size, counts, err, wantCounts)
			}
			for i := range want {
				if i >= len(got) || got[i] != want[i] {
					t.Fatalf("%d jobs, chunks of %d: finding %d differs from that of one job", jobs, size, i)
				}
			}
		}
	}
}

func TestCheckTypes(t *testing.T) {
	in := valid + "\n" + `{"id":"1","seatbid":[]}` + "\n{}\n"
	for opt, want := range map[Type][2]int64{Auto: {1, 2}, Requests: {3, 0}, Responses: {0, 3}} {
		_, _, counts, err := check(t, []Input{From("", strings.NewReader(in))}, Options{Type: opt})
		if got := [2]int64{counts.Requests, counts.Responses}; err != nil || got != want {
			t.Errorf("type %d: requests and responses %v, want %v, %v", opt, got, want, err)
		}
	}
}

func TestCheckTooLarge(t *testing.T) {
	in := valid + "\n" + `{"id":"` + strings.Repeat("x", 1000) + `"}` + "\n" + valid
	lines, _, counts, err := check(t, []Input{From("a", strings.NewReader(in))}, Options{MaxDocument: 500})
	if got := only(lines, RuleDocumentSize); err != nil || len(got) != 1 || got[0] != "a 2 2:1 json.limit " {
		t.Errorf("got %q, %v", got, err)
	}
	if counts.Documents != 3 || counts.Invalid != 1 {
		t.Errorf("counts = %+v", counts)
	}
	for severity := range schema.Error + 1 {
		engine, err := schema.New(schema.WithSeverity("*", schema.Off), schema.WithSeverity(RuleDocumentSize, severity))
		if err != nil {
			t.Fatal(err)
		}
		want := [schema.Error + 1]int64{}
		want[severity] = 1
		want[schema.Off] = 0
		counts, err := Check(t.Context(), engine, []Input{From("a", strings.NewReader(in))}, Options{MaxDocument: 500}, Handler{})
		if err != nil || counts.Findings != want {
			t.Errorf("configured as %v: findings %v, want %v, %v", severity, counts.Findings, want, err)
		}
	}
}

// TestCheckDamaged cuts compressed data and breaks readers: what came before is checked, and
// the error tells how far that was.
func TestCheckDamaged(t *testing.T) {
	text := strings.Repeat(valid+"\n", 5000)
	for _, tt := range []struct {
		name  string
		input Input
		docs  bool // some documents came before the damage
		cause error
	}{
		{"gzip cut", From("a", bytes.NewReader(cut(compress(t, Gzip, text)))), true, ErrCorrupt},
		{"zstd cut", From("a", bytes.NewReader(cut(compress(t, Zstd, text)))), true, ErrCorrupt},
		{"gzip changed", From("a", bytes.NewReader(flip(compress(t, Gzip, text)))), true, ErrCorrupt},
		{"gzip cut in its header", From("a", strings.NewReader("\x1f\x8b\x08")), false, ErrCorrupt},
		{"zstd cut in its header", From("a", strings.NewReader("\x28\xb5\x2f\xfd")), false, ErrCorrupt},
		{"named .gz, other content", From("a.gz", strings.NewReader("hello")), false, ErrCorrupt},
		{"named .gz, empty", From("a.gz", strings.NewReader("")), false, ErrCorrupt},
		{"reader fails", From("a", brokenAfter(text)), true, errBroken},
		{"reader fails at once", From("a", brokenAfter("")), false, errBroken},
		{"reader gives nothing", From("a", io.MultiReader(strings.NewReader(text), idleReader{})), true, io.ErrNoProgress},
		{"no such file", File("no/such/file"), false, os.ErrNotExist},
		{"directory", File("."), false, ErrFormat},
		{"xz", From("a", strings.NewReader("\xfd7zXZ\x00....")), false, ErrFormat},
		{"UTF-16", From("a", strings.NewReader("\xff\xfe{\x00}\x00")), false, ErrFormat},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, ended, counts, err := check(t, []Input{tt.input, From("b", strings.NewReader(valid))}, Options{})
			if len(ended) != 2 || ended[1].Documents != 1 || ended[1].Err != nil {
				t.Fatalf("the input after it was not checked: %+v", ended)
			}
			var in *InputError
			if !errors.As(err, &in) || !errors.Is(err, tt.cause) {
				t.Fatalf("error %v, want one with %v", err, tt.cause)
			}
			if (ended[0].Documents > 0) != tt.docs || in.Documents != ended[0].Documents || in.Line != ended[0].Documents+1 {
				t.Errorf("%d documents before the damage; error %+v", ended[0].Documents, in)
			}
			if counts.Documents != ended[0].Documents+1 || counts.Invalid != 0 {
				t.Errorf("a document that was cut in two was checked: %+v", counts)
			}
			if strings.Contains(err.Error(), "imp") {
				t.Errorf("the error repeats the text: %v", err)
			}
		})
	}
}

func cut(b []byte) []byte { return b[:len(b)*3/4] }

func flip(b []byte) []byte {
	b[len(b)-5] ^= 0xff // in the checksum, so that everything before it is good
	return b
}

// idleReader returns nothing, forever.
type idleReader struct{}

func (idleReader) Read([]byte) (int, error) { return 0, nil }

func TestCheckManyErrors(t *testing.T) {
	var inputs []Input
	for i := range inputErrorsMax + 5 {
		inputs = append(inputs, File(fmt.Sprint("missing", i)))
	}
	_, ended, _, err := check(t, inputs, Options{})
	if len(ended) != len(inputs) || strings.Count(err.Error(), "\n") != inputErrorsMax || !strings.Contains(err.Error(), "5 more") {
		t.Errorf("%d inputs, error %v", len(ended), err)
	}
}

func TestCheckEncodings(t *testing.T) {
	text := valid + "\n" + valid + "\n"
	for _, e := range []Encoding{Plain, Gzip, Zstd} {
		path := filepath.Join(t.TempDir(), "file") // the name does not tell
		if err := os.WriteFile(path, compress(t, e, "\ufeff"+text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, ended, counts, err := check(t, []Input{File(path)}, Options{})
		if err != nil || counts.Documents != 2 || counts.Invalid != 0 || counts.Bytes != int64(len(text)+3) || ended[0].Encoding != e {
			t.Errorf("%v: %+v, %v", e, ended, err)
		}
	}
	// Several members are one file, as "cat a.gz b.gz" makes them.
	two := append(compress(t, Gzip, text), compress(t, Gzip, text)...)
	if _, _, counts, err := check(t, []Input{From("", bytes.NewReader(two))}, Options{}); err != nil || counts.Documents != 4 {
		t.Errorf("two gzip members: %+v, %v", counts, err)
	}
	skippable := append([]byte("\x50\x2a\x4d\x18\x04\x00\x00\x00abcd"), compress(t, Zstd, text)...)
	if _, _, counts, err := check(t, []Input{From("", bytes.NewReader(skippable))}, Options{}); err != nil || counts.Documents != 2 {
		t.Errorf("zstd after a skippable frame: %+v, %v", counts, err)
	}
	// A name that promises more than the content holds is forgiven if the content is text.
	if _, ended, counts, err := check(t, []Input{From("x.gz", strings.NewReader(text))}, Options{}); err != nil || counts.Documents != 2 || ended[0].Encoding != Plain {
		t.Errorf("text named .gz: %+v, %v", ended, err)
	}
}

// TestCheckEndsEarly checks that an error of the handler or the context ends the check.
func TestCheckEndsEarly(t *testing.T) {
	input := func() Input { return From("", endless("{\"imp\":[]}\n", 1<<60)) }
	full := errors.New("disk full")
	calls := 0
	_, err := Check(t.Context(), newEngine(t), []Input{input()}, Options{ChunkSize: 1 << 14}, Handler{Result: func(*Result) error {
		if calls++; calls == 1000 {
			return full
		}
		return nil
	}})
	if err != full || calls != 1000 {
		t.Errorf("error %v after %d results", err, calls)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	counts, err := Check(ctx, newEngine(t), []Input{input()}, Options{ChunkSize: 1 << 14}, Handler{Result: func(*Result) error {
		cancel()
		return nil
	}})
	if err != context.Canceled || counts.Documents == 0 {
		t.Errorf("error %v after %d documents", err, counts.Documents)
	}
	// A reader that never returns must not keep Check from returning.
	r, w := io.Pipe()
	defer w.Close()
	ctx, cancel = context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := Check(ctx, newEngine(t), []Input{From("", r)}, Options{}, Handler{}); err != context.DeadlineExceeded {
		t.Errorf("error %v of a check that waits for input", err)
	}
}

// TestCheckLive demands results before the input goes on, and Idle before waiting.
func TestCheckLive(t *testing.T) {
	r, w := io.Pipe()
	results := make(chan int64, 10)
	idle := make(chan bool, 1000)
	done := make(chan error)
	go func() {
		_, err := Check(t.Context(), newEngine(t), []Input{{Name: "pipe", Live: true, Open: func() (io.ReadCloser, error) { return r, nil }}},
			Options{}, Handler{
				Result: func(r *Result) error { results <- r.Number; return nil },
				Idle:   func() error { idle <- true; return nil },
			})
		done <- err
	}()
	for i := range int64(3) {
		if _, err := io.WriteString(w, "{\"imp\":[]}\n"); err != nil {
			t.Fatal(err)
		}
		if got := <-results; got != i+1 {
			t.Fatalf("result %d, want %d", got, i+1)
		}
		<-idle
	}
	if err := errors.Join(w.Close(), <-done); err != nil {
		t.Error(err)
	}
}

func TestOptions(t *testing.T) {
	for _, opts := range []Options{
		{Jobs: -1}, {MaxDocument: -1}, {MaxDocument: MaxDocumentLimit + 1}, {ChunkSize: -1}, {ChunkSize: ChunkSizeLimit + 1}, {Layout: 3}, {Type: 3},
	} {
		if _, err := Check(t.Context(), newEngine(t), nil, opts, Handler{}); err == nil {
			t.Errorf("%+v was accepted", opts)
		}
		if _, err := NewReader(From("", strings.NewReader("")), opts); err == nil {
			t.Errorf("%+v was accepted by NewReader", opts)
		}
	}
	if counts, err := Check(t.Context(), newEngine(t), nil, Options{}, Handler{}); err != nil || counts != (Counts{}) {
		t.Errorf("no inputs: %+v, %v", counts, err)
	}
}

// endless repeats a text until it has returned about size bytes.
func endless(text string, size int64) io.Reader {
	return &repeatReader{text: []byte(strings.Repeat(text, 1+100_000/len(text))), left: size}
}

// repeatReader repeats a text.
type repeatReader struct {
	text []byte
	at   int
	left int64
}

func (r *repeatReader) Read(p []byte) (int, error) {
	if r.left <= 0 {
		return 0, io.EOF
	}
	n := copy(p, r.text[r.at:])
	r.at = (r.at + n) % len(r.text)
	r.left -= int64(n)
	return n, nil
}

// TestMemory checks that the size of an input has no influence on the memory it takes.
func TestMemory(t *testing.T) {
	mega := int64(1 << 20)
	if testing.Short() {
		mega = 1 << 17
	}
	blank := strings.Repeat(" ", 500) // cheap to check: this is about reading
	for _, tt := range []struct {
		name string
		size int64
		in   io.Reader
		docs int64 // 0 for many
	}{
		{"commas", mega, io.MultiReader(strings.NewReader("["), endless(",", mega)), 0},
		{"findings", 2 * mega, endless("{}\n", 2*mega), 0},
		{"lines", 200 * mega, endless(blank+"{}\n", 200*mega), 0},
		{"an array", 50 * mega, io.MultiReader(strings.NewReader("["), endless("{},"+blank, 50*mega), strings.NewReader("{}]")), 0},
		{"one line", 50 * mega, endless("word ", 50*mega), 1},
		{"one document", 50 * mega, io.MultiReader(strings.NewReader("{\n"), endless("\"key\": 1,\n"+blank, 50*mega)), 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			opts := Options{MaxDocument: 1 << 20, Progress: new(Progress), Type: Requests}
			runtime.GC()
			var before, now runtime.MemStats
			runtime.ReadMemStats(&before)
			done, peak := make(chan struct{}), make(chan uint64)
			go func() {
				most := uint64(0)
				for {
					runtime.ReadMemStats(&now)
					most = max(most, now.HeapAlloc)
					select {
					case <-done:
						peak <- most
						return
					case <-time.After(2 * time.Millisecond):
					}
				}
			}()
			counts, err := Check(t.Context(), newEngine(t), []Input{From("", tt.in)}, opts, Handler{Result: func(*Result) error { return nil }})
			close(done)
			used := int64(<-peak) - int64(before.HeapAlloc)
			if err != nil || counts.Bytes < tt.size || opts.Progress.Read() != counts.Read || opts.Progress.Documents() != counts.Documents {
				t.Errorf("%+v, %v, progress %d and %d", counts, err, opts.Progress.Read(), opts.Progress.Documents())
			}
			if tt.docs != 0 && counts.Documents != tt.docs {
				t.Errorf("%d documents, want %d", counts.Documents, tt.docs)
			}
			// 4 chunks a job, each with its documents (24 bytes) and findings (400 with their
			// results), and twice the largest document; all of it twice for garbage.
			chunk := ChunkSizeDefault + 24*spansMax + 400*findingsMax
			if limit := int64(2 * (4*runtime.GOMAXPROCS(0)*chunk + 2*opts.MaxDocument)); used > limit {
				t.Errorf("%d bytes of memory for %d bytes of input, want at most %d", used, counts.Bytes, limit)
			}
		})
	}
}

// TestTally counts the findings that a handler sees, in chunks that are handed over in parts, and
// again without a function that sees them.
func TestTally(t *testing.T) {
	text := string(corpus(t, 0)) + `{"id":"` + strings.Repeat("x", 50_000) + `"}` + strings.Repeat("\n{}x", 2*findingsMax)
	for _, opts := range []Options{{MaxDocument: 40_000}, {MaxDocument: 40_000, ChunkSize: 1 << 12}} {
		var tally, alone Tally
		seen := map[string]int64{}
		input := func() []Input { return []Input{From("a", strings.NewReader(text)), From("b", strings.NewReader(text))} }
		counts, err := Check(t.Context(), newEngine(t), input(), opts, Handler{Tally: &tally, Result: func(r *Result) error {
			for _, f := range r.Findings {
				seen[fmt.Sprint(f.ID, f.Severity)]++
			}
			return nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		again, err := Check(t.Context(), newEngine(t), input(), opts, Handler{Tally: &alone})
		if err != nil || again != counts {
			t.Errorf("without results: %+v, %v, want %+v", again, err, counts)
		}
		if got := alone.Rules(); len(got) != len(seen) || seen["json.limitrefuse"] != 2 {
			t.Errorf("%d rules, want %d; %d documents are too large", len(got), len(seen), seen["json.limitrefuse"])
		}
		for _, x := range append(tally.Rules(), alone.Rules()...) {
			if want := seen[fmt.Sprint(x.ID, x.Severity)]; x.Findings != want {
				t.Errorf("%s: %d findings, want %d", x.ID, x.Findings, want)
			}
		}
	}
}

// TestTallyEndsEarly counts no more than the counts do when the handler ends the check.
func TestTallyEndsEarly(t *testing.T) {
	var tally Tally
	n, enough := 0, errors.New("enough")
	counts, err := Check(t.Context(), newEngine(t), []Input{From("", bytes.NewReader(corpus(t, 0)))}, Options{ChunkSize: 1 << 14}, Handler{
		Tally: &tally,
		Result: func(*Result) error {
			if n++; n == 500 {
				return enough
			}
			return nil
		},
	})
	sum := int64(0)
	for _, x := range tally.Rules() {
		sum += x.Findings
	}
	found := counts.Findings[schema.Info] + counts.Findings[schema.Warn] + counts.Findings[schema.Error]
	if err != enough || counts.Documents == 0 || sum != found-counts.Dropped {
		t.Errorf("%v; %d documents with %d findings, %d of them dropped; the tally has %d", err, counts.Documents, found, counts.Dropped, sum)
	}
}
