package guard

import "strings"

// trailerName gathers the name of a trailer field, in lower case and with hyphens for underscores.
// Names that do not fit are not forbidden ones, or are by their beginning.
type trailerName struct {
	length int
	text   [28]byte
}

func (t *trailerName) add(c byte) {
	if t.length < len(t.text) {
		if c = lower(c); c == '_' {
			c = '-'
		}
		t.text[t.length] = c
	}
	t.length++
}

// forbidden reports whether a field is one that must not be in a trailer: RFC 9110, section 6.5.1,
// names framing, routing, request modifiers, authentication, and what says how to read the body. A
// server that merges trailers into the head would let them past every check of the head.
func (t *trailerName) forbidden() bool {
	if t.length <= len(t.text) {
		switch string(t.text[:t.length]) {
		case "authorization", "cache-control", "connection", "cookie", "expect", "forwarded", "host", "keep-alive",
			"location", "max-forwards", "pragma", "range", "set-cookie", "te", "trailer", "transfer-encoding",
			"upgrade", "via", "www-authenticate", "x-real-ip":
			return true
		}
	}
	text := t.text[:min(t.length, len(t.text))]
	for _, prefix := range [...]string{"content-", "if-", "proxy-", "x-forwarded"} {
		if len(text) >= len(prefix) && strings.HasPrefix(string(text[:len(prefix)]), prefix) {
			return true
		}
	}
	return false
}
