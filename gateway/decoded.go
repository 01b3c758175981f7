package gateway

import (
	"strings"
	"time"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// The memory of decoded documents. A document of small objects needs 64 times its length, so large
// ones wait for each other: decoding is work of the processor, and more of them at once would not
// be done earlier.
const (
	// decodeFree is the length of the longest document that never waits: the most that the requests
	// of all processors need is little then.
	decodeFree = 16 << 10
	// decodeShare is the part of [Options.MemoryMax] that decoded documents may need: one in so
	// many.
	decodeShare = 2
	// decodeWait is how long a document waits for memory.
	decodeWait = time.Second
)

// decodedMax is the most memory that a document of some length can need when it is decoded; 0 if
// that is not worth counting.
func decodedMax(length int) int64 {
	if length <= decodeFree {
		return 0
	}
	return int64(length)*wire.MemoryPerByteDefault + wire.MemoryBaseDefault
}

// decoded is the document of a request after decoding. It is borrowed for a while; a few copies of
// values stay until the answer.
type decoded struct {
	worker   *inspect.Worker // nil before borrow and after giveBack
	reserved int64           // of the memory of decoded documents

	id           []byte // of the bid request
	publisher    []byte // its id, if publishers are counted
	hasPublisher bool   // publisher was kept
}

// borrow takes a worker for a document of some length, with the memory that it may need. It reports
// false if there was none in time.
func (d *decoded) borrow(p *plan, memory *byteBudget, length int) bool {
	n := decodedMax(length)
	if !memory.acquire(n, decodeWait) {
		return false
	}
	d.worker, d.reserved = p.worker(), n
	return true
}

// giveBack ends what borrow has begun: others need the memory.
func (d *decoded) giveBack(p *plan, memory *byteBudget) {
	if d.worker != nil {
		p.release(d.worker)
		d.worker = nil
	}
	memory.release(d.reserved)
	d.reserved = 0
}

// end forgets the document, except for memory for the next one.
func (d *decoded) end() {
	*d = decoded{id: keep(d.id), publisher: keep(d.publisher)}
}

// request is the bid request; nil if it was not decoded, or was given back.
func (d *decoded) request() *openrtb.BidRequest {
	if d.worker == nil {
		return nil
	}
	return d.worker.Request()
}

// requestID is the id of the bid request, "" if it was not decoded.
func (d *decoded) requestID() string {
	if r := d.request(); r != nil {
		return r.ID
	}
	return mem.String(d.id)
}

// keepID copies the id of the bid request, which is about to be given back.
func (d *decoded) keepID() { d.id = append(d.id[:0], d.requestID()...) }

// keepPublisher copies the publisher of the bid request, if publishers are counted.
func (d *decoded) keepPublisher(o *Options) {
	if o.PublisherMetricsMax == 0 || d.hasPublisher {
		return
	}
	if r := d.request(); r != nil {
		d.publisher = append(d.publisher[:0], publisherLabel(inspect.PublisherOf(r))...)
		d.hasPublisher = true
	}
}

// publisherLabelMax is how much of a publisher's id is the value of a label, in bytes.
const publisherLabelMax = 64

// publisherLabel makes a value of a label of an id.
func publisherLabel(id string) string {
	return strings.ToValidUTF8(id[:min(len(id), publisherLabelMax)], "")
}
