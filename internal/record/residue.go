package record

import (
	"bytes"
	"fmt"
	"net/netip"
	"slices"

	"github.com/rtbwire/rtbwire/internal/grammar"
	"github.com/rtbwire/rtbwire/internal/mem"
)

// residueMin is the length of the shortest value that is looked for elsewhere. Shorter ones would
// be found everywhere.
const residueMin = 6

// residueMax is how many different values are looked for. A request with more is not kept.
const residueMax = 256

// residue finds values at unnamed places, in any encoding of a URL or of JSON: an identifier in the
// URL of a page.
type residue struct {
	values map[string][]string // folded, by their first residueMin bytes
	count  int
	pairs  [1 << 16 / 64]uint64 // a bit for the first two bytes of each value
	folded []byte               // the text that is searched
	path   []byte               // of the value that is read
}

// sought are the values that are looked for elsewhere, by their paths in lower case, without
// indexes.
var sought = map[string]bool{
	"/device/ifa": true, "/device/didsha1": true, "/device/didmd5": true, "/device/dpidsha1": true, "/device/dpidmd5": true,
	"/device/macsha1": true, "/device/macmd5": true, addressPath: true, addressPath + "v6": true,
	"/device/geo/lat": true, "/device/geo/lon": true, "/user/geo/lat": true, "/user/geo/lon": true,
	"/user/id": true, "/user/buyeruid": true, "/user/customdata": true, "/user/eids/uids/id": true, "/user/ext/eids/uids/id": true,
	"/ext/eids/uids/id": true, "/ext/user/id": true, "/ext/user/buyeruid": true, "/ext/user/eids/uids/id": true, "/ext/device/ifa": true,
}

const addressPath = "/device/ip"

// find notes the values of a request, in all spellings and copies of their keys. The body could be
// decoded.
func (r *residue) find(body []byte) error {
	r.values, r.count = map[string][]string{}, 0
	clear(r.pairs[:])
	w := grammar.Walk{Scanner: grammar.Scanner{Data: body, Depth: grammar.DepthMax, Tolerant: true}}
	w.Value = func(at int) bool {
		if !r.seek(w.Path) {
			return true
		}
		switch body[at] {
		case '"':
			if end := grammar.StringEnd(body, at); end > 0 { // otherwise the walk ends here
				r.leaf(grammar.Unescape(body[at+1 : end-1]))
			}
		case '{', '[', 't', 'f', 'n':
		default:
			r.leaf(string(body[at:grammar.ValueEnd(body, at)]))
		}
		return true
	}
	if !w.Document() {
		return fmt.Errorf("expected JSON: %s (byte %d)", w.Expected, w.At)
	}
	if r.count > residueMax {
		return fmt.Errorf("more than %d identifiers", residueMax)
	}
	return nil
}

// seek notes the path of a value, and reports whether it is looked for.
func (r *residue) seek(place []grammar.Element) bool {
	r.path = r.path[:0]
	for i := range place {
		if place[i].Object {
			r.path = appendLower(append(r.path, '/'), place[i].Name())
		}
	}
	return sought[string(r.path)]
}

// leaf notes a value at the path.
func (r *residue) leaf(value string) {
	if bytes.HasPrefix(r.path, []byte(addressPath)) {
		// An address that is its own network stays where it is.
		if a, err := netip.ParseAddr(value); err == nil && truncated(a) == a {
			return
		}
	}
	r.add(value)
	// Where the value itself is encoded, it may be plain elsewhere.
	for s, changed := (spelling{text: []byte(value)}), true; changed; {
		if s, changed = s.undo(encodings[1]); changed {
			r.add(string(s.text))
		}
	}
}

// add notes a value that is looked for.
func (r *residue) add(value string) {
	if len(value) < residueMin || r.count > residueMax {
		return
	}
	value = string(appendFolded(nil, value))
	begin := value[:residueMin]
	if slices.Contains(r.values[begin], value) {
		return
	}
	r.values[begin] = append(r.values[begin], value)
	r.count++
	pair := pairOf(value)
	r.pairs[pair/64] |= 1 << (pair % 64)
}

// pairOf returns the first two bytes of a text as a number.
func pairOf[T string | []byte](text T) int { return int(text[0])<<8 | int(text[1]) }

// overwrite replaces what is left of the values in a document, in keys too, in any case of ASCII
// letters and below up to layersMax encodings. The document keeps its length; where a value was a
// number, it is not JSON any more.
func (r *residue) overwrite(doc []byte) {
	if r.count > 0 {
		r.search(doc, spelling{text: bytes.Clone(doc)}, layersMax)
	}
}

// search overwrites the values that a spelling of the document has, and goes on with what it stands
// for if it is the text of another encoding.
func (r *residue) search(doc []byte, s spelling, layers int) {
	r.folded = appendFolded(r.folded[:0], s.text)
	for at := 0; at+residueMin <= len(r.folded); at++ {
		text := r.folded[at:]
		if pair := pairOf(text); r.pairs[pair/64]>>(pair%64)&1 == 0 {
			continue
		}
		for _, value := range r.values[string(text[:residueMin])] {
			if !bytes.HasPrefix(text, mem.Bytes(value)) {
				continue
			}
			place := s.place(at, at+len(value))
			for i := place.from; i < place.to; i++ {
				doc[i] = 'x'
			}
		}
	}
	if layers == 0 {
		return
	}
	for _, e := range encodings {
		if plain, changed := s.undo(e); changed {
			r.search(doc, plain, layers-1)
		}
	}
}

func appendLower[T string | []byte](b []byte, text T) []byte {
	for i := range len(text) {
		c := text[i]
		if c-'A' < 26 {
			c |= 0x20
		}
		b = append(b, c)
	}
	return b
}
