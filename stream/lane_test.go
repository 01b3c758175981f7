package stream

import "testing"

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
		lag, at, committed := l.places()
		if lag != tt.lag || at != max(tt.position, tt.committed) || committed != tt.committed {
			t.Errorf("%+v: lag %d, position %d, committed %d", tt, lag, at, committed)
		}
	}
}
