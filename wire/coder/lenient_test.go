package coder

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/wire"
)

// These tests are about lenient mode, except for integers: what it repairs, what it refuses, and
// what it lists.

// TestLenientScalars decodes values of other types, and what only looks like them, in each type.
func TestLenientScalars(t *testing.T) {
	values := append([]string{
		"0", "1", "2", "-1", "-0", "00", "1.0", "1e0", "true", "false", "null", "tru", "fals", "trues", `"0"`, `"1"`, `"2"`, `"true"`, `"false"`, `"TRUE"`, `"True"`, `" true"`, `"null"`, `""`,
		`"yes"`, `"\u0031"`, `"tru\u0065"`, "{}", "[]", "[true]", "[1]", `["a"]`, `"1`, `"\x"`, `"\ud800"`, "\"\xff\"", "1.5.5", "-", "x", "'1'", "}", "]",
	}, brokenValues...)
	rs := readers()
	for _, value := range values {
		for _, end := range []string{"}", " }", `,"x":[1]}`} {
			doc := []byte(`{"v":` + value + end)
			against(t, rs, doc, scalar((*Reader).Bool))
			against(t, rs, doc, scalar((*Reader).AnyString))
			against(t, rs, doc, scalar((*Reader).Float))
			against(t, rs, doc, scalar((*Reader).Float32))
			against(t, rs, doc, scalar(plainInt))
			against(t, rs, doc, scalars((*Reader).Bool))
			against(t, rs, doc, scalars((*Reader).Float))
		}
	}
}

// TestLenientBOM: one byte order mark before a document is skipped and listed. Offsets count it.
func TestLenientBOM(t *testing.T) {
	rs := readers()
	const mark = "\xef\xbb\xbf"
	for _, doc := range []string{mark, mark + "{}", mark + `{"v":"a"}`, mark + ` {"v":1} `, mark + `{"v":}`, mark + "{}x", mark + "[]", mark + mark + "{}", " " + mark + "{}", mark[:1], mark[:2], mark[:2] + "{}", mark + "}", mark + `{"v":"` + mark + `"}`} {
		against(t, rs, []byte(doc), scalar((*Reader).AnyString))
	}
}

// TestSavedIsBounded: all faults are repaired, and the first SavedMax are listed, of a short
// document fewer.
func TestSavedIsBounded(t *testing.T) {
	rs := readers()
	for _, n := range []int{wire.SavedMax - 1, wire.SavedMax, wire.SavedMax + 1, 3 * wire.SavedMax} {
		doc := []byte(`{"v":[` + strings.TrimSuffix(strings.Repeat(`             "1",`, n), ",") + `]}`)
		against(t, rs, doc, func(r *Reader, p, depth int) ([]int, int) { return r.Ints(new(Slab[int]), p, depth) })
		if got := len(rs[modeIndexLenient].Saved()); got != min(n, wire.SavedMax) {
			t.Errorf("%d of %d repairs are listed, want %d", got, n, min(n, wire.SavedMax))
		}
	}
	for _, n := range []int{savedFree, 50, 400} {
		doc := []byte(`{"v":[` + strings.TrimSuffix(strings.Repeat(`"1",`, n), ",") + `]}`)
		against(t, rs, doc, func(r *Reader, p, depth int) ([]int, int) { return r.Ints(new(Slab[int]), p, depth) })
		if got, want := len(rs[modeIndexLenient].Saved()), min(n, savedFree+len(doc)/savedEvery); got != want {
			t.Errorf("%d of %d repairs in %d bytes are listed, want %d", got, n, len(doc), want)
		}
	}
}

// TestSavedPaths: each repair has its own offset and path, through arrays and keys with escapes.
func TestSavedPaths(t *testing.T) {
	r := readers()[modeIndexLenient]
	h, err := decodeHolder(r, []byte(`{"a~/":"x","v":["1",2.5,true,4],"b":[]}`), func(r *Reader, p, depth int) ([]int, int) { return r.Ints(new(Slab[int]), p, depth) })
	want := []wire.Saved{{Code: wire.CodeType, Offset: 16, Path: "/v/0"}, {Code: wire.CodeInteger, Offset: 20, Path: "/v/1"}, {Code: wire.CodeType, Offset: 24, Path: "/v/2"}}
	if err != nil || fmt.Sprint(h.V) != "[1 2 1 4]" || fmt.Sprint(r.Saved()) != fmt.Sprint(want) {
		t.Errorf("%v, %v, saved %v, want %v", h.V, err, r.Saved(), want)
	}
	if _, err := decodeHolder(r, []byte(`{"v":[1]}`), func(r *Reader, p, depth int) ([]int, int) { return r.Ints(new(Slab[int]), p, depth) }); err != nil || len(r.Saved()) != 0 {
		t.Errorf("the next document has the repairs %v, %v", r.Saved(), err)
	}
}

// TestSkippedIsNotSaved: skipped and raw values stay as they are, and nothing in them is listed.
func TestSkippedIsNotSaved(t *testing.T) {
	rs := readers()
	for _, doc := range []string{`{"x":"\ud800"}`, "{\"x\":\"\xff\"}", "{\"x\":{\"\xff\":\"\\udc00\"}}", "{\"x\xff\":1}", `{"x\ud800":1}`, "{\"v\":\"\xff\",\"x\":\"\xff\",\"y\":\"\\ud800\"}"} {
		against(t, rs, []byte(doc), scalar((*Reader).AnyString))
		against(t, rs, []byte(doc), rawMessage)
	}
}

// TestManyInvalidBytes decodes strings with invalid UTF-8 at every place of the first blocks, and
// in a row.
func TestManyInvalidBytes(t *testing.T) {
	testkit.EachLevel(t, func(t *testing.T) {
		rs := readers()
		for at := range 140 {
			text := []byte(strings.Repeat("a", 140))
			text[at] = 0xff
			against(t, rs, []byte(`{"v":"`+string(text)+`"}`), scalar((*Reader).AnyString))
			against(t, rs, []byte(`{"v":"`+strings.Repeat("\x80", at)+`"}`), scalar((*Reader).AnyString))
			against(t, rs, []byte(`{"`+string(text)+`":"","v":"`+string(text)+`"}`), scalar((*Reader).AnyString))
		}
	})
}
