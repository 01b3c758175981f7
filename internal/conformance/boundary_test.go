package conformance

import (
	"bytes"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/guardpage"
	"github.com/rtbwire/rtbwire/internal/oracle"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

// beside are bytes that may be before or after a document in memory: the rest of another document,
// or bytes that would complete it.
var beside = []string{"\x00", "}", `"`, `"}`, "0", "u0041", `\`, "]}", "\xff", "\x80\xbf", " ", `,"id":"9"}`, "e}", "rue}", "ll}"}

// TestNeighbours changes the bytes before and after a document, whole or truncated. The outcome
// stays the same.
func TestNeighbours(t *testing.T) {
	const room = 200 // more than any kernel reads at a time
	list := entries()
	levels := testkit.Levels()
	defer testkit.SetLevel(levels[0])()
	check := func(i int, text []byte) {
		t.Helper()
		testkit.SetLevel(levels[i%len(levels)])
		buf := make([]byte, room+len(text)+room)
		data := buf[room : room+len(text)] // its capacity reaches over the bytes after it
		copy(data, text)
		e := list[i%len(list)]
		want := expect(e, text, oracle.Options{})
		for j := range beside {
			if testing.Short() && (i+j)%4 != 0 {
				continue
			}
			for at := range room {
				buf[at] = beside[j][at%len(beside[j])]
				buf[room+len(text)+at] = buf[at]
			}
			if s := e.differs(data, want); s != "" {
				t.Errorf("%s of %s between %q: %s", e.name, testkit.Abridged(text), beside[j], s)
			}
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
	for _, d := range realDocuments(t) {
		n++
		check(n, d.Text)
		for end := 0; end < len(d.Text); end += 1 + len(d.Text)/60 {
			n++
			check(n, d.Text[:end])
		}
	}
}

// TestGuarded decodes documents, whole or truncated, right after and right before an unreadable
// page. A read outside the document ends the test.
func TestGuarded(t *testing.T) {
	list := entries()
	buffer := guardpage.New(t, 16<<10)
	step := testkit.Scale(t, 41, 3, 1)
	levels := testkit.Levels()
	defer testkit.SetLevel(levels[0])()
	n := 0
	decode := func(text []byte) {
		for _, flush := range []func([]byte) []byte{buffer.Back, buffer.Front} {
			data := flush(text)
			n++
			list[n%len(list)].accepts(data)
		}
	}
	for _, d := range realDocuments(t) {
		for _, l := range levels {
			testkit.SetLevel(l)
			for range list {
				decode(d.Text)
			}
			for end := n % step; end < len(d.Text); end += step {
				decode(d.Text[:end])
			}
		}
	}
	// The end of a text may fall on any place in a block of the index.
	for _, ending := range endings {
		for shift := range 130 {
			if testing.Short() && (shift+len(ending))%5 != 0 {
				continue
			}
			text := []byte(strings.Repeat(" ", shift) + ending)
			for _, l := range levels {
				testkit.SetLevel(l)
				decode(text)
			}
		}
		everywhere(t, list, buffer.Back([]byte(ending)))
	}
	// JSONTestSuite, bare and cut off after the value.
	for i, f := range testkit.Suite(t) {
		for _, head := range []string{"", `{"ext":`, `{"x":[`, `{"imp":[{"ext":`, `{"id":`, `{"cur":[`, `{"at":`} {
			if text := head + string(f.Text); len(text) <= buffer.Len() {
				testkit.SetLevel(levels[i%len(levels)])
				decode([]byte(text))
			}
		}
	}
	// Damaged real documents.
	r := testkit.Rand(7)
	requests, responses := mutator{r, testkit.Requests(t)}, mutator{r, testkit.Responses(t)}
	for i := range 3000 / step {
		text := requests.next()
		if i%2 == 0 {
			text = responses.next()
		}
		testkit.SetLevel(levels[i%len(levels)])
		if len(text) <= buffer.Len() {
			decode(text)
			against(t, list[n%len(list)], buffer.Back(text), oracle.Options{})
		}
	}
}
