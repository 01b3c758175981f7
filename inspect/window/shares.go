package window

import (
	"cmp"
	"maps"
	"math"
	"math/bits"
	"slices"
	"time"
)

// The least that a share of [Options.Shared] has, where that is not less itself. So partners that
// are many get more than there is to share, up to [Options.BytesMax].
const (
	IFAsMin      = 1 << 10
	AddressesMin = 1 << 10
	IDsMin       = 1 << 12
)

// capacities are the limits of the tables of partners, and of those of the others.
type capacities struct {
	partners map[string]Limits
	others   Limits
}

// capacities divides what is shared. The options have their defaults.
func (o *Options) capacities() capacities {
	c := capacities{partners: make(map[string]Limits, len(o.Partners))}
	var names []string
	var needs []Limits
	for _, name := range slices.Sorted(maps.Keys(o.Partners)) {
		own := o.Partners[name]
		if own.Limits != (Limits{}) {
			c.partners[name] = own.Limits
			continue
		}
		names, needs = append(names, name), append(needs, o.need(own.Rate))
	}
	shares := divide(o.Shared, append(needs, o.need(0)))
	for i, name := range names {
		c.partners[name] = shares[i]
	}
	c.others = shares[len(names)]
	return c
}

func (c capacities) bytes() (sum int64) {
	for _, l := range c.partners {
		sum += l.bytes()
	}
	return sum + c.others.bytes()
}

// Only returns options for a process that has requests of one partner only, or of nobody known for
// the name "": nothing is kept for others.
func (o Options) Only(name string) (Options, error) {
	if err := o.validate(); err != nil {
		return o, err
	}
	own, known := o.Partners[name]
	o.Partners = nil
	if !known {
		return o, nil
	}
	if own.Limits == (Limits{}) {
		own.Limits = divide(o.Shared, []Limits{o.need(own.Rate)})[0]
	}
	o.Partners, o.Shared = map[string]Partner{name: own}, Limits{1, 1, 1}
	return o, nil
}

// need returns the limits with which nothing is forgotten at a rate, however different the requests
// are. A rate of 0 is unknown.
func (o *Options) need(rate int) Limits {
	counts := entriesOf(rate, o.Window)
	return Limits{IFAs: counts, Addresses: counts, IDs: entriesOf(rate, o.IDWindow)}
}

// entriesOf returns how many entries the requests of a window need, at most [EntriesMax].
func entriesOf(rate int, window time.Duration) int {
	if rate == 0 {
		return EntriesMax
	}
	return int(min(requestsIn(rate, window), EntriesMax))
}

// requestsIn returns how many requests come in a time, rounded up.
func requestsIn(rate int, window time.Duration) uint64 {
	high, low := bits.Mul64(uint64(rate), uint64(window))
	if high >= uint64(time.Second) {
		return math.MaxUint64
	}
	n, rest := bits.Div64(high, low, uint64(time.Second))
	if rest > 0 {
		n++
	}
	return n
}

// lasts returns for how long so many entries are enough at a rate, at most the window.
func lasts(entries, rate int, window time.Duration) time.Duration {
	if uint64(entries) >= requestsIn(rate, window) {
		return window
	}
	return time.Duration(float64(entries) / float64(rate) * float64(time.Second))
}

// divide shares out limits, those of each kind by themselves.
func divide(shared Limits, needs []Limits) []Limits {
	shares := make([]Limits, len(needs))
	for _, kind := range []struct {
		of    func(*Limits) *int
		least int
	}{
		{func(l *Limits) *int { return &l.IFAs }, IFAsMin},
		{func(l *Limits) *int { return &l.Addresses }, AddressesMin},
		{func(l *Limits) *int { return &l.IDs }, IDsMin},
	} {
		divideOne(*kind.of(&shared), kind.least, len(needs),
			func(i int) int { return *kind.of(&needs[i]) }, func(i, n int) { *kind.of(&shares[i]) = n })
	}
	return shares
}

// divideOne gives nobody more than it needs, and equal parts of what is left to those who need more
// than that. Nobody gets less than the least, or than all there is.
func divideOne(capacity, least, n int, need func(i int) int, give func(i, n int)) {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(need(a), need(b)) })
	left := capacity
	for done, i := range order {
		part := min(need(i), left/(n-done))
		left -= part
		give(i, max(part, min(least, capacity)))
	}
}

// Reach says how far back windows remember the ids of a partner.
type Reach struct {
	Partner string
	// Rate is the partner's, 0 if it is not known.
	Rate int
	// IDs is how many ids its table has room for.
	IDs int
	// Time is how long an id is remembered at the rate, with as many new ids as requests:
	// [Options.IDWindow] if there is room enough. It is 0 if the rate is not known.
	Time time.Duration
	// Window is [Options.IDWindow], and Short whether Time is less than that. Need is the capacity
	// for all of it then, and Bytes the memory of a table with that.
	Window time.Duration
	Short  bool
	Need   int
	Bytes  int64
}

// Reaches returns how far back windows remember the ids of partners, in the order of their names.
// It returns an error for options that [New] refuses.
func (o Options) Reaches() (list []Reach, err error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	c := o.capacities()
	for _, name := range slices.Sorted(maps.Keys(c.partners)) {
		r := Reach{Partner: name, Rate: o.Partners[name].Rate, IDs: c.partners[name].IDs, Window: o.IDWindow}
		if r.Rate > 0 {
			r.Time = lasts(r.IDs, r.Rate, o.IDWindow)
			if r.Short = r.Time < o.IDWindow; r.Short {
				r.Need = entriesOf(r.Rate, o.IDWindow)
				r.Bytes = tableBytes(r.Need, idWays)
			}
		}
		list = append(list, r)
	}
	return list, nil
}
