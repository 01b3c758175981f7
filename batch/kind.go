package batch

import "github.com/rtbwire/rtbwire/inspect/schema"

// DetectType tells whether a document is a bid request or a bid response, by the names at its top
// level and without decoding it. The first name that only one of the two has decides: a request
// has "imp", for instance, and a response "seatbid". A document without such a name is a response
// if all of its names belong to both, like "id" (a no-bid, the smallest being {}), and a request
// otherwise. Anything but a JSON object counts as a request.
//
// It does not allocate, and usually two names are enough.
func DetectType(doc []byte) schema.Doc {
	k := keyScanner{text: doc}
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
			return schema.Request
		}
	}
	if known && k.closed {
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

// keyScanner walks over the members of the outermost object. It trusts the text: the check
// reports what is not JSON. Here such a text only has to come to an end.
type keyScanner struct {
	text   []byte
	pos    int
	name   []byte // the last key, without its quotes and with its escapes
	closed bool   // the end of the object was reached
}

// open enters the object.
func (k *keyScanner) open() bool {
	c := k.next()
	k.pos++
	return c == '{'
}

// next skips white space and returns the byte after it, or 0 at the end.
func (k *keyScanner) next() byte {
	for k.pos < len(k.text) && isSpace(k.text[k.pos]) {
		k.pos++
	}
	if k.pos == len(k.text) {
		return 0
	}
	return k.text[k.pos]
}

// key reads up to the value of the next member.
func (k *keyScanner) key() bool {
	c := k.next()
	if c == ',' {
		k.pos++
		c = k.next()
	}
	k.closed = c == '}'
	if c != '"' {
		return false
	}
	start := k.pos + 1
	if !k.skipString() {
		return false
	}
	k.name = k.text[start : k.pos-1]
	if k.next() != ':' {
		return false
	}
	k.pos++
	return true
}

// skipString moves past the string that starts here.
func (k *keyScanner) skipString() bool {
	for i := k.pos + 1; i < len(k.text); i++ {
		switch k.text[i] {
		case '\\':
			i++
		case '"':
			k.pos = i + 1
			return true
		}
	}
	return false
}

// skipValue moves to the comma or the brace after the value that starts here.
func (k *keyScanner) skipValue() bool {
	depth := 0
	for k.pos < len(k.text) {
		switch k.text[k.pos] {
		case '"':
			if !k.skipString() {
				return false
			}
			continue
		case '{', '[':
			depth++
		case ',':
			if depth == 0 {
				return true
			}
		case '}', ']':
			if depth == 0 {
				return true
			}
			depth--
		}
		k.pos++
	}
	return false
}

// isSpace reports whether c is white space in JSON.
func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }
