package coder

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/rtbwire/rtbwire/internal/oracle"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/wire"
)

// stringPlaces are the positions whose strings have code of their own: a value, a key, an element
// and a key of a skipped value.
var stringPlaces = []string{`{"v":"?"}`, `{"?":1,"v":"x"}`, `{"x":["?"]}`, `{"x":{"?":0}}`}

// stringHolds decodes a text in each position of a string, in all modes, and compares with the
// oracle.
func stringHolds(t *testing.T, rs [3]*Reader, text string) {
	t.Helper()
	for _, place := range stringPlaces {
		against(t, rs, []byte(strings.Replace(place, "?", text, 1)), scalar((*Reader).AnyString))
	}
	rest := func(r *Reader, p, depth int) ([]string, int) { return r.Strings(new(Slab[string]), p, depth) }
	against(t, rs, []byte(`{"v":["`+text+`",""]}`), rest)
}

// TestEveryEscape writes each byte after a backslash, and compares with encoding/json.
func TestEveryEscape(t *testing.T) {
	rs := readers()
	for b := range 256 {
		text := `a\` + string([]byte{byte(b)}) + `z`
		stringHolds(t, rs, text)
		if b >= utf8.RuneSelf {
			continue // encoding/json takes bytes that are not UTF-8
		}
		got, code := refused(rs[modeIndexDefault], `"`+text+`"`, scalar((*Reader).AnyString))
		var want string
		if err := json.Unmarshal([]byte(`"`+text+`"`), &want); (err != nil) != (code != 0) || got != want {
			t.Errorf("%q is %q, %v, encoding/json says %q, %v", text, got, code, want, err)
		}
	}
}

// TestEveryCodeUnit decodes every \u escape alone, in upper and lower case.
func TestEveryCodeUnit(t *testing.T) {
	rs := readers()
	step := testkit.Scale[rune](t, 37, 1, 1)
	for c := rune(0); c < 1<<16; c += step {
		for _, format := range []string{`"\u%04x"`, `"\u%04X"`} {
			text := fmt.Sprintf(format, c)
			for i, r := range rs {
				got, code := refused(r, text, scalar((*Reader).AnyString))
				switch {
				case !utf16.IsSurrogate(c) && (code != 0 || got != string(c)):
					t.Errorf("%v: %s is %q, %v", modes[i].mode, text, got, code)
				case utf16.IsSurrogate(c) && i != modeIndexLenient && code != wire.CodeSurrogate:
					t.Errorf("%v: %s is %q, %v, want %v", modes[i].mode, text, got, code, wire.CodeSurrogate)
				case utf16.IsSurrogate(c) && i == modeIndexLenient && (code != 0 || got != "\uFFFD"):
					t.Errorf("lenient: %s is %q, %v, want U+FFFD", text, got, code)
				}
			}
		}
	}
}

// TestSurrogates decodes all sequences of up to three parts, each of which is a first half of a
// pair, a second half, or neither.
func TestSurrogates(t *testing.T) {
	rs := readers()
	parts := []string{
		`\ud800`, `\uDBFF`, `\ud83d`, `\udc00`, `\uDFFF`, `\ude00`, // the borders of both ranges
		`\ud7ff`, `\ue000`, `\u0041`, `\n`, `\\`, `a`, "é", "\x80", `\u`, `\ud8`, `\x`, `\"`, "\x1f",
	}
	var sequence func(text string, left int)
	sequence = func(text string, left int) {
		stringHolds(t, rs, text)
		if left > 0 {
			for _, part := range parts {
				sequence(text+part, left-1)
			}
		}
	}
	sequence("", 2)
	halves := parts[:8]
	for _, a := range halves {
		for _, b := range halves {
			for _, c := range halves {
				stringHolds(t, rs, a+b+c)
			}
		}
	}
}

// TestEveryPair decodes many surrogate pairs, and each first half with the first and the last
// second half.
func TestEveryPair(t *testing.T) {
	step := testkit.Scale(t, 499, 61, 1)
	var r Reader
	pair := func(high, low rune) {
		text := fmt.Sprintf(`"\u%04x\u%04X"`, high, low)
		if got, code := refused(&r, text, scalar((*Reader).AnyString)); code != 0 || got != string(utf16.DecodeRune(high, low)) {
			t.Errorf("%s is %q, %v", text, got, code)
		}
	}
	for high := rune(0xd800); high < 0xdc00; high++ {
		pair(high, 0xdc00)
		pair(high, 0xdfff)
		for low := 0xdc00 + high%7; low < 0xe000; low += rune(step) {
			pair(high, low)
		}
	}
}

// TestHexDigits writes each byte in the place of each hex digit, and ends the string, the value and
// the text within an escape.
func TestHexDigits(t *testing.T) {
	rs := readers()
	step := testkit.Scale(t, 5, 1, 1)
	for _, escape := range []string{`\u00e9`, `\ud83d\ude00`} {
		for at := range len(escape) {
			for b := at % step; b < 256; b += step {
				stringHolds(t, rs, escape[:at]+string([]byte{byte(b)})+escape[at+1:])
			}
			for _, end := range []string{"", `"`, `"}`, `}`, "}}}}}}}}"} {
				for _, before := range []string{`{"v":"`, `{"`, `{"x":"`} {
					against(t, rs, []byte(before+escape[:at]+end), scalar((*Reader).AnyString))
				}
			}
		}
	}
}

// TestControlCharacters decodes strings with every byte.
func TestControlCharacters(t *testing.T) {
	rs := readers()
	for b := range 256 {
		stringHolds(t, rs, "ab"+string([]byte{byte(b)})+"yz")
		got, code := refused(rs[modeIndexDefault], `"`+string([]byte{byte(b)})+`"`, scalar((*Reader).AnyString))
		switch {
		case b < 0x20 && code != wire.CodeControl:
			t.Errorf("byte %#x is %q, %v, want %v", b, got, code, wire.CodeControl)
		case b >= 0x20 && b < 0x80 && b != '"' && b != '\\' && (code != 0 || got != string(rune(b))):
			t.Errorf("byte %#x is %q, %v", b, got, code)
		case b >= 0x80 && code != wire.CodeUTF8:
			t.Errorf("byte %#x is %q, %v, want %v", b, got, code, wire.CodeUTF8)
		}
	}
}

// utf8Holds checks that bytes in a string are accepted if unicode/utf8 accepts them. In lenient
// mode each byte that is not part of a character must become U+FFFD, as in Go's conversions.
func utf8Holds(t *testing.T, rs [3]*Reader, text []byte) {
	t.Helper()
	doc := append(append([]byte(`{"v":"`), text...), `"}`...)
	valid := utf8.Valid(text)
	for i, r := range rs {
		h, err := decodeHolder(r, doc, scalar((*Reader).AnyString))
		switch {
		case valid && (err != nil || h.V != string(text)):
			t.Errorf("%v: % x is %q, %v", modes[i].mode, text, h.V, err)
		case !valid && i != modeIndexLenient && codeOf(err) != wire.CodeUTF8:
			t.Errorf("%v: % x is %q, %v, want %v", modes[i].mode, text, h.V, err, wire.CodeUTF8)
		case !valid && i == modeIndexLenient:
			// bytes.ToValidUTF8 replaces a run by one character; a conversion replaces each byte.
			if want := string([]rune(string(text))); err != nil || h.V != want || len(r.Saved()) == 0 || r.Saved()[0].Code != wire.CodeUTF8 {
				t.Errorf("lenient: % x is %q, %v, saved %v, want %q", text, h.V, err, r.Saved(), want)
			}
		}
	}
}

// plainByte reports whether a string may have the byte without an escape.
func plainByte(b byte) bool { return b >= 0x20 && b != '"' && b != '\\' }

// TestEveryUTF8 decodes all sequences of one and two bytes, and longer ones at the borders of
// UTF-8.
func TestEveryUTF8(t *testing.T) {
	rs := readers()
	for a := 0x80; a < 0x100; a++ {
		utf8Holds(t, rs, []byte{byte(a)})
		for b := range 256 {
			if plainByte(byte(b)) {
				utf8Holds(t, rs, []byte{byte(a), byte(b)})
			}
		}
	}
	// The bytes where the table of well-formed sequences changes, and their neighbours.
	borders := []byte{0x20, 0x7f, 0x80, 0x81, 0x8f, 0x90, 0x9f, 0xa0, 0xbe, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xed, 0xf0, 0xf4, 0xff}
	for _, a := range []byte{0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xf8, 0xfc, 0xfe, 0xff} {
		for _, b := range borders {
			for _, c := range borders {
				utf8Holds(t, rs, []byte{a, b, c})
				if a >= 0xf0 && (!testing.Short() || (b^c)&3 == 0) {
					for _, d := range borders {
						utf8Holds(t, rs, []byte{a, b, c, d})
					}
				}
			}
		}
	}
}

// TestUTF8Places decodes wide characters and invalid bytes in every place of a string, with every
// kernel, and cut off by the end of the text.
func TestUTF8Places(t *testing.T) {
	texts := []string{"é", "€", "😀", "\x80", "\xc3", "\xe2\x82", "\xf0\x9f\x98", "\xed\xa0\x80", "\xc0\x80", "\xf4\x90\x80\x80", "\ufeff", "\u2028"}
	testkit.EachLevel(t, func(t *testing.T) {
		rs := readers()
		for _, text := range texts {
			for _, n := range []int{0, 1, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 120} {
				a := strings.Repeat("a", n)
				stringHolds(t, rs, a+text)
				stringHolds(t, rs, a+text+a)
				stringHolds(t, rs, a+`\n`+text+`\u00e9`+a)
				for _, before := range []string{`{"v":"`, `{"x":"`, `{"`, `{"v":`, `{`} {
					against(t, rs, []byte(before+a+text), scalar((*Reader).AnyString))
					against(t, rs, []byte(before+a+text+"}"), scalar((*Reader).AnyString))
				}
			}
		}
	})
}

// TestLongEscapes decodes many strings that are longer than the chunks of memory for unescaped
// strings.
func TestLongEscapes(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	var reader Reader
	for round := range 60 {
		var list []string
		for range 1 + r.IntN(40) {
			n := 1 << r.IntN(13)
			if round%20 == 0 && r.IntN(20) == 0 {
				n = 2 * bytesChunkMax
			}
			list = append(list, strings.Repeat("\n", r.IntN(n))+strings.Repeat("a", r.IntN(n))+strings.Repeat("é\t", r.IntN(n/4+1)))
		}
		doc, err := json.Marshal(holder[[]string]{list})
		if err != nil {
			t.Fatal(err)
		}
		got, err := decodeHolder(&reader, doc, func(r *Reader, p, depth int) ([]string, int) {
			return r.Strings(new(Slab[string]), p, depth)
		})
		if err != nil {
			t.Fatal(err)
		}
		if s := oracle.Diff(got, holder[[]string]{list}); s != "" {
			t.Fatalf("round %d: %s", round, s)
		}
		reader.Reset()
	}
}

// TestStringsOutliveReader: after Detach, unescaped strings keep their value, whatever the reader
// decodes next.
func TestStringsOutliveReader(t *testing.T) {
	var r Reader
	var got []string
	for i := range 50 {
		h, err := decodeHolder(&r, fmt.Appendf(nil, `{"v":"\u0041-%d"}`, i), scalar((*Reader).AnyString))
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, h.V)
		r.Detach()
		r.Reset()
	}
	for i, s := range got {
		if s != fmt.Sprintf("A-%d", i) {
			t.Errorf("string %d has become %q", i, s)
		}
	}
}

// TestInputUntouched: no mode writes to the document.
func TestInputUntouched(t *testing.T) {
	rs := readers()
	doc := []byte("{\"v\":\"\\u00e9\\ud800 \xff\",\"\\u0061\":[\"\\n\"]}")
	before := bytes.Clone(doc)
	against(t, rs, doc, scalar((*Reader).AnyString))
	if !bytes.Equal(doc, before) {
		t.Errorf("the document has become %q", doc)
	}
}
