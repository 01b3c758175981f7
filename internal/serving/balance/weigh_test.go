package balance

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// TestSlots lays shares out: exactly where they have a common part, and rounded otherwise, with at
// least one slot for each.
func TestSlots(t *testing.T) {
	for _, tt := range []struct {
		shares []float64
		want   []int
	}{
		{nil, []int{}},
		{[]float64{0}, []int{0}},
		{[]float64{7}, []int{1}},
		{[]float64{1, 1}, []int{1, 1}},
		{[]float64{3, 1}, []int{3, 1}},
		{[]float64{0.75, 0, 0.25}, []int{3, 0, 1}},
		{[]float64{100, 10, 10}, []int{10, 1, 1}},
		{[]float64{1. / 3, 1. / 3, 1. / 3}, []int{1, 1, 1}},
		{[]float64{0.9 / 3, 0.9 / 3, 0.9 / 3, 0.1}, []int{3, 3, 3, 1}},
		{[]float64{1000, 1}, []int{1000, 1}},
		{[]float64{999, 1000, 997}, []int{999, 1000, 997}},
	} {
		if got := slotCounts(tt.shares); !slices.Equal(got, tt.want) {
			t.Errorf("%v: %v, want %v", tt.shares, got, tt.want)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		list := make([]float64, 1+r.IntN(100))
		sum := 0.0
		for i := range list {
			list[i] = r.Float64() + 0.01
			sum += list[i]
		}
		counts, all := slotCounts(list), 0
		for _, n := range counts {
			all += n
		}
		if all > SlotsMax+len(list) {
			t.Fatalf("%d slots for %d shares", all, len(list))
		}
		for i, n := range counts {
			if want := list[i] / sum * float64(all); n == 0 || math.Abs(float64(n)-want) > 2 {
				t.Fatalf("share %v of %v: %d of %d slots, want %v", list[i], sum, n, all, want)
			}
		}
	}
}

// TestSmooth spreads the turns of each address over the cycle: at no time is one more than a turn
// ahead of its share, or behind.
func TestSmooth(t *testing.T) {
	_, g := newSet(t, options(Declared{Name: "a", Weight: 5}, Declared{Name: "b", Weight: 1}, Declared{Name: "c", Weight: 1}))
	weights := map[string]float64{"a": 5, "b": 1, "c": 1}
	got := map[string]int{}
	for n := 1; n <= 700; n++ {
		got[g.Pick(&Tried{}).source.name]++
		for name, w := range weights {
			if d := float64(got[name]) - float64(n)*w/7; math.Abs(d) > 1 {
				t.Fatalf("after %d requests %s is %v ahead: %v", n, name, d, got)
			}
		}
	}
	wantShares(t, "a cycle", g, 7, map[string]int{"a": 5, "b": 1, "c": 1})
}

// TestWeights shares exactly, by weight, whatever number of addresses an upstream has, and without
// those that are left alone.
func TestWeights(t *testing.T) {
	s, g := newSet(t, options(
		Declared{Name: "a", Weight: 3, URLs: []string{"http://192.0.2.1:1", "http://192.0.2.1:2", "http://192.0.2.1:3"}}, Declared{Name: "b", Weight: 1}, Declared{Name: "c", Weight: 2},
	))
	wantShares(t, "all", g, 600, map[string]int{"a": 300, "b": 100, "c": 200})
	end(endpoints(s, "b")[0], BreakerFailures, 0, errRefused)
	wantShares(t, "without b", g, 500, map[string]int{"a": 300, "c": 200})
	// An upstream that has lost a few addresses keeps its share, as long as the rest can carry it.
	end(endpoints(s, "a")[0], BreakerFailures, 0, errRefused)
	got := shares(g, 1500)
	if want := 1500 * 3 * overprovisioning * 2 / 3 / (3*overprovisioning*2/3 + 2); math.Abs(float64(got["a"])-want) > 3 {
		t.Errorf("two of three addresses of a: %v, want %v", got, want)
	}
	end(endpoints(s, "b")[0], 1, 200, nil)
	end(endpoints(s, "a")[0], 1, 200, nil)
	wantShares(t, "all again", g, 600, map[string]int{"a": 300, "b": 100, "c": 200})
}

// TestDrain takes upstreams out of use with all their addresses, over a change of the configuration
// too, and puts them back.
func TestDrain(t *testing.T) {
	o := options(Declared{Name: "a", Weight: 3, URLs: []string{"http://192.0.2.1:1", "http://192.0.2.1:2"}}, Declared{Name: "b", Weight: 1}, Declared{Name: "c", Weight: 1, Zone: "here"})
	s, g := newSet(t, o)
	s.Drain(map[string]bool{"a": true, "gone": true})
	wantShares(t, "without a", g, 100, map[string]int{"b": 50, "c": 50})
	if g.Panics() || !s.Upstream("a").Drained() || s.Upstream("b").Drained() || !g.Serves("b") || g.Healthy() != 2 {
		t.Errorf("panic %v, %d healthy", g.Panics(), g.Healthy())
	}
	end(endpoints(s, "a")[0], BreakerFailures, 0, errRefused) // no request tries it
	wantShares(t, "a is broken as well", g, 100, map[string]int{"b": 50, "c": 50})
	s.Drain(map[string]bool{"a": true, "b": true})
	if wantShares(t, "c alone", g, 100, map[string]int{"c": 100}); g.Serves("c") || !g.Serves("") {
		t.Error("c is the last one in use")
	}
	s.Drain(map[string]bool{"a": true, "b": true, "c": true})
	if wantShares(t, "none", g, 10, map[string]int{"none": 10}); g.Panics() || g.Serves("") {
		t.Errorf("panic %v without an upstream in use", g.Panics())
	}
	s.Drain(nil)
	end(endpoints(s, "a")[0], 1, 200, nil)
	wantShares(t, "all again", g, 500, map[string]int{"a": 300, "b": 100, "c": 100})

	s.Drain(map[string]bool{"b": true})
	next, err := New(o, s)
	if err != nil {
		t.Fatal(err)
	}
	later := groupOfAll(t, next)
	next.Use(s)
	next.Drain(map[string]bool{"b": true})
	wantShares(t, "after a reload", later, 400, map[string]int{"a": 300, "c": 100})
}

// TestLeastRequest takes the address with fewer requests for its weight, and shares exactly where
// there are none.
func TestLeastRequest(t *testing.T) {
	o := options(Declared{Name: "a", Weight: 3}, Declared{Name: "b", Weight: 1})
	o.Balance = LeastRequest
	s, g := newSet(t, o)
	wantShares(t, "idle", g, 400, map[string]int{"a": 300, "b": 100})
	a, b := endpoints(s, "a")[0], endpoints(s, "b")[0]
	for range 4 {
		a.Begin()
	}
	b.Begin() // a has 4/3 for its weight, b 1
	if got := shares(g, 400); got["b"] <= 150 {
		t.Errorf("a is busier for its weight: %v", got)
	}
	for range 4 {
		b.Begin()
	}
	if got := shares(g, 400); got["a"] <= 350 {
		t.Errorf("b is busier: %v", got)
	}
}

// TestZones prefers upstreams of the zone, and lets others have what these can't carry.
func TestZones(t *testing.T) {
	near := Declared{Name: "near", Zone: "1"}
	for i := range 10 {
		near.URLs = append(near.URLs, fmt.Sprintf("http://192.0.2.1:%d", i+1))
	}
	o := options(near, Declared{Name: "far", Zone: "2", Weight: 7}, Declared{Name: "nowhere", Weight: 3})
	o.Zone = "1"
	s, g := newSet(t, o)
	wantShares(t, "all are healthy", g, 1000, map[string]int{"near": 1000})
	down := func(n int) {
		for _, e := range endpoints(s, "near")[:n] {
			end(e, BreakerFailures, 0, errRefused)
		}
	}
	down(2)
	wantShares(t, "8 of 10, which can carry all", g, 1000, map[string]int{"near": 1000})
	down(5)
	wantShares(t, "5 of 10, which can carry 70%", g, 1000, map[string]int{"near": 700, "far": 210, "nowhere": 90})
	down(10)
	wantShares(t, "none", g, 1000, map[string]int{"far": 700, "nowhere": 300})
	o.Zone = "3"
	_, g = newSet(t, o)
	wantShares(t, "a zone without upstreams", g, 1100, map[string]int{"near": 100, "far": 700, "nowhere": 300})
}

// TestPanic uses addresses that fail their checks when too few others are left, but none whose
// breaker is open.
func TestPanic(t *testing.T) {
	for _, tt := range []struct {
		threshold     float64
		failing, open int
		want          map[string]int
		panic         bool
	}{
		{0.5, 0, 0, map[string]int{"a": 100, "b": 100, "c": 100, "d": 100}, false},
		{0.5, 2, 0, map[string]int{"c": 200, "d": 200}, false},
		{0.5, 3, 0, map[string]int{"a": 100, "b": 100, "c": 100, "d": 100}, true},
		{0.5, 4, 0, map[string]int{"a": 100, "b": 100, "c": 100, "d": 100}, true},
		{0.5, 2, 1, map[string]int{"a": 200, "b": 200}, true},
		{0.5, 0, 3, map[string]int{"d": 400}, true},
		{0, 3, 0, map[string]int{"d": 400}, false},
		{0, 4, 0, map[string]int{"none": 400}, false},
		{0.5, 0, 4, map[string]int{"none": 400}, true},
	} {
		// Open breakers are those of the third and the ones after it, or of the first ones if none
		// fails.
		o := options(Declared{Name: "a"}, Declared{Name: "b"}, Declared{Name: "c"}, Declared{Name: "d"})
		o.PanicThreshold = tt.threshold
		s, g := newSet(t, o)
		all := s.endpoints()
		for _, e := range all[:tt.failing] {
			e.update(func() bool { return e.mark(failing, true) })
		}
		from := tt.failing
		if tt.failing == 2 && tt.open == 1 {
			end(all[3], BreakerFailures, 0, errRefused)
			end(all[2], BreakerFailures, 0, errRefused)
		} else {
			for _, e := range all[from : from+tt.open] {
				end(e, BreakerFailures, 0, errRefused)
			}
		}
		wantShares(t, fmt.Sprintf("threshold %v, %d fail, %d open", tt.threshold, tt.failing, tt.open), g, 400, tt.want)
		if g.Panics() != tt.panic {
			t.Errorf("threshold %v, %d fail, %d open: panic %v", tt.threshold, tt.failing, tt.open, g.Panics())
		}
	}
}

// TestPanicPrefersHealth does not use a zone that is not healthy, as long as another one is.
func TestPanicPrefersHealth(t *testing.T) {
	o := options(Declared{Name: "near", Zone: "1"}, Declared{Name: "far"})
	o.Zone = "1"
	s, g := newSet(t, o)
	e := endpoints(s, "near")[0]
	e.update(func() bool { return e.mark(failing, true) })
	wantShares(t, "the zone fails", g, 100, map[string]int{"far": 100})
}

// TestSlowStart gives an address that is back a tenth of its share, and more and more of it.
func TestSlowStart(t *testing.T) {
	o := options(Declared{Name: "a"}, Declared{Name: "b"})
	o.SlowStart = time.Hour
	s, g := newSet(t, o)
	wantShares(t, "all begin alike", g, 200, map[string]int{"a": 100, "b": 100})
	b := endpoints(s, "b")[0]
	end(b, BreakerFailures, 0, errRefused)
	end(b, 1, 200, nil)
	if got := shares(g, 1100); math.Abs(float64(got["b"])-100) > 5 {
		t.Errorf("b is back: %v", got)
	}
	b.warm.Store(int64(now() - o.SlowStart/2))
	s.warmer()
	if got := shares(g, 3000); math.Abs(float64(got["b"])-1000) > 5 {
		t.Errorf("after half of the time: %v", got)
	}
	b.warm.Store(int64(now() - o.SlowStart))
	s.warmer()
	wantShares(t, "after the time", g, 200, map[string]int{"a": 100, "b": 100})
}

// TestSlowStartEnds grows by itself, up to the whole share, wherever between two steps the end is.
func TestSlowStartEnds(t *testing.T) {
	for i := range 20 {
		o := options(Declared{Name: "a"}, Declared{Name: "b"})
		o.SlowStart = 20*time.Millisecond + time.Duration(i)*50*time.Microsecond
		s, g := newSet(t, o)
		b := endpoints(s, "b")[0]
		end(b, BreakerFailures, 0, errRefused)
		end(b, 1, 200, nil)
		waitFor(t, "equal shares", func() bool { return len(g.table.Load().slots) == 2 })
		waitFor(t, "the last step", func() bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.slow == nil
		})
	}
}

// TestPickTakesNoMemory holds that a choice takes no memory.
func TestPickTakesNoMemory(t *testing.T) {
	_, g := newSet(t, options(Declared{Name: "a", Weight: 3}, Declared{Name: "b"}, Declared{Name: "c"}))
	if n := testing.AllocsPerRun(1000, func() {
		var tried Tried
		e := g.Pick(&tried)
		e.Begin()
		e.Done(200, nil, time.Second, time.Millisecond)
	}); n > 0 {
		t.Errorf("%v allocations for a choice", n)
	}
}

// BenchmarkPick chooses an address and notes an answer.
func BenchmarkPick(b *testing.B) {
	for _, n := range []int{1, 2, 10, 64} {
		for _, how := range []Balance{RoundRobin, LeastRequest} {
			var list []Declared
			for i := range n {
				list = append(list, Declared{Name: fmt.Sprint(i), Weight: 1 + i%3})
			}
			o := options(list...)
			o.Balance = how
			s, err := New(o, nil)
			if err != nil {
				b.Fatal(err)
			}
			var names []string
			for _, u := range s.Upstreams() {
				names = append(names, u.Name)
			}
			g, _ := s.Group(names...)
			s.Use(nil)
			b.Run(fmt.Sprintf("%s/%d", how, n), func(b *testing.B) {
				b.ReportAllocs()
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						var tried Tried
						e := g.Pick(&tried)
						e.Begin()
						e.Done(200, nil, time.Second, time.Millisecond)
					}
				})
			})
		}
	}
}
