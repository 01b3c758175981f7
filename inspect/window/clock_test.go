package window

import (
	"fmt"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/testkit"
)

// newClock returns a clock of event time with a window of 4 slots at slot 100.
func newClock() *clock {
	c := &clock{}
	c.init(4, true)
	c.admit(100)
	return c
}

func TestClock(t *testing.T) {
	for _, c := range []struct {
		name  testkit.CaseName
		slots []int64 // after slot 100
		want  place   // of the last
		now   int64
	}{
		{testkit.Name("the same"), []int64{100}, inside, 100},
		{testkit.Name("later"), []int64{101}, inside, 101},
		{testkit.Name("as far as one may go"), []int64{102}, inside, 102},
		{testkit.Name("too far"), []int64{103}, ahead, 100},
		{testkit.Name("the oldest"), []int64{97}, inside, 100},
		{testkit.Name("too old"), []int64{96}, late, 100},
		{testkit.Name("one bad record"), []int64{1 << 40, 101}, inside, 101},
		{testkit.Name("very old ones"), []int64{-1 << 40, 0, 101}, inside, 101},
	} {
		k := newClock()
		var got place
		for _, s := range c.slots {
			got = k.admit(s)
		}
		if now := k.now.Load(); got != c.want || now != c.now {
			t.Errorf("%s: place %d at slot %d, want place %d at slot %d", c.name, got, now, c.want, c.now)
		}
	}
}

// TestClockMoves moves clocks ahead and back by majorities.
func TestClockMoves(t *testing.T) {
	for name, c := range map[string]struct {
		slot  int64 // of most records
		needs int
		every int // this many records are of slot 100, 0 for none
		moves bool
	}{
		"after a silence":             {1000, votesAhead, 0, true},
		"to a later majority":         {1000, 3 * votesAhead, 3, true},
		"not to a later minority":     {1000, 100 * votesAhead, 2, false},
		"back":                        {0, votesLate, 0, true},
		"back to a majority":          {0, 3 * votesLate, 3, true},
		"not to a minority that lags": {0, 100 * votesLate, 2, false},
	} {
		t.Run(name, func(t *testing.T) {
			k := newClock()
			for n := 1; n <= c.needs; n++ {
				slot := c.slot
				if c.every > 0 && n%c.every == 0 {
					slot = 100
				}
				if k.admit(slot); k.now.Load() != 100 {
					if !c.moves || c.every == 0 && n < c.needs {
						t.Fatalf("moved after %d records", n)
					}
					if _, _, jumps := k.stats(); jumps != 1 || k.now.Load() != c.slot {
						t.Errorf("slot %d after %d jumps", k.now.Load(), jumps)
					}
					return
				}
			}
			if c.moves {
				t.Errorf("still at the old time after %d records", c.needs)
			}
		})
	}
}

// TestClockIgnoresNoise has records of random times in between.
func TestClockIgnoresNoise(t *testing.T) {
	k := newClock()
	random := testkit.Rand(testkit.Seed(t))
	slot := int64(100)
	for n := range 100_000 {
		if n%10 == 0 {
			slot++
		}
		switch n % 3 {
		case 0:
			k.admit(slot + random.Int64N(1_000_000))
		case 1:
			k.admit(slot - random.Int64N(1_000_000))
		}
		if got := k.admit(slot); got != inside {
			t.Fatalf("record %d is not inside: %d", n, got)
		}
	}
	if now := k.now.Load(); now > slot+2 {
		t.Errorf("slot %d, want %d", now, slot)
	}
}

// TestVotesAreCountedApart: a partition that lags must not keep the clock from moving ahead.
func TestVotesAreCountedApart(t *testing.T) {
	k := newClock()
	for range votesLate - 1 {
		k.admit(0)
	}
	for range votesAhead {
		k.admit(1000)
	}
	if now := k.now.Load(); now != 1000 {
		t.Errorf("slot %d, want 1000", now)
	}
	for range votesLate - 1 { // votes for slot 0 do not count any more
		k.admit(0)
	}
	if now := k.now.Load(); now != 1000 {
		t.Errorf("slot %d, want 1000", now)
	}
	late, ahead, jumps := k.stats()
	if late != 2*(votesLate-1) || ahead != votesAhead-1 || jumps != 1 {
		t.Errorf("%d late, %d ahead, %d jumps", late, ahead, jumps)
	}
}

// TestMonotonicClockIsBelieved: silences are of any length.
func TestMonotonicClockIsBelieved(t *testing.T) {
	var c clock
	c.init(4, false)
	for _, slot := range []int64{-5, 0, 1, 1 << 40, 1<<40 - 3} {
		if got := c.admit(slot); got != inside {
			t.Errorf("slot %d: place %d", slot, got)
		}
	}
	if got := c.admit(0); got != late {
		t.Errorf("place %d", got)
	}
}

func TestSlotAt(t *testing.T) {
	for _, c := range []struct {
		since time.Duration
		want  int64
	}{{0, 0}, {9, 0}, {10, 1}, {-1, -1}, {-10, -1}, {-11, -2}} {
		if got := slotAt(c.since, 10); got != c.want {
			t.Errorf("slot of %d is %d, want %d", c.since, got, c.want)
		}
	}
}

// TestOneBadRecord: a record from the future empties no window, and is not counted itself. Its id
// is remembered.
func TestOneBadRecord(t *testing.T) {
	for _, jump := range []time.Duration{WindowDefault, time.Hour, 24 * 365 * time.Hour, -time.Hour} {
		w := open(t, Options{EventTime: true})
		for n := range 50 {
			w.Observe("", request(fmt.Sprint(n), someIFA, "198.51.100.7"), start, Delivery{})
		}
		bad := w.Observe("", request("bad", someIFA, "198.51.100.7"), start.Add(jump), Delivery{})
		if bad != (Answers{}) {
			t.Errorf("%v: the bad record: %+v", jump, bad)
		}
		got := w.Observe("", request("bad", someIFA, "198.51.100.7"), start, Delivery{})
		if got.Counts.IFA != 51 || got.Counts.Address != 51 || got.Seen != (jump > 0) {
			t.Errorf("%v: after it: %+v", jump, got)
		}
		s := w.Stats("")
		if want := map[bool][2]uint64{true: {0, 1}, false: {1, 0}}[jump > 0]; [2]uint64{s.Late, s.Ahead} != want || s.Jumps != 0 {
			t.Errorf("%v: %+v", jump, s)
		}
	}
}

// TestClockBack lets a wrong clock be the first, and others bring it back. What was counted in the
// wrong time is gone.
func TestClockBack(t *testing.T) {
	w := open(t, Options{EventTime: true})
	r := request("1", someIFA, "")
	for range 10 {
		w.Observe("", r, start.Add(time.Hour), Delivery{})
	}
	for range votesLate - 1 {
		if got := w.Observe("", r, start, Delivery{}); got != (Answers{}) {
			t.Fatalf("late: %+v", got)
		}
	}
	for n := 1; n <= 3; n++ {
		got := w.Observe("", r, start, Delivery{})
		if got.Counts.IFA != n || got.Seen != (n > 1) {
			t.Errorf("request %d after the jump back: %+v", n, got)
		}
	}
	if s := w.Stats(""); s.Jumps != 1 || s.Late != votesLate-1 {
		t.Errorf("%+v", s)
	}
}

// TestMonotonicTime: a silence of any length is believed at once, and times may be late.
func TestMonotonicTime(t *testing.T) {
	w := open(t, Options{})
	now := time.Now()
	r := request("1", someIFA, "")
	w.Observe("", r, now, Delivery{})
	if got := w.Observe("", r, now.Add(time.Second), Delivery{}); got.Counts.IFA != 2 || !got.Seen {
		t.Errorf("%+v", got)
	}
	if got := w.Observe("", r, now.Add(24*time.Hour), Delivery{}); got.Counts.IFA != 1 || got.Seen {
		t.Errorf("after a day of silence: %+v", got)
	}
	if got := w.Observe("", r, now, Delivery{}); got.Counts.IFA != 0 || got.Seen {
		t.Errorf("a day late: %+v", got)
	}
}
