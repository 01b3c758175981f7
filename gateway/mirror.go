package gateway

import (
	"bufio"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/internal/serving/balance"
	"github.com/rtbwire/rtbwire/internal/serving/upstreams"
)

// MirrorBytesMax bounds the bytes of copies that wait to be sent to mirrors.
const MirrorBytesMax = 16 << 20

// mirrors sends copies of requests to upstreams whose answers are ignored. Copies that find no room
// are dropped: the request itself never waits.
type mirrors struct {
	waiting chan *mirrored
	bytes   atomic.Int64
	working atomic.Int64
	most    int64 // at the same time
	idle    sync.Pool
}

// init sets how many copies may wait, and how many may be under way.
func (m *mirrors) init(queue, most int) {
	m.waiting, m.most = make(chan *mirrored, queue), int64(most)
	m.idle.New = func() any { return new(mirrored) }
}

// mirrored is a copy of a request.
type mirrored struct {
	to      *balance.Endpoint
	partner string
	message []byte
	timeout time.Duration
	answer  fasthttp.Response
}

// offer takes a copy of a request for a mirror.
func (m *mirrors) offer(o *outgoing, to *balance.Endpoint, partner string, timeout time.Duration) {
	size := int64(len(o.document))
	if m.bytes.Add(size) > MirrorBytesMax {
		m.bytes.Add(-size)
		to.Stats.MirrorDropped.Add(1)
		return
	}
	c := m.idle.Get().(*mirrored)
	c.to, c.partner, c.timeout = to, partner, timeout
	c.message = append(o.appendHead(c.message[:0], to, true), o.document...)
	m.bytes.Add(int64(len(c.message)) - size)
	select {
	case m.waiting <- c:
		m.hire()
	default:
		to.Stats.MirrorDropped.Add(1)
		m.drop(c)
	}
}

// hire starts a worker, if there may be one more.
func (m *mirrors) hire() {
	if m.working.Add(1) <= m.most {
		go m.work()
		return
	}
	m.working.Add(-1)
}

// work sends what waits, and ends when nothing does.
func (m *mirrors) work() {
	for {
		select {
		case c := <-m.waiting:
			c.send()
			m.drop(c)
			continue
		default:
		}
		m.working.Add(-1)
		if len(m.waiting) == 0 {
			return
		}
		// A copy that came meanwhile, when there were as many workers as there may be, has none.
		if m.working.Add(1) > m.most {
			m.working.Add(-1)
			return
		}
	}
}

// drop forgets a copy, except for memory for another one.
func (m *mirrors) drop(c *mirrored) {
	m.bytes.Add(-int64(len(c.message)))
	c.to, c.partner, c.message = nil, "", keep(c.message)
	c.answer.Reset()
	m.idle.Put(c)
}

// send sends a copy and counts the answer.
func (c *mirrored) send() {
	c.to.Stats.Mirrored.Add(1)
	c.to.Begin()
	began := upstreams.Now()
	err := c.to.RoundTrip(c, c.timeout)
	c.to.Done(c.answer.StatusCode(), err, c.timeout, upstreams.Now()-began)
	if err == nil {
		c.to.Stats.Bid(c.partner, bidOf(&c.answer))
	}
}

// IsHead implements [balance.Exchange], as the next methods do.
func (*mirrored) IsHead() bool { return false }

func (c *mirrored) Write(to *upstreams.Conn, _ *balance.Endpoint) error {
	return to.Request(c.message, nil)
}

func (*mirrored) Source(c *upstreams.Conn) net.Conn { return c }

func (c *mirrored) Read(from *upstreams.Conn, r *bufio.Reader) (done bool, err error) {
	return balance.ReadAnswer(from, r, &c.answer, c.to.ResponseMax())
}
