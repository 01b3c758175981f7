package openrtb_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/guardpage"
	"github.com/rtbwire/rtbwire/internal/simd/jsonindex"
	"github.com/rtbwire/rtbwire/internal/twin"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// This file is about the ends of a document: where it is cut off, what lies beside it in memory, and what an earlier one
// has left behind. A decoder that looks a byte ahead without a right to it shows here.

// tenDocuments are real ones of all lengths: five requests that are among the longest, for what they have, and five that
// are like most; two responses behind them.
func tenDocuments(tb testing.TB) (list []document) {
	tb.Helper()
	docs := realDocuments(tb)
	length := func(a, b []byte) int { return len(a) - len(b) }
	requests := slices.SortedStableFunc(slices.Values(docs.requests), length)
	responses := slices.SortedStableFunc(slices.Values(docs.responses), length)
	n := len(requests)
	for _, i := range []int{n / 10, n / 4, n / 2, n * 3 / 4, n * 9 / 10, n * 98 / 100, n * 99 / 100, n - 40, n - 20, n - 1} {
		list = append(list, document{text: bytes.TrimSpace(requests[i])})
	}
	n = len(responses)
	for _, i := range []int{n / 2, n * 98 / 100} {
		list = append(list, document{text: bytes.TrimSpace(responses[i]), response: true})
	}
	for _, d := range list {
		if d.lenient() != nil {
			tb.Fatalf("refused: %s", d.text)
		}
	}
	return list
}

// endings are texts that have been read past their end, by one decoder or another: in an escape, in hex digits, in words,
// in numbers, behind a bracket. Documents are cut between any two of their bytes, too.
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

// wantTruncated checks the refusal of a document that was cut off from a whole one.
func wantTruncated(tb testing.TB, e *entry, data []byte, err *wire.Error) {
	tb.Helper()
	code := wire.CodeTruncated
	if len(bytes.TrimSpace(data)) == 0 {
		code = wire.CodeEmpty
	}
	if err == nil || err.Code != code || err.Offset != len(data) {
		tb.Errorf("%s of %s, cut off after %d bytes: %v", e.name, abridged(data), len(data), err)
	}
}

// TestTruncated cuts ten real requests and two responses off behind every byte. No prefix is accepted, in whatever mode,
// and all ways in say that the document is truncated, at its end.
func TestTruncated(t *testing.T) {
	list := entries()
	levels := jsonindex.Levels()
	defer setLevel(levels[0])()
	step := 1
	if testing.Short() {
		step = 7
	}
	for i, d := range tenDocuments(t) {
		for end := i % step; end < len(d.text); end += step {
			prefix := d.text[:end:end]
			setLevel(levels[end%len(levels)])
			for _, e := range list {
				if e.response == d.response {
					wantTruncated(t, e, prefix, e.refusal(prefix))
				}
			}
			if end%11 == 0 { // the path as well
				everywhere(t, list, prefix)
			}
		}
	}
}

// beside are bytes that may lie behind a document or before it: the rest of another, or what would complete it.
var beside = []string{"\x00", "}", `"`, `"}`, "0", "u0041", `\`, "]}", "\xff", "\x80\xbf", " ", `,"id":"9"}`, "e}", "rue}", "ll}"}

// TestNeighbours changes what lies before and behind a document in memory, truncated ones among them. The answer stays
// the same: nothing but the document counts.
func TestNeighbours(t *testing.T) {
	const room = 200 // more than any kernel reads at a time
	list := entries()
	levels := jsonindex.Levels()
	defer setLevel(levels[0])()
	check := func(i int, text []byte) {
		t.Helper()
		setLevel(levels[i%len(levels)])
		buf := make([]byte, room+len(text)+room)
		data := buf[room : room+len(text)] // with what is behind it in its capacity
		copy(data, text)
		e := list[i%len(list)]
		x := expect(e, text, twin.Options{})
		for j := range beside {
			if testing.Short() && (i+j)%4 != 0 {
				continue
			}
			for at := range room {
				buf[at] = beside[j][at%len(beside[j])]
				buf[room+len(text)+at] = buf[at]
			}
			e.decode(data, func(v any, saved []wire.Saved, err error) {
				if s := x.check(v, saved, err); s != "" {
					t.Errorf("%s of %s between %q: %s", e.name, abridged(text), beside[j], s)
				}
			})
		}
		if !bytes.Equal(data, text) {
			t.Errorf("%s of %q wrote to the text", e.name, text)
		}
	}
	n := 0
	for _, ending := range endings {
		for range list {
			n++
			check(n, []byte(ending))
		}
	}
	for _, d := range tenDocuments(t) {
		n++
		check(n, d.text)
		for end := 0; end < len(d.text); end += 1 + len(d.text)/60 {
			n++
			check(n, d.text[:end])
		}
	}
}

// TestGuarded puts documents against unreadable pages, on either side, truncated ones among them. Reading one byte too
// far, or before the first, ends the test at once.
func TestGuarded(t *testing.T) {
	list := entries()
	buffer := guardpage.New(t, 16<<10)
	step := 3
	if testing.Short() {
		step = 41
	}
	levels := jsonindex.Levels()
	defer setLevel(levels[0])()
	n := 0
	decode := func(text []byte) {
		for _, flush := range []func([]byte) []byte{buffer.Back, buffer.Front} {
			data := flush(text)
			n++
			list[n%len(list)].accepts(data)
		}
	}
	for _, d := range tenDocuments(t) {
		for _, l := range levels {
			setLevel(l)
			for range list {
				decode(d.text)
			}
			for end := n % step; end < len(d.text); end += step {
				decode(d.text[:end])
			}
		}
	}
	// What is special about the end of a text is so wherever the end falls in a block of the index.
	for _, ending := range endings {
		for shift := range 130 {
			if testing.Short() && (shift+len(ending))%5 != 0 {
				continue
			}
			text := []byte(strings.Repeat(" ", shift) + ending)
			for _, l := range levels {
				setLevel(l)
				decode(text)
			}
		}
		everywhere(t, list, buffer.Back([]byte(ending)))
	}
	// What other parsers have stumbled over, bare and cut off behind it.
	for i, f := range suite(t) {
		for _, head := range []string{"", `{"ext":`, `{"x":[`, `{"imp":[{"ext":`, `{"id":`, `{"cur":[`, `{"at":`} {
			if text := head + string(f.text); len(text) <= buffer.Len() {
				setLevel(levels[i%len(levels)])
				decode([]byte(text))
			}
		}
	}
	// Real documents that were damaged.
	r := newRand(7)
	docs := realDocuments(t)
	requests, responses := mutator{r, docs.requests}, mutator{r, docs.responses}
	for i := range 3000 / step {
		text := requests.next()
		if i%2 == 0 {
			text = responses.next()
		}
		setLevel(levels[i%len(levels)])
		if len(text) <= buffer.Len() {
			decode(text)
			against(t, list[n%len(list)], buffer.Back(text), twin.Options{})
		}
	}
}

// TestEndsAfterAnother decodes each of the endings right after another document, in the same arena or decoder and in the
// same buffer, which still holds the rest of the other behind the ending. A decoder that keeps its place, its index or a
// string from one document to the next accepts some of them, or goes on in the other.
func TestEndsAfterAnother(t *testing.T) {
	levels := jsonindex.Levels()
	defer setLevel(levels[0])()
	list := entries()
	before := append(tenDocuments(t), document{text: []byte(`{"id":"a\nb","\u0069d":"\ud83d\ude00\ud83d\ude00","cur":["\t","\t"],"x":"\\\\\\"}`)},
		document{text: []byte(`{"ext":` + strings.Repeat("[", 900) + strings.Repeat("]", 900) + `}`)})
	var buf []byte
	for i, ending := range endings {
		for j, d := range before {
			if testing.Short() && (i+j)%3 != 0 {
				continue
			}
			setLevel(levels[(i+j)%len(levels)])
			for _, e := range list {
				x := expect(e, []byte(ending), twin.Options{})
				for _, first := range []int{len(d.text), len(d.text) - 1} { // an earlier refusal leaves nothing either
					buf = append(buf[:0], d.text...)
					e.accepts(buf[:first])
					copy(buf, ending)
					e.decode(buf[:len(ending)], func(v any, saved []wire.Saved, err error) {
						if s := x.check(v, saved, err); s != "" {
							t.Errorf("%s of %q after %s: %s", e.name, ending, abridged(d.text), s)
						}
					})
				}
			}
		}
	}
}

// TestEveryStringCut cuts off strings of every length from 0 to 200, behind and within an escape, a character of several
// bytes and a control character, where a page ends. strings_test.go has the whole ones.
func TestEveryStringCut(t *testing.T) {
	buffer := guardpage.New(t, 1<<10)
	levels := jsonindex.Levels()
	defer setLevel(levels[0])()
	fast := openrtb.NewDecoder()
	a := strings.Repeat("a", 200)
	for n := 0; n <= 200; n++ {
		for i, end := range []string{``, `\`, `\n`, `\u`, `\u00`, `\u00e`, `\u00e9`, `\ud83d\`, `\ud83d\ude0`, `\ud83d\ude00`, "\xc3", "\xc3\xa9", "\xe2\x82", "\xf0\x9f\x98", "\x1f", `\"`, `\\`, `}`, `\}`, `\u}`, `\u00}`, `\ud83d\}`, "\xe2\x82}"} {
			for j, head := range []string{`{"id":"`, `{"`, `{"x":"`, `{"ext":"`, `{"ext":{"a":["`, `{"cur":["b","`, `{"imp":[{"`} {
				if testing.Short() && (n+i+j)%7 != 0 {
					continue
				}
				text := []byte(head + a[:n] + end)
				setLevel(levels[(n+i+j)%len(levels)])
				v, err := fast.Decode(buffer.Back(text))
				if err == nil {
					t.Fatalf("%q: accepted: %+v", text, v)
				}
				x := expectation{}
				x.fault, _ = twin.Decode(text, new(openrtb.BidRequest), twin.Options{})
				if s := x.check(v, nil, err); s != "" {
					t.Fatalf("%q: %s", text, s)
				}
			}
		}
	}
}
