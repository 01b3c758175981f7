package coder

import "math/bits"

// Order is what a decoder has learned of the order in which a producer writes the keys of one
// object type: for each field, the one that followed it last time, and at index 0 the first.
//
// A right guess saves the search for the key's end; a wrong one costs a mispredicted branch.
// So Order keeps count of its luck, and stops guessing for a while when it is out of it.
//
// Guesses lead upward: each field that was found has a place, a guess is a field whose place is
// above that of the one before it, and in the object that is read no field has a place above that
// of Last. So a member that was guessed right has not come before, and only those found by search
// are checked for that. It holds for types whose objects are not inside each other, with at most
// [OrderFields] fields.
type Order struct {
	Next   [256]uint8 // as long as any field's number
	Mask   uint8      // 0xff while guessing pays, else 0
	Last   uint8      // the field read last in the current object, 0 at its beginning
	Missed uint8      // keys of the current object that were not the ones guessed
	luck   int8
	places [OrderFields + 1]uint16 // 0 for a field that was never found
	top    uint16                  // the highest place
}

// OrderFields is the number of fields up to which a guess excludes that the member came before.
const OrderFields = 63

const (
	luckMax  = 2
	luckMin  = -1
	missCost = 1
)

// placeGap is the distance between places. Fields can move in between.
const placeGap = 1 << 8

// Found notes that field f was found after Last without a guess.
func (o *Order) Found(f uint8) {
	if f != o.Next[o.Last] {
		o.follow(f)
	}
}

// follow makes f the field that is guessed after Last. If its place is not above Last's, it moves
// up: between Last and the field that was to follow, or to the top. The branches that traffic
// decides are conditional moves.
func (o *Order) follow(f uint8) {
	o.Missed++
	last := o.Last
	if f > OrderFields || last > OrderFields {
		o.Next[last] = f
		return
	}
	if f == last {
		return
	}
	if o.top > 1<<16-1-placeGap {
		*o = Order{Mask: o.Mask, Last: last, Missed: o.Missed, luck: o.luck}
	}
	next := o.Next[last]
	at := uint(o.places[last])
	place, follower := uint(o.places[f]), o.Next[f]
	higher := (at + uint(o.places[next&OrderFields])) / 2
	top := uint(o.top) + placeGap
	inserts := uint8(int(at-higher) >> (bits.UintSize - 1)) // all ones if there is room above at, else 0
	if higher <= at {
		higher = top
	}
	rises := uint8(int(place-at-1) >> (bits.UintSize - 1)) // all ones if f moves, else 0
	if place <= at {
		place = higher
	}
	follower = follower&^rises | next&inserts&rises
	o.places[f], o.Next[f], o.Next[last] = uint16(place), follower, f
	o.top = uint16(max(uint(o.top), place))
}

// Learn notes how well an object's keys were guessed, whether or not the guesses were used.
func (o *Order) Learn() {
	if o.Missed == 0 && o.luck == luckMax {
		return
	}
	o.luck = int8(max(min(int(o.luck)+1, luckMax)-missCost*int(o.Missed), luckMin))
	o.Missed = 0
	o.Mask = ^uint8(o.luck >> 7)
}
