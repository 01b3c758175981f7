package testkit

import (
	"reflect"
	"strings"
	"testing"
)

type node struct {
	Text string
	Next *node
	list []int // not exported
}

// TestShared finds memory that two values share, and none in values that share none.
func TestShared(t *testing.T) {
	text := []byte(strings.Repeat("text", 10))
	whole := string(text)
	inner := &node{Text: whole[4:8]}
	a, b := &node{Text: whole, Next: &node{}, list: []int{1}}, &node{Text: strings.Clone(whole), Next: inner}
	if s := Shared(Spans(a), Spans(b)); s == "" {
		t.Error("a text in the middle of another one is not found")
	}
	inner.Text = "other"
	if s := Shared(Spans(a), Spans(b)); s != "" {
		t.Errorf("values that share nothing: %s", s)
	}
	a.Next = inner
	if s := Shared(Spans(a), Spans(b)); s == "" {
		t.Error("an object of both is not found")
	}
	if !Inside(text, text[4:8]) || Inside(text, whole) || Inside(text, text[:0]) {
		t.Error("Inside is wrong")
	}
	if s := Shared([]Span{SpanOf(text, "text")}, Spans(&struct{ Raw []byte }{text[39:]})); s == "" {
		t.Error("a raw value in the text is not found")
	}
}

// TestScale chooses by -short and RTBWIRE_LONG.
func TestScale(t *testing.T) {
	for value, want := range map[string]int{"": 2, "0": 2, "1": 3} {
		t.Setenv("RTBWIRE_LONG", value)
		if testing.Short() {
			want = 1
		}
		if got := Scale(t, 1, 2, 3); got != want {
			t.Errorf("RTBWIRE_LONG=%s: %d, want %d", value, got, want)
		}
	}
}

// TestName has the line of the caller, which -trimpath keeps.
func TestName(t *testing.T) {
	if s := Name("case").String(); !strings.HasPrefix(s, "case (testkit_test.go:") {
		t.Errorf("%s", s)
	}
}

// TestWalk finds each kind of leaf, and nothing that is absent.
func TestWalk(t *testing.T) {
	v := &struct {
		A, B string
		C    *int
		D    []float64
		E    []byte
		f    int
	}{A: "x", C: new(1), D: []float64{2}, E: []byte("{}"), f: 3}
	var paths []string
	Walk(v, func(path string, _ reflect.Value) { paths = append(paths, path) })
	if got := strings.Join(paths, " "); got != ".A .C .D[0] .E" {
		t.Errorf("the leaves are %s", got)
	}
}

func TestAllocs(t *testing.T) {
	var kept *[64]byte
	calls := 0
	for name, c := range map[string]struct {
		call func()
		want float64
	}{
		"none": {func() {}, 0},
		"one":  {func() { kept = new([64]byte) }, 1},
		"now and then": {func() {
			if calls++; calls%4 == 0 {
				kept = new([64]byte)
			}
		}, 0},
	} {
		if n := Allocs(c.call); n != c.want {
			t.Errorf("%s: %v allocations, want %v", name, n, c.want)
		}
	}
	_ = kept
}
