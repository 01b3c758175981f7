package coder

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rtbwire/rtbwire/internal/grammar"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/wire"
)

// TestValidate compares the check of raw values with encoding/json and with package grammar: on
// values, on pieces of them, and on joined pieces. These must not pass as a value and more members.
func TestValidate(t *testing.T) {
	values := []string{
		"", " ", "1", " 1 ", "-", "-0", "01", "1.", "1e5", "true", "tru", "null", `""`, `"a`, `"\"`, `"\u12"`, `{}`, ` {} `, `{} `, `[]`, `[`, `]`, `[1,{"a":[]}]`,
		`{"a":1}`, `{"a":1}}`, `{"a":1},"b":2`, `1,"b":2`, `1}`, `}`, `{`, `{"a"}`, `{"a":}`, `{"a":{}`, `{"a":"}`, `1 2`, `"a" "b"`, `{}{}`, `[]}`, "\ufeff{}",
		`"`, `"a b~"`, "\"\x7f\"", `"a\`, "12", "012", "0", "1x", `"` + strings.Repeat("a", 30) + `"`, `"` + strings.Repeat("a", 31) + `"`, strings.Repeat("7", 33),
		`"é"`, `"` + "\n" + `"`, strings.Repeat("[", 1023) + strings.Repeat("]", 1023), strings.Repeat(`{"a":`, 1023) + "1" + strings.Repeat("}", 1023),
	}
	check1 := func(s string) {
		t.Helper()
		code, at := Validate([]byte(s))
		if want := json.Valid([]byte(s)) && utf8.ValidString(s); (code == 0) != want {
			t.Fatalf("%q: %v, encoding/json says %v", s, code, want)
		}
		if slow, slowAt := grammar.Check([]byte(s), wire.DepthDefault, false); wire.Code(slow) != code || slowAt != at && code != 0 {
			t.Fatalf("%q: %v at %d, the slow check says %v at %d", s, code, at, slow, slowAt)
		}
	}
	for _, v := range values {
		check1(v)
	}
	r := testkit.Rand(3)
	for range 50_000 {
		var s string
		for range 1 + r.IntN(3) {
			v := values[r.IntN(len(values)-2)]
			s += v[r.IntN(len(v)+1):]
		}
		check1(s)
	}
	for _, v := range []string{"1", `{"a":1}`, `[1,2]`, `"x"`} {
		raw := []byte(v)
		if n := testing.AllocsPerRun(100, func() { _, _ = Validate(raw) }); n != 0 && !testkit.Race {
			t.Errorf("%s: %v allocations", v, n)
		}
	}
}

// TestString compares writing a string 8 bytes at a time with writing it character by character:
// every byte at every place of every length, and runs of each byte. No byte after the buffer's
// capacity may change.
func TestString(t *testing.T) {
	var w Writer
	buf := make([]byte, 0, 4096)
	compare := func(s string) {
		t.Helper()
		want := string(append(w.escaped([]byte(`x"`), s), '"'))
		for _, room := range []int{0, 1, 2, len(s) + 2, len(s) + 3, len(s) + 9, 4000} {
			dst := append(buf[:0:min(cap(buf), room)], 'x')
			if got := string(w.String(dst, s)); got != want {
				t.Fatalf("room %d: %q is written as %s, want %s", room, s, got, want)
			}
		}
	}
	for n := range testkit.Scale(t, 27, 40, 100) {
		for at := range n {
			for c := range 256 {
				b := []byte(strings.Repeat("x", n))
				b[at] = byte(c)
				compare(string(b))
				if n < 27 { // in words, before and after a character that is not ASCII
					compare(`"` + string(b) + `"yyyyyyyyy`)
					compare("é" + string(b) + "yyyyyyyyy")
				}
			}
		}
		for c := range 256 {
			compare(strings.Repeat(string([]byte{byte(c)}), n))
		}
	}
	r := testkit.Rand(4)
	pieces := []string{"plain text of some length", "a", `"`, `\`, "\n", "\x01", "é", "世界", "\xff", "\xe4\xb8", "😀", "<b>", "\u2028"}
	for range 20_000 {
		var s strings.Builder
		for range r.IntN(12) {
			s.WriteString(pieces[r.IntN(len(pieces))])
		}
		compare(s.String())
	}
	guarded := make([]byte, 200)
	for n := range 100 {
		for i := range guarded {
			guarded[i] = 0xaa
		}
		s := strings.Repeat("y", n)
		w.String(guarded[:0:n+2], s)
		for i := n + 2; i < len(guarded); i++ {
			if guarded[i] != 0xaa {
				t.Fatalf("%d bytes: byte %d after the buffer was written", n, i)
			}
		}
	}
}

// TestAppendInt compares with strconv. Small numbers have a path of their own.
func TestAppendInt(t *testing.T) {
	for v := int64(-2000); v < 20000; v++ {
		if got, want := string(AppendInt([]byte("x"), v)), "x"+strconv.FormatInt(v, 10); got != want {
			t.Fatalf("%s, want %s", got, want)
		}
	}
	for _, v := range []int64{math.MinInt64, math.MaxInt64, math.MinInt32} {
		if got := string(AppendInt(nil, v)); got != strconv.FormatInt(v, 10) {
			t.Errorf("%s, want %d", got, v)
		}
	}
}

// halfWriter accepts half of what it is given.
type halfWriter struct{}

func (halfWriter) Write(b []byte) (int, error) { return len(b) / 2, nil }

// appender is a JSON text.
type appender string

func (a appender) AppendJSON(dst []byte) ([]byte, error) { return append(dst, a...), nil }

// TestWriteJSON: a short write without an error is reported as an error.
func TestWriteJSON(t *testing.T) {
	if n, err := WriteJSON(halfWriter{}, appender("12345678")); n != 4 || !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("%d, %v", n, err)
	}
	var out strings.Builder
	if n, err := WriteJSON(&out, appender("12345678")); n != 8 || err != nil || out.String() != "12345678" {
		t.Errorf("%d, %v, %s", n, err, out.String())
	}
}

// TestEstimate: after a large text, buffers for small ones become small again.
func TestEstimate(t *testing.T) {
	var e Estimate
	if b := e.Buffer(make([]byte, 0, 1)); cap(b) != 1 {
		t.Errorf("a buffer with memory is replaced by one of %d bytes", cap(b))
	}
	e.Learn(make([]byte, 10<<20))
	for i := range 100 {
		b := e.Learn(append(e.Buffer(nil), "0123456789"...))
		if string(b) != "0123456789" || cap(b) > 2048 {
			t.Fatalf("text %d: %s in %d bytes", i, b, cap(b))
		}
	}
	if b := e.Buffer(nil); cap(b) > 2048 {
		t.Errorf("the estimate is still %d", cap(b))
	}
}

// TestRawForHTML: the value stays the same, and the text has no character that HTML or JavaScript
// treats specially.
func TestRawForHTML(t *testing.T) {
	raw := `{"h":"</script>&\u003c","l":"` + "\u2028\u2029é\u202a" + `","n":[1]}`
	w := Writer{EncodeOptions: wire.EncodeOptions{EscapeHTML: true}}
	out := w.Raw(nil, []byte(raw))
	var a, b any
	if err := json.Unmarshal([]byte(raw), &a); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out, &b); err != nil || !reflect.DeepEqual(a, b) {
		t.Errorf("%s, %v", out, err)
	}
	if strings.ContainsAny(string(out), "<>&\u2028\u2029") || !strings.Contains(string(out), "é\u202a") {
		t.Errorf("%s", out)
	}
}
