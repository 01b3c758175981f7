package parsers

import (
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
)

// value is what is read at a place. readers/README.md has its form as text.
type value struct {
	kind  byte // the first byte of the text; '-' without a value
	text  string
	float float64
	whole int64
	exact bool // whole is set
	list  []value
}

var absent = value{kind: '-'}

func stringValue(s string) value { return value{kind: 's', text: s} }

func intValue(i int64) value {
	return value{kind: 'n', float: float64(i), whole: i, exact: true}
}

func floatValue(f float64) value { return value{kind: 'n', float: f} }

func boolValue(b bool) value {
	if b {
		return value{kind: 't'}
	}
	return value{kind: 'f'}
}

// String returns the form of readers.
func (v value) String() string {
	switch v.kind {
	case 's':
		return "s" + hex.EncodeToString([]byte(v.text))
	case 'n':
		s := fmt.Sprintf("n%016x", math.Float64bits(v.float))
		if v.exact {
			s += ":" + strconv.FormatInt(v.whole, 10)
		}
		return s
	case '[':
		var b strings.Builder
		for i, e := range v.list {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(e.String())
		}
		return "[" + b.String() + "]"
	}
	return string(v.kind)
}

// show returns a value for people.
func (v value) show() string {
	switch v.kind {
	case '-':
		return "nothing"
	case 's':
		return strconv.Quote(v.text)
	case 'n':
		if v.exact {
			return strconv.FormatInt(v.whole, 10)
		}
		return strconv.FormatFloat(v.float, 'g', -1, 64)
	case '[':
		var list []string
		for _, e := range v.list {
			list = append(list, e.show())
		}
		return "[" + strings.Join(list, ",") + "]"
	}
	return map[byte]string{'t': "true", 'f': "false", '{': "an object"}[v.kind]
}

// parseValue reads the form of readers.
func parseValue(s string) (v value, err error) {
	if s == "" {
		return v, fmt.Errorf("empty value")
	}
	v.kind = s[0]
	switch rest := s[1:]; v.kind {
	case '-', 't', 'f', '{':
	case 's':
		var b []byte
		b, err = hex.DecodeString(rest)
		v.text = string(b)
	case 'n':
		bits, whole, exact := strings.Cut(rest, ":")
		var u uint64
		if len(bits) != 16 {
			return v, fmt.Errorf("number %q has not the 16 digits of a double", s)
		}
		if u, err = strconv.ParseUint(bits, 16, 64); err != nil {
			break
		}
		v.float = math.Float64frombits(u)
		if v.exact = exact; exact {
			v.whole, err = strconv.ParseInt(whole, 10, 64)
		}
	case '[':
		rest, closed := strings.CutSuffix(rest, "]")
		if !closed {
			return v, fmt.Errorf("array %q has no end", s)
		}
		for rest != "" {
			var first string
			if first, rest, _ = strings.Cut(rest, ","); first == "[]" {
				v.list = append(v.list, value{kind: '['})
				continue
			}
			e, err := parseValue(first)
			if err != nil {
				return v, err
			}
			v.list = append(v.list, e)
		}
	default:
		err = fmt.Errorf("unknown value %q", s)
	}
	return v, err
}

// exactMost is the largest integer up to which doubles hold every one.
const exactMost = 1 << 53

// same reports whether a reader's value means what rtbwire reads. An empty string is an absent one.
func (v value) same(got value) bool {
	if v.kind == 's' && v.text == "" {
		v = absent
	}
	if got.kind == 's' && got.text == "" {
		got = absent
	}
	if v.kind != got.kind {
		return false
	}
	switch v.kind {
	case 's':
		return v.text == got.text
	case 'n':
		if v.exact && got.exact {
			return v.whole == got.whole
		}
		return v.float == got.float && (!v.exact || v.whole >= -exactMost && v.whole <= exactMost)
	case '[':
		if len(v.list) != len(got.list) {
			return false
		}
		for i := range v.list {
			if !v.list[i].same(got.list[i]) {
				return false
			}
		}
	}
	return true
}

func TestSame(t *testing.T) {
	for _, c := range []struct {
		want value
		got  string // of a reader
		same bool
	}{
		{stringValue("a"), "s61", true},
		{stringValue("a"), "s6100", false},
		{stringValue("a"), "-", false},
		{absent, "s", true},
		{absent, "s00", false},
		{absent, "n0000000000000000", false},
		{intValue(1), "n3ff0000000000000", true},
		{intValue(1), "n3ff0000000000000:1", true},
		{intValue(1), "n3ff0000000000000:2", false},
		{intValue(1), "t", false},
		{intValue(exactMost + 1), "n4340000000000000", false},
		{floatValue(0.1), "n3fb999999999999a", true},
		{floatValue(0.1), "n3fb999999999999b", false},
		{floatValue(0), "n8000000000000000:0", true},
		{value{kind: '[', list: []value{stringValue("a"), {kind: '{'}}}, "[s61,{]", true},
		{value{kind: '[', list: []value{stringValue("a")}}, "[s61,-]", false},
		{value{kind: '[', list: []value{intValue(0)}}, "[-]", false},
		{value{kind: '['}, "[]", true},
		{value{kind: '['}, "-", false},
		{value{kind: '['}, "{", false},
	} {
		got, err := parseValue(c.got)
		if err != nil {
			t.Fatal(err)
		}
		if got.String() != c.got {
			t.Errorf("%s is written as %s", c.got, got)
		}
		if c.want.same(got) != c.same {
			t.Errorf("%s and %s are the same: %v, want %v", c.want.show(), got.show(), !c.same, c.same)
		}
	}
	for _, wrong := range []string{"", "x", "s6", "n1", "n3ff0000000000000:x", "[", "[x]"} {
		if v, err := parseValue(wrong); err == nil {
			t.Errorf("%q is read as %s", wrong, v.show())
		}
	}
}
