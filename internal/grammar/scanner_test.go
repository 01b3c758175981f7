package grammar

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rtbwire/rtbwire/internal/oracle"
)

// TestFaults has documents with every fault; § marks the place.
func TestFaults(t *testing.T) {
	const (
		value    = "expected a value"
		key      = "expected a key in double quotes"
		colon    = "expected : after the key"
		member   = "expected , or } after a member"
		element  = "expected , or ] after an element"
		quote    = "the string has no closing quote"
		control  = "control characters in a string have to be escaped"
		escape   = "this escape does not exist"
		hex      = "expected four hexadecimal digits after \\u"
		unicode  = "expected Unicode text: valid UTF-8 and surrogates in pairs"
		digit    = "expected a digit"
		fraction = "expected a digit after the decimal point"
		exponent = "expected a digit in the exponent"
		zeros    = "a number has no leading zeros"
		trailing = "nothing may follow the document"
		depth    = "nested deeper than the limit"
		empty    = "the document is empty"
	)
	const depthMax = 3
	for _, x := range []struct {
		doc      string
		fault    Fault
		expected string
	}{
		{"§", Empty, empty},
		{" \n§", Empty, empty},
		{"§x", Syntax, value},
		{"§\x00", Syntax, value},
		{"n§il", Syntax, value},
		{"tru§ ", Syntax, value},
		{"[§,1]", Syntax, value},
		{"[1,§]", Syntax, value},
		{`{"a":§}`, Syntax, value},
		{"§+1", Syntax, value},
		{"§.5", Syntax, value},
		{"§}", Syntax, value},
		{"§\v1", Syntax, value},
		{"{§a:1}", Syntax, key},
		{"{§,}", Syntax, key},
		{`{"a":1,§}`, Syntax, key},
		{`{"a" §1}`, Syntax, colon},
		{`{"a"§,1}`, Syntax, colon},
		{`{"a":1 §"b":2}`, Syntax, member},
		{`{"a":1§]`, Syntax, member},
		{`[1 §2]`, Syntax, element},
		{`[{}§}`, Syntax, element},
		{`fals§`, Truncated, value},
		{`[§`, Truncated, value},
		{`[1,§`, Truncated, value},
		{`{§`, Truncated, key},
		{`{"a"§`, Truncated, colon},
		{`{"a":§`, Truncated, value},
		{`{"a":1§`, Truncated, member},
		{`[1 §`, Truncated, element},
		{`"a§`, Truncated, quote},
		{`"a\§`, Truncated, escape},
		{`"\u00§`, Truncated, hex},
		{`"\ud800§`, Truncated, unicode},
		{`"\ud800\§`, Truncated, unicode},
		{`"\ud800\u§`, Truncated, hex},
		{"\"\xe2\x82§", Truncated, unicode},
		{`-§`, Truncated, digit},
		{`1.§`, Truncated, fraction},
		{`1e§`, Truncated, exponent},
		{`1 §2`, Trailing, trailing},
		{`{}§}`, Trailing, trailing},
		{"{}§\x00", Trailing, trailing},
		{`1§x`, Trailing, trailing},
		{"\"a§\n\"", Control, control},
		{"\"§\x00\"", Control, control},
		{"\"\xc3\xa9§\x1f\"", Control, control},
		{`"\§x"`, Escape, escape},
		{`"\§U0041"`, Escape, escape},
		{`"\u00§g0"`, Escape, hex},
		{`"\ud800\u§"`, Escape, hex},
		{"\"a§\xff\"", UTF8, unicode},
		{"\"§\xc0\x80\"", UTF8, unicode},
		{"\"§\xed\xa0\x80\"", UTF8, unicode},
		{`"§\ud800"`, Surrogate, unicode},
		{`"a§\udc00"`, Surrogate, unicode},
		{`"§\ud800\u0041"`, Surrogate, unicode},
		{`"\ud83d\ude00§\ud83d"`, Surrogate, unicode},
		{`0§1`, Number, zeros},
		{`-0§0`, Number, zeros},
		{`-§x`, Number, digit},
		{`1.§e1`, Number, fraction},
		{`1e+§]`, Number, exponent},
		{`[[[§[]]]]`, Depth, depth},
		{`{"a":{"b":[§{`, Depth, depth},
		{`[[[]]]§x`, Trailing, trailing},
	} {
		at := strings.Index(x.doc, "§")
		doc := strings.Replace(x.doc, "§", "", 1)
		s := Scanner{Data: []byte(doc), Depth: depthMax}
		if s.Document() || s.Fault != x.fault || s.At != at || s.Expected != x.expected {
			t.Errorf("%q: fault %d at %d, %q, want %d at %d, %q", doc, s.Fault, s.At, s.Expected, x.fault, at, x.expected)
		}
		if fault, where := Check([]byte(doc), depthMax, false); fault != x.fault || where != at {
			t.Errorf("Check(%q): fault %d at %d, want %d at %d", doc, fault, where, x.fault, at)
		}
		tolerated := x.expected == unicode && (x.fault == UTF8 || x.fault == Surrogate)
		if fault, _ := Check([]byte(doc), depthMax, true); (fault == 0) != tolerated {
			t.Errorf("Check(%q) when tolerant: fault %d", doc, fault)
		}
	}
}

// TestInvalid: a tolerant scanner notes the first byte or escape of a string that is not Unicode
// text, and Skip calls its argument once after each such string.
func TestInvalid(t *testing.T) {
	for _, x := range []struct {
		doc   string
		calls int
	}{
		{`["a","b"]`, 0},
		{"[\"a§\xff\xff\",1,\"b\"]", 1},
		{`{"§\ud800":"x"}`, 1},
		{"{\"\xff\":[\"\xff\",{\"a\":\"§\xff\\ud800\"}]}", 3},
		{`"\ud83d\ude00§\ude00"`, 1},
	} {
		at := strings.Index(x.doc, "§")
		s := Scanner{Data: []byte(strings.Replace(x.doc, "§", "", 1)), Depth: DepthMax, Tolerant: true}
		calls, last := 0, -1
		if !s.Skip(func() { calls, last = calls+1, s.Invalid }) || calls != x.calls || last != at {
			t.Errorf("%q: %d calls, the last at %d, want %d, %d", x.doc, calls, last, x.calls, at)
		}
	}
}

// TestTokens walks over an object by hand, as the text layer of package schema does.
func TestTokens(t *testing.T) {
	for _, doc := range []string{
		`{"a":1,"\u0062":[true,null],"":{"x":"y"}}`,
		" {\n\t\"a\" :\r1 , \"\\u0062\" : [ true , null ] , \"\" : { \"x\" : \"y\" } } ",
	} {
		s := Scanner{Data: []byte(doc), Depth: 2}
		if !s.Begin() || s.Peek() != '{' || !s.Open() {
			t.Fatal(s.Expected)
		}
		s.Space()
		var got []string
		for more := true; more; {
			key, ok := s.Key()
			if !ok || s.Escaped != (string(key) == `\u0062`) || s.Level != 1 || !s.Colon() {
				t.Fatalf("%q: %s", key, s.Expected)
			}
			start := s.Pos
			if !s.Skip(nil) {
				t.Fatal(s.Expected)
			}
			var value bytes.Buffer
			if err := json.Compact(&value, s.Data[start:s.Pos]); err != nil {
				t.Fatal(err)
			}
			got = append(got, string(key), value.String())
			if more, ok = s.More('}'); !ok {
				t.Fatal(s.Expected)
			}
		}
		if want := `a 1 \u0062 [true,null]  {"x":"y"}`; strings.Join(got, " ") != want || s.Level != 0 || !s.End() {
			t.Errorf("got %q, level %d, want %s", got, s.Level, want)
		}
	}
}

// TestSkipAgainstEncodingJSON compares with encoding/json on random values, whole and with a byte
// changed, removed or repeated.
func TestSkipAgainstEncodingJSON(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 0))
	accepted, refused := 0, 0
	for range 20000 {
		data := []byte(oracle.RandomJSON(rnd.IntN, 5))
		if rnd.IntN(4) > 0 {
			const interesting = "{}[]\",:\\u0.e-+ \n\x00\xff"
			at := rnd.IntN(len(data))
			switch rnd.IntN(3) {
			case 0:
				data[at] = interesting[rnd.IntN(len(interesting))]
			case 1:
				data = append(data[:at], data[at+1:]...)
			case 2:
				data = append(data[:at+1], data[at:]...)
			}
		}
		valid := json.Valid(data)
		if fault, at := Check(data, DepthMax, true); (fault == 0) != valid || at < 0 || at > len(data) {
			t.Fatalf("%q: fault %d at %d, encoding/json says %v", data, fault, at, valid)
		}
		if fault, _ := Check(data, DepthMax, false); fault == 0 && !(valid && utf8.Valid(data)) {
			t.Fatalf("%q is accepted", data)
		}
		if valid {
			accepted++
		} else {
			refused++
		}
	}
	if min(accepted, refused) < 2000 {
		t.Errorf("%d values are valid and %d are not", accepted, refused)
	}
}

// TestIsNumber compares with encoding/json on every short text of the bytes that numbers have.
func TestIsNumber(t *testing.T) {
	const letters, longest = "-+0123.eE ", 5
	texts := []string{""}
	for i := 0; i < len(texts); i++ {
		text := texts[i]
		want := json.Valid([]byte(text)) && strings.TrimSpace(text) == text
		if got := IsNumber(text); got != want {
			t.Fatalf("IsNumber(%q) is %v", text, got)
		}
		if len(text) < longest {
			for _, letter := range letters {
				texts = append(texts, text+string(letter))
			}
		}
	}
}
