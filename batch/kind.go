package batch

import (
	"bytes"

	"github.com/rtbwire/rtbwire/inspect/schema"
	"github.com/rtbwire/rtbwire/internal/grammar"
)

// DetectType tells whether a document is a bid request or a bid response, by the names at
// its top level and without decoding it. The first name that only one of the two has
// decides: "imp", "site", "app", "device", "user", "at", "tmax" and the rest of a request's,
// "seatbid", "nbr", "bidid" and "customdata" of a response's. A document that has neither
// is a response if all it has is among "id", "cur" and "ext" (a no-bid, the smallest being
// {}), and a request otherwise. What is not a JSON object counts as a request.
//
// An object that breaks the grammar before a name that decides is a response if its text holds
// "seatbid" and not "imp", and a request otherwise.
//
// It allocates only for names with escapes. Usually the first two names decide.
func DetectType(doc []byte) schema.Doc {
	var k keyScanner
	k.Data, k.Depth, k.Tolerant = doc, grammar.DepthMost, true
	neutral := true
	if !k.open() {
		return schema.Request
	}
	for k.key() {
		switch string(k.name) { // no allocation: a conversion for comparison only
		case "imp", "site", "app", "dooh", "device", "user", "at", "tmax", "test", "wseat", "bseat",
			"allimps", "wlang", "wlangb", "acat", "bcat", "cattax", "badv", "bapp", "source", "regs":
			return schema.Request
		case "seatbid", "nbr", "bidid", "customdata":
			return schema.Response
		case "id", "cur", "ext":
		default:
			neutral = false
		}
		if !k.skipValue() {
			break
		}
	}
	switch {
	case !k.closed:
		return guess(doc)
	case neutral:
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
