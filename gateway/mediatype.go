package gateway

import (
	"bytes"
	"strings"

	"github.com/rtbwire/rtbwire/internal/serving/guard"
)

const (
	mimeJSON = "application/json"
	mimeText = "text/plain; charset=utf-8"
)

var typeJSON = []byte(mimeJSON)

// charsets are the character sets of JSON that this gateway and its upstreams read alike: RFC 8259
// demands UTF-8, of which US-ASCII is a part.
var charsets = []string{"utf-8", "us-ascii"}

// jsonType reports whether a Content-Type is JSON in one of charsets, or missing. The field goes on
// to the upstream, which might believe another character set and read another document.
func jsonType(value []byte) bool {
	name, parameters, _ := bytes.Cut(value, []byte{';'})
	if name = bytes.Trim(name, " \t"); len(name) == 0 {
		return len(parameters) == 0
	}
	return bytes.EqualFold(name, typeJSON) && readableParameters(parameters)
}

// readableParameters reports whether the parameters of a media type, after the first semicolon,
// follow RFC 9110, section 5.6.6, and name no charset twice, nor one beyond charsets. What breaks
// the grammar is refused: parsers disagree on what it says.
func readableParameters(rest []byte) bool {
	for charset := false; ; {
		rest = bytes.TrimLeft(rest, " \t")
		name := rest[:guard.TokenEnd(rest)]
		if rest = rest[len(name):]; len(name) > 0 {
			if len(rest) == 0 || rest[0] != '=' {
				return false
			}
			value, n := parameterValue(rest[1:])
			if n == 0 {
				return false
			}
			rest = rest[1+n:]
			switch base, _, extended := strings.Cut(string(name), "*"); { // charset*, charset*0: RFC 8187, RFC 2231
			case !strings.EqualFold(base, "charset"):
			case extended, charset, !readableCharset(value):
				return false
			default:
				charset = true
			}
		}
		if rest = bytes.TrimLeft(rest, " \t"); len(rest) == 0 {
			return true
		}
		if rest[0] != ';' {
			return false
		}
		rest = rest[1:]
	}
}

// readableCharset reports whether a charset is in charsets.
func readableCharset(name []byte) bool {
	for _, known := range charsets {
		if strings.EqualFold(string(name), known) {
			return true
		}
	}
	return false
}

// parameterValue returns the value that text begins with, a token or what a quoted string has
// between its quotes, and the length of its spelling; 0 if text begins with neither. A backslash
// stays in the value, so no charset with one is known.
func parameterValue(text []byte) (value []byte, n int) {
	if len(text) == 0 || text[0] != '"' {
		n = guard.TokenEnd(text)
		return text[:n], n
	}
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return text[1:i], i + 1
		}
	}
	return nil, 0
}
