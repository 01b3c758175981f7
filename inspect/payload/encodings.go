package payload

import (
	"slices"
	"strings"
)

// This file has the encodings of ASCII characters that attackers use inside strings. Texts are in
// lower case. A function returns the character and how many bytes encode it, or 0.

// entities are HTML's names of the characters that patterns consist of. Those without a semicolon
// are the ones that browsers accept without it.
var entities = map[string]byte{
	"apos;": '\'', "amp": '&', "ast;": '*', "bsol;": '\\', "colon;": ':', "comma;": ',', "commat;": '@',
	"dollar;": '$', "equals;": '=', "excl;": '!', "grave;": '`', "gt": '>', "lbrace;": '{', "lbrack;": '[',
	"lcub;": '{', "lowbar;": '_', "lpar;": '(', "lsqb;": '[', "lt": '<', "newline;": '\n', "num;": '#',
	"percnt;": '%', "period;": '.', "plus;": '+', "quest;": '?', "quot": '"', "rbrace;": '}', "rbrack;": ']',
	"rcub;": '}', "rpar;": ')', "rsqb;": ']', "semi;": ';', "sol;": '/', "tab;": '\t', "underbar;": '_',
	"verbar;": '|', "vert;": '|',
}

// entity is one of entities.
type entity struct {
	name string
	char byte
}

// entitiesOf has entities by their first letter.
var entitiesOf = func() (of ['z' - 'a' + 1][]entity) {
	for name, char := range entities {
		list := &of[name[0]-'a']
		*list = append(*list, entity{name, char})
	}
	for _, list := range of {
		slices.SortFunc(list, func(a, b entity) int { return strings.Compare(a.name, b.name) })
	}
	return
}()

// decodeCharacter decodes the character at p by the layers that are on.
func decodeCharacter(p []byte, layers Layers) (char byte, size int) {
	switch p[0] {
	case '%':
		if layers&Percent != 0 {
			return percent(p)
		}
	case '&':
		if layers&Entity != 0 {
			if char, size = numericEntity(p); size != 0 {
				return char, size
			}
			return namedEntity(p)
		}
	case 0xef:
		if layers&Fullwidth != 0 {
			return fullwidth(p)
		}
	case '\\':
		if layers&Twice != 0 {
			return twice(p)
		}
	}
	return 0, 0
}

// percent decodes %3c.
func percent(p []byte) (char byte, size int) {
	if len(p) < 3 {
		return 0, 0
	}
	return ascii(hexValue(p[1]), hexValue(p[2]), 3)
}

// ascii returns the character with two hexadecimal digits, unless one of them is negative.
func ascii(high, low, length int) (char byte, size int) {
	if high|low < 0 || high >= 8 {
		return 0, 0
	}
	return byte(high<<4 | low), length
}

// namedEntity decodes &lt; and &lt.
func namedEntity(p []byte) (char byte, size int) {
	if len(p) < 3 || p[1] < 'a' || p[1] > 'z' {
		return 0, 0
	}
	for _, e := range entitiesOf[p[1]-'a'] {
		if len(e.name) >= len(p) || string(p[1:1+len(e.name)]) != e.name {
			continue
		}
		size = 1 + len(e.name)
		if e.name[len(e.name)-1] != ';' && size < len(p) && p[size] == ';' {
			size++
		}
		return e.char, size
	}
	return 0, 0
}

// numericEntity decodes &#60; and &#x3c; with any number of leading zeros. As in browsers, the
// semicolon is optional.
func numericEntity(p []byte) (char byte, size int) {
	if len(p) < 3 || p[1] != '#' {
		return 0, 0
	}
	n, base := 2, 10
	if p[2] == 'x' {
		n, base = 3, 16
	}
	first, point := n, 0
	for ; n < len(p); n++ {
		digit := hexValue(p[n])
		if digit < 0 || digit >= base {
			break
		}
		if point = point*base + digit; point >= 0x80 {
			return 0, 0
		}
	}
	if n == first {
		return 0, 0
	}
	if n < len(p) && p[n] == ';' {
		n++
	}
	return byte(point), n
}

// fullwidth decodes U+FF01 to U+FF5E, the fullwidth forms of ! to ~.
func fullwidth(p []byte) (char byte, size int) {
	if len(p) < 3 || p[1] < 0xbc || p[1] > 0xbd || p[2]&0xc0 != 0x80 {
		return 0, 0
	}
	point := 0xf000 | int(p[1]&0x3f)<<6 | int(p[2]&0x3f)
	if point < 0xff01 || point > 0xff5e {
		return 0, 0
	}
	return byte(point - 0xff00 + 0x20), 3
}

// twice decodes escapes that are left after the escapes of JSON have been decoded: \u003c, \x3c,
// \/, and quotes after a backslash.
func twice(p []byte) (char byte, size int) {
	if len(p) >= 6 && p[1] == 'u' {
		if unit := hex4(p[2:]); unit >= 0 && unit < 0x80 {
			return byte(unit), 6
		}
	}
	if len(p) >= 4 && p[1] == 'x' {
		if char, size = ascii(hexValue(p[2]), hexValue(p[3]), 4); size != 0 {
			return char, size
		}
	}
	if len(p) >= 2 && (p[1] == '/' || p[1] == '"' || p[1] == '\'') {
		return p[1], 2
	}
	return 0, 0
}
