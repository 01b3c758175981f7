package core

import "math/bits"

// outcome is what a request is answered with.
type outcome uint8

const (
	outcomeNoBid  outcome = iota // 204
	outcomeReason                // 200 with nbr
	outcomeBid
	outcomeError
	outcomeGarbage
)

// mix64 is the finalizer of MurmurHash3, which spreads every bit of x over all bits.
func mix64(x uint64) uint64 {
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

// draws are the random numbers of one request.
type draws struct{ state uint64 }

// drawsOf returns the numbers for a request id: the same for the same id and seed.
func drawsOf(seed uint64, id string) draws {
	h := mix64(seed + 0x9e3779b97f4a7c15)
	for i := range len(id) {
		h = (h ^ uint64(id[i])) * 0x100000001b3
	}
	return draws{mix64(h ^ uint64(len(id)))}
}

// next returns 64 random bits (splitmix64).
func (d *draws) next() uint64 {
	d.state += 0x9e3779b97f4a7c15
	return mix64(d.state)
}

// unit returns a number in [0, 1).
func (d *draws) unit() float64 { return float64(d.next()>>11) / (1 << 53) }

// below returns a number in [0, n).
func (d *draws) below(n int) int {
	high, _ := bits.Mul64(d.next(), uint64(n))
	return int(high)
}

// outcome chooses the answer.
func (c *Config) outcome(d *draws) outcome {
	u := d.unit()
	reason := d.unit() < c.ReasonShare
	switch {
	case u < c.BidShare:
		return outcomeBid
	case u < c.BidShare+c.ErrorShare:
		return outcomeError
	case u < c.BidShare+c.ErrorShare+c.GarbageShare:
		return outcomeGarbage
	case reason:
		return outcomeReason
	}
	return outcomeNoBid
}
