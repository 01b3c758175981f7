package vendor

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/openrtb"
)

// fake is a vendor of these tests.
type fake struct {
	name     string
	question func(r *openrtb.BidRequest) ([]byte, bool)
	ask      func(ctx context.Context, question []byte) (int, error)
}

func (f *fake) Name() string { return f.name }

func (f *fake) Question(dst []byte, r *openrtb.BidRequest, _ *rule.Facts) ([]byte, bool) {
	if f.question != nil {
		return f.question(r)
	}
	return append(dst, r.ID...), true
}

func (f *fake) Ask(ctx context.Context, question []byte) (int, error) { return f.ask(ctx, question) }

// says returns a vendor that answers after a time, if its context does not end before.
func says(name string, score int, after time.Duration) *fake {
	return &fake{name: name, ask: func(ctx context.Context, _ []byte) (int, error) {
		select {
		case <-time.After(after):
			return score, nil
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}}
}

// deaf returns a vendor that ignores its context.
func deaf(name string, score int, after time.Duration) *fake {
	return &fake{name: name, ask: func(context.Context, []byte) (int, error) {
		time.Sleep(after)
		return score, nil
	}}
}

func newGroup(tb testing.TB, members ...Member) *Group {
	tb.Helper()
	g, err := NewGroup(members...)
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

var request = &openrtb.BidRequest{ID: "1"}

// ask asks once, and returns how long it took.
func ask(g *Group) ([]rule.VendorAnswer, time.Duration) {
	start := time.Now()
	answers := g.Ask(context.Background(), nil, request, &rule.Facts{})
	return answers, time.Since(start)
}

// stats compares counters.
func stats(t *testing.T, g *Group, want ...Stats) {
	t.Helper()
	got := g.Stats()
	for i := range got {
		if i < len(want) {
			want[i].Err = got[i].Err // compared where it matters
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("\n%+v, want\n%+v", got, want)
	}
}

func TestNobody(t *testing.T) {
	var none *Group
	empty := newGroup(t)
	before := []rule.VendorAnswer{{Name: "a"}}
	if n := testing.AllocsPerRun(100, func() {
		for _, g := range []*Group{none, empty} {
			if got := g.Ask(t.Context(), before, nil, nil); len(got) != 1 {
				t.Error("another answer")
			}
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if none.Stats() != nil || len(empty.Stats()) != 0 {
		t.Error("counters without a vendor")
	}
}

func TestAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGroup(t,
			Member{Vendor: says("slow", 30, 4*time.Millisecond)},
			Member{Vendor: says("quick", 100, 0)},
			Member{Vendor: says("late", 1, 5*time.Millisecond+1), Fail: Closed},
			Member{Vendor: says("patient", 0, 19*time.Millisecond), Deadline: 20 * time.Millisecond},
			Member{Vendor: &fake{name: "silent", question: func(*openrtb.BidRequest) ([]byte, bool) { return nil, false }}, Fail: Closed},
		)
		answers, took := ask(g)
		want := []rule.VendorAnswer{{Name: "slow", Score: 30}, {Name: "quick", Score: 100}, {Name: "late", Score: 100, Err: true}, {Name: "patient"}}
		if !reflect.DeepEqual(answers, want) || took != 19*time.Millisecond {
			t.Errorf("after %v: %+v", took, answers)
		}
		synctest.Wait()
		stats(t, g, Stats{Name: "slow", Asked: 1, Answered: 1}, Stats{Name: "quick", Asked: 1, Answered: 1},
			Stats{Name: "late", Asked: 1, Late: 1}, Stats{Name: "patient", Asked: 1, Answered: 1}, Stats{Name: "silent"})
	})
}

// TestAppends keeps the answers that are there.
func TestAppends(t *testing.T) {
	g := newGroup(t, Member{Vendor: says("b", 2, 0), Deadline: time.Second})
	got := g.Ask(t.Context(), []rule.VendorAnswer{{Name: "a", Score: 1}}, request, nil)
	if want := []rule.VendorAnswer{{Name: "a", Score: 1}, {Name: "b", Score: 2}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
}

// TestDeadlineHolds asks services that return long after their deadlines: the caller does not wait,
// and no more than the limit are under way.
func TestDeadlineHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGroup(t, Member{Vendor: deaf("deaf", 7, time.Hour), Concurrent: 3, Deadline: 8 * time.Millisecond, Breaker: Breaker{Failures: -1}})
		for i := range 5 {
			answers, took := ask(g)
			wait := 8 * time.Millisecond
			if i >= 3 {
				wait = 0
			}
			if took != wait || len(answers) != 1 || !answers[0].Err || answers[0].Score != 0 {
				t.Errorf("%d: after %v: %+v", i, took, answers)
			}
		}
		stats(t, g, Stats{Name: "deaf", Asked: 3, Late: 3, Skipped: 2, Waiting: 3})
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		stats(t, g, Stats{Name: "deaf", Asked: 3, Late: 3, Skipped: 2})
		ask(g)
		stats(t, g, Stats{Name: "deaf", Asked: 4, Late: 4, Skipped: 2, Waiting: 1})
		time.Sleep(2 * time.Hour)
	}) // fails if a goroutine is left
}

// TestAtTheDeadline lets answer and deadline meet: whatever wins, it is counted once.
func TestAtTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for i := range 200 {
			g := newGroup(t, Member{Vendor: deaf("meets", 7, 5*time.Millisecond)})
			answers, took := ask(g)
			synctest.Wait()
			s := g.Stats()[0]
			if took != 5*time.Millisecond || s.Answered+s.Late != 1 || answers[0].Err != (s.Late == 1) || s.Waiting != 0 {
				t.Fatalf("%d: after %v: %+v, %+v", i, took, answers, s)
			}
		}
	})
}

func TestFaults(t *testing.T) {
	for name, c := range map[string]struct {
		vendor *fake
		want   string
	}{
		"error":             {&fake{ask: func(context.Context, []byte) (int, error) { return 50, errors.New("no route") }}, "no route"},
		"panic":             {&fake{ask: func(context.Context, []byte) (int, error) { panic("out of luck") }}, "panic: out of luck"},
		"nil panic":         {&fake{ask: func(context.Context, []byte) (int, error) { panic(nothing) }}, "panic: "},
		"panic in question": {&fake{question: func(r *openrtb.BidRequest) ([]byte, bool) { return nil, r.App.ID == "" }}, "nil pointer"},
		"below 0":           {says("", -1, 0), "expected a score from 0 to 100, found -1"},
		"above 100":         {says("", 101, 0), "found 101"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c.vendor.name = "v"
				g := newGroup(t, Member{Vendor: c.vendor}, Member{Vendor: says("other", 3, 0)})
				answers, took := ask(g)
				if want := []rule.VendorAnswer{{Name: "v", Err: true}, {Name: "other", Score: 3}}; took != 0 || !reflect.DeepEqual(answers, want) {
					t.Errorf("after %v: %+v", took, answers)
				}
				synctest.Wait()
				stats(t, g, Stats{Name: "v", Asked: 1, Failed: 1}, Stats{Name: "other", Asked: 1, Answered: 1})
				if err := g.Stats()[0].Err; err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%v, want %s", err, c.want)
				}
			})
		})
	}
}

// TestCallerLeaves ends the caller's context before the deadline.
func TestCallerLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGroup(t, Member{Vendor: says("v", 1, time.Second), Deadline: time.Second, Fail: Closed, Breaker: Breaker{Failures: 1}})
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Millisecond)
		defer cancel()
		start := time.Now()
		for _, want := range []Stats{{Name: "v", Asked: 1, Abandoned: 1}, {Name: "v", Asked: 1, Abandoned: 1, Skipped: 1}} {
			answers := g.Ask(ctx, nil, request, nil)
			if took := time.Since(start); took != 3*time.Millisecond || answers[0] != (rule.VendorAnswer{Name: "v", Score: 100, Err: true}) {
				t.Errorf("after %v: %+v", took, answers)
			}
			synctest.Wait()
			stats(t, g, want) // the breaker stays closed
		}
	})
}

func TestBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var broken atomic.Bool
		broken.Store(true)
		v := &fake{name: "v", ask: func(context.Context, []byte) (int, error) {
			if broken.Load() {
				return 0, errors.New("broken")
			}
			return 9, nil
		}}
		g := newGroup(t, Member{Vendor: v, Breaker: Breaker{Failures: 3, Pause: time.Minute}})
		try := func(times int, want Stats) {
			t.Helper()
			for range times {
				ask(g)
				synctest.Wait()
			}
			want.Name = "v"
			stats(t, g, want)
		}
		try(2, Stats{Asked: 2, Failed: 2})
		broken.Store(false)
		try(1, Stats{Asked: 3, Failed: 2, Answered: 1}) // the failures are no longer in a row
		broken.Store(true)
		try(3, Stats{Asked: 6, Failed: 5, Answered: 1, Open: true})
		try(5, Stats{Asked: 6, Failed: 5, Answered: 1, Skipped: 5, Open: true})
		time.Sleep(time.Minute - 1)
		try(1, Stats{Asked: 6, Failed: 5, Answered: 1, Skipped: 6, Open: true})
		time.Sleep(time.Nanosecond)
		try(2, Stats{Asked: 7, Failed: 6, Answered: 1, Skipped: 7, Open: true}) // a probe
		time.Sleep(time.Minute)
		broken.Store(false)
		try(3, Stats{Asked: 10, Failed: 6, Answered: 4, Skipped: 7})
	})
}

// TestOneProbe asks many times at once after a pause.
func TestOneProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGroup(t, Member{Vendor: deaf("v", 1, time.Second), Breaker: Breaker{Failures: 1, Pause: time.Minute}})
		ask(g)
		time.Sleep(time.Hour)
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() { ask(g) })
		}
		all.Wait()
		time.Sleep(time.Second)
		synctest.Wait()
		stats(t, g, Stats{Name: "v", Asked: 2, Late: 2, Skipped: 19, Open: true})
	})
}

// TestManyCallers asks from many goroutines. Run it with -race.
func TestManyCallers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := &fake{name: "v", ask: func(_ context.Context, question []byte) (int, error) {
			var n, wait int
			if _, err := fmt.Sscan(string(question), &n, &wait); err != nil {
				return 0, err
			}
			time.Sleep(time.Duration(wait) * time.Millisecond)
			return n, nil
		}}
		g := newGroup(t, Member{Vendor: v, Concurrent: 1000, Breaker: Breaker{Failures: -1}})
		var all sync.WaitGroup
		for i := range 100 {
			all.Go(func() {
				r := &openrtb.BidRequest{ID: fmt.Sprint(i, " ", i%8)}
				late := i%8 > 5
				a := g.Ask(t.Context(), nil, r, nil)[0]
				r.ID = "released" // the vendor may still run
				if i%8 != 5 && (a.Err != late || !late && a.Score != i) {
					t.Errorf("%d: %+v", i, a)
				}
			})
		}
		all.Wait()
		time.Sleep(time.Second)
		synctest.Wait()
		s := g.Stats()[0]
		if s.Asked != 100 || s.Answered+s.Late != 100 || s.Late < 24 || s.Waiting != 0 {
			t.Errorf("%+v", s)
		}
	})
}

func TestMembers(t *testing.T) {
	v := says("v", 0, 0)
	for want, members := range map[string][]Member{
		"found nil":                {{}},
		"no name":                  {{Vendor: says("", 0, 0)}},
		"at most 10s":              {{Vendor: v, Deadline: time.Minute}},
		"at most 10s, found -1ns":  {{Vendor: v, Deadline: -1}},
		"concurrent":               {{Vendor: v, Concurrent: -1}},
		"open or closed":           {{Vendor: v, Fail: 2}},
		"pause":                    {{Vendor: v, Breaker: Breaker{Pause: -1}}},
		"two vendors are called v": {{Vendor: v}, {Vendor: v}},
	} {
		if _, err := NewGroup(members...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	g := newGroup(t, Member{Vendor: v})
	if m := g.members[0]; m.Deadline != DeadlineDefault || m.Concurrent != ConcurrentDefault || m.Breaker != (Breaker{FailuresDefault, PauseDefault}) {
		t.Errorf("the defaults are %+v", m.Member)
	}
}

// nothing is what panics with no value have.
var nothing any
