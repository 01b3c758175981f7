package kafka

import (
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/rtbwire/rtbwire/stream"
)

// remembered are partitions in which more is delivered than is committed: the group has removed
// this member, or there was no broker to commit to. If such a partition comes back, reading goes on
// after what was delivered, so that nothing is delivered twice that this process knows of.
type remembered struct {
	mu sync.Mutex
	by map[stream.LaneID]deliveredTo
}

// deliveredTo is the end of what was delivered.
type deliveredTo struct {
	topic kadm.TopicID // offsets mean nothing in another topic of the same name
	at    kgo.EpochOffset
	until time.Time
}

// rememberFor is how long it counts. Later somebody may have set offsets back on purpose.
const rememberFor = 10 * time.Minute

// remember notes how far partitions that leave are delivered.
func (n *session) remember(leaving []*stream.Lane) {
	if n.txn != nil {
		return // a transaction has either committed what it wrote, or nobody reads it
	}
	m := &n.g.remembered
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, lane := range leaving {
		id := n.known.ids[lane.ID.Name]
		if id == (kadm.TopicID{}) {
			continue
		}
		at, moved := lane.Position()
		if !moved {
			delete(m.by, lane.ID)
			continue
		}
		if m.by == nil {
			m.by = map[stream.LaneID]deliveredTo{}
		}
		m.by[lane.ID] = deliveredTo{id, n.leaders.at(lane.ID, at), time.Now().Add(rememberFor)}
	}
}

// recall returns how far a partition that comes is delivered, if that is past what is committed,
// and forgets it.
func (n *session) recall(id stream.LaneID, committed int64) (at kgo.EpochOffset, past bool) {
	m := &n.g.remembered
	m.mu.Lock()
	defer m.mu.Unlock()
	d, has := m.by[id]
	delete(m.by, id)
	return d.at, has && d.topic == n.known.ids[id.Name] && d.at.Offset > committed && time.Now().Before(d.until)
}
