// Package window counts requests in sliding windows: how many had the same advertising identifier
// or address, and whether a request id is a duplicate. Its answers fill the fields of state in
// [facts.Facts], which fraud signals read.
//
//	windows, err := window.New(window.Options{
//		Partners: map[string]window.Partner{"exchange-a": {Rate: 20_000}},
//	})
//	...
//	windows.Fill(&f, request, window.Delivery{}) // before the request is judged
//
// Each partner of the options has tables of its own, and all others have one set together, so that
// neither partners nor strangers can make the windows forget what a partner sent. Keys are hashed
// with a secret seed.
//
// All memory is allocated by [New]. A table that is full forgets its oldest entry for a new one.
// Observing a request allocates nothing. All methods may be called by several goroutines at once.
//
// Windows are state of one process: several processes count each for themselves, and a new
// process begins with empty windows. docs/lookups.md has the errors of counts, what clocks that
// jump do, and what windows cost.
package window

import (
	"hash/maphash"
	"maps"
	"slices"
	"time"

	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/openrtb"
)

// Windows count the requests of all partners.
type Windows struct {
	options  Options
	seed     maphash.Seed
	base     time.Time // slots are counted from here
	partners map[string]*partner
	others   *partner // of the names that partners does not have
}

// partner has what is known of the requests of one partner.
type partner struct {
	limits          Limits
	counting        clock // of ifas and addresses
	remembering     clock // of ids
	ifas, addresses countTable
	ids             idTable
}

// Delivery says which record of a stream a request came with. A record that is delivered again is
// not a duplicate of itself, and is not counted again. The zero value is for requests that did not
// come from a stream.
type Delivery struct {
	Topic     string
	Partition int32
	Offset    int64
}

// Answers are what the windows know about a request.
type Answers struct {
	// Seen is whether another request of the partner had the id.
	Seen bool
	// Redelivered is whether the same record was observed before.
	Redelivered bool
	// Counts are the partner's requests in the window, with this one. They are 0 for a request
	// without the value, and for one that is not counted because of its time.
	Counts rule.Counts
}

// New allocates the tables. It fails for options that are out of range.
func New(o Options) (*Windows, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	w := &Windows{options: o, seed: maphash.MakeSeed(), base: time.Now()}
	if o.EventTime {
		w.base = time.Unix(0, 0)
	}
	w.allocate(nil)
	return w, nil
}

// Reconfigure returns windows with other options. They share with w the tables of partners about
// which the options say the same, and those of the others; both may be used at once. Shares are not
// divided again because partners come or go, unless there is no memory for the new ones otherwise.
// All other tables begin empty; if more changes than partners and limits, all do.
func (w *Windows) Reconfigure(o Options) (*Windows, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	if !o.sameWindows(&w.options) {
		return New(o)
	}
	next := &Windows{options: o, seed: w.seed, base: w.base}
	next.allocate(w)
	return next, nil
}

// allocate makes the tables that are not those of before, which may be nil.
func (w *Windows) allocate(before *Windows) {
	limits := w.options.capacities()
	if before != nil {
		if kept := before.keep(&w.options, limits); kept.bytes() <= w.options.BytesMax {
			limits = kept
		}
	}
	w.partners = make(map[string]*partner, len(limits.partners))
	for name, own := range limits.partners {
		if before != nil && before.partners[name] != nil && before.partners[name].limits == own {
			w.partners[name] = before.partners[name]
			continue
		}
		w.partners[name] = w.newPartner(own)
	}
	if before != nil && before.others.limits == limits.others {
		w.others = before.others
		return
	}
	w.others = w.newPartner(limits.others)
}

// keep returns the capacities of other options, but those in use where the options say the same
// about a partner, or about the others.
func (w *Windows) keep(o *Options, c capacities) capacities {
	c.partners = maps.Clone(c.partners)
	for name := range c.partners {
		if old := w.partners[name]; old != nil && w.options.Partners[name] == o.Partners[name] && w.options.Shared == o.Shared {
			c.partners[name] = old.limits
		}
	}
	if w.options.Shared == o.Shared {
		c.others = w.others.limits
	}
	return c
}

func (w *Windows) newPartner(l Limits) *partner {
	p := &partner{
		limits: l, ifas: newCountTable(l.IFAs), addresses: newCountTable(l.Addresses), ids: newIDTable(l.IDs),
	}
	p.counting.init(countSlots, w.options.EventTime)
	p.remembering.init(idSlots, w.options.EventTime)
	return p
}

// partner returns the tables for a name, and what sets its keys apart from those of other names in
// the same tables.
func (w *Windows) partner(name string) (p *partner, salt uint64) {
	if p := w.partners[name]; p != nil {
		return p, 0
	}
	return w.others, maphash.String(w.seed, name)
}

// Fill writes the answers about a request into its facts, which have the partner and the time. It
// is [Windows.Observe] for front ends.
func (w *Windows) Fill(f *rule.Facts, r *openrtb.BidRequest, d Delivery) {
	a := w.Observe(f.Partner, r, f.Time, d)
	f.Seen, f.Counts = a.Seen, a.Counts
}

// Observe counts a request of a partner, and returns what is known about it then. The time is when
// the request arrived, as [time.Now] returned it; with [Options.EventTime] when the event happened.
// A request of the zero time is not observed. Observe keeps no part of the request.
func (w *Windows) Observe(name string, r *openrtb.BidRequest, at time.Time, d Delivery) (a Answers) {
	if at.IsZero() {
		return a
	}
	p, salt := w.partner(name)
	k := w.keys(r, d, salt)
	p.prefetch(&k)
	since := at.Sub(w.base)
	slot := slotAt(since, w.options.IDWindow/idSlots)
	if p.remembering.admit(slot) != late && k.id != 0 {
		a.Seen, a.Redelivered = p.remember(slot, &k)
	}
	slot = slotAt(since, w.options.Window/countSlots)
	if p.counting.admit(slot) == inside {
		add := !a.Redelivered
		a.Counts.IFA = p.ifas.observe(&p.counting, slot, k.ifa, add)
		a.Counts.Address = p.addresses.observe(&p.counting, slot, k.address, add)
	}
	return a
}

// remember looks up the id of a request. Only a request's id and its first delivery are one entry:
// a duplicate from a stream has an entry of its own, so that a repetition is recognised.
func (p *partner) remember(slot int64, k *keys) (seen, redelivered bool) {
	seen, redelivered = p.ids.observe(&p.remembering, slot, k.id, deliveryTag(k.delivery))
	switch {
	case redelivered:
		return false, true
	case seen && k.delivery != 0:
		_, redelivered = p.ids.observe(&p.remembering, slot, k.again(), deliveryTag(k.delivery))
	}
	return seen && !k.idMissing, redelivered
}

// prefetch reads a word of each cache line that the lookups need, so that the lines come from
// memory at the same time. A lock would let the processor read only one after the other.
func (p *partner) prefetch(k *keys) {
	p.ids.prefetch(k.id)
	p.ifas.prefetch(k.ifa)
	p.addresses.prefetch(k.address)
}

// slotAt returns the number of the slot that a time is in, rounding down.
func slotAt(since, length time.Duration) int64 {
	slot := since / length
	if since%length < 0 {
		slot--
	}
	return int64(slot)
}

// Stats are numbers since the tables of a partner were made.
type Stats struct {
	// Forgotten are the entries that were removed before their window ended, because the table was
	// full: a table whose number grows steadily is too small.
	Forgotten struct{ IFAs, Addresses, IDs uint64 }
	// Late are requests that were not counted because they are older than the window, Ahead those
	// too far ahead of the partner's clock, and Jumps how often many of them moved the clock.
	Late, Ahead, Jumps uint64
}

// Stats returns the numbers of a partner. All names that are not partners share theirs.
func (w *Windows) Stats(name string) (s Stats) {
	p, _ := w.partner(name)
	s.Forgotten.IFAs, s.Forgotten.Addresses, s.Forgotten.IDs = p.ifas.forgotten(), p.addresses.forgotten(), p.ids.forgotten()
	s.Late, s.Ahead, s.Jumps = p.counting.stats()
	return s
}

// Partners returns the names that have tables of their own, in order.
func (w *Windows) Partners() []string { return slices.Sorted(maps.Keys(w.partners)) }
