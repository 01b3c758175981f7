package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/lab/figures"
	"github.com/rtbwire/rtbwire/lab/report"
)

func figure(v, lo, hi float64) figures.Figure { return figures.Figure{Value: v, Lo: lo, Hi: hi} }

func TestRules(t *testing.T) {
	for _, c := range []struct {
		rule      Rule
		describes string
		figure    figures.Figure
		want      Outcome
	}{
		{About(4, 0.25), "4× within 25%: 3.2× to 5×", figure(4.4, 4.2, 4.6), Holds},
		{About(4, 0.25), "", figure(3, 2.9, 3.1), Less},
		{About(4, 0.25), "", figure(6, 5.1, 7), More},
		{About(4, 0.25), "", figure(3.3, 3.1, 3.5), Unsure}, // straddles the lower limit
		{About(4, 0.25), "", figure(4.9, 4.7, 5.1), Unsure}, // straddles the upper one
		{About(4, 0.25), "", figure(4, 3, 6), Unsure},       // straddles both
		{About(4, 0.25), "", figure(5, 5, 5), Holds},        // the limit itself
		{Between(2, 3), "from 2× to 3×", figure(2.5, 2.4, 2.6), Holds},
		{Between(2, 3), "", figure(1.9, 1.8, 1.95), Less},
		{Between(2, 3), "", figure(1.99, 1.9, 2.1), Unsure},
		{AtLeast(10), "at least 10×", figure(12, 10, 14), Holds},
		{AtLeast(10), "", figure(9, 8, 9.9), Less},
		{AtLeast(10), "", figure(12, 9, 14), Unsure},
		{AtMost(1.05), "at most 1.05×", figure(1, 0.9, 1.05), Holds},
		{AtMost(1.05), "", figure(1.2, 1.1, 1.3), More},
		{AtMost(1.05), "", figure(1, 0.9, 1.1), Unsure},
		{Above(1), "more than 1×", figure(1.01, 1.005, 1.02), Holds},
		{Above(1), "", figure(1, 1, 1), Less}, // equal is not more
		{Above(1), "", figure(1.01, 0.99, 1.03), Unsure},
		{Below(1), "less than 1×", figure(0.9, 0.8, 0.99), Holds},
		{Below(1), "", figure(1, 1, 1), More},
		{Below(1), "", figure(0.99, 0.9, 1), Unsure},
		{About(4, 0.25), "", figure(4.1, 1, 5), Unsure},                           // nothing is known
		{AtLeast(1), "", figure(50, 10, 41), Unsure},                              // the same, far from the limit
		{About(1.1, 0.25), "1.1× within 25%: 1× to 1.38×", figure(1, 1, 1), Less}, // more was said, and it is not more
		{About(1.1, 0.25), "", figure(1.05, 1.01, 1.1), Holds},
		{About(0.9, 0.25), "0.9× within 25%: 0.72× to 1×", figure(1, 1, 1), More},
		{About(1, 0.25), "", figure(1, 0.8, 1.25), Holds},
		{Range(2, 3), "2× to 3× within 25%: 1.6× to 3.75×", figure(3.7, 3.7, 3.7), Holds},
		{Range(2, 3), "", figure(1.5, 1.5, 1.5), Less},
		{Range(1.1, 2), "", figure(1, 1, 1), Less},
		{Longer(0.1, 0.2), "10 to 20% longer within 25%: 1.08× to 1.25×", figure(1.24, 1.24, 1.24), Holds},
		{Longer(0.1, 0.2), "", figure(1.3, 1.3, 1.3), More},
		{Yes, "it happens", figure(1, 1, 1), Holds},
		{Yes, "", figure(0, 0, 0), Less},
		{Count(1), "1×", figure(1.0003, 1.0003, 1.0003), Holds},
		{Count(1), "", figure(2, 2, 2), More},
		{No, "it does not happen", figure(0, 0, 0), Holds},
		{No, "", figure(1, 1, 1), More},
	} {
		if got := c.rule.judge(c.figure); got != c.want {
			t.Errorf("%+v of %+v: got %v, want %v", c.rule, c.figure, got, c.want)
		}
		if got := c.rule.describe(Times, ""); c.describes != "" && got != c.describes {
			t.Errorf("got %q, want %q", got, c.describes)
		}
	}
}

// A number that was said may be missed by the same part everywhere.
func TestEdges(t *testing.T) {
	for _, s := range []Source{fastParsing, allocators, playbook} {
		for _, r := range s.Rows {
			for _, test := range r.Tests {
				if strings.Contains(test.Rule.text, "within") && !strings.Contains(test.Rule.text, "within 25%%") {
					t.Errorf("%s, %s: %s", s.Name, r.ID, test.Rule.describe(r.Form, ""))
				}
			}
		}
	}
}

func TestWording(t *testing.T) {
	for _, c := range []struct {
		outcomes []Outcome
		verdict  Verdict
		words    string
	}{
		{[]Outcome{Holds}, DoesHold, "holds"},
		{[]Outcome{Less}, DoesNotHold, "does not hold: less"},
		{[]Outcome{More}, DoesNotHold, "does not hold: more"},
		{[]Outcome{Unsure}, CannotTell, "this run can't tell"},
		{[]Outcome{Unmeasured}, NotMeasured, "not measured"},
		{[]Outcome{Holds, Holds}, DoesHold, "holds"},
		{[]Outcome{Holds, Unmeasured}, NotMeasured, "not measured"},
		{[]Outcome{Less, Less}, DoesNotHold, "does not hold: less"},
		{[]Outcome{Less, More}, DoesNotHold, "does not hold"},
		{[]Outcome{Unsure, Unsure}, CannotTell, "this run can't tell"},
		{[]Outcome{Holds, Less}, HoldsIf, "holds for a; does not hold for b"},
		{[]Outcome{More, Holds, Less}, HoldsIf, "holds for b; does not hold for c and a"},
		{[]Outcome{Holds, Unsure}, CannotTell, "holds for a; this run can't tell for b"},
		{[]Outcome{Less, Unsure}, CannotTell, "does not hold for a; this run can't tell for b"},
		{[]Outcome{Holds, Less, Unsure}, HoldsIf, "holds for a; does not hold for b; this run can't tell for c"},
		{nil, NotMeasured, "not measured"},
	} {
		if got := combine(c.outcomes); got != c.verdict {
			t.Errorf("%v: got the verdict %q, want %q", c.outcomes, got, c.verdict)
		}
		if got := wording(c.outcomes, []string{"a", "b", "c"}); got != c.words {
			t.Errorf("%v: got %q, want %q", c.outcomes, got, c.words)
		}
	}
}

func answered(t *testing.T, r Row, all figures.All) Answer {
	t.Helper()
	a, err := answer(r, all)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// A statement about many cores is neither true nor false on two.
func TestCores(t *testing.T) {
	run := func(cores, hour int, value float64) *figures.File {
		return &figures.File{
			Program: "cpp", Command: "go run .", Taken: time.Unix(int64(hour)*3600, 0), Machine: report.Machine{Cores: cores},
			Figures: map[string]figures.Figure{"x": figure(value, value, value)},
		}
	}
	r := Row{Cores: 96, Tests: []Test{{"", "x", Above(1)}}, Why: []Reason{because("it does")}}
	small := run(2, 0, 0.5)
	a := answered(t, r, figures.All{"x": small})
	if a.Verdict != TooFewCores || a.Words != "can't be tested on 2 cores" || a.Measured[0] != "0.5×" || !strings.Contains(a.Reason, "96 cores") {
		t.Errorf("two cores: %+v", a)
	}
	both, err := figures.Combine([]*figures.File{small, run(192, 1, 1.5)})
	if err != nil {
		t.Fatal(err)
	}
	if a := answered(t, r, figures.All{"x": both}); a.Verdict != DoesHold || a.Measured[0] != "1.5×" || a.Stands[0] != "1 run of cpp" {
		t.Errorf("the run on 192 cores counts, and no other: %+v", a)
	}
	r.Cores = 2
	if a := answered(t, r, figures.All{"x": both}); a.Verdict != CannotTell || a.Measured[0] != "1× [0.5, 1.5]" || a.Stands[0] != "2 runs of cpp" {
		t.Errorf("both runs count: %+v", a)
	}
}

func TestUntested(t *testing.T) {
	a := answered(t, Row{Said: "it is so", Untested: "Nobody has one."}, nil)
	if a.Verdict != NotTested || a.Words != "not tested here" || a.Reason != "Nobody has one." || said(&a) != "it is so" {
		t.Errorf("%+v", a)
	}
}

// A figure over another, and a rank correlation of values that are hardly known.
func TestFiguresOfFigures(t *testing.T) {
	file := &figures.File{Program: "service", Figures: map[string]figures.Figure{
		"a": figures.Exactly(3, "allocs"), "b": figures.Exactly(6, "allocs"),
		"service/order/kendall/allocs-p99": figure(0.5, 0.4, 0.6), "service/order/kendall/allocs-mean": figure(0.5, 0.4, 0.6),
		"service/x/allocs": figure(10, 10, 10), "service/x/p99": figure(5, 1, 12), "service/x/mean": figure(5, 4, 6),
	}}
	all := figures.All{}
	for name := range file.Figures {
		all[name] = file
	}
	r := Row{Form: Plain, Tests: []Test{{"", over("a", "b"), Below(1)}}}
	if a := answered(t, r, all); a.Verdict != DoesHold || a.Measured[0] != "0.5" {
		t.Errorf("%+v", a)
	}
	r.Tests[0] = Test{"", "service/order/kendall/allocs-mean", AtMost(0.8)}
	if a := answered(t, r, all); a.Verdict != DoesHold {
		t.Errorf("%+v", a)
	}
	r.Tests[0].Figure = "service/order/kendall/allocs-p99"
	if a := answered(t, r, all); a.Verdict != CannotTell || !strings.Contains(a.Measured[0], "spans a factor of 12: service/x/p99") {
		t.Errorf("%+v", a)
	}
	if got := names([]Source{{Rows: []Row{{Tests: []Test{{"", over("b", "a"), Below(1)}}}}}}); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("names: %v", got)
	}
}

// A reason is shown with the verdicts that it explains, and with no other.
func TestReasons(t *testing.T) {
	r := Row{
		Tests: []Test{{"", "x", AtLeast(2)}},
		Why:   []Reason{because("it does"), despite("it does not"), anyhow("it is so")},
	}
	for _, c := range []struct {
		figure figures.Figure
		want   string
	}{
		{figure(3, 2.5, 3.5), "it does"}, {figure(1, 0.9, 1.1), "it does not"}, {figure(2, 1.9, 2.1), "it is so"},
	} {
		file := &figures.File{Command: "go run .", Figures: map[string]figures.Figure{"x": c.figure}}
		a := answered(t, r, figures.All{"x": file})
		if a.Reason != c.want || a.Command != "go run ." {
			t.Errorf("%v: got %q, want %q", c.figure, a.Reason, c.want)
		}
	}
	r.Why = r.Why[:1]
	file := &figures.File{Preliminary: []string{"short"}, Figures: map[string]figures.Figure{"x": figure(1, 1, 1)}}
	if a := answered(t, r, figures.All{"x": file}); a.Reason != "" || !a.Preliminary || !strings.Contains(a.measured("; "), `\*`) {
		t.Errorf("a reason for a verdict that it does not explain is shown, or a preliminary figure is not marked: %+v", a)
	}
}

func TestForms(t *testing.T) {
	for _, c := range []struct {
		form   Form
		figure figures.Figure
		want   string
	}{
		{Times, figure(2.534, 2.5, 2.562), "2.53× [2.5, 2.56]"},
		{Times, figure(17.72, 17.72, 17.72), "17.7×"},
		{Share, figure(0.159, 0.15, 0.163), "15.9% [15, 16.3]"},
		{Share, figure(0.00123, 0.00123, 0.00123), "0.12%"},
		{Plain, figures.Exactly(1, "allocs"), "1 alloc"},
		{Plain, figures.Exactly(12345.6, "B"), "12,346 B"},
		{Plain, figure(-0.25, -0.5, 0), "-0.25 [-0.5, 0]"},
		{Flag, figure(1, 1, 1), "yes"},
		{Flag, figure(0, 0, 0), "no"},
		{Times, figure(0.0123, 0.0123, 0.0123), "0.012×"},
	} {
		if got := c.form.figure(c.figure); got != c.want {
			t.Errorf("%v: got %q, want %q", c.figure, got, c.want)
		}
	}
}
