package coder

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
	luckMost  = 2
	luckLeast = -1
	missCost  = 1
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
// up: between Last and the field that was to follow, or to the top.
func (o *Order) follow(f uint8) {
	o.Missed++
	last := o.Last
	if f > OrderFields || last > OrderFields {
		o.Next[last] = f
		return
	}
	at := uint(o.places[last])
	if uint(o.places[f]) <= at {
		if f == last {
			return
		}
		next := o.Next[last]
		if place := (at + uint(o.places[next&OrderFields])) / 2; place > at {
			o.places[f], o.Next[f] = uint16(place), next
		} else {
			o.append(f)
		}
	}
	o.Next[last] = f
}

// append gives f the highest place.
func (o *Order) append(f uint8) {
	if o.top > 1<<16-1-placeGap {
		*o = Order{Mask: o.Mask, Last: o.Last, Missed: o.Missed, luck: o.luck}
	}
	o.top += placeGap
	o.places[f], o.Next[f] = o.top, 0
}

// Learn notes how well an object's keys were guessed, whether or not the guesses were used.
func (o *Order) Learn() {
	if o.Missed == 0 && o.luck == luckMost {
		return
	}
	o.luck = int8(max(min(int(o.luck)+1, luckMost)-missCost*int(o.Missed), luckLeast))
	o.Missed = 0
	o.Mask = ^uint8(o.luck >> 7)
}
