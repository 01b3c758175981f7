package stream

import (
	"context"
	"testing"
)

// TestRecycle: a chunk whose records are delivered stays until nobody uses it any more, and keeps
// nothing for the next one. The test is not parallel: another one could take the chunk.
func TestRecycle(t *testing.T) {
	l := laneOfTest(t)
	c := newChunk(l)
	for i := range 2 {
		c.add(&Record{Position: 41 + int64(i), Next: 42 + int64(i)})
		c.done[i].Store(true)
	}
	l.f.budget.take(c.bytes)
	l.prefix.add(c)
	if at, moved := l.Position(); !moved || at != 43 {
		t.Errorf("position %d", at)
	}
	if l.prefix.first != c || c.lane != l || len(c.records) != 2 {
		t.Error("the chunk is free while its sender may still use it")
	}
	c.over = true
	l.Position()
	if l.prefix.first != nil || l.prefix.last != nil || l.f.budget.inUse() != 0 {
		t.Errorf("the chunk is not free; %d bytes in flight", l.f.budget.inUse())
	}
	if c.lane != nil || c.over || c.bytes != 0 || len(c.records) != 0 || c.done[0].Load() || c.done[1].Load() {
		t.Error("the next chunk has something of this one")
	}
}

func laneOfTest(t *testing.T) *Lane {
	t.Helper()
	f := newFlow(&Stream{}, t.Context())
	return f.Add(LaneID{Name: "bids"})
}

// TestPlaces: the lag is what is not delivered yet, committed or not; -1 if it is not known.
func TestPlaces(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ end, position, committed, lag int64 }{
		{-1, 5, 3, -1},
		{10, -1, -1, -1},
		{10, -1, 4, 6},
		{10, 7, 4, 3},
		{10, 10, 10, 0},
		{5, 7, 4, 0}, // what was asked for is older than what was read
	} {
		l := laneOfTest(t)
		l.end, l.prefix.position, l.prefix.committed = tt.end, tt.position, tt.committed
		if got, want := l.places(), (places{l.ID, tt.lag, max(tt.position, tt.committed), tt.committed}); got != want {
			t.Errorf("%+v: got %+v, want %+v", tt, got, want)
		}
	}
}

// TestLeaves: what is in flight counts with its headers, and no longer when its lane leaves or is
// read again.
func TestLeaves(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(*Flow, *Lane){
		"forgotten": func(f *Flow, l *Lane) { f.forget([]*Lane{l}) },
		"renewed": func(f *Flow, l *Lane) {
			l.GiveUp()
			f.Renew(f.Work(), []*Lane{l}, func(fresh *Lane, at int64) {
				if fresh == l || f.Lane(l.ID) != fresh || at != 41 {
					t.Errorf("the new lane begins at %d", at)
				}
			})
		},
	} {
		l := laneOfTest(t)
		l.Add([]Record{{Key: make([]byte, 10), Value: make([]byte, 100), Headers: []Header{{"name", make([]byte, 1000)}}, Position: 41, Next: 42}})
		l.Add([]Record{{Position: 42, Next: 43}})
		if used, want := l.f.budget.inUse(), 2*recordOverhead+10+100+4+1000; used != want {
			t.Errorf("%s: %d bytes in flight, want %d", name, used, want)
		}
		leave(l.f, l)
		if used := l.f.budget.inUse(); used != 0 {
			t.Errorf("%s: %d bytes in flight at the end", name, used)
		}
	}
}

// TestRenewed: a lane that takes the place of another one knows what is delivered and what is
// committed. It begins with the first record that is not delivered; commits from before records
// that came again mean nothing.
func TestRenewed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name                        string
		delivered                   int // of three records, from 41 on
		back                        bool
		position, committed         int64 // before
		at                          int64
		wantPosition, wantCommitted int64
		expected                    int64
	}{
		{"nothing delivered", 0, false, -1, 41, 41, -1, 41, 41},
		{"some", 2, false, -1, 41, 43, 43, 41, 43},
		{"all", 3, false, -1, 41, -1, 44, 41, 44},
		{"a topic that was made again", 0, true, 900, 900, 41, -1, -1, 41},
	} {
		l := laneOfTest(t)
		l.prefix.position, l.prefix.committed, l.prefix.expected = tt.position, tt.committed, 44
		l.end = 50
		c := newChunk(l)
		for i := range int64(3) {
			c.add(&Record{Position: 41 + i, Next: 42 + i})
			c.done[i].Store(int(i) < tt.delivered)
		}
		c.back, c.over = tt.back, true
		l.prefix.add(c)
		fresh, at := l.renewed()
		p := &fresh.prefix
		if at != tt.at || p.position != tt.wantPosition || p.committed != tt.wantCommitted || p.expected != tt.expected || fresh.end != 50 {
			t.Errorf("%s: at %d, position %d, committed %d, expected %d, end %d", tt.name, at, p.position, p.committed, p.expected, fresh.end)
		}
	}
}

// TestOneSender: while one job sends for a lane, no other one begins to.
func TestOneSender(t *testing.T) {
	var o order
	if !o.begin() {
		t.Fatal("nobody may send")
	}
	if o.begin() {
		t.Error("two send")
	}
	if o.sending = false; !o.begin() {
		t.Error("nobody may send after the first has ended")
	}
}

// keeper is a session that keeps what is committed.
type keeper struct {
	Session
	at map[LaneID]int64
}

func (k *keeper) Commit(_ context.Context, at []Position) error {
	for i := range at {
		k.at[at[i].Lane.ID], at[i].Stored = at[i].At, true
	}
	return nil
}

// TestReleaseCommits: what is delivered of a lane is committed before the lane goes to another
// process, and not if that process has it already.
func TestReleaseCommits(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		leave func(*Flow, context.Context, []*Lane)
		want  int64 // 0 for nothing
	}{"released": {(*Flow).Release, 43}, "dropped": {(*Flow).Drop, 0}} {
		l := laneOfTest(t)
		l.f.s.newMetrics()
		k := &keeper{at: map[LaneID]int64{}}
		l.f.commits.open(k)
		l.prefix.position, l.prefix.committed = 43, 41
		tt.leave(l.f, t.Context(), []*Lane{l})
		if got := k.at[l.ID]; got != tt.want || l.f.Lane(l.ID) != nil {
			t.Errorf("%s: committed %d, want %d", name, got, tt.want)
		}
	}
}
