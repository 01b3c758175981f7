package kafka

import (
	"slices"
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/rtbwire/rtbwire/stream"
)

// epochs knows from which epoch of the leader the records of a partition are: an offset is
// committed with the epoch of the record before it, by which brokers notice that a log was cut.
type epochs struct {
	spans []epochSpan // in the order of offsets
}

// epochSpan is an epoch, from the first offset that it was seen at.
type epochSpan struct {
	first int64
	epoch int32
}

// note notes the epoch of a record.
func (e *epochs) note(offset int64, epoch int32) {
	if n := len(e.spans); n > 0 && e.spans[n-1].epoch == epoch && e.spans[n-1].first <= offset {
		return
	}
	for n := len(e.spans); n > 0 && e.spans[n-1].first >= offset; n-- { // the partition is read again
		e.spans = e.spans[:n-1]
	}
	if n := len(e.spans); n == 0 || e.spans[n-1].epoch != epoch {
		e.spans = append(e.spans, epochSpan{offset, epoch})
	}
}

// before returns the epoch of the record before an offset, -1 if that is not known. It forgets the
// epochs before that one.
func (e *epochs) before(offset int64) int32 {
	for i, v := range slices.Backward(e.spans) {
		if v.first < offset {
			e.spans = append(e.spans[:0], e.spans[i:]...)
			return e.spans[0].epoch
		}
	}
	return -1
}

// leaders has the epochs of the partitions of a session.
type leaders struct {
	mu sync.Mutex
	by map[stream.LaneID]*epochs
}

// note notes the epochs of what was fetched of a partition.
func (l *leaders) note(id stream.LaneID, records []*kgo.Record) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.of(id)
	for _, r := range records {
		e.note(r.Offset, r.LeaderEpoch)
	}
}

// resume notes where reading of a partition goes on.
func (l *leaders) resume(id stream.LaneID, at kgo.EpochOffset) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.of(id).note(at.Offset-1, at.Epoch)
}

// forget forgets the epochs of a partition that comes.
func (l *leaders) forget(id stream.LaneID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.by, id)
}

// at returns an offset of a partition with its epoch.
func (l *leaders) at(id stream.LaneID, offset int64) kgo.EpochOffset {
	l.mu.Lock()
	defer l.mu.Unlock()
	return kgo.EpochOffset{Epoch: l.of(id).before(offset), Offset: offset}
}

// of returns the epochs of a partition. The caller has the lock.
func (l *leaders) of(id stream.LaneID) *epochs {
	e := l.by[id]
	if e == nil {
		e = new(epochs)
		l.by[id] = e
	}
	return e
}
