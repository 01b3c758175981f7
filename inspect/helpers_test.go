package inspect

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
)

func mustNew(tb testing.TB, c Config) *Engine {
	tb.Helper()
	e, err := New(c)
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

// clean reads a request without findings, whatever the preset.
func clean(tb testing.TB, name string) []byte {
	tb.Helper()
	data, err := os.ReadFile(filepath.FromSlash("schema/testdata/clean/" + name + ".json"))
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

// lasting returns a text that says everything about a verdict, to keep and to compare.
func lasting(v Verdict) string {
	shadow := "none"
	if v.Shadow != nil {
		shadow = lasting(*v.Shadow)
	}
	observed := "none"
	if v.Observed != nil {
		observed = fmt.Sprintf("%+v", *v.Observed)
	}
	v.Shadow, v.Observed = nil, nil
	return fmt.Sprintf("%+v observed: %s shadow: %s", v, observed, shadow)
}

// withoutEdits returns the verdict as a shadow has it.
func withoutEdits(v Verdict) Verdict {
	v.Edits = nil
	return v
}

// documents are the requests of the corpus (some of them in short runs), and mutations of some.
func documents(tb testing.TB) [][]byte {
	tb.Helper()
	requests := testkit.Requests(tb)
	docs := slices.Clone(requests[:len(requests)/testkit.Scale(tb, 4, 1, 1)])
	random := testkit.Rand(1)
	for range testkit.Scale(tb, 300, 3000, 30000) {
		docs = append(docs, mutated(random, requests[random.IntN(len(requests))]))
	}
	return docs
}

// fragments are what mutated puts into documents.
var fragments = []string{
	`null`, `""`, `"x"`, `-1`, `1e400`, `[]`, `{}`, `[{}]`, `true`, `"id":"1",`, `"i\u0064":2,`, `"ID":1,`, `"ext":[1],`, `"ext":{"rtbwire":1},`,
	`,`, `}`, `]`, `"`, "\xff", "\\ud800", "\x00", `"imp":[{}],`, `"test":7,`, `"cur":["usd"],`,
	`"name":"a<script>",`, `"\u003ciframe":"' or 1=1",`, `"ext":{"a":"{\"b\":\"x-own-probe\"}"},`, `"page":"%3cscript",`,
}

// mutated returns a copy of a document with a few changes: cut, removed, or with something new.
func mutated(random *rand.Rand, doc []byte) []byte {
	out := slices.Clone(doc)
	for range 1 + random.IntN(3) {
		if len(out) < 2 {
			break
		}
		at := random.IntN(len(out))
		switch random.IntN(6) {
		case 0:
			out = out[:at]
		case 1:
			out = slices.Delete(out, at, min(len(out), at+1+random.IntN(20)))
		case 2: // a value becomes another one
			if colon := bytes.IndexByte(out[at:], ':'); colon >= 0 {
				from := at + colon + 1
				if size := bytes.IndexAny(out[from:], ",}]"); size >= 0 {
					out = slices.Replace(out, from, from+size, []byte(fragments[random.IntN(9)])...)
				}
			}
		default: // a new member, or damage, where an object opens
			if brace := bytes.IndexByte(out[at:], '{'); brace >= 0 {
				out = slices.Insert(out, at+brace+1, []byte(fragments[random.IntN(len(fragments))])...)
			}
		}
	}
	return out
}

// checkVerdict holds what is true of every verdict of an engine.
func checkVerdict(t testing.TB, e *Engine, v Verdict, body []byte, limit int) {
	t.Helper()
	fail := func(format string, args ...any) {
		t.Helper()
		t.Fatalf(format+"\nverdict %s\nof %q", append(args, lasting(v), testkit.Abridged(body))...)
	}
	var counts [Refuse + 1]int
	decided := Decision{}
	for i, f := range v.Findings {
		r, known := e.ReasonByID(f.ID)
		if !known || r.Inspector != f.Inspector {
			fail("finding %d has an unknown reason", i)
		}
		if f.Severity == Refuse && decided.Action == ActionForward {
			decided = Decision{ActionRefuse, f.ID, r.NBR}
			if f.ID == fraudScore {
				decided.NBR = heaviest(v).NBR
			}
		}
		if f.Severity == Off || f.Severity > Refuse || f.Offset < -1 || f.Offset > len(body) || f.Message == "" {
			fail("finding %d is wrong", i)
		}
		if i > 0 && v.Findings[i-1].Inspector == f.Inspector && v.Findings[i-1].Offset > f.Offset {
			fail("finding %d is out of order", i)
		}
		counts[f.Severity]++
	}
	full := v.Decision
	if o := v.Observed; o != nil {
		full = o.Decision
		if v.Action == ActionRefuse && o.Refusals && v.Decision != full && v.Reason != scrubFailed {
			fail("a request that is observed is refused")
		}
	}
	if full != decided {
		fail("the findings say %+v", decided)
	}
	if (v.Counts[Refuse] > 0) != (full.Action == ActionRefuse) {
		fail("%d findings refuse", v.Counts[Refuse])
	}
	total := 0
	for s, n := range v.Counts {
		total += n
		if n < counts[s] {
			fail("%d findings count as %d", counts[s], n)
		}
	}
	if total != len(v.Findings)+v.Dropped || len(v.Findings) > limit || v.Dropped > 0 && len(v.Findings) < limit {
		fail("%d findings in all, the limit is %d", total, limit)
	}
	if v.Score < 0 || v.Score > 100 {
		fail("the score is %d", v.Score)
	}
	if v.Shadow != nil {
		if v.Shadow.Shadow != nil || v.Shadow.Edits != nil {
			fail("the shadow has a shadow or edits")
		}
		checkVerdict(t, e, *v.Shadow, body, limit)
	}
	if v.Action == ActionRefuse && len(v.Scrubs) > 0 {
		fail("a request that is refused is scrubbed")
	}
	for _, e := range v.Errors {
		if e.ID == "" || e.Err == nil {
			fail("the error %v of %q", e.Err, e.ID)
		}
	}
	if len(v.Edits) > 0 {
		checkEdits(t, e.annotate, v, body)
	}
}

// checkEdits applies the edits and decodes the result.
func checkEdits(t testing.TB, annotated bool, v Verdict, body []byte) {
	t.Helper()
	out, err := v.Apply([]byte("before"), body)
	if err != nil {
		t.Fatalf("%v in %q", err, testkit.Abridged(body))
	}
	text, found := strings.CutPrefix(string(out), "before")
	r, err := openrtb.Parse([]byte(text))
	if err != nil || !found {
		t.Fatalf("%v in %q", err, text)
	}
	want := fmt.Sprintf(`"rtbwire":{"action":"%s","reason":"%s","score":%d`, v.Action, v.Reason, v.Score)
	if would := v.WouldRefuse(); would.Action == ActionRefuse {
		want += fmt.Sprintf(`,"would_refuse":%q`, would.Reason)
	}
	want += "}"
	if isObject := strings.HasPrefix(string(r.Ext), "{"); annotated && (isObject || len(r.Ext) == 0) && !strings.Contains(string(r.Ext), want) {
		t.Fatalf("ext is %s, want %s in it", r.Ext, want)
	}
}
