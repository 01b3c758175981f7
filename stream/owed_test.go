package stream

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// TestOwed: what a session that failed had read is owed until another one has delivered it, or
// until the lane is another process's.
func TestOwed(t *testing.T) {
	t.Parallel()
	failed := errors.New("the disk is full")
	lane := func(number int32, committed, read int64) *Lane {
		l := laneOfTest(t)
		l.ID = LaneID{Name: "bids", Number: number}
		l.prefix.committed, l.start, l.read = committed, 0, read
		return l
	}
	type session struct {
		lanes   []*Lane
		failure error
		lasted  time.Duration
	}
	for name, tt := range map[string]struct {
		sessions []session
		want     string // "" if nothing is owed
	}{
		"a clean end":         {sessions: []session{{lanes: []*Lane{lane(0, 3, 10)}}}},
		"nothing is known":    {sessions: []session{{[]*Lane{lane(0, -1, 0)}, failed, 0}, {lanes: []*Lane{lane(0, -1, 0)}}}},
		"nothing was read":    {sessions: []session{{failure: failed}}},
		"all is committed":    {sessions: []session{{[]*Lane{lane(0, 10, 10)}, failed, 0}}},
		"nothing is":          {sessions: []session{{[]*Lane{lane(0, -1, 10)}, failed, 0}}, want: "10 bytes of bids/0;"},
		"one is missing":      {sessions: []session{{[]*Lane{lane(0, 9, 10)}, failed, 0}}, want: "1 byte of bids/0;"},
		"the next does it":    {sessions: []session{{[]*Lane{lane(0, 3, 10)}, failed, 0}, {lanes: []*Lane{lane(0, 10, 12)}}}},
		"the next begins":     {sessions: []session{{[]*Lane{lane(0, 3, 10)}, failed, 0}, {lanes: []*Lane{lane(0, 4, 5)}}}, want: "6 bytes of bids/0;"},
		"the next fails":      {sessions: []session{{[]*Lane{lane(0, 3, 10)}, failed, 0}, {[]*Lane{lane(0, 3, 5)}, failed, 0}}, want: "7 bytes of bids/0;"},
		"the next has others": {sessions: []session{{[]*Lane{lane(0, 3, 10)}, failed, 0}, {lanes: []*Lane{lane(1, 3, 10)}}}, want: "7 bytes of bids/0;"},
		"for long":            {sessions: []session{{[]*Lane{lane(0, 3, 10)}, failed, 0}, {lanes: []*Lane{lane(1, 3, 10)}, lasted: restartForget}}},
		"many": {sessions: []session{{[]*Lane{lane(0, 3, 10), lane(1, 9, 10), lane(2, 9, 10), lane(3, 9, 10), lane(4, 9, 10)}, failed, 0}},
			want: "11 bytes of bids/0, bids/1, bids/2, 2 more;"},
	} {
		var o owed
		for _, s := range tt.sessions {
			o.ended(s.lanes, s.failure, s.lasted)
		}
		err := o.error("byte")
		if tt.want == "" {
			if err != nil {
				t.Errorf("%s: got %v", name, err)
			}
			continue
		}
		if !errors.Is(err, ErrUndelivered) || !strings.Contains(err.Error(), ": "+tt.want) || !strings.Contains(err.Error(), failed.Error()) {
			t.Errorf("%s: got %v, want %q", name, err, tt.want)
		}
	}
	var o owed
	all := []*Lane{lane(0, 3, 10), lane(1, 3, 10)}
	o.ended(all, failed, 0)
	o.forget(all[:1])
	if err := o.error("record"); err == nil || !strings.Contains(err.Error(), "7 records of bids/1;") {
		t.Errorf("got %v", err)
	}
}
