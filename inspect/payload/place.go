package payload

import "github.com/rtbwire/rtbwire/internal/grammar"

// Place is where a match is.
type Place struct {
	Pointer string // the JSON Pointer to the string, or to the member whose key it is
	Key     bool   // the string is a key
}

// Locate returns where a byte of a document's strings is. ok is false if the document is not JSON
// up to there, or if the byte is outside strings. Of a string that is broken or has no end,
// everything after its beginning counts as part of it.
func Locate(body []byte, offset int) (place Place, ok bool) {
	LocateAll(body, []int{offset}, func(_ int, p Place) { place, ok = p, true })
	return place, ok
}

// LocateAll is Locate for several offsets, in rising order, in one walk: a document can have all
// patterns, and a walk for each would take long. It calls found for those that are in strings, with
// the number of the offset.
func LocateAll(body []byte, offsets []int, found func(number int, place Place)) {
	w := grammar.Walk{Scanner: grammar.Scanner{Data: body, Depth: depthMax}}
	next := 0
	w.Text = func(begin, end int, key bool) bool {
		for next < len(offsets) && offsets[next] < begin {
			next++ // outside strings
		}
		if next < len(offsets) && offsets[next] < end {
			place := Place{grammar.CutPointer(w.Pointer()), key}
			for ; next < len(offsets) && offsets[next] < end; next++ {
				found(next, place)
			}
		}
		return next < len(offsets)
	}
	w.Document()
}
