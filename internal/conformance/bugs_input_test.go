package conformance

import (
	"bytes"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/cputime"
	"github.com/rtbwire/rtbwire/internal/guardpage"
	"github.com/rtbwire/rtbwire/internal/oracle"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// valuePlaces are positions of a value: in fields of each type, in unknown members, in ext.
var valuePlaces = []string{
	`{"id":?}`, `{"at":?}`, `{"imp":[{"bidfloor":?}]}`, `{"cur":[?]}`, `{"imp":[{"banner":{"api":[1,?]}}]}`, `{"site":?}`, `{"imp":?}`, `{"imp":[?]}`,
	`{"x":?}`, `{"x":[?]}`, `{"x":{"y":[0,{"z":?}]}}`, `{"ext":?}`, `{"ext":{"a":[?]}}`, `{"imp":[{"ext":?}]}`,
}

// skippedPlaces are the valuePlaces whose value is skipped.
var skippedPlaces = valuePlaces[8:]

// at puts a value into a place.
func at(place, value string) []byte { return []byte(strings.Replace(place, "?", value, 1)) }

// guarded compares decodings of a text right before and right after an unreadable page with the
// oracle.
func guarded(t *testing.T, list []*entry, buffer *guardpage.Buffer, data []byte) {
	t.Helper()
	for _, e := range list {
		want := expect(e, data, oracle.Options{})
		for _, text := range [][]byte{buffer.Back(data), buffer.Front(data)} {
			if s := e.differs(text, want); s != "" {
				t.Errorf("%s of %s beside an unreadable page: %s", e.name, testkit.Abridged(data), s)
			}
		}
	}
}

// TestBugReadsPastThePageEnd: a loop over digits, or a comparison of four bytes with "null", read
// on past the end of the text and its page.
func TestBugReadsPastThePageEnd(t *testing.T) {
	buffer := guardpage.New(t, 4096)
	list := entries()
	if testing.Short() {
		list = list[2:9]
	}
	defer testkit.SetLevel(testkit.Levels()[0])()
	levels := testkit.Levels()
	for i, value := range []string{
		"0", "1", "12345678", "123456789012345678901", "-", "-0", "-1", "1.", "1.5", "0.1234567890123456", "1e", "1e+", "1e5", "1E-10",
		"t", "tr", "tru", "true", "f", "fals", "false", "n", "nu", "nul", "null", `"`, `"a`, `"a"`, "[", "[1", "[1,", "{", `{"`, `{"a`, `{"a"`, `{"a":`,
	} {
		testkit.SetLevel(levels[i%len(levels)])
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

// TestBugHexDigitsPastTheEnd: four digits after "\u1 were read without a check for the end of the
// text.
func TestBugHexDigitsPastTheEnd(t *testing.T) {
	buffer := guardpage.New(t, 4096)
	list := entries()
	const escape = `\ud83d\ude00`
	for cut := 1; cut < len(escape); cut++ {
		for _, before := range []string{`{"`, `{"x":"`, `{"id":"`, `{"cur":["a","`, `{"ext":{"a":"`, `{"imp":[{"`, `{"imp":[{"id":"`, `"`} {
			for _, end := range []string{"", "}", `"`, `"}`, "]}", " ", "1}"} {
				guarded(t, list, buffer, []byte(before+escape[:cut]+end))
			}
			// At the end of a block of the index, without a next block.
			pad := strings.Repeat("a", 64-(len(before)+cut)%64)
			guarded(t, list, buffer, []byte(before+pad+escape[:cut]))
			guarded(t, list, buffer, []byte(before+pad[1:]+escape[:cut]+"}"))
		}
	}
}

// TestBugStaleStateBetweenDecodes: what one document left in a pooled decoder (a carry, a length, a
// buffer) changed the next, which only a sequence of documents shows. The sequence that was found
// ends in `{"\`.
func TestBugStaleStateBetweenDecodes(t *testing.T) {
	firsts := []string{
		`{"id":"` + strings.Repeat("a", 500) + `"}`, `{"id":"` + strings.Repeat(`\n`, 300) + `"}`, string(testkit.TaggedRequest(1, 9)), `{"x":` + strings.Repeat("[", 900) + "}",
		`{"id":"x","cur":["a","b","c","d","e","f"],"imp":[{},{},{},{},{},5]}`, `{"imp":[{"banner":{"api":[1,2,3,4,5,6,"x"]}}]}`, "{\"id\":\"\xff\"}", `{"\ud83d\ude00":1,"id":"\ud83d"}`,
		strings.Repeat(`\`, 127), `{"id":"` + strings.Repeat(`\`, 121), `{"x":"` + strings.Repeat(" ", 200), `{"imp":{"id":"1"}}`,
	}
	seconds := []string{
		`{"\`, `{"`, `{`, ``, ` `, `{"\u`, `{"\"`, `{"\"}`, `{"\\"}`, `{"a`, `{}`, `}`, `{"id":"`, `{"id":"\`, `{"id":"b"}`, `{"id":"\t"}`, `{"cur":["b"]}`, `{"cur":[]}`,
		`{"imp":[{}]}`, `{"imp":[null]}`, `{"imp":[{"banner":{"api":[1]}}]}`, `{"site":{}}`, `{"x":[[1]]}`, `{"x":{"a":[{}]}}`, string(testkit.TaggedRequest(2, 3)), `"}`, `"`, `\`,
	}
	list := entries()
	defer testkit.SetLevel(testkit.Levels()[0])()
	for _, l := range testkit.Levels() {
		testkit.SetLevel(l)
		for _, e := range list {
			for _, second := range seconds {
				// After each of the first ones, and after itself.
				want := expect(e, []byte(second), oracle.Options{})
				for _, first := range append(firsts, second) {
					e.accepts([]byte(first))
					if s := e.differs([]byte(second), want); s != "" {
						t.Errorf("%v: %s of %s after %s: %s", l, e.name, testkit.Abridged([]byte(second)), testkit.Abridged([]byte(first)), s)
					}
				}
			}
		}
	}
}

// TestBugEndlessLoop: malformed input made a parser loop forever. Each byte of a document with
// every kind of value is replaced by each byte that JSON gives a meaning, removed, and doubled.
func TestBugEndlessLoop(t *testing.T) {
	base := []byte("{\"id\":\"a\\n\",\"at\":-1,\"cur\":[\"b\",null],\"imp\":[{\"bidfloor\":1.5e1,\"banner\":{\"api\":[1]}},null],\"x\":{\"y\":[true,{}]} ,\"ext\":[\"\\u00e9\"]}\n")
	var current []byte
	stop := cputime.AfterFunc(time.Minute, func() { // only this ends a loop
		fmt.Fprintf(os.Stderr, "still decoding %q\n", current) //nolint:gosec // a test's message
		panic("an endless loop")
	})
	defer stop()
	list := entries()
	if testing.Short() {
		list = []*entry{list[0], list[2], decoderEntry(oracle.Lenient, wire.Lenient())}
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

// TestBugStackOverflowOnDeepNesting: each bracket took a stack frame, and ten million of them
// killed the process, which no recover prevents. The test sets a low limit on the stack.
func TestBugStackOverflowOnDeepNesting(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(256 << 10))
	list := entries()
	for _, place := range valuePlaces {
		for _, open := range []string{"[", `{"a":`, `[{"a":`, `{"imp":[`, `{"site":{"publisher":`} {
			n := 200_000
			if !testkit.Race && testkit.Long(t) && open == "[" && (place == `{"x":?}` || place == `{"imp":?}` || place == `{"ext":?}`) {
				n = 10_000_000
			}
			nested := strings.Repeat(open, n/len(open))
			for _, end := range []string{"", "}"} {
				data := at(place[:strings.Index(place, "?")+1], nested+end)
				for _, e := range list {
					if e.accepts(data) {
						t.Errorf("%s accepts %s", e.name, testkit.Abridged(data))
					}
				}
			}
		}
	}
	if _, err := openrtb.Parse([]byte(strings.Repeat("[", 1<<20))); err == nil {
		t.Error("brackets alone are accepted")
	}
}
