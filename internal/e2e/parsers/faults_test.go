package parsers

import (
	"encoding/binary"
	"strings"
	"unicode/utf16"
)

// faults are mutations after which no document may be forwarded, because parsers that accept it
// read it differently, or some repair it.
var faults = []mutation{
	{"duplicate-key", func(d *draft) bool {
		n := d.pick(hasKey)
		if n == nil {
			return false
		}
		d.addBeside(n, d.key(n), d.forged(n))
		return true
	}},
	{"duplicate-key-respelled", func(d *draft) bool {
		n := d.pick(hasKey)
		if n == nil {
			return false
		}
		d.addBeside(n, d.respelled(d.key(n), 1), d.forged(n))
		return true
	}},
	{"key-case", func(d *draft) bool {
		n := d.pick(func(n *node) bool { return lookedAt[n.pointer] && hasKey(n) && !strings.Contains(n.pointer, "/ext") })
		if n == nil {
			return false
		}
		upper := strings.ToUpper(n.name)
		key := oneOf(d, []string{upper, upper[:1] + n.name[1:], n.name[:len(n.name)-1] + upper[len(n.name)-1:]})
		if key == n.name {
			return false
		}
		d.addBeside(n, key, d.forged(n))
		return true
	}},
	{"number-grammar", func(d *draft) bool {
		return d.instead(isNumber, "01", "-01", "00", "+1", ".5", "1.", "-", "0x10", "1e", "1e+", "1_000", "1,000", "--1", "1.2.3", "١", "1f", "0b1")
	}},
	{"not-a-number", func(d *draft) bool {
		return d.instead(isScalar, "NaN", "Infinity", "-Infinity", "nan", "inf", "undefined", "None", "True", "NULL", "nul", "truee", "yes")
	}},
	{"comment", func(d *draft) bool {
		return d.between("/**/", "/* , */", "//\n", "#\n", "<!-- -->", "--\n")
	}},
	{"space-other", func(d *draft) bool {
		return d.between("\f", "\v", "\u00a0", "\ufeff", "\u2028", "\u0085", "\u200b", "\x00", "\x1f", "\x7f", "\x1a")
	}},
	{"comma", func(d *draft) bool {
		n := d.pick(func(n *node) bool { return !isScalar(n) && n.children > 0 })
		if n == nil {
			return false
		}
		if d.IntN(3) == 0 {
			d.replace(n.start+1, n.start+1, ",")
		} else {
			d.replace(n.end-1, n.end-1, oneOf(d, []string{",", ", ", ",,", ";"}))
		}
		return true
	}},
	{"quotes", func(d *draft) bool {
		n := d.pick(isString)
		if n == nil {
			return false
		}
		s := d.inner(n)
		d.replace(n.start, n.end, oneOf(d, []string{"'" + s + "'", "`" + s + "`", `"` + s, s + `"`, `"` + s + `'`, "“" + s + "”", `"""` + s + `"""`, `"` + s + `\"`, `u"` + s + `"`}))
		return true
	}},
	{"key-quotes", func(d *draft) bool {
		n := d.pick(func(n *node) bool { return hasKey(n) && d.key(n) != "" })
		if n == nil {
			return false
		}
		k := d.key(n)
		d.replace(n.keyStart, n.keyEnd, oneOf(d, []string{k, "'" + k + "'", "[" + k + "]", `"` + k, "1", "null", `"a""` + k + `"`}))
		return true
	}},
	{"separators", func(d *draft) bool {
		n := d.pick(hasKey)
		if n == nil {
			return false
		}
		colon := d.space(n.keyEnd)
		d.replace(colon, colon+1, oneOf(d, []string{"", "=", "=>", "::", ",", ": :", ";"}))
		return true
	}},
	{"bom", func(d *draft) bool {
		d.text = append([]byte(oneOf(d, []string{"\ufeff", "\xff\xfe", "\xfe\xff", "\x00", "\ufeff\ufeff"})), d.text...)
		return true
	}},
	{"utf16", func(d *draft) bool {
		units := utf16.Encode([]rune(string(d.text)))
		b := make([]byte, 0, 2*len(units))
		order := oneOf(d, []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian})
		for _, u := range units {
			b = order.AppendUint16(b, u)
		}
		d.text = b
		return true
	}},
	{"utf8", func(d *draft) bool {
		return d.inString(oneOf(d, []string{"\xff", "\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xed\xb0\x80", "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80", "\xe2\x82", "\xc3("}))
	}},
	{"utf8-key", func(d *draft) bool {
		n := d.pick(hasKey)
		if n == nil {
			return false
		}
		d.addBeside(n, d.key(n)+oneOf(d, []string{"\xff", "\xc0\x80", "\xed\xa0\x80"}), "1")
		return true
	}},
	{"surrogate", func(d *draft) bool {
		return d.inString(oneOf(d, []string{`\ud800`, `\udc00`, `\udfff\ud800`, `\ud83dx`, `\ud83d\u0041`, `\uD83D\n`, `\ud800\ud800`, `\uDBFF`}))
	}},
	{"surrogate-key", func(d *draft) bool {
		n := d.pick(hasKey)
		if n == nil {
			return false
		}
		d.addBeside(n, d.key(n)+oneOf(d, []string{`\ud800`, `\udc00`, `\udc00\ud800`}), "1")
		return true
	}},
	{"control", func(d *draft) bool {
		return d.inString(oneOf(d, []string{"\x00", "\x01", "\t", "\n", "\r", "\x1f", "\x0c"}))
	}},
	{"escape", func(d *draft) bool {
		return d.inString(oneOf(d, []string{`\x41`, `\'`, `\u12G4`, `\u{41}`, `\U00000041`, `\0`, `\a`, `\v`, `\ `, `\u 041`, `\u+041`, `\u-041`, `\u0x41`, "\\\n", `\N`}))
	}},
	{"trailing", func(d *draft) bool {
		d.text = append(d.text, oneOf(d, []string{"x", "\x00", "{}", ",", "}", "]", "\x1a", "\ufeff", " null", "\n{\"id\":\"2\"}", ";", "//", "#", "\f"})...)
		return true
	}},
	{"truncated", func(d *draft) bool {
		d.text = d.text[:d.IntN(strings.LastIndexByte(string(d.text), '}'))]
		return true
	}},
	{"wrapped", func(d *draft) bool {
		open := oneOf(d, []string{"[", "(", "callback(", ")]}',\n", `{"request":[`, "\x1e{"})
		d.text = append([]byte(open), append(d.text, "]"...)...)
		return true
	}},
	{"brackets", func(d *draft) bool {
		n := d.pick(func(n *node) bool { return !isScalar(n) })
		d.replace(n.end-1, n.end, oneOf(d, []string{"", "}}", "]]", "}]", ")"}))
		return true
	}},
}

// instead puts one of the texts in the place of a value.
func (d *draft) instead(want func(*node) bool, texts ...string) bool {
	n := d.pick(want)
	if n == nil {
		return false
	}
	d.replace(n.start, n.end, oneOf(d, texts))
	return true
}

// between puts one of the texts between tokens.
func (d *draft) between(texts ...string) bool {
	n := d.pick(func(n *node) bool { return n.parent >= 0 })
	at := oneOf(d, []int{n.start, n.end})
	d.replace(at, at, oneOf(d, texts))
	return true
}
