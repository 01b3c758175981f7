package wire

// Order is what a decoder has learned of the order in which a producer writes the keys of one
// object type: for each field, the one that followed it last time, and at index 0 the first.
//
// A right guess saves the search for the key's end; a wrong one costs a mispredicted branch.
// So Order keeps count of its luck, and stops guessing for a while when it is out of it.
type Order struct {
	Next   [256]uint8 // as long as any field's number
	Mask   uint8      // 0xff while guessing pays, else 0
	Last   uint8      // the field read last in the current object, 0 at its beginning
	Missed uint8      // keys of the current object that were not the ones guessed
	luck   int8
}

const (
	luckMost  = 2
	luckLeast = -1
	missCost  = 1
)

// Found notes that field f was found behind Last without a guess.
func (o *Order) Found(f uint8) {
	if f != o.Next[o.Last] {
		o.Missed++
		o.Next[o.Last] = f
	}
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
