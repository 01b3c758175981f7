package judge_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/traffic/simulate"
	"github.com/rtbwire/rtbwire/internal/traffic/simulate/judge"
)

func newEngine(t *testing.T, settings ...inspect.Setting) *inspect.Engine {
	t.Helper()
	e, err := inspect.New(inspect.Config{Global: inspect.Layer{Severities: settings}})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func newGenerator(t *testing.T) *simulate.Generator {
	t.Helper()
	g, err := simulate.New(simulate.Config{Seed: 2, Defects: simulate.Percent(30), Payloads: simulate.Percent(20), Fraud: simulate.Percent(20)})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestRun checks the sums, and that the number of goroutines changes nothing.
func TestRun(t *testing.T) {
	g, engine := newGenerator(t), newEngine(t)
	var first string
	for _, jobs := range []int{0, 1, 5} {
		last := uint64(0)
		table, err := judge.Run(t.Context(), g, engine, judge.Options{First: 3, Count: 9_000, Jobs: jobs, Progress: func(n uint64) { last = n }})
		if err != nil || last != 9_000 {
			t.Fatalf("%v, progress to %d", err, last)
		}
		sum := uint64(0)
		for i := range table.Rows {
			r := &table.Rows[i]
			sum += r.Requests
			reasons := uint64(0)
			for _, n := range r.Reasons {
				reasons += n
			}
			if r.Requests != r.Refused+r.Warned+r.Observed+r.Silent || reasons != r.Requests-r.Silent || r.Kind.About == "" {
				t.Errorf("%+v does not add up", r)
			}
		}
		clean, defects, payloads := table.Class(simulate.Clean), table.Class(simulate.Defect), table.Class(simulate.Payload)
		if sum != 9_000 || clean.Refused != 0 || clean.Requests < 2000 || defects.Refused < defects.Requests*8/10 || payloads.Refused < payloads.Requests*6/10 {
			t.Errorf("%d requests: %+v %+v %+v", sum, clean, defects, payloads)
		}
		ways := uint64(0)
		for i := range table.Encodings {
			ways += table.Encodings[i].Requests
		}
		if ways != payloads.Requests {
			t.Errorf("%d payloads by encoding, %d by kind", ways, payloads.Requests)
		}
		var b strings.Builder
		if err := table.WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = b.String()
		} else if first != b.String() {
			t.Errorf("%d jobs make another table", jobs)
		}
	}
}

// TestRunConfigured checks that the engine decides: what is off is not seen, and what is observed
// is counted as that.
func TestRunConfigured(t *testing.T) {
	g := newGenerator(t)
	engine := newEngine(t, inspect.Setting{Reasons: "payload.*", Severity: inspect.Observe}, inspect.Setting{Reasons: "BidRequest.imp.required", Severity: inspect.Off})
	table, err := judge.Run(t.Context(), g, engine, judge.Options{Count: 5_000})
	if err != nil {
		t.Fatal(err)
	}
	if sum := table.Class(simulate.Payload); sum.Refused > 0 || sum.Observed == 0 {
		t.Errorf("payloads: %+v", sum)
	}
	for i := range table.Rows {
		if r := &table.Rows[i]; r.Kind.ID == "request.imp-missing" && r.Refused > 0 {
			t.Errorf("%+v", r)
		}
	}
}

func TestRunInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	table, err := judge.Run(ctx, newGenerator(t), newEngine(t), judge.Options{Count: 1 << 40, Jobs: 2, Progress: func(uint64) { cancel() }})
	if !errors.Is(err, context.Canceled) || len(table.Rows) == 0 {
		t.Errorf("%v, %d rows", err, len(table.Rows))
	}
}

func TestPrint(t *testing.T) {
	table := &judge.Table{
		Rows: []judge.Row{
			{Kind: simulate.Kind{About: "nothing is wrong"}, Requests: 10, Silent: 10},
			{Kind: simulate.Kind{Class: simulate.Defect, ID: "a.b", About: "about it"}, Requests: 100_000, Refused: 1, Warned: 99_999, Score: 2_460_000, Reasons: map[string]uint64{"y": 2, "x": 2}},
			{Kind: simulate.Kind{Class: simulate.Payload, ID: "p", About: "an attack"}, Requests: 3, Refused: 2, Observed: 1, Reasons: map[string]uint64{"z": 3}},
		},
		Encodings: []judge.Row{{Kind: simulate.Kind{Class: simulate.Payload, ID: "plain", About: "as it is"}, Requests: 3, Refused: 3}},
	}
	var b bytes.Buffer
	if err := table.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"10        -       -         -    100%      0  CLEAN", "100000     0.1%   99.9%         -       -     25  a.b (x)", "3    66.7%       -     33.3%       -      0  PAYLOAD", "3     100%       -         -       -      0  plain"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no line %q in\n%s", want, &b)
		}
	}
	b.Reset()
	if err := errors.Join(table.WriteMarkdown(&b, simulate.Defect), table.WriteEncodings(&b)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| `a.b` | about it | 0.1% | 99.9% | - | 25 | `x` |", "| `plain` | as it is | 100% | - | - |"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no line %q in\n%s", want, &b)
		}
	}
	b.Reset()
	var read struct{ Kinds, Encodings []map[string]any }
	if err := table.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b.Bytes(), &read); err != nil || len(read.Kinds) != 3 || read.Kinds[1]["what"] != "a.b" || len(read.Encodings) != 1 {
		t.Errorf("%v: %s", err, &b)
	}
}
