package batch

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"github.com/rtbwire/rtbwire/inspect/schema"
	"github.com/rtbwire/rtbwire/internal/grammar"
)

// DetectType tells whether a document is a bid request or a bid response, by the names at its top
// level and without decoding it. The first name that only one of the two has decides: a request
// has "imp", for instance, and a response "seatbid". A document without such a name is a response
// if all of its names belong to both, like "id" (a no-bid, the smallest being {}), and a request
// otherwise. Anything but a JSON object counts as a request.
//
// An object that breaks the grammar before a name that decides is a response if its text holds
// "seatbid" and not "imp", and a request otherwise.
//
// It allocates only for names with escapes. Usually the first two names decide.
func DetectType(doc []byte) schema.Doc {
	if d, ok := quickType(doc); ok {
		return d
	}
	return slowType(doc)
}

// quickType decides about a document without white space before the name that decides, whose
// values up to there are plain strings: most begin with the id. It leaves all others to slowType.
func quickType(doc []byte) (d schema.Doc, ok bool) {
	for quote := 1; quote < len(doc) && doc[0] == '{' && doc[quote] == '"'; {
		colon := plainEnd(doc, quote)
		if colon >= len(doc) || doc[colon] != ':' {
			break
		}
		switch inRequest, inResponse := schema.TopLevel(doc[quote+1 : colon-1]); {
		case inRequest && !inResponse:
			return schema.Request, true
		case inResponse && !inRequest:
			return schema.Response, true
		}
		if quote = colon + 1; quote >= len(doc) || doc[quote] != '"' {
			break
		}
		comma := plainEnd(doc, quote)
		if comma >= len(doc) || doc[comma] != ',' {
			break
		}
		quote = comma + 1
	}
	return 0, false
}

// plainEnd returns the position after the string that begins with the given quote, or len(doc) if
// its bytes are not all printable ASCII without backslash, or fewer than eight follow them.
func plainEnd(doc []byte, quote int) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	for i := quote + 1; i+8 <= len(doc); i += 8 {
		w := binary.LittleEndian.Uint64(doc[i:])
		quotes, slashes := w^ones*'"', w^ones*'\\'
		// The lowest bit that is set is right; a borrow may set higher ones.
		stops := ((quotes-ones)&^quotes | (slashes-ones)&^slashes | (w-ones*' ')&^w | w) & tops
		if stops == 0 {
			continue
		}
		if i += bits.TrailingZeros64(stops) / 8; doc[i] == '"' {
			return i + 1
		}
		break
	}
	return len(doc)
}

// slowType is DetectType for any text.
func slowType(doc []byte) schema.Doc {
	var k keyScanner
	k.Data, k.Depth, k.Tolerant = doc, grammar.DepthMax, true
	known := true // all names so far belong to both
	if !k.open() {
		return schema.Request
	}
	for k.key() {
		switch inRequest, inResponse := schema.TopLevel(k.name); {
		case inRequest && !inResponse:
			return schema.Request
		case inResponse && !inRequest:
			return schema.Response
		case !inRequest:
			known = false
		}
		if !k.skipValue() {
			break
		}
	}
	switch {
	case !k.closed:
		return guess(doc)
	case known:
		return schema.Response
	}
	return schema.Request
}

// typeOf applies the option to a document.
func (t Type) typeOf(doc []byte) schema.Doc {
	switch t {
	case Requests:
		return schema.Request
	case Responses:
		return schema.Response
	}
	return DetectType(doc)
}

// keyScanner walks over the members of the outermost object.
type keyScanner struct {
	grammar.Scanner
	name   []byte // the last key
	closed bool   // the object's end was met
}

// open enters the object.
func (k *keyScanner) open() bool {
	k.Space()
	if k.Peek() != '{' || !k.Open() {
		return false
	}
	k.Space()
	k.closed = k.Peek() == '}'
	return true
}

// key reads up to the value of the next member.
func (k *keyScanner) key() (ok bool) {
	if k.closed {
		return false
	}
	if k.name, ok = k.Key(); !ok {
		return false
	}
	if k.Escaped {
		k.name = []byte(grammar.Unescape(k.name))
	}
	return k.Colon()
}

// skipValue reads a value and what follows it.
func (k *keyScanner) skipValue() bool {
	if !k.Skip(nil) {
		return false
	}
	more, ok := k.More('}')
	k.closed = ok && !more
	return ok
}

// guess decides about an object that is not JSON, by the names that no useful request or
// response lacks.
func guess(doc []byte) schema.Doc {
	if bytes.Contains(doc, []byte(`"seatbid"`)) && !bytes.Contains(doc, []byte(`"imp"`)) {
		return schema.Response
	}
	return schema.Request
}
