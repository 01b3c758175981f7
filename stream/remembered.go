package stream

import (
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// remembered are partitions in which more is delivered than is committed: the group has removed
// this member, or there was no broker to commit to. If such a partition comes back, reading goes on
// after what was delivered, so that nothing is delivered twice that this process knows of.
type remembered struct {
	mu sync.Mutex
	by map[topicPartition]deliveredTo
}

// deliveredTo is the end of what was delivered.
type deliveredTo struct {
	topic kadm.TopicID // offsets mean nothing in another topic of the same name
	at    kgo.EpochOffset
	until time.Time
}

// rememberFor is how long it counts. Later somebody may have set offsets back on purpose.
const rememberFor = 10 * time.Minute

// remember notes how far a partition that leaves is delivered.
func (n *session) remember(p *partition) {
	id := n.ids[p.topic]
	if n.txn != nil || id == (kadm.TopicID{}) {
		return // a transaction has either committed what it wrote, or nobody reads it
	}
	at, moved := p.uncommitted()
	m := &n.s.remembered
	m.mu.Lock()
	defer m.mu.Unlock()
	if !moved {
		delete(m.by, topicPartition{p.topic, p.number})
		return
	}
	if m.by == nil {
		m.by = map[topicPartition]deliveredTo{}
	}
	m.by[topicPartition{p.topic, p.number}] = deliveredTo{id, at, time.Now().Add(rememberFor)}
}

// recall returns how far a partition that comes is delivered, if that is past what is committed,
// and forgets it.
func (n *session) recall(topic string, number int32, committed int64) (at kgo.EpochOffset, past bool) {
	m := &n.s.remembered
	m.mu.Lock()
	defer m.mu.Unlock()
	d, has := m.by[topicPartition{topic, number}]
	delete(m.by, topicPartition{topic, number})
	return d.at, has && d.topic == n.ids[topic] && d.at.Offset > committed && time.Now().Before(d.until)
}
