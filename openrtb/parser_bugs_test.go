package openrtb_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/guardpage"
	"github.com/rtbwire/rtbwire/internal/simd/jsonindex"
	"github.com/rtbwire/rtbwire/internal/twin"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// This file has one test for each bug that other parsers had (docs/testing.md lists them). Other tests may cover the same
// ground; these are where a reader finds out that a bug has been thought of.

// valuePlaces are where a value may stand: in fields of each type, skipped, and kept as it is.
var valuePlaces = []string{
	`{"id":?}`, `{"at":?}`, `{"imp":[{"bidfloor":?}]}`, `{"cur":[?]}`, `{"imp":[{"banner":{"api":[1,?]}}]}`, `{"site":?}`, `{"imp":?}`, `{"imp":[?]}`,
	`{"x":?}`, `{"x":[?]}`, `{"x":{"y":[0,{"z":?}]}}`, `{"ext":?}`, `{"ext":{"a":[?]}}`, `{"imp":[{"ext":?}]}`,
}

// skipped are the valuePlaces whose value nobody asked for.
var skipped = valuePlaces[8:]

func at(place, value string) []byte { return []byte(strings.Replace(place, "?", value, 1)) }

// TestBugStringsChangeWithTheBuffer: strings without a copy, handed out as if they were safe, change when the caller uses
// the buffer again. Here what claims to own its memory does.
func TestBugStringsChangeWithTheBuffer(t *testing.T) {
	data := []byte(`{"id":"request","imp":[{"id":"impression","ext":{"k":"v"}}],"cur":["USD","E\u0055R"]}`)
	owned, err := openrtb.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	arena, err := openrtb.ParseFastArena(data)
	if err != nil {
		t.Fatal(err)
	}
	clone := arena.Clone()
	openrtb.ReleaseArena(arena)

	bad := []byte(`{"imp":[{"unknown key":{"another":[1,}]}}]}`)
	_, refused := openrtb.Parse(bad)
	lenient := openrtb.NewDecoder(wire.Lenient())
	mended := []byte(`{"imp":[{"bidfloor":"1"}]}`)
	if _, err := lenient.Decode(mended); err != nil {
		t.Fatal(err)
	}
	for _, text := range [][]byte{data, bad, mended} {
		for i := range text {
			text[i] = '#'
		}
	}
	for name, v := range map[string]*openrtb.BidRequest{"Parse": owned, "Clone": clone} {
		if v.ID != "request" || v.Imp[0].ID != "impression" || string(v.Imp[0].Ext) != `{"k":"v"}` || v.Cur[0] != "USD" || v.Cur[1] != "EUR" {
			t.Errorf("%s has changed with the buffer: %+v", name, v)
		}
	}
	var e *wire.Error
	if !errors.As(refused, &e) || e.Path != "/imp/0/unknown key/another/1" {
		t.Errorf("an error has changed with the buffer: %v", refused)
	}
	if s := lenient.Saved(); len(s) != 1 || s[0].Path != "/imp/0/bidfloor" {
		t.Errorf("what lenient mode tells has changed with the buffer: %v", s)
	}
}

// guarded decodes a text on the heap, and at both borders of memory behind and before which there is nothing.
func guarded(t *testing.T, list []*entry, buffer *guardpage.Buffer, data []byte) {
	t.Helper()
	for i, e := range list {
		x := expect(e, data, twin.Options{})
		for _, text := range [][]byte{buffer.Back(data), buffer.Front(data)} {
			e.decode(text, func(v any, saved []wire.Saved, err error) {
				if s := x.check(v, saved, err); s != "" {
					t.Errorf("%s (%d) of %s at a page's border: %s", e.name, i, abridged(data), s)
				}
			})
		}
	}
}

// TestBugReadsPastThePageEnd: a loop over digits, or a compare of four bytes with "null", reads on where the text and
// its page end.
func TestBugReadsPastThePageEnd(t *testing.T) {
	buffer := guardpage.New(t, 4096)
	list := entries()
	if testing.Short() {
		list = list[2:9]
	}
	defer setLevel(jsonindex.Levels()[0])()
	levels := jsonindex.Levels()
	for i, value := range []string{
		"0", "1", "12345678", "123456789012345678901", "-", "-0", "-1", "1.", "1.5", "0.1234567890123456", "1e", "1e+", "1e5", "1E-10",
		"t", "tr", "tru", "true", "f", "fals", "false", "n", "nu", "nul", "null", `"`, `"a`, `"a"`, "[", "[1", "[1,", "{", `{"`, `{"a`, `{"a"`, `{"a":`,
	} {
		setLevel(levels[i%len(levels)])
		for _, place := range valuePlaces {
			whole := at(place, value)
			cut := whole[:strings.Index(place, "?")+len(value)]
			for _, end := range []string{"", "}", "]", "]}", " ", `"`, `"}`} {
				guarded(t, list, buffer, append(bytes.Clone(cut), end...))
			}
			guarded(t, list, buffer, whole)
		}
	}
}

// TestBugStaleStateBetweenDecodes: what one document leaves in a pooled decoder (a carry, a length, a buffer) is met by the
// next, which only a sequence shows. `{"\` after another input is the one that was found in the wild.
func TestBugStaleStateBetweenDecodes(t *testing.T) {
	firsts := []string{
		`{"id":"` + strings.Repeat("a", 500) + `"}`, `{"id":"` + strings.Repeat(`\n`, 300) + `"}`, string(tagged(1, 9)), `{"x":` + strings.Repeat("[", 900) + "}",
		`{"id":"x","cur":["a","b","c","d","e","f"],"imp":[{},{},{},{},{},5]}`, `{"imp":[{"banner":{"api":[1,2,3,4,5,6,"x"]}}]}`, "{\"id\":\"\xff\"}", `{"\ud83d\ude00":1,"id":"\ud83d"}`,
		strings.Repeat(`\`, 127), `{"id":"` + strings.Repeat(`\`, 121), `{"x":"` + strings.Repeat(" ", 200), `{"imp":{"id":"1"}}`,
	}
	seconds := []string{
		`{"\`, `{"`, `{`, ``, ` `, `{"\u`, `{"\"`, `{"\"}`, `{"\\"}`, `{"a`, `{}`, `}`, `{"id":"`, `{"id":"\`, `{"id":"b"}`, `{"id":"\t"}`, `{"cur":["b"]}`, `{"cur":[]}`,
		`{"imp":[{}]}`, `{"imp":[null]}`, `{"imp":[{"banner":{"api":[1]}}]}`, `{"site":{}}`, `{"x":[[1]]}`, `{"x":{"a":[{}]}}`, string(tagged(2, 3)), `"}`, `"`, `\`,
	}
	list := entries()
	defer setLevel(jsonindex.Levels()[0])()
	for _, l := range jsonindex.Levels() {
		setLevel(l)
		for _, e := range list {
			for _, second := range seconds {
				// Once for each first one, and once more for the state that a refusal leaves.
				x := expect(e, []byte(second), twin.Options{})
				for _, first := range append(firsts, second) {
					e.decode([]byte(first), func(any, []wire.Saved, error) {})
					e.decode([]byte(second), func(v any, saved []wire.Saved, err error) {
						if s := x.check(v, saved, err); s != "" {
							t.Errorf("%v: %s of %s after %s: %s", l, e.name, abridged([]byte(second)), abridged([]byte(first)), s)
						}
					})
				}
			}
		}
	}
}

// TestBugSkippedValuesAreNotValidated: what nobody asked for is skipped by counting brackets, and garbage in it is accepted.
func TestBugSkippedValuesAreNotValidated(t *testing.T) {
	for _, bad := range []string{
		`01`, `1.`, `-.1`, `-`, `+1`, `1e`, `.5`, `0x1`, `1_0`, `NaN`, `tru`, `nul`, `True`, `truex`, `'a'`, `a`, `,`, `:`,
		`"\x"`, `"\u12"`, `"\u12g4"`, `"\ud800"`, "\"\x01\"", "\"\n\"", "\"\xff\"", "\"\xc0\x80\"", `"a`, `"`,
		`[1,]`, `[,1]`, `[1 2]`, `[1`, `[1}`, `[}`, `[]]`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{,}`, `{1:2}`, `{a:1}`, `{"a" 1}`, `{"a"::1}`, `{"a":1 "b":2}`, `{]`, `{"a":1]`,
		`[[[1,2],[3,4,]]]`, `{"a":{"b":{"c":tru}}}`, `[{"a":[{"b":"\q"}]}]`, `1 2`, `"a" "b"`, `[] []`, `{} {}`, `//`, `/**/1`,
	} {
		for _, place := range skipped {
			for _, value := range []string{bad, `[0,` + bad + `]`, `[[` + bad + `,0]]`, `{"k":` + bad + `}`} {
				data := at(place, value)
				for _, d := range decoders {
					if _, err := d.request(data); err == nil {
						t.Errorf("%s accepts %s", d.name, data)
					}
				}
			}
		}
	}
	for _, good := range []string{`0`, `-0`, `1.5e-10`, `1e400`, `""`, `"\u0000\ud83d\ude00é"`, `[]`, `{}`, `{"":[{}]}`, `[[[[]]],{"a":{"b":null}},true,false]`} {
		for _, place := range skipped {
			for _, d := range decoders {
				if _, err := d.request(at(place, good)); err != nil {
					t.Errorf("%s of %s: %v", d.name, at(place, good), err)
				}
			}
		}
	}
}

// TestBugIntegersSaturateOrWrap: 9223372036854775808 becomes the largest integer, or a negative one.
func TestBugIntegersSaturateOrWrap(t *testing.T) {
	const bits = strconv.IntSize
	most := uint64(math.MaxInt)
	good := map[string]int{"0": 0, "-0": 0, strconv.Itoa(math.MaxInt): math.MaxInt, strconv.Itoa(math.MinInt): math.MinInt, strconv.Itoa(math.MaxInt - 1): math.MaxInt - 1}
	bad := []string{
		"18446744073709551615", "18446744073709551616", "18446744073709551617", "36893488147419103233", "-18446744073709551617", "100000000000000000000", "340282366920938463463374607431768211457",
	}
	for i := range uint64(3) {
		bad = append(bad, strconv.FormatUint(most+1+i, 10), "-"+strconv.FormatUint(most+2+i, 10))
	}
	for n := 1; n < 45; n++ { // as many digits, at both ends
		for _, text := range []string{strings.Repeat("9", n), "1" + strings.Repeat("0", n-1)} {
			for _, text := range []string{text, "-" + text} {
				if v, err := strconv.ParseInt(text, 10, bits); err == nil {
					good[text] = int(v)
				} else {
					bad = append(bad, text)
				}
			}
		}
	}
	lenient := openrtb.NewDecoder(wire.Lenient())
	parsers := map[string]func([]byte) (*openrtb.BidRequest, error){"Parse": openrtb.Parse, "lenient": lenient.Decode}
	for _, after := range []string{"", " "} { // the second way through the code
		for text, want := range good {
			for name, parse := range parsers {
				v, err := parse([]byte(`{"tmax":` + text + after + `,"imp":[{"banner":{"api":[1,` + text + after + `]}}]}`))
				if err != nil || *v.TMax != want || int(v.Imp[0].Banner.API[1]) != want {
					t.Errorf("%s of %s: %v", name, text, err)
				}
			}
			if v, err := lenient.Decode([]byte(`{"tmax":"` + text + `"}`)); err != nil || *v.TMax != want {
				t.Errorf("lenient, quoted, of %s: %v", text, err)
			}
		}
		for _, text := range bad {
			for name, parse := range parsers {
				for _, place := range []string{`{"tmax":?}`, `{"imp":[{"banner":{"api":[1,?]}}]}`, `{"at":?}`} {
					var e *wire.Error
					if v, err := parse(at(place, text+after)); !errors.As(err, &e) || e.Code != wire.CodeRange {
						t.Errorf("%s of %s: %+v, %v, want a refusal for its range", name, at(place, text), v, err)
					}
				}
			}
			var e *wire.Error
			if v, err := lenient.Decode([]byte(`{"tmax":"` + text + `"}`)); !errors.As(err, &e) || e.Code != wire.CodeRange {
				t.Errorf("lenient, quoted, of %s: %+v, %v, want a refusal for its range", text, v, err)
			}
		}
	}
}

// TestBugNumberForms: 01, 1. and -.1 are accepted, as Go's and C's number functions accept them.
func TestBugNumberForms(t *testing.T) {
	list, lenient := entries(), openrtb.NewDecoder(wire.Lenient())
	for _, bad := range []string{
		"01", "00", "-01", "-00", "001.5", "01e5", "00.1", "1.", "-1.", "0.", "1.e5", "-.1", ".1", "-.", "1.-1", "1e", "1E+", "1e-", "1e5.5", "1e0x1", "-", "--1", "+1", "-+1",
		"1..2", "1.2.3", "0x10", "0X1P-2", "0b1", "0o7", "1_000", "Infinity", "-Infinity", "Inf", "NaN", "-NaN", "1f", "1.5f", "1L", "1 .5", "- 1", "1e 5", "١", "１",
	} {
		for _, place := range valuePlaces {
			data := at(place, bad)
			for _, e := range list {
				if e.accepts(data) && (!e.response || strings.Contains(place, `"x"`) || strings.Contains(place, `{"ext"`)) {
					t.Errorf("%s accepts %s", e.name, data)
				}
			}
			if strings.Contains(place, `"at"`) || strings.Contains(place, "bidfloor") || strings.Contains(place, "api") {
				if v, err := lenient.Decode(at(place, `"`+bad+`"`)); err == nil {
					t.Errorf("lenient accepts %s: %+v", at(place, `"`+bad+`"`), v)
				}
			}
		}
	}
}

// TestBugStackOverflowOnDeepNesting: each bracket costs a stack frame, and ten million of them kill the process, which
// no recover prevents. The most that the stack may grow to is set low here.
func TestBugStackOverflowOnDeepNesting(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(256 << 10))
	list := entries()
	for _, place := range valuePlaces {
		for _, open := range []string{"[", `{"a":`, `[{"a":`, `{"imp":[`, `{"site":{"publisher":`} {
			n := 200_000
			if !raceEnabled && !testing.Short() && open == "[" && (place == `{"x":?}` || place == `{"imp":?}` || place == `{"ext":?}`) {
				n = 10_000_000
			}
			nested := strings.Repeat(open, n/len(open))
			for _, end := range []string{"", "}"} {
				data := at(place[:strings.Index(place, "?")+1], nested+end)
				for _, e := range list {
					if e.accepts(data) {
						t.Errorf("%s accepts %s", e.name, abridged(data))
					}
				}
			}
		}
	}
	if _, err := openrtb.Parse([]byte(strings.Repeat("[", 1<<20))); err == nil {
		t.Error("brackets alone are accepted")
	}
}

// TestBugEndlessLoop: malformed input leaves a parser where it is, forever. Every byte of a document that has everything is
// replaced by every other that means something, left out, and doubled.
func TestBugEndlessLoop(t *testing.T) {
	base := []byte("{\"id\":\"a\\n\",\"at\":-1,\"cur\":[\"b\",null],\"imp\":[{\"bidfloor\":1.5e1,\"banner\":{\"api\":[1]}},null],\"x\":{\"y\":[true,{}]} ,\"ext\":[\"\\u00e9\"]}\n")
	var current []byte
	dog := time.AfterFunc(time.Minute, func() { // nothing else ends a loop
		fmt.Fprintf(os.Stderr, "still decoding %q\n", current) //nolint:gosec // a test's message
		panic("an endless loop")
	})
	defer dog.Stop()
	list := entries()
	if testing.Short() {
		list = []*entry{list[0], list[2], decoderEntry(twin.Lenient, wire.Lenient())}
	}
	try := func(data []byte) {
		current = data
		for _, e := range list {
			e.accepts(data)
		}
	}
	const bytesToTry = "{}[]:,\"\\ \n019-+.eEtfnul/\x00\x1f\x7f\x80\xc3\xff"
	for i := range base {
		for _, c := range []byte(bytesToTry) {
			data := bytes.Clone(base)
			data[i] = c
			try(data)
		}
		try(append(bytes.Clone(base[:i]), base[i+1:]...))
		try(append(bytes.Clone(base[:i+1]), base[i:]...))
		try(base[:i])
		try(append(bytes.Clone(base[:i]), '}'))
		try(base[i:])
	}
	for n := range 130 { // at the borders of blocks
		for _, c := range []byte(bytesToTry) {
			try(bytes.Repeat([]byte{c}, n))
			try(append(append([]byte(`{"x":`), bytes.Repeat([]byte{c}, n)...), '}'))
		}
	}
}

// TestBugHexDigitsPastTheEnd: the four digits behind "\u1 are read without a look at where the text ends.
func TestBugHexDigitsPastTheEnd(t *testing.T) {
	buffer := guardpage.New(t, 4096)
	list := entries()
	const escape = `\ud83d\ude00`
	for cut := 1; cut < len(escape); cut++ {
		for _, before := range []string{`{"`, `{"x":"`, `{"id":"`, `{"cur":["a","`, `{"ext":{"a":"`, `{"imp":[{"`, `{"imp":[{"id":"`, `"`} {
			for _, end := range []string{"", "}", `"`, `"}`, "]}", " ", "1}"} {
				guarded(t, list, buffer, []byte(before+escape[:cut]+end))
			}
			// At a block's border, where the next block is not there.
			pad := strings.Repeat("a", 64-(len(before)+cut)%64)
			guarded(t, list, buffer, []byte(before+pad+escape[:cut]))
			guarded(t, list, buffer, []byte(before+pad[1:]+escape[:cut]+"}"))
		}
	}
}

// TestBugTwoResultsShareMemory: two values come out of one allocation, or of one arena, and a change of one shows in the other.
func TestBugTwoResultsShareMemory(t *testing.T) {
	for _, n := range []int{0, 1, 3, 20} {
		var values, arenas []*openrtb.BidRequest
		var texts [][]byte
		add := func(v *openrtb.BidRequest, err error) *openrtb.BidRequest {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
			values = append(values, v)
			return v
		}
		text := func() []byte { // of its own, for the next value
			texts = append(texts, tagged(1000+len(values), n))
			return texts[len(texts)-1]
		}
		for range 3 {
			arenas = append(arenas, add(openrtb.ParseFastArena(text())))
			add(openrtb.ParseFast(text()))
			add(openrtb.Parse(text()))
			add(openrtb.NewDecoder().Decode(text()))
			other := openrtb.NewDecoder() // its first result is gone with the second
			if _, err := other.Decode(tagged(1, n)); err != nil {
				t.Fatal(err)
			}
			add(other.Decode(text()))
			first, err := openrtb.ParseFastArena(text())
			if err != nil {
				t.Fatal(err)
			}
			add(first.Clone(), nil)
			openrtb.ReleaseArena(first)
		}
		all := make([][]span, len(values))
		for i, v := range values {
			all[i] = spans(v, true)
			for j := range i {
				if s := shared(all[j], all[i]); s != "" {
					t.Errorf("%d impressions: values %d and %d share memory: %s", n, j, i, s)
				}
			}
		}
		// Appending to a slice of a value writes to nothing that somebody has.
		for _, v := range values {
			growAll(reflect.ValueOf(v))
		}
		for i, v := range values {
			if s := checkTagged(v, 1000+i, leaves(n)); s != "" {
				t.Errorf("%d impressions: value %d has changed: %s", n, i, s)
			}
			if string(texts[i]) != string(tagged(1000+i, n)) {
				t.Errorf("%d impressions: the text of value %d has changed", n, i)
			}
		}
		for _, v := range arenas {
			openrtb.ReleaseArena(v)
		}
	}
}

// growAll appends to every slice of a value, and forgets the result.
func growAll(v reflect.Value) {
	switch v.Kind() { //nolint:exhaustive // the others have no slices
	case reflect.Pointer:
		if !v.IsNil() {
			growAll(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				growAll(v.Field(i))
			}
		}
	case reflect.Slice:
		grown := reflect.New(v.Type().Elem()).Elem()
		if grown.Kind() == reflect.Uint8 {
			grown.SetUint('#')
		}
		reflect.Append(v, grown)
		if v.Type().Elem().Kind() != reflect.Uint8 {
			for i := range v.Len() {
				growAll(v.Index(i))
			}
		}
	}
}

// TestBugPointersInUnscannedMemory: objects live in memory that the collector takes for bytes, so that it frees what they
// point to. safety_gc_test.go has more of this.
func TestBugPointersInUnscannedMemory(t *testing.T) {
	var values []*openrtb.BidRequest
	for i := range 30 {
		v, err := openrtb.NewDecoder().Decode(tagged(i, i))
		if err != nil {
			t.Fatal(err)
		}
		values = append(values, v)
		runtime.GC()
		litter()
	}
	for i, v := range values {
		if s := checkTagged(v, i, leaves(i)); s != "" {
			t.Errorf("after collections: %s", s)
		}
	}
}
