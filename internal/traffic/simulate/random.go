package simulate

// Choices are made with integers only, so that every platform makes the same ones. The generator is
// SplitMix64 (Steele, Lea and Flood, 2014): its state can be any number, so each request, user, app
// and site has a source of its own, and none depends on what was drawn before.

// golden is the increment of SplitMix64.
const golden = 0x9e3779b97f4a7c15

// mix is the finalizer of SplitMix64.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// hash returns a number for two numbers.
func hash(a, b uint64) uint64 { return mix(a + golden*(b+1)) }

// source is a sequence of random numbers.
type source struct{ state uint64 }

// next returns 64 random bits.
func (s *source) next() uint64 {
	s.state += golden
	return mix(s.state)
}

// below returns a number from 0 to n-1. For the small n in use, the bias is less than 2^-12 of a
// share.
func (s *source) below(n int) int { return int(s.next() >> 32 * uint64(n) >> 32) }

// percent reports whether an event of that probability happens.
func (s *source) percent(p int) bool { return s.below(100) < p }

// between returns a number from lo to hi.
func (s *source) between(lo, hi int) int { return lo + s.below(hi-lo+1) }

// tail is a distribution of ranks with a heavy tail, close to that of Zipf: all octaves are equally
// likely, and octave k has first<<k ranks. So a rank r+first has a share of about 1/(r+first).
type tail struct{ first, octaves int }

// draw returns a rank, 0 for the most frequent ones.
func (t tail) draw(s *source) int {
	k := s.below(t.octaves)
	return t.first<<k - t.first + s.below(t.first<<k)
}

// weights is a distribution of few values. It holds every value as often as its weight says.
type weights []uint8

// expand makes weights of a list.
func expand(list ...int) weights {
	var w weights
	for i, n := range list {
		for range n {
			w = append(w, uint8(i))
		}
	}
	return w
}

// draw returns the number of an entry.
func (w weights) draw(s *source) int { return int(w[s.below(len(w))]) }
