package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Every experiment has a conclusion, and all forms of output show it. The numbers mean nothing at
// this size.
func TestExperiments(t *testing.T) {
	book := playbook{Quick: true}
	for i := range experiments {
		e := &experiments[i]
		r, err := e.try(tiny, func(string) {}) // it fails if a value is not finite
		if err != nil {
			t.Errorf("%s: %v", e.name, err)
			continue
		}
		if len(r.Rows) == 0 || len(r.Checks) == 0 {
			t.Errorf("%s: %d rows and %d checks", e.name, len(r.Rows), len(r.Checks))
		}
		for _, row := range r.Rows {
			for _, v := range row.Values {
				if v.Lo > v.Value || v.Value > v.Hi {
					t.Errorf("%s: %s: %+v", e.name, row.Label, v)
				}
			}
		}
		var text bytes.Buffer
		if err := r.print(&text); err != nil {
			t.Error(err)
		}
		got := strings.Join(strings.Fields(text.String()), " ")
		if !strings.Contains(got, "Verdict "+r.Sentence) || !strings.Contains(got, e.advice) {
			t.Errorf("%s: printed as\n%s", e.name, text.String())
		}
		book.Results = append(book.Results, r)
	}
	var text bytes.Buffer
	if err := book.printJSON(&text); err != nil {
		t.Fatal(err)
	}
	var back playbook
	if err := strictDecode(text.Bytes(), &back); err != nil || len(back.Results) != len(book.Results) {
		t.Errorf("%d results come back from JSON: %v", len(back.Results), err)
	}
	testFolder(t, &book)
}

// testFolder writes the folder and looks at what is in it.
func testFolder(t *testing.T, book *playbook) {
	folder := t.TempDir()
	if err := book.write(folder); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(folder, "playbook.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range book.Results {
		if !strings.Contains(string(text), "**"+markdown(r.Sentence)+"**") {
			t.Errorf("playbook.md lacks: %s", r.Sentence)
		}
		if r.Curves != nil && !strings.Contains(string(text), "("+r.Name+".svg)") {
			t.Errorf("playbook.md does not show %s.svg", r.Name)
		}
	}
	pictures, err := filepath.Glob(filepath.Join(folder, "*.svg"))
	if err != nil || len(pictures) == 0 {
		t.Fatal("no picture:", err)
	}
	for _, p := range pictures {
		picture, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		d := xml.NewDecoder(bytes.NewReader(picture))
		for err == nil {
			_, err = d.Token()
		}
		if err != io.EOF || bytes.Contains(picture, []byte("NaN")) || bytes.Contains(picture, []byte("Inf")) {
			t.Errorf("%s: %v in\n%s", p, err, picture)
		}
	}
}

func TestList(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range experiments {
		if e.name == "" || seen[e.name] || strings.ContainsAny(e.name, " /") {
			t.Errorf("name %q", e.name)
		}
		seen[e.name] = true
		if e.advice == "" || e.method == "" || e.varies == "" || e.seconds[full] <= 0 || e.seconds[quick] <= 0 {
			t.Errorf("%s is not described", e.name)
		}
	}
	for _, flag := range []string{"--help", "--list"} {
		status, out, _ := command(flag)
		if status != 0 {
			t.Errorf("%s: status %d", flag, status)
		}
		for name := range seen {
			if !strings.Contains(out, name) {
				t.Errorf("%s does not name %s", flag, name)
			}
		}
	}
}

func command(args ...string) (status int, out, errs string) {
	var o, e bytes.Buffer
	status = run(args, &o, &e)
	return status, o.String(), e.String()
}

func TestExitStatus(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		want int
	}{
		{"no-such-experiment", 2},
		{"streaming --no-such-flag", 2},
		{"--out", 2},
		{"--list streaming", 0},
		{"unknown-fields --out " + filepath.Join(file, "below"), 3},
	} {
		status, out, errs := command(strings.Fields(c.args)...)
		if status != c.want || (status != 0) != (errs != "") {
			t.Errorf("%s: status %d, want %d\n%s%s", c.args, status, c.want, out, errs)
		}
	}
}

func TestJSON(t *testing.T) {
	status, out, errs := command("unknown-fields", "--json", "--quick", "unknown-fields")
	var book playbook
	if err := json.Unmarshal([]byte(out), &book); status != 0 || err != nil {
		t.Fatalf("status %d, %v\n%s%s", status, err, out, errs)
	}
	if len(book.Results) != 1 || !book.Quick {
		t.Fatalf("%+v", book)
	}
	if r := book.Results[0]; r.Name != "unknown-fields" || r.Verdict == "" {
		t.Errorf("%+v", book)
	}
}

func TestConclude(t *testing.T) {
	within := func(lo, hi float64) quantity { return quantity{Value: (lo + hi) / 2, Lo: lo, Hi: hi} }
	good, bad, near := within(0.4, 0.6), within(1.4, 1.6), within(0.8, 1.2)
	for _, c := range []struct {
		got      []quantity
		verdict  verdict
		sentence string
	}{
		{[]quantity{good}, holds, "Holds: A (0.50)."},
		{[]quantity{good, good}, holds, "Holds: A (0.50), B (0.50)."},
		{[]quantity{bad}, doesNotHold, "Does not hold: A (1.50)."},
		{[]quantity{good, bad}, depends, "Depends on the case: it holds for A (0.50); it does not hold for B (1.50)."},
		{[]quantity{good, near}, depends,
			"Depends on the case: it holds for A (0.50); this run can't tell for B (1.00)."},
		{[]quantity{near}, depends, "Depends on more precision than this run has: this run can't tell for A (1.00)."},
	} {
		// At least is the same from the other side.
		atMostCase, atLeastCase := new(result), new(result)
		for i, q := range c.got {
			name := string(rune('A' + i))
			atMostCase.ask(name, "", q, atMost, 1)
			atLeastCase.ask(name, "", quantity{Value: -q.Value, Lo: -q.Hi, Hi: -q.Lo}, atLeast, -1)
		}
		atMostCase.conclude("the case")
		atLeastCase.conclude("the case")
		if atMostCase.Verdict != c.verdict || atMostCase.Sentence != c.sentence {
			t.Errorf("%v: %s: %s", c.got, atMostCase.Verdict, atMostCase.Sentence)
		}
		if atLeastCase.Verdict != c.verdict {
			t.Errorf("-%v: %s: %s", c.got, atLeastCase.Verdict, atLeastCase.Sentence)
		}
	}
}

// The counterexample to returning a pooled buffer's slice: the first result becomes the second.
func TestPooledSliceIsOverwritten(t *testing.T) {
	p := &bufferPool{limit: 1 << 20}
	// A pool may drop its objects, and does so at random under the race detector: not every try
	// shows it.
	overwritten := func(encode func(v any) ([]byte, error)) bool {
		for range 100 {
			first, err := encode("mine")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := encode("yours"); err != nil {
				t.Fatal(err)
			}
			if string(first) != `"mine"`+"\n" {
				t.Logf("the first result became %q", first)
				return true
			}
		}
		return false
	}
	if !overwritten(p.encodeAliased) {
		t.Error("the slice of the buffer stays as it was: then the experiment shows nothing")
	}
	if overwritten(p.encodeCopied) {
		t.Error("a copy changes")
	}
}

func TestPoolDropsLargeBuffers(t *testing.T) {
	p := &bufferPool{limit: 1 << 10}
	large := p.get()
	large.buffer.Grow(1 << 11)
	p.put(large)
	for range 100 {
		if p.get() == large {
			t.Fatal("a buffer over the limit came back")
		}
	}
}

// The counterexample to strconv.AppendQuote: Go writes escapes like \a, \x and \U that JSON does
// not have.
func TestAppendQuoteIsNotJSON(t *testing.T) {
	for _, s := range []string{"\a", "\v", "\x00", "\x7f", "\xff", "\U0010ffff"} {
		quoted := strconv.AppendQuote(nil, s)
		if json.Valid(quoted) {
			t.Errorf("%s is JSON", quoted)
		}
		own, err := json.Marshal(s)
		if err != nil || !json.Valid(own) {
			t.Errorf("%s is not JSON: %v", own, err)
		}
	}
}

// What is written by hand is what encoding/json writes, or the comparison means nothing.
func TestHandWrittenIsRight(t *testing.T) {
	events := makeEvents(1000)
	events[1].User = "a\"b\\c\x01<>&\x7f\u00e9\u2028\xff"
	events[2].Tags = []string{}
	methods := make([]methodEvent, len(events))
	for i := range events {
		methods[i] = methodEvent(events[i])
	}
	want, err := json.Marshal(events)
	if err != nil {
		t.Fatal(err)
	}
	if got := appendEvents(nil, events); !bytes.Equal(got, want) {
		t.Errorf("appended:\n%.400s\nwant\n%.400s", got, want)
	}
	if got, err := json.Marshal(methods); err != nil || !bytes.Equal(got, want) {
		t.Errorf("MarshalJSON: %v\n%.400s\nwant\n%.400s", err, got, want)
	}
	var back []event
	err = json.NewDecoder(someEvents(3)).Decode(&back)
	if err != nil || !slices.EqualFunc(back, makeEvents(3), sameEvent) {
		t.Errorf("made up: %+v, %v", back, err)
	}
	for _, n := range []int{0, 1, 5} {
		text, err := io.ReadAll(someEvents(n))
		if err != nil || json.Unmarshal(text, &back) != nil || len(back) != n {
			t.Errorf("%d events: %s, %v", n, text, err)
		}
	}
}

func sameEvent(a, b event) bool { return bytes.Equal(a.appendJSON(nil), b.appendJSON(nil)) }

// The fast and the slow handler do the same.
func TestDecodersAgree(t *testing.T) {
	text, err := benchDocument("banner")
	if err != nil {
		t.Fatal(err)
	}
	slow, errSlow := slowDecode(text)
	fast, errFast := fastDecode(text)
	if err := errors.Join(errSlow, errFast); err != nil || slow != fast || slow == "" {
		t.Errorf("%q and %q: %v", slow, fast, err)
	}
}

// A sampler keeps the maximum, however long it runs.
func TestSampler(t *testing.T) {
	s := sampler{every: time.Millisecond}
	for i := range 10000 {
		s.see(time.Duration(i)*time.Millisecond, float64(1+i))
	}
	points := s.points()
	last := points[len(points)-1]
	if last.Bytes != 10000 || len(points) < len(s.slots)/2 || points[0].Seconds != 0 {
		t.Errorf("%d points, the first %+v, the last %+v", len(points), points[0], last)
	}
	for i, p := range points[1:] {
		if p.Seconds <= points[i].Seconds || p.Bytes <= points[i].Bytes {
			t.Fatalf("%+v after %+v", p, points[i])
		}
	}
}
