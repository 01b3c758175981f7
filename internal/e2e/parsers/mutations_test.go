package parsers

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// mutation changes a document. It returns false if the document has nothing to change.
type mutation struct {
	name  string
	apply func(d *draft) bool
}

// forged are values that a sender would like the core to see.
func (d *draft) forged(n *node) string {
	switch {
	case n.kind == '"':
		return oneOf(d, []string{`"forged.example"`, `"forged"`, `"192.0.2.66"`, `""`})
	case n.kind == '0':
		return oneOf(d, []string{"0", "1", "99", "0.001"})
	case n.kind == '{' && n.children > 0 && d.IntN(2) == 0:
		return strings.ReplaceAll(d.whole(n), "example", "forged.example")
	case n.kind == '{':
		return `{"id":"forged","domain":"forged.example","bundle":"forged","ifa":"forged","gdpr":0,"consent":"forged"}`
	case n.kind == '[':
		return oneOf(d, []string{`[]`, `["forged"]`, `[{"id":"forged","bidfloor":0}]`})
	}
	return "null"
}

// mutations are those after which a document may still be forwarded.
var mutations = []mutation{
	{"string-nul", func(d *draft) bool {
		return d.inString(oneOf(d, []string{`\u0000`, `\u0000.forged.example`, `\u0000\u0000`}))
	}},
	{"string-control", func(d *draft) bool {
		return d.inString(oneOf(d, []string{
			`\u0001`, `\u001f`, `\b`, `\f`, `\n`, `\r`, `\t`, `\u007f`, `\u0080`, `\u00a0`, `\u2028`, `\u202e`, `\ufeff`, `\ufffd`, `\uffff`, `\ud83d\ude00`,
		}))
	}},
	{"string-raw", func(d *draft) bool {
		return d.inString(oneOf(d, []string{"\x7f", "\u0080", "\u00a0", "\u2028", "\u202e", "\ufeff", "\uffff", "\U0001f600", "\U0010ffff", "ſ", "e\u0301"}))
	}},
	{"string-json", func(d *draft) bool {
		return d.inString(oneOf(d, []string{
			`\"`, `\\`, `\\\\`, `\\\"`, `\/`, `\",\"domain\":\"forged`, `}]`, `{[`, `//`, `/*`, `*/`, `#`, `'`, `:`, `,`, `\\u0041`, `\\u0000`,
		}))
	}},
	{"string-respelled", func(d *draft) bool {
		n := d.pick(isString)
		if n == nil {
			return false
		}
		d.replace(n.start+1, n.end-1, d.respelled(d.inner(n), 2))
		return true
	}},
	{"string-long", func(d *draft) bool {
		return d.inString(strings.Repeat(oneOf(d, []string{"a", "é", `\u0061`, `\/`}), oneOf(d, []int{16, 63, 64, 255, 256, 1023, 5000})))
	}},
	{"string-empty", func(d *draft) bool {
		n := d.pick(isString)
		if n == nil {
			return false
		}
		d.replace(n.start, n.end, `""`)
		return true
	}},
	{"key-respelled", func(d *draft) bool {
		n := d.pick(hasKey)
		if n == nil {
			return false
		}
		d.replace(n.keyStart+1, n.keyEnd-1, d.respelled(d.key(n), oneOf(d, []int{1, 4})))
		return true
	}},
	{"key-nul", func(d *draft) bool {
		n := d.pick(hasKey)
		if n == nil {
			return false
		}
		key := oneOf(d, []string{d.key(n) + `\u0000`, d.key(n) + `\u0000x`, `\u0000` + d.key(n), `\u0000`})
		d.addBeside(n, key, d.forged(n))
		return true
	}},
	{"key-nul-renamed", func(d *draft) bool {
		n := d.pick(hasKey)
		if n == nil {
			return false
		}
		d.replace(n.keyEnd-1, n.keyEnd-1, `\u0000`)
		return true
	}},
	{"key-folded", func(d *draft) bool {
		n := d.pick(func(n *node) bool { return hasKey(n) && strings.ContainsAny(d.key(n), "ski") })
		if n == nil {
			return false
		}
		key := d.key(n)
		folded := strings.NewReplacer("s", "ſ", "k", "\u212a").Replace(key)
		switch {
		case folded == key:
			folded = strings.ReplaceAll(key, "i", "ı")
		case d.IntN(3) == 0:
			folded = strings.NewReplacer("s", `\u017f`, "k", `\u212A`).Replace(key)
		}
		if d.IntN(3) == 0 {
			d.replace(n.keyStart+1, n.keyEnd-1, folded)
		} else {
			d.addBeside(n, folded, d.forged(n))
		}
		return true
	}},
	{"key-like", func(d *draft) bool {
		n := d.pick(hasKey)
		if n == nil {
			return false
		}
		k := d.key(n)
		key := oneOf(d, []string{
			" " + k, k + " ", k + `\t`, k + `\n`, "\ufeff" + k, k + "\u200b", k + "\u0301", k + "x", "_" + k, k + `\\`, k + `\"`, k + ".", k + "/", "/" + k, k + "~0", k + "[]", `\\u0069` + k,
		})
		if last := len(k) - 1; last > 0 && !strings.Contains(k, `\`) && k[last] < utf8.RuneSelf && d.IntN(3) == 0 {
			key = k[:last]
		}
		d.addBeside(n, key, d.forged(n))
		return true
	}},
	{"key-path", func(d *draft) bool {
		p := oneOf(d, places).pointer[1:]
		key := oneOf(d, []string{p, "/" + p, strings.ReplaceAll(p, "/", "."), strings.ReplaceAll(p, "/", "~1"), "$." + p, strings.ReplaceAll(p, "/", `\/`)})
		d.addTo(&d.nodes[0], key, `"forged.example"`)
		return true
	}},
	{"key-special", func(d *draft) bool {
		n := d.pick(isObject)
		key := oneOf(d, []string{"", "", "0", "__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "length", "$ref", "@type", "class", "*", "-"})
		d.addTo(n, key, oneOf(d, []string{d.forged(n), `"forged"`, `{"__proto__":{"domain":"forged.example"}}`, "null", "1"}))
		return true
	}},
	{"legacy", func(d *draft) bool {
		at := oneOf(d, []struct{ object, key string }{{"/regs", "gdpr"}, {"/regs", "us_privacy"}, {"/regs", "gpp"}, {"/regs", "gpp_sid"}, {"/user", "consent"}, {"/user", "eids"}, {"/source", "schain"}})
		content := fmt.Sprintf(`"%s":%s`, d.respelled(at.key, 8), oneOf(d, []string{
			"0", "1", "1.0", "1.9", "1e0", "10e-1", "-0", "-1", `"0"`, `"1"`, `"\u0031"`, `"1 "`, `"1\u0000"`, "true", "false", "null", `""`, "[]", "{}", "[1,2]", `["1",2.0]`,
			`"1YNN"`, `"CPXxRfAPXxRfAAfKABENB"`, `"DBAA"`, `[{"source":"a.example","uids":[{"id":"1"}]}]`, `[{"source":1,"uids":[{"id":"1"}]}]`, `[{"Source":"forged.example"}]`,
			`[{"source":"forged.example","uids":1}]`, `{"complete":1,"nodes":[{"asi":1,"sid":"1"}]}`, `{"complete":1,"nodes":[{"asi":"forged.example"},1]}`, `{"complete":1,"nodes":[{"asi":"a.example","sid":"1"}]}`,
			"18446744073709551617", "1e400", "9007199254740993",
		}))
		for i := range d.nodes {
			switch n := &d.nodes[i]; {
			case n.pointer == at.object+"/ext" && n.kind == '{':
				if n.children > 0 {
					content += ","
				}
				d.replace(n.start+1, n.start+1, content)
				return true
			case n.pointer == at.object && n.kind == '{' && d.lacks(n, "ext"):
				d.addTo(n, "ext", "{"+content+"}")
				return true
			}
		}
		if !d.lacks(&d.nodes[0], at.object[1:]) {
			return false
		}
		d.addTo(&d.nodes[0], at.object[1:], `{"ext":{`+content+`}}`)
		return true
	}},
	{"ext-key-case", func(d *draft) bool {
		n := d.pick(func(n *node) bool { return hasKey(n) && strings.Contains(n.pointer, "/ext/") && d.key(n) == n.name })
		if n == nil || n.name == "" {
			return false
		}
		key := oneOf(d, []string{strings.ToUpper(d.key(n)), strings.ToUpper(n.name[:1]) + n.name[1:], strings.ReplaceAll(n.name, "s", "ſ")})
		if key == n.name {
			return false
		}
		if d.IntN(2) == 0 {
			d.replace(n.keyStart+1, n.keyEnd-1, key)
		} else {
			d.addBeside(n, key, d.forged(n))
		}
		return true
	}},
	{"number-form", func(d *draft) bool {
		n := d.pick(isNumber)
		if n == nil {
			return false
		}
		d.replace(n.start, n.end, oneOf(d, numberForms))
		return true
	}},
	{"number-digits", func(d *draft) bool {
		n := d.pick(func(n *node) bool { return isNumber(n) && lookedAt[n.pointer] })
		if n == nil {
			return false
		}
		d.replace(n.start, n.end, d.manyDigits())
		return true
	}},
	{"number-unknown", func(d *draft) bool {
		d.addTo(d.pick(isObject), "unknown", oneOf(d, numberForms))
		return true
	}},
	{"number-floor", func(d *draft) bool {
		n := d.pick(func(n *node) bool { return strings.HasPrefix(n.pointer, "/imp/") && strings.Count(n.pointer, "/") == 2 })
		if n == nil || n.kind != '{' || !d.lacks(n, "bidfloor") {
			return false
		}
		d.addTo(n, "bidfloor", oneOf(d, numberForms))
		return true
	}},
	{"value-type", func(d *draft) bool {
		n := d.pick(func(n *node) bool { return n.parent >= 0 })
		d.replace(n.start, n.end, oneOf(d, []string{"null", "null", "true", "false", `"1"`, `"true"`, "1", "1.5", "[]", "{}", "[null]", `[""]`}))
		return true
	}},
	{"element-null", func(d *draft) bool {
		n := d.pick(func(n *node) bool { return n.kind == '[' && n.children > 0 })
		if n == nil {
			return false
		}
		d.replace(n.start+1, n.start+1, oneOf(d, []string{"null,", `"",`, "{},", "[],", "0,"}))
		return true
	}},
	{"nesting", func(d *draft) bool {
		depth := oneOf(d, []int{5, 50, 200, 400, 1100})
		v := strings.Repeat("[", depth) + strings.Repeat("]", depth)
		if d.IntN(2) == 0 {
			v = strings.Repeat(`{"domain":`, depth) + "1" + strings.Repeat("}", depth)
		}
		d.addTo(d.pick(isObject), "unknown", v)
		return true
	}},
	{"space", func(d *draft) bool {
		for range 1 + d.IntN(4) {
			n := d.pick(func(*node) bool { return true })
			at := oneOf(d, []int{n.start, n.end, n.keyStart, n.keyEnd})
			d.replace(at, at, strings.Repeat(oneOf(d, []string{" ", "\t", "\n", "\r", "\r\n"}), 1+d.IntN(70)))
			d.scan()
		}
		return true
	}},
	{"order", func(d *draft) bool {
		n := d.pick(func(n *node) bool { return n.parent >= 0 && hasKey(n) && d.nodes[n.parent].children > 1 })
		if n == nil {
			return false
		}
		member := string(d.text[n.keyStart:n.end])
		object := d.nodes[n.parent]
		first := d.space(object.start+1) == n.keyStart
		if first { // to the end
			after := d.space(n.end) + 1
			d.replace(object.end-1, object.end-1, ","+member)
			d.replace(n.keyStart, after, "")
			return true
		}
		before := strings.LastIndexByte(string(d.text[:n.keyStart]), ',')
		d.replace(before, n.end, "")
		d.replace(object.start+1, object.start+1, member+",")
		return true
	}},
	{"members", func(d *draft) bool {
		var b strings.Builder
		for i := range 100 {
			fmt.Fprintf(&b, `"unknown%d":%d,`, i, i)
		}
		d.addTo(d.pick(isObject), "unknown", "{"+strings.TrimSuffix(b.String(), ",")+"}")
		return true
	}},
	{"member-unknown", func(d *draft) bool {
		n := d.pick(isObject)
		key := oneOf(d, []string{"ext", "site", "app", "user", "device", "regs", "imp", "publisher", "domain", "id", "gdpr", "ifa", "banner", "request"})
		if !d.lacks(n, key) {
			return false
		}
		d.addTo(n, key, oneOf(d, []string{`{"id":"forged","domain":"forged.example"}`, `"forged"`, `[]`, `[[]]`, `1`, `{"ext":{"ext":{}}}`}))
		return true
	}},
}

// numberForms are numbers that parsers differ on.
var numberForms = []string{
	"-0", "-0.0", "0e0", "-0e-0", "1e0", "1E+0", "1.0", "100e-2", "0.1", "0.30000000000000004", "1e-400", "4.9e-324", "2.4703282292062327e-324", "2.2250738585072011e-308",
	"1.7976931348623157e308", "1.7976931348623158e308", "1.7976931348623159e308", "1e308", "1e400", "-1e400", "1e999999999999",
	"9007199254740991", "9007199254740992", "9007199254740993", "-9007199254740993", "2147483647", "2147483648", "4294967296", "4294967297",
	"9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551615", "18446744073709551616", "18446744073709551617",
	"0.1000000000000000055511151231257827021181583404541015625", "3.141592653589793238462643383279", "123456789012345678901234567890.5", "8.5e-20000",
	"1" + strings.Repeat("0", 400), "0." + strings.Repeat("0", 400) + "1", "1." + strings.Repeat("3", 1100), strings.Repeat("7", 1100), "6929495644600919.5", "1.00000005960464477550",
	"5e-1", "0.5e1", "15e-1", "9007199254740993.0", "2.5e-3", "7.2057594037927945e16", "0.29999999999999999", "1.1e23", "8.41e21", "123.4567891234567891234567",
}

// manyDigits returns a number with tens to hundreds of digits in its integer, its fraction or its
// exponent.
func (d *draft) manyDigits() string {
	digits := func() string {
		b := make([]byte, 1+d.IntN(oneOf(d, []int{4, 25, 100, 800})))
		for i := range b {
			b[i] = byte('0' + d.IntN(10))
		}
		return string(b)
	}
	integer := oneOf(d, []string{"0", "", "1", "-", "-0."})
	if integer == "" || integer == "-" {
		integer += string(byte('1'+d.IntN(9))) + digits()
	}
	zeros := strings.Repeat("0", d.IntN(oneOf(d, []int{1, 20, 330})))
	number := integer
	if !strings.HasSuffix(number, ".") {
		if d.IntN(4) == 0 {
			return number
		}
		number += "."
	}
	if number += zeros + digits(); d.IntN(3) == 0 {
		number += oneOf(d, []string{"e", "E-", "e+"}) + oneOf(d, []string{zeros, ""}) + strconv.Itoa(d.IntN(330))
	}
	return number
}

// inString adds text to a string.
func (d *draft) inString(added string) bool {
	n := d.pick(isString)
	if n == nil {
		return false
	}
	at := n.start + 1 + d.boundary(d.inner(n))
	d.replace(at, at, added)
	return true
}

// respelled writes about one of n characters of a string as an escape.
func (d *draft) respelled(s string, n int) string {
	var b strings.Builder
	for p := 0; p < len(s); {
		if s[p] == '\\' {
			end := p + 2
			if s[p+1] == 'u' {
				end = p + 6
			}
			b.WriteString(s[p:end])
			p = end
			continue
		}
		c := []rune(s[p:min(len(s), p+4)])[0]
		switch {
		case d.IntN(n) > 0:
			b.WriteRune(c)
		case c == '/' && d.IntN(2) == 0:
			b.WriteString(`\/`)
		default:
			for _, unit := range utf16.Encode([]rune{c}) {
				fmt.Fprintf(&b, oneOf(d, []string{`\u%04x`, `\u%04X`}), unit)
			}
		}
		p += len(string(c))
	}
	return b.String()
}

// lacks reports whether an object has no member of a name.
func (d *draft) lacks(object *node, name string) bool {
	for i := range d.nodes {
		if n := &d.nodes[i]; n.parent >= 0 && &d.nodes[n.parent] == object && n.name == name {
			return false
		}
	}
	return true
}
