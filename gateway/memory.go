package gateway

// keepMax is how large a buffer may be that is kept for the next request. Larger ones are dropped:
// a few large requests must not leave large buffers everywhere.
const keepMax = 64 << 10

// keep returns the memory of a buffer for the next request, nil if it is too large.
func keep(b []byte) []byte {
	if cap(b) > keepMax {
		return nil
	}
	poison(b)
	return b[:0]
}
