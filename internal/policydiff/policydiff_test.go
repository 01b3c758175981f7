package policydiff

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/batch"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/internal/lines"
	"github.com/rtbwire/rtbwire/internal/record"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/internal/traffic/simulate"
	"github.com/rtbwire/rtbwire/internal/verdictchange"
)

// holdsFor makes a function a condition.
type holdsFor func(in *rule.Input) bool

func (h holdsFor) Holds(in *rule.Input) (bool, error) { return h(in), nil }

func engine(t testing.TB, c inspect.Config) *inspect.Engine {
	t.Helper()
	e, err := inspect.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// two returns two engines that differ in many ways: severities, rules, partners, and what they
// enforce.
func two(t testing.TB) (before, after *inspect.Engine) {
	t.Helper()
	rules := func(list ...inspect.Rule) []inspect.Rule { return list }
	video := holdsFor(func(in *rule.Input) bool { return len(in.Request.Imp) > 0 && in.Request.Imp[0].Video != nil })
	many := holdsFor(func(in *rule.Input) bool { return len(in.Request.Imp) > 1 })
	app := holdsFor(func(in *rule.Input) bool { return in.Request.App != nil })
	half, most := 0.5, 0.8
	before = engine(t, inspect.Config{
		Global: inspect.Layer{Enforce: &most, Rules: rules(inspect.Rule{Name: "video", When: video}), Severities: []inspect.Setting{{Reasons: "payload.*", Severity: inspect.Refuse}}},
	})
	after = engine(t, inspect.Config{
		Global: inspect.Layer{
			Rules:      rules(inspect.Rule{Name: "video", When: video}, inspect.Rule{Name: "many", When: many}),
			Severities: []inspect.Setting{{Reasons: "payload.*", Severity: inspect.Observe}, {Reasons: "policy.video", Severity: inspect.Warn}, {Reasons: "fraud.score", Severity: inspect.Refuse}},
		},
		Partners: map[string]inspect.Partner{"p": {Layer: inspect.Layer{Enforce: &half, Rules: rules(inspect.Rule{Name: "app", When: app})}}},
	})
	return before, after
}

// simulated returns a log of requests, one on each line, faults among them.
func simulated(t testing.TB, n int) []byte {
	t.Helper()
	g, err := simulate.New(simulate.Config{Seed: 5, Shape: simulate.Mixed, Defects: simulate.Percent(15), Payloads: simulate.Percent(8), Fraud: simulate.Percent(8)})
	if err != nil {
		t.Fatal(err)
	}
	var log, text []byte
	for i := range n {
		// A blank line is a line of a filter, and no document.
		if text, _ = g.AppendRequest(text[:0], uint64(i)); !bytes.ContainsAny(text, "\n") && len(bytes.TrimSpace(text)) > 0 {
			log = append(append(log, text...), '\n')
		}
	}
	return log
}

func input(name string, text []byte) batch.Input { return batch.From(name, bytes.NewReader(text)) }

func run(t testing.TB, o Options, logs ...batch.Input) *Result {
	t.Helper()
	r, err := Run(t.Context(), logs, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// verdictsOf runs a filter, and returns the line of each verdict.
func verdictsOf(t testing.TB, log []byte, e *inspect.Engine, facts inspect.Facts) *bufio.Scanner {
	t.Helper()
	r, w := io.Pipe()
	go func() {
		_, err := lines.Filter(t.Context(), w, bytes.NewReader(log), lines.Options{Engine: e, Facts: facts, Emit: lines.Verdicts})
		w.CloseWithError(err)
	}()
	s := bufio.NewScanner(r)
	s.Buffer(nil, 16<<20)
	return s
}

// filtered is a line of a filter.
type filtered struct {
	ID, Action, Reason string
	WouldRefuse        string `json:"would_refuse"`
}

// TestAsFilter compares the differences with those of two runs of a filter on the same log.
func TestAsFilter(t *testing.T) {
	before, after := two(t)
	log := simulated(t, testkit.Scale(t, 1000, 10_000, 200_000))
	for _, facts := range []inspect.Facts{{}, {Partner: "p"}} {
		var requests int64
		var kinds [verdictchange.Kinds]map[Reasons]int64
		var examples [verdictchange.Kinds][]Example
		for i := range kinds {
			kinds[i] = map[Reasons]int64{}
		}
		a, b := verdictsOf(t, log, before, facts), verdictsOf(t, log, after, facts)
		offset := int64(0)
		for rest := log; a.Scan() && b.Scan(); {
			line, more, _ := bytes.Cut(rest, []byte("\n"))
			var x, y filtered
			if err := errors.Join(json.Unmarshal(a.Bytes(), &x), json.Unmarshal(b.Bytes(), &y)); err != nil {
				t.Fatal(err)
			}
			requests++
			kind, reasons := -1, Reasons{x.Reason, y.Reason}
			switch {
			case x.Action == "forward" && y.Action == "refuse":
				kind = int(verdictchange.ToRefuse)
			case x.Action == "refuse" && y.Action == "forward":
				kind = int(verdictchange.ToForward)
			case x.Reason != y.Reason:
				kind = int(verdictchange.OtherReason)
			case x.WouldRefuse == "" && y.WouldRefuse != "":
				kind, reasons = int(verdictchange.ObservedRefuse), Reasons{"", y.WouldRefuse}
			case x.WouldRefuse != "" && y.WouldRefuse == "":
				kind, reasons = int(verdictchange.ObservedForward), Reasons{x.WouldRefuse, ""}
			}
			if kind >= 0 {
				kinds[kind][reasons]++
				if len(examples[kind]) < ExamplesMax {
					examples[kind] = append(examples[kind], Example{"log", requests, offset, x.ID, reasons})
				}
			}
			offset += int64(len(line)) + 1
			rest = more
		}
		if err := errors.Join(a.Err(), b.Err()); err != nil {
			t.Fatal(err)
		}
		got := run(t, Options{Old: before, New: after, Facts: facts}, input("log", log))
		if got.Requests != requests {
			t.Errorf("%d requests, want %d", got.Requests, requests)
		}
		for kind := range kinds {
			c := &got.Changes[kind]
			if !maps.Equal(c.Reasons, kinds[kind]) || !reflect.DeepEqual(c.Examples, examples[kind]) {
				t.Errorf("%v with %+v: got %v, %+v\nwant %v, %+v", verdictchange.Kind(kind), facts, c.Reasons, c.Examples, kinds[kind], examples[kind])
			}
			if n := len(kinds[kind]); n == 0 && verdictchange.Kind(kind) != verdictchange.Same && !(verdictchange.Kind(kind) == verdictchange.ObservedRefuse && facts.Partner == "") {
				t.Errorf("no request of the kind %v: that shows little", verdictchange.Kind(kind))
			}
		}
	}
}

// TestJobs: the result is the same with any number of jobs, of several inputs.
func TestJobs(t *testing.T) {
	before, after := two(t)
	log := simulated(t, 3000)
	want := run(t, Options{Old: before, New: after, Jobs: 1}, input("a", log), input("b", log))
	if want.Changed() == 0 || want.Changes[verdictchange.ToRefuse].Requests%2 != 0 {
		t.Fatalf("%+v", want)
	}
	got := run(t, Options{Old: before, New: after, Jobs: 7}, input("a", log), input("b", log))
	if !reflect.DeepEqual(got, want) {
		t.Errorf("with 7 jobs %+v\nwith one %+v", got, want)
	}
	if same := run(t, Options{Old: before, New: before}, input("a", log)); same.Changed() != 0 || same.Changes[verdictchange.OtherReason].Requests != 0 {
		t.Errorf("a configuration differs from itself: %+v", same)
	}
}

const asked = `{"id":"%s","imp":[{"id":"1","bidfloor":%v,"bidfloorcur":"%s","banner":{"w":300,"h":250}},{"id":"2","native":{"request":"{\"ver\":\"1.2\",\"assets\":[{\"id\":1,\"required\":1,\"title\":{\"len\":25}}]}"}}],"site":{"id":"s","publisher":{"id":"%s"}}}`

// refusing is an engine that refuses a partner's requests, or those of no partner.
func refusing(t testing.TB, partner string) *inspect.Engine {
	t.Helper()
	l := inspect.Layer{Rules: []inspect.Rule{{Name: "all", When: holdsFor(func(*rule.Input) bool { return true })}}}
	if partner == "" {
		return engine(t, inspect.Config{Global: l})
	}
	return engine(t, inspect.Config{Partners: map[string]inspect.Partner{partner: {Layer: l}}})
}

// TestCaptures reads captures: each brings its own facts.
func TestCaptures(t *testing.T) {
	var log []byte
	for i, partner := range []string{"p", "q", "p"} {
		r := &record.Record{Name: fmt.Sprint(i), Request: fmt.Appendf(nil, asked, fmt.Sprint("c", i), 1.5, "EUR", "pub"), Facts: inspect.Facts{Partner: partner}, Expect: record.Decision{Action: "forward"}}
		var err error
		if log, err = record.Append(log, r); err != nil {
			t.Fatal(err)
		}
	}
	log = append(log, `{"id":"c1","seatbid":[{"bid":[{"id":"b","impid":"1","price":1}]}]}`+"\n"...)
	log = append(log, fmt.Sprintf(asked, "plain", 1.0, "", "other")+"\n"...)
	log = append(log, `{"capture":1,"name":"cut","requ`...)
	got := run(t, Options{Old: engine(t, inspect.Config{}), New: refusing(t, "p")}, input("log", log))
	if got.Requests != 4 || got.Captures != 3 || got.Responses != 1 || got.Unreadable != 1 || got.Changed() != 2 {
		t.Errorf("%+v", got.Counts)
	}
	c := &got.Changes[verdictchange.ToRefuse]
	if c.Requests != 2 || c.Partners["p"] != 2 || c.Publishers[Publisher{"p", "pub"}] != 2 || c.Formats != [...]int64{2, 0, 0, 2, 0} || c.Imps != 4 ||
		!maps.Equal(c.Floors, map[string]Sum{"EUR": {3, 2}}) || len(c.Examples) != 2 || c.Examples[1] != (Example{"log", 3, int64(bytes.LastIndex(log[:bytes.Index(log, []byte(`"seatbid"`))], []byte(`{"capture"`))), "c2", Reasons{"", "policy.all"}}) {
		t.Errorf("%+v", *c)
	}
}

// euros is rates that know one currency.
type euros struct{}

func (euros) USD(price float64, cur string) (float64, bool) {
	if cur == "EUR" {
		return price * 2, true
	}
	return price, cur == "USD"
}

// TestMoney adds up floors and bids, in US dollars where there is a rate.
func TestMoney(t *testing.T) {
	var log []byte
	for i, cur := range []string{"EUR", "", "usd", "JPY", "no currency"} {
		log = fmt.Appendf(log, asked+"\n", fmt.Sprint("r", i), 1.0, cur, "p")
	}
	answers := `{"id":"r0","cur":"EUR","seatbid":[{"bid":[{"id":"b","impid":"1","price":1.5},{"id":"c","impid":"1","price":0.5}]}]}
{"id":"r0","seatbid":[{"bid":[{"id":"d","impid":"1","price":3}]}]}
{"id":"r1"}
{"id":"unknown","seatbid":[{"bid":[{"id":"b","impid":"1","price":100}]}]}
{"id":"r9","imp":[{"id":"1"}]}
{"id":
`
	for _, c := range []struct {
		rates          Rates
		floors, prices map[string]Sum
	}{
		{nil, map[string]Sum{"EUR": {1, 1}, "USD": {2, 2}, "JPY": {1, 1}, Other: {1, 1}}, map[string]Sum{"EUR": {2, 1}, "USD": {3, 1}}},
		{euros{}, map[string]Sum{"USD": {4, 3}, "JPY": {1, 1}, Other: {1, 1}}, map[string]Sum{"USD": {7, 1}}},
	} {
		o := Options{Old: engine(t, inspect.Config{}), New: refusing(t, ""), Rates: c.rates}
		var err error
		if o.Answers, err = LoadAnswers(t.Context(), []batch.Input{input("answers", []byte(answers))}, o); err != nil {
			t.Fatal(err)
		}
		if o.Answers.Len() != 3 || o.Answers.Responses != 4 {
			t.Errorf("%d requests, %d responses, %d of them unreadable", o.Answers.Len(), o.Answers.Responses, o.Answers.Unreadable)
		}
		got := run(t, o, input("log", log)).Changes[verdictchange.ToRefuse]
		if got.Requests != 5 || !maps.Equal(got.Floors, c.floors) || !maps.Equal(got.Prices, c.prices) || got.Answered != 2 || got.Bids != 3 {
			t.Errorf("%+v", got)
		}
	}
}

// TestBounds: what senders choose is bounded.
func TestBounds(t *testing.T) {
	var log []byte
	const extra = 50
	for i := range NamesMax + extra {
		log = fmt.Appendf(log, asked+"\n", strings.Repeat("i", 1000), 1.0, "USD", fmt.Sprint("pub-", i))
	}
	got := run(t, Options{Old: engine(t, inspect.Config{}), New: refusing(t, "")}, input("log", log)).Changes[verdictchange.ToRefuse]
	if len(got.Publishers) != NamesMax+1 || got.Publishers[Publisher{Other, Other}] != extra || len(got.Examples) != ExamplesMax || len(got.Examples[0].ID) != textMax {
		t.Errorf("%d publishers, %d others; %+v", len(got.Publishers), got.Publishers[Publisher{Other, Other}], got.Examples)
	}
	huge := fmt.Appendf(nil, asked+"\n", "1", 1e308, "USD", "p")
	got = run(t, Options{Old: engine(t, inspect.Config{}), New: refusing(t, "")}, input("log", bytes.Repeat(huge, 5))).Changes[verdictchange.ToRefuse]
	if _, err := json.Marshal(got.Floors); err != nil {
		t.Error(err)
	}
	large := append(fmt.Appendf(nil, asked, strings.Repeat("x", 5000), 1.0, "USD", "p"), '\n')
	r := run(t, Options{Old: engine(t, inspect.Config{}), New: refusing(t, ""), MaxDocument: 1000}, input("log", large))
	if r.Requests != 1 || r.Changed() != 0 || r.New.Refused != 1 || r.Old.Refused != 1 {
		t.Errorf("%+v", r.Counts)
	}
}

// TestInputs goes on after an input that can't be read, and says so.
func TestInputs(t *testing.T) {
	ends := map[string]string{}
	o := Options{Old: engine(t, inspect.Config{}), New: refusing(t, ""), InputDone: func(name string, documents int64, err error) {
		ends[name] = fmt.Sprint(documents, err != nil)
	}}
	log := fmt.Appendf(nil, asked+"\n", "1", 1.0, "USD", "p")
	broken := batch.From("broken", io.MultiReader(bytes.NewReader(log), iotestError{}))
	r := run(t, o, broken, batch.File("/missing"), input("good", log), input("empty", nil))
	if want := map[string]string{"broken": "1 true", "/missing": "0 true", "good": "1 false", "empty": "0 false"}; !maps.Equal(ends, want) || r.Changed() != 2 {
		t.Errorf("%v, %+v", ends, r.Counts)
	}
	for _, o := range []Options{{Jobs: -1}, {MaxDocument: -1}, {MaxDocument: batch.MaxDocumentLimit + 1}} {
		if _, err := Run(t.Context(), nil, o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}

// iotestError is a reader that fails.
type iotestError struct{}

func (iotestError) Read([]byte) (int, error) { return 0, errors.New("broken") }

// TestInterrupted ends while an input's Read never returns, with what was judged before.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	defer w.Close()
	in := batch.From("pipe", r)
	in.Live = true
	log := fmt.Appendf(nil, asked+"\n", "1", 1.0, "USD", "p")
	go func() {
		_, _ = w.Write(bytes.Repeat(log, pieceDocuments+1)) // one piece at least is judged
		cancel()
	}()
	result, err := Run(ctx, []batch.Input{in}, Options{Old: engine(t, inspect.Config{}), New: refusing(t, "")})
	if !errors.Is(err, context.Canceled) || result == nil {
		t.Errorf("%v, %v", result, err)
	}
}

// BenchmarkRun judges a log by two configurations.
func BenchmarkRun(b *testing.B) {
	before, after := two(b)
	log := simulated(b, 2000)
	b.SetBytes(int64(len(log)))
	b.ReportAllocs()
	for b.Loop() {
		run(b, Options{Old: before, New: after}, input("log", log))
	}
}
