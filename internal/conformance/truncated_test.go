package conformance

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/guardpage"
	"github.com/rtbwire/rtbwire/internal/oracle"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// realDocuments returns twelve real documents of all lengths: five of the longest requests, which
// have the most kinds of fields, five common ones, and two responses.
func realDocuments(tb testing.TB) (list []testkit.Document) {
	tb.Helper()
	length := func(a, b []byte) int { return len(a) - len(b) }
	requests := slices.SortedStableFunc(slices.Values(testkit.Requests(tb)), length)
	responses := slices.SortedStableFunc(slices.Values(testkit.Responses(tb)), length)
	n := len(requests)
	for _, i := range []int{n / 10, n / 4, n / 2, n * 3 / 4, n * 9 / 10, n * 98 / 100, n * 99 / 100, n - 40, n - 20, n - 1} {
		list = append(list, testkit.Document{Text: bytes.TrimSpace(requests[i])})
	}
	n = len(responses)
	for _, i := range []int{n / 2, n * 98 / 100} {
		list = append(list, testkit.Document{Text: bytes.TrimSpace(responses[i]), Response: true})
	}
	for _, d := range list {
		e := decoderEntry(oracle.Lenient, wire.Lenient())
		if d.Response {
			e = responseDecoderEntry(oracle.Lenient, wire.Lenient())
		}
		if fault := e.refusal(d.Text); fault != nil {
			tb.Fatalf("%s refuses for %v: %s", e.name, *fault, d.Text)
		}
	}
	return list
}

// endings are texts that some decoder has read past the end of: in an escape, in hex digits, in
// words, in numbers, after a bracket.
var endings = []string{
	`{"\`, `{"id":"\`, `{"id":"\u`, `{"id":"\u1`, `{"id":"\u12`, `{"id":"\u123`, `{"id":"\ud83d`, `{"id":"\ud83d\`, `{"id":"\ud83d\u`, `{"id":"\ud83d\ude0`,
	`{"at":t`, `{"at":tr`, `{"at":tru`, `{"x":f`, `{"x":fals`, `{"id":n`, `{"id":nul`, `{"x":n`, `{"ext":nul`, `{"ext":t`,
	`{"at":-`, `{"at":1`, `{"at":12345678901234567890`, `{"at":1.`, `{"at":1e`, `{"at":1e+`, `{"imp":[{"bidfloor":0.`, `{"imp":[{"bidfloor":1e`, `{"imp":[{"bidfloor":-`, `{"x":-`, `{"x":0.`,
	`{`, `{"`, `{"i`, `{"id`, `{"id"`, `{"id":`, `{"id":"`, `{"id":"1"`, `{"id":"1",`, `{"id":"1","`, `{"x":[`, `{"x":[[`, `{"x":{`, `{"x":{"`, `{"cur":[`, `{"cur":["`, `{"cur":["a"`, `{"cur":["a",`,
	`{"imp":[`, `{"imp":[{`, `{"imp":[{}`, `{"imp":[{},`, `{"imp":[{"banner":{"api":[`, `{"imp":[{"banner":{"api":[1`, `{"imp":[{"banner":{"api":[1,`, `{"site":{}`, `{"site":{"page":"`, `{"ext":{}`, `{"ext":{"a":{}`, `{"ext":"\`, `{"x":"\u1`,
	// These end in a brace, as a whole document does.
	`{"\}`, `{"id":"\}`, `{"id":"\u}`, `{"id":"\u1}`, `{"id":"\u123}`, `{"id":"\ud83d\}`, `{"id":"\ud83d\u}`, `{"id":"}`, `{"x":"\}`, `{"x":"\u12}`, `{"at":tru}`, `{"at":-}`, `{"at":1.}`, `{"at":1e}`, `{"x":nul}`, `{"x":1e+}`,
	`{"site":{}`, `{"x":{}`, `{"x":[{}`, `{"imp":[{}`, `{"imp":[{"ext":{}`, `{"id}`, `{"id":}`, `{"cur":[}`, `{"imp":[}`, `{"imp":[{"banner":{"api":[1}`, `{"id"}`, `}`, `{}}`, `{"i}`,
	"{\"id\":\"\xc3", "{\"id\":\"\xe2\x82", "{\"id\":\"\xf0\x9f\x98", "{\"x\":\"\xc3}", "{\"\xe2\x82}", "\xef\xbb", "\xef\xbb\xbf", "\xef\xbb\xbf{", "\xef\xbb\xbf}", " {", "{ ", "{\"a\" ", "{\"a\": ", "{ }", " ",
	``, `[`, `"`, `"\`, `"\u`, `t`, `-`, `1`, `n`,
}

// checkTruncated checks the refusal of a document that was cut off from a valid one.
func checkTruncated(tb testing.TB, e *entry, data []byte) {
	tb.Helper()
	code := wire.CodeTruncated
	if len(bytes.TrimSpace(data)) == 0 {
		code = wire.CodeEmpty
	}
	got := e.refusal(data)
	if got == nil || got.Code != code.String() || got.Offset != len(data) {
		tb.Errorf("%s of %s: refused for %v, want %s at %d", e.name, testkit.Abridged(data), got, code.String(), len(data))
	}
}

// TestTruncated cuts real documents off after every byte. No mode accepts a prefix, and every way
// to decode says that the document is truncated, at its end.
func TestTruncated(t *testing.T) {
	list := entries()
	levels := testkit.Levels()
	defer testkit.SetLevel(levels[0])()
	step := testkit.Scale(t, 7, 1, 1)
	for i, d := range realDocuments(t) {
		for end := i % step; end < len(d.Text); end += step {
			prefix := d.Text[:end:end]
			testkit.SetLevel(levels[end%len(levels)])
			for _, e := range list {
				if e.response == d.Response {
					checkTruncated(t, e, prefix)
				}
			}
			if end%11 == 0 { // compare the path too
				everywhere(t, list, prefix)
			}
		}
	}
}

// TestEndsAfterAnother decodes each of the endings right after another document, with the same
// arena or decoder, and in the same buffer, which still holds the rest of the other document after
// the ending. A decoder that keeps a position, an index or a string from one document to the next
// accepts some of the endings, or reads on.
func TestEndsAfterAnother(t *testing.T) {
	levels := testkit.Levels()
	defer testkit.SetLevel(levels[0])()
	list := entries()
	before := append(realDocuments(t), testkit.Document{Text: []byte(`{"id":"a\nb","\u0069d":"\ud83d\ude00\ud83d\ude00","cur":["\t","\t"],"x":"\\\\\\"}`)},
		testkit.Document{Text: []byte(`{"ext":` + strings.Repeat("[", 900) + strings.Repeat("]", 900) + `}`)})
	every := testkit.Scale(t, 3, 1, 1)
	var buf []byte
	for i, ending := range endings {
		for j, d := range before {
			if (i+j)%every != 0 {
				continue
			}
			testkit.SetLevel(levels[(i+j)%len(levels)])
			for _, e := range list {
				want := expect(e, []byte(ending), oracle.Options{})
				for _, first := range []int{len(d.Text), len(d.Text) - 1} { // whole, and refused
					buf = append(buf[:0], d.Text...)
					e.accepts(buf[:first])
					copy(buf, ending)
					if s := e.differs(buf[:len(ending)], want); s != "" {
						t.Errorf("%s of %q after %s: %s", e.name, ending, testkit.Abridged(d.Text), s)
					}
				}
			}
		}
	}
}

// TestEveryStringCut cuts off strings of every length from 0 to 200 at the end of a page: after and
// within an escape, a wide character and a control character. TestEveryString has whole strings.
func TestEveryStringCut(t *testing.T) {
	buffer := guardpage.New(t, 1<<10)
	levels := testkit.Levels()
	defer testkit.SetLevel(levels[0])()
	fast := openrtb.NewDecoder()
	every := testkit.Scale(t, 7, 1, 1)
	a := strings.Repeat("a", 200)
	for n := 0; n <= 200; n++ {
		for i, end := range []string{``, `\`, `\n`, `\u`, `\u00`, `\u00e`, `\u00e9`, `\ud83d\`, `\ud83d\ude0`, `\ud83d\ude00`, "\xc3", "\xc3\xa9", "\xe2\x82", "\xf0\x9f\x98", "\x1f", `\"`, `\\`, `}`, `\}`, `\u}`, `\u00}`, `\ud83d\}`, "\xe2\x82}"} {
			for j, head := range []string{`{"id":"`, `{"`, `{"x":"`, `{"ext":"`, `{"ext":{"a":["`, `{"cur":["b","`, `{"imp":[{"`} {
				if (n+i+j)%every != 0 {
					continue
				}
				text := []byte(head + a[:n] + end)
				testkit.SetLevel(levels[(n+i+j)%len(levels)])
				v, err := fast.Decode(buffer.Back(text))
				if err == nil {
					t.Fatalf("%q: accepted: %+v", text, v)
				}
				want := oracle.Outcome{}
				want.Fault, _ = oracle.Decode(text, new(openrtb.BidRequest), oracle.Options{})
				if s := outcome(v, nil, err).Diff(want); s != "" {
					t.Fatalf("%q: %s", text, s)
				}
			}
		}
	}
}
