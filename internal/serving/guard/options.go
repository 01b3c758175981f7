package guard

import (
	"fmt"
	"math"
	"time"
)

// Defaults of [Options].
const (
	DefaultHeadBytes     = 16 << 10
	DefaultFields        = 100
	DefaultTargetBytes   = 8 << 10
	DefaultBodyBytes     = 256 << 10
	DefaultHeadTimeout   = 5 * time.Second
	DefaultBodyTimeout   = 5 * time.Second
	DefaultIdleTimeout   = 75 * time.Second
	DefaultLingerTimeout = time.Second
	DefaultLingerBytes   = 1 << 20
)

// Limits that are not options, because nothing legitimate comes near them.
const (
	methodBytesMax    = 32
	lengthDigitsMax   = 18 // fits in 63 bits
	chunkDigitsMax    = 8  // net/http counts more digits as padding and gives up at some point
	extensionBytesMax = 1 << 10
	trailerBytesMax   = 1 << 10
	hostBytesMax      = 255
	headBytesMin      = 512
	serverWaitsMax    = 100 // idle timeouts that may pass while the server has a request to answer
)

// Options are the limits of a guard. Zero values stand for the defaults.
type Options struct {
	// HeadBytes limits the request line and the fields with their line ends. It is also the size
	// of the buffer that a connection has while a head arrives in parts.
	HeadBytes int

	// Fields limits the number of fields of a head.
	Fields int

	// TargetBytes limits the request target.
	TargetBytes int

	// BodyBytes limits the body: a declared length before anything of the body is read, a chunked
	// body by the sum of its chunks.
	BodyBytes int64

	// HeadTimeout limits the time from the first byte of a head to its last.
	HeadTimeout time.Duration

	// BodyTimeout limits the time for a whole body, from when the server begins to read it.
	BodyTimeout time.Duration

	// IdleTimeout limits how long a connection waits for the first byte of a head. It then closes
	// without an answer. The wait may end up to a 64th earlier.
	IdleTimeout time.Duration

	// LingerTimeout and LingerBytes limit how long and how much is read and dropped before a
	// connection closes on which the client may still be sending. Without that the client's system
	// would discard the answer.
	LingerTimeout time.Duration
	LingerBytes   int64

	// OnRefuse, if not nil, is called for each refusal, before the answer is written, with a code
	// of the package's table and the status. It is called by many goroutines.
	OnRefuse func(code string, status int)
	// Explain, if not nil, returns a text that the client is answered with, "" for none. It is
	// called as OnRefuse is.
	Explain func(code string, status int) string
}

// withDefaults fills in what is zero.
func (o Options) withDefaults() Options {
	set(&o.HeadBytes, DefaultHeadBytes)
	set(&o.Fields, DefaultFields)
	set(&o.TargetBytes, min(DefaultTargetBytes, o.HeadBytes))
	set(&o.BodyBytes, DefaultBodyBytes)
	set(&o.HeadTimeout, DefaultHeadTimeout)
	set(&o.BodyTimeout, DefaultBodyTimeout)
	set(&o.IdleTimeout, DefaultIdleTimeout)
	set(&o.LingerTimeout, DefaultLingerTimeout)
	set(&o.LingerBytes, DefaultLingerBytes)
	return o
}

func set[T comparable](value *T, otherwise T) {
	if *value == *new(T) {
		*value = otherwise
	}
}

// validate checks options that have their defaults.
func (o Options) validate() error {
	for _, limit := range []struct {
		name            string
		value, min, max int64
	}{
		{"HeadBytes", int64(o.HeadBytes), headBytesMin, 1 << 24},
		{"Fields", int64(o.Fields), 1, math.MaxInt32},
		{"TargetBytes", int64(o.TargetBytes), 1, int64(o.HeadBytes)},
		{"BodyBytes", o.BodyBytes, 1, math.MaxInt64 - math.MaxUint32}, // a chunk more does not overflow
		{"HeadTimeout", int64(o.HeadTimeout), 1, math.MaxInt64},
		{"BodyTimeout", int64(o.BodyTimeout), 1, math.MaxInt64},
		{"IdleTimeout", int64(o.IdleTimeout), 1, math.MaxInt64},
		{"LingerTimeout", int64(o.LingerTimeout), 1, math.MaxInt64},
		{"LingerBytes", o.LingerBytes, 1, math.MaxInt64},
	} {
		if limit.value < limit.min || limit.value > limit.max {
			return fmt.Errorf("guard: %s is %d, want %d to %d", limit.name, limit.value, limit.min, limit.max)
		}
	}
	return nil
}
