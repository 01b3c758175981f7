package coder

import (
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/testkit"
)

// wholeTexts are documents, and texts that look like one.
var wholeTexts = []string{
	"", " ", "\n", "{", "}", "{}", " {} ", "\t\r\n{\t\r\n}\t\r\n", "{}{}", "{} {}", "{},", "{}]", "{}\x00", "\x00{}", "{}x", "x{}", "[]", "[{}]", "null", "nul", "true", "0", `""`, `"}`, `"{}"`, "}{", "{{}}", "{[]}",
	"\f{}", "\v{}", "\u00a0{}", "\u2028{}", "/**/{}", "#{}", `{"v":"}`, `{"v":"a"`, `{"v":"a"}}`, `{"v":"a"} }`, `{"v":"a" }`, `{"v":"a"  ` + "\x01}", "{\"v\":\"a\x1f}", "{\"v\":\"a} \n\t ", "{\"x\":\"a}  \n", "{\"a}  ",
	`{"x":{}`, `{"x":[}`, `{"x":[{}}`, `{"x":{"y":{}}`, `{"v":"a","x":{"y":1}`, `{"x":[1,{"y":[}]}]}`, `{"x":tru}`, `{"x":t}`, `{"x":1`, `{"x":1}1`, `{"x":-}`, `{"x":1.}`, `{"x":1e}`, `{"x"}`, `{"x":}`, `{,}`, `{"x":1,}`,
}

// TestWholeDocuments decodes wholeTexts with white space in each place.
func TestWholeDocuments(t *testing.T) {
	testkit.EachLevel(t, func(t *testing.T) {
		rs := readers()
		for _, text := range wholeTexts {
			for _, blank := range []string{"", " ", strings.Repeat(" ", 63), strings.Repeat("\n", 64), strings.Repeat("\t", 200)} {
				for _, doc := range []string{blank + text, text + blank, blank + text + blank, strings.Replace(text, "{", "{"+blank, 1), strings.Replace(text, "}", blank+"}", 1)} {
					against(t, rs, []byte(doc), scalar((*Reader).AnyString))
				}
			}
		}
	})
}

// TestOneReaderManyDocuments decodes each document after each other with one Reader. What a
// document leaves behind, accepted or refused, must not change the next.
func TestOneReaderManyDocuments(t *testing.T) {
	rs := readers()
	docs := []string{
		`{"v":"plain"}`, `{"v":"\u0041\n"}`, `{"v":"` + strings.Repeat("long ", 400) + `"}`, "{\"v\":\"\xff\"}", `{"v":"\`, `{"\`, `{"v`, `{"v":"a","v":"b"}`, `{"x":` + strings.Repeat("[", 200) + `{`,
		`{"x":` + strings.Repeat(`[{"a":`, 90) + "0" + strings.Repeat("}]", 90) + `}`, "", `{"v":5}`, `{}`, ` `, "\xef\xbb\xbf{}", `{"v":null}`, `{"v":"` + strings.Repeat(`\t`, 3000) + `"}`,
	}
	for _, first := range docs {
		for _, second := range docs {
			against(t, rs, []byte(first), scalar((*Reader).AnyString))
			against(t, rs, []byte(second), scalar((*Reader).AnyString))
		}
		for _, r := range rs {
			r.Reset()
		}
	}
}

// TestNeighbours: bytes before and after a document in memory do not change its outcome.
func TestNeighbours(t *testing.T) {
	rs := readers()
	for _, doc := range append([]string{`{"v":"abc"}`, `{"v":12}`, `{"x":[1,2,"` + strings.Repeat("a", 60) + `"]}`, `{"v":"\u00e9"}`}, wholeTexts...) {
		for _, around := range []string{"\x00", `"`, `\`, "9", "}", "{}", "\xff", " ", "null", strings.Repeat(`"`, 64)} {
			data := []byte(around + doc + around)
			against(t, rs, data[len(around):len(around)+len(doc)], scalar((*Reader).AnyString))
		}
	}
}

// TestDetachKeepsRetained: memory that was left to a value does not count as retained.
func TestDetachKeepsRetained(t *testing.T) {
	var r Reader
	var s Slab[int]
	if _, err := decodeHolder(&r, []byte(`{"v":[1,2,3,4,5,6,7,8,9],"\u0061":0}`), func(r *Reader, p, depth int) ([]int, int) { return r.Ints(&s, p, depth) }); err != nil {
		t.Fatal(err)
	}
	s.Detach()
	r.Detach()
	if want := len(r.kept) * blockBytes; r.Retained() != want {
		t.Errorf("Retained is %d, want %d for the index", r.Retained(), want)
	}
}
