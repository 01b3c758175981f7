package fraud

import (
	"net/netip"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/internal/legacy"
	"github.com/rtbwire/rtbwire/openrtb"
)

// Scratch is memory that scoring keeps between requests. The zero value is ready for use. One
// goroutine at a time may use it.
type Scratch struct{ scorer scorer }

// Release drops what is kept of the last request. The memory stays for the next one.
func (s *Scratch) Release() {
	if s.scorer.reader != nil {
		s.scorer.reader.Reset()
	}
}

// scorer looks at one request for the signals of a model. What several families ask for is found
// out once.
type scorer struct {
	*Model
	in     Input
	r      *openrtb.BidRequest
	device *openrtb.Device // not nil
	hits   []Hit
	sums   [familyCount]uint16             // of their points
	seen   [(signalCount + 63) / 64]uint64 // the signals of hits

	ip, ipv6 netip.Addr // of the device; invalid if it has none

	reader   *legacy.Reader // for what is in an ext
	sections []adcom.GPPSection
}

// What stands in for the device of a request that has none, and for facts that are not given.
var (
	noDevice openrtb.Device
	noFacts  rule.Facts
)

func (s *scorer) begin(m *Model, in Input, hits []Hit) {
	s.Model, s.in, s.r, s.hits = m, in, in.Request, hits
	if s.device = in.Request.Device; s.device == nil {
		s.device = &noDevice
	}
	if s.in.Facts == nil {
		s.in.Facts = &noFacts
	}
	s.ip, s.ipv6 = netip.Addr{}, netip.Addr{}
	clear(s.seen[:])
	clear(s.sums[:])
}

// end drops everything but memory.
func (s *scorer) end() {
	s.Model, s.in, s.r, s.device, s.hits = nil, Input{}, nil, nil, nil
}

// on reports whether a signal counts. Families ask before they do what takes time.
func (s *scorer) on(n signal) bool { return s.weights[n] > 0 }

// hit notes a signal with its weight.
func (s *scorer) hit(n signal, path string) { s.share(n, ScoreMax, path) }

// share notes a signal with a share of its weight, in hundredths, rounded up.
func (s *scorer) share(n signal, percent int, path string) {
	points := (int(s.weights[n])*percent + ScoreMax - 1) / ScoreMax
	if bit := uint64(1) << (n % 64); points > 0 && s.seen[n/64]&bit == 0 {
		s.seen[n/64] |= bit
		s.sums[signals[n].family] += uint16(points)
		s.hits = append(s.hits, Hit{int(n), points, path})
	}
}

// flag reports whether a flag of the request is set.
func flag(f *int) bool { return f != nil && *f == 1 }
