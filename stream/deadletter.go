package stream

import (
	"slices"
	"strconv"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/rtbwire/rtbwire/inspect"
)

// The headers of a dead letter, after those of the record. Responses have HeaderSource.
const (
	HeaderReason = "rtbwire-reason" // what decided: schema.Imp.id.required, stream.size
	HeaderNBR    = "rtbwire-nbr"    // the no-bid reason that belongs to it
	HeaderPath   = "rtbwire-path"   // the JSON Pointer of the place, /imp/0/id
	HeaderOffset = "rtbwire-offset" // the byte in the value; -1 if there is no place
	HeaderSource = "rtbwire-source" // where the record was read: topic/partition/offset
	// HeaderSize is only there if the value was too large for the topic, and is the length that it
	// had. The value of the dead letter is then empty.
	HeaderSize = "rtbwire-size"
	// HeaderDropped is only there if key and headers alone were too large for the topic. The dead
	// letter has neither of them then, nor a value: whoever writes long keys must not stop the
	// stream.
	HeaderDropped = "rtbwire-dropped"
)

const nbrSize = inspect.NBRLimit

// deadLetter makes a record that is refused its dead letter.
func (n *session) deadLetter(c *chunk, i int) {
	r, f := c.records[i], &c.fates[i]
	r.Value = f.value
	before := len(r.Headers)
	r.Headers = append(slices.Clip(r.Headers),
		kgo.RecordHeader{Key: HeaderReason, Value: []byte(f.decision.Reason)},
		kgo.RecordHeader{Key: HeaderNBR, Value: strconv.AppendInt(nil, int64(f.decision.NBR), 10)},
		kgo.RecordHeader{Key: HeaderPath, Value: []byte(f.path)},
		kgo.RecordHeader{Key: HeaderOffset, Value: strconv.AppendInt(nil, int64(f.offset), 10)},
		kgo.RecordHeader{Key: HeaderSource, Value: []byte(c.source(i))},
	)
	if !n.fits(r, n.o.DeadLetters) {
		r.Headers = append(r.Headers, kgo.RecordHeader{Key: HeaderSize, Value: strconv.AppendInt(nil, int64(len(f.value)), 10)})
		r.Value = []byte{}
	}
	if !n.fits(r, n.o.DeadLetters) {
		r.Headers = append(r.Headers[before:], kgo.RecordHeader{Key: HeaderDropped, Value: []byte("key,headers")})
		r.Key = nil
	}
	n.route(r, c.p, n.o.DeadLetters)
}
