package batch

import (
	"bytes"

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
	var k keyScanner
	k.Data, k.Depth, k.Tolerant = doc, grammar.DepthMost, true
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
