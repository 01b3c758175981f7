package record

import (
	"bytes"
	"fmt"
	"net/netip"

	"github.com/rtbwire/rtbwire/internal/grammar"
)

// residueMin is the length of the shortest value that is looked for elsewhere. Shorter ones would
// be found everywhere.
const residueMin = 6

// residueMax is how many values are looked for.
const residueMax = 64

// residue finds values at unnamed places: an identifier in the URL of a page.
type residue struct {
	values [][]byte // in lower case
	text   []byte   // of values
	lower  []byte   // the document in lower case
	path   []byte   // of the value that is read
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
	r.values, r.text = r.values[:0], r.text[:0]
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
}

func (r *residue) add(value string) {
	if len(value) < residueMin || len(r.values) >= residueMax {
		return
	}
	from := len(r.text)
	r.text = appendLower(r.text, value)
	r.values = append(r.values, r.text[from:len(r.text):len(r.text)])
}

// overwrite replaces what is left of the values in a document, in any case of ASCII letters. The
// document keeps its length; where a value was a number, it is not JSON any more.
func (r *residue) overwrite(doc []byte) {
	if len(r.values) == 0 {
		return
	}
	r.lower = appendLower(r.lower[:0], doc)
	for _, value := range r.values {
		for at := 0; ; {
			i := bytes.Index(r.lower[at:], value)
			if i < 0 {
				break
			}
			at += i
			for j := range value {
				doc[at+j] = 'x'
			}
			at += len(value)
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
