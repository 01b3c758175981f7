package report

import (
	"strconv"
	"unicode/utf8"
)

// object appends the members of a JSON object one after the other, without reflection: a strict
// check of real traffic has eight findings per document, and writing them must not take longer
// than checking.
type object struct {
	b     []byte
	comma bool
}

// key appends a name, which must not need escapes.
func (o *object) key(name string) {
	if o.comma {
		o.b = append(o.b, ',')
	}
	o.comma = true
	o.b = append(append(append(o.b, '"'), name...), `":`...)
}

func (o *object) string(name, value string) {
	o.key(name)
	o.b = appendString(o.b, value)
}

func (o *object) int(name string, value int64) {
	o.key(name)
	o.b = strconv.AppendInt(o.b, value, 10)
}

func (o *object) bool(name string, value bool) {
	o.key(name)
	o.b = strconv.AppendBool(o.b, value)
}

// float appends a number with three decimals, the precision of measurements.
func (o *object) float(name string, value float64) {
	o.key(name)
	o.b = strconv.AppendFloat(o.b, value, 'f', 3, 64)
}

func (o *object) open(name string, bracket byte) {
	if name != "" {
		o.key(name)
	} else if o.comma {
		o.b = append(o.b, ',')
	}
	o.b = append(o.b, bracket)
	o.comma = false
}

func (o *object) close(bracket byte) {
	o.b = append(o.b, bracket)
	o.comma = true
}

// appendString appends s as a JSON string. Invalid UTF-8 becomes U+FFFD.
func appendString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for i := 0; i < len(s); {
		plain := i
		for plain < len(s) && isPlain(s[plain]) {
			plain++
		}
		if b, i = append(b, s[i:plain]...), plain; i == len(s) {
			break
		}
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c < utf8.RuneSelf:
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			r, n := utf8.DecodeRuneInString(s[i:])
			b = utf8.AppendRune(b, r)
			i += n
			continue
		}
		i++
	}
	return append(b, '"')
}

// isPlain reports whether a byte stands for itself in a JSON string.
func isPlain(c byte) bool { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\' }
