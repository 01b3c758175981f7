package window

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"
)

// Defaults and bounds of [Options] and [Limits].
const (
	WindowDefault   = time.Minute
	WindowMin       = time.Second
	WindowMax       = time.Hour
	IDWindowDefault = 10 * time.Minute
	IDWindowMax     = 24 * time.Hour

	IPv6BitsDefault = 64

	IFAsDefault      = 1 << 18
	AddressesDefault = 1 << 18
	IDsDefault       = 1 << 20
	EntriesMax       = 1 << 30

	BytesMaxDefault = 1 << 30

	// IFALen is the length of the longest advertising identifier that is counted, in bytes. Longer
	// ones are not identifiers.
	IFALen = 64
)

// Options say what is counted. The zero value of each field is its default.
type Options struct {
	// Window is the time in which requests with an advertising identifier or an address are
	// counted, from [WindowMin] to [WindowMax]; [WindowDefault]. A count has all requests of the
	// last three quarters of it, and none that are older than all of it.
	Window time.Duration
	// IDWindow is how long the id of a request is remembered, from twice the window to
	// [IDWindowMax]; [IDWindowDefault], or twice the window if that is more. An id is forgotten
	// when that time is over, at most a 64th of it earlier.
	IDWindow time.Duration
	// EventTime is whether requests carry event times, as in streams and files, in which any of
	// them may be wrong. The default is the monotonic clock, which never jumps.
	EventTime bool
	// IPv6Bits is the length of the prefix that counts as one address, from 1 to 128;
	// [IPv6BitsDefault], the network of one customer.
	IPv6Bits int

	// Partners are the partners. Each has tables of its own, which no other sender can fill.
	Partners map[string]Partner
	// Shared is the capacity that is divided among the partners without limits and the others,
	// which have one share: all names that are not in Partners, and requests of nobody known.
	Shared Limits
	// BytesMax is how much memory the tables may take together; [BytesMaxDefault].
	BytesMax int64
}

// Partner says how large the tables of a partner are.
type Partner struct {
	// Limits are its tables'. Their zero value is a share of [Options.Shared].
	Limits Limits
	// Rate is how many requests the partner sends in a second at most, 0 if that is not known. Its
	// share is not larger than so many need.
	Rate int
}

// Limits are the capacities of tables in different keys, each from 1 to [EntriesMax]. With as many
// keys in a window, fewer than 1 in 500 are forgotten before their window ends; with more, the
// oldest are. The zero value of each field is its default.
type Limits struct {
	IFAs      int // advertising identifiers in [Options.Window]; [IFAsDefault]
	Addresses int // addresses in [Options.Window]; [AddressesDefault]
	IDs       int // ids of requests in [Options.IDWindow]; [IDsDefault]
}

// Bytes returns how much memory [New] allocates with the options. The system provides it when it is
// used first. It returns an error for options that New refuses.
func (o Options) Bytes() (int64, error) {
	err := o.validate()
	if err != nil {
		return 0, err
	}
	return o.capacities().bytes(), nil
}

// validate refuses values that are out of range, and fills in the defaults. It changes no map.
func (o *Options) validate() error {
	o.Window = cmp.Or(o.Window, WindowDefault)
	o.IDWindow = cmp.Or(o.IDWindow, max(IDWindowDefault, 2*o.Window))
	o.IPv6Bits = cmp.Or(o.IPv6Bits, IPv6BitsDefault)
	o.BytesMax = cmp.Or(o.BytesMax, BytesMaxDefault)
	switch {
	case o.Window < WindowMin || o.Window > WindowMax:
		return fmt.Errorf("window of %v: expected %v to %v", o.Window, WindowMin, WindowMax)
	case o.IDWindow < 2*o.Window || o.IDWindow > IDWindowMax:
		// A repeated record must be remembered for as long as it could be counted.
		return fmt.Errorf("window of ids of %v: expected %v, twice the window, to %v", o.IDWindow, 2*o.Window, IDWindowMax)
	case o.IPv6Bits < 1 || o.IPv6Bits > 128:
		return fmt.Errorf("IPv6 prefix of %d bits: expected 1 to 128", o.IPv6Bits)
	case o.BytesMax < 0:
		return fmt.Errorf("memory limit of %d bytes: expected a positive number", o.BytesMax)
	}
	if err := o.Shared.validate(); err != nil {
		return fmt.Errorf("what partners share: %w", err)
	}
	o.Partners = maps.Clone(o.Partners)
	for _, name := range slices.Sorted(maps.Keys(o.Partners)) {
		p := o.Partners[name]
		if p.Rate < 0 {
			return fmt.Errorf("partner %q: %d requests a second: expected a positive number", name, p.Rate)
		}
		if p.Limits == (Limits{}) {
			continue
		}
		if err := p.Limits.validate(); err != nil {
			return fmt.Errorf("partner %q: %w", name, err)
		}
		o.Partners[name] = p
	}
	if limit, need := min(o.BytesMax, math.MaxInt), o.capacities().bytes(); need > limit {
		return fmt.Errorf("the tables of %d partners and the others take %d bytes: expected at most %d", len(o.Partners), need, limit)
	}
	return nil
}

// sameWindows reports whether only limits differ.
func (o *Options) sameWindows(other *Options) bool {
	return o.Window == other.Window && o.IDWindow == other.IDWindow && o.EventTime == other.EventTime && o.IPv6Bits == other.IPv6Bits
}

func (l *Limits) validate() error {
	for _, f := range []struct {
		name      string
		n         *int
		otherwise int
	}{{"ifas", &l.IFAs, IFAsDefault}, {"addresses", &l.Addresses, AddressesDefault}, {"ids", &l.IDs, IDsDefault}} {
		*f.n = cmp.Or(*f.n, f.otherwise)
		if *f.n < 1 || *f.n > EntriesMax {
			return fmt.Errorf("capacity of %d %s: expected 1 to %d", *f.n, f.name, EntriesMax)
		}
	}
	return nil
}

func (l Limits) bytes() int64 {
	return tableBytes(l.IFAs, countWays) + tableBytes(l.Addresses, countWays) + tableBytes(l.IDs, idWays)
}
