package grammar_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/grammar"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

// visits walks through a document and lists what it visits.
func visits(text string, depth int) (list []string, ok bool) {
	w := grammar.Walk{Scanner: grammar.Scanner{Data: []byte(text), Depth: depth}}
	w.Value = func(at int) bool {
		list = append(list, fmt.Sprintf("%s@%d", w.Pointer(), at))
		return true
	}
	w.Text = func(begin, end int, key bool) bool {
		kind := "="
		if key {
			kind = ":"
		}
		list = append(list, w.Pointer()+kind+text[begin:end])
		return true
	}
	ok = w.Document()
	return list, ok
}

func TestWalk(t *testing.T) {
	for _, x := range []struct {
		text string
		want string
		ok   bool
	}{
		{`1`, "@0", true},
		{` "a" `, "@1 =a", true},
		{`{}`, "@0", true},
		{`[]`, "@0", true},
		{`{"a":[1,{"b/c":true},[]],"d":{}}`, "@0 /a:a /a@5 /a/0@6 /a/1@8 /a/1/b~1c:b/c /a/1/b~1c@15 /a/2@21 /d:d /d@29", true},
		{`{"\u0061":null,"a":2}`, `@0 /a:\u0061 /a@10 /a:a /a@19`, true}, // each copy, in each spelling
		{`[[[]]]`, "@0 /0@1 /0/0@2", true},
		{``, "", false},
		{`[1`, "@0 /0@1", false},
		{`[1]x`, "@0 /0@1", false},
		{`{"a" 1}`, "@0 /a:a", false},
		{`{"a":"b`, "@0 /a:a /a@5 /a=b", false}, // a string without an end reaches to the end
		{`["a` + "\n" + `b",1]`, "@0 /0@1 /0=a\nb\",1]", false},
		{`{x:1}`, "@0", false},
		{`[[[[]]]]`, "@0 /0@1 /0/0@2 /0/0/0@3", false}, // deeper than the limit
	} {
		list, ok := visits(x.text, 3)
		if got := strings.Join(list, " "); got != x.want || ok != x.ok {
			t.Errorf("%s: got %s, %v, want %s, %v", x.text, got, ok, x.want, x.ok)
		}
	}
}

// TestWalkEnds ends a walk at each of its visits.
func TestWalkEnds(t *testing.T) {
	const text = `{"a":[1,"b"],"c":"d"}`
	all, _ := visits(text, 9)
	for end := 1; end <= len(all); end++ {
		n := 0
		count := func() bool { n++; return n < end }
		w := grammar.Walk{
			Scanner: grammar.Scanner{Data: []byte(text), Depth: 9},
			Value:   func(int) bool { return count() },
			Text:    func(int, int, bool) bool { return count() },
		}
		if w.Document() || n != end || w.Fault != 0 {
			t.Errorf("%d visits of %d, fault %v", n, end, w.Fault)
		}
	}
}

// TestWalkPointers compares paths with those of PointerAt, which finds them in another way, and
// the outcome with that of Check.
func TestWalkPointers(t *testing.T) {
	docs := testkit.Documents(t)
	for _, doc := range docs {
		w := grammar.Walk{Scanner: grammar.Scanner{Data: doc.Text, Depth: grammar.DepthMax}}
		w.Value = func(at int) bool {
			if got, want := w.Pointer(), grammar.PointerAt(doc.Text, at); grammar.CutPointer(got) != want {
				t.Errorf("%s: byte %d: got %s, want %s", doc.Name, at, got, want)
				return false
			}
			return true
		}
		fault, _ := grammar.Check(doc.Text, grammar.DepthMax, false)
		if ok := w.Document(); !t.Failed() && (ok != (fault == 0) || w.Fault != fault) {
			t.Errorf("%s: fault %v, want %v", doc.Name, w.Fault, fault)
		}
	}
}

func TestElementIs(t *testing.T) {
	for _, x := range []struct {
		e    grammar.Element
		name string
		want bool
	}{
		{grammar.Element{Object: true, Key: []byte("a")}, "a", true},
		{grammar.Element{Object: true, Key: []byte(`\u0061`)}, "a", true},
		{grammar.Element{Object: true, Key: []byte("1")}, "1", true},
		{grammar.Element{Object: true, Key: []byte("A")}, "a", false},
		{grammar.Element{Index: 1}, "1", true},
		{grammar.Element{Index: 1}, "01", false},
		{grammar.Element{}, "", false},
	} {
		if got := x.e.Is(x.name); got != x.want {
			t.Errorf("%+v is %q: %v", x.e, x.name, got)
		}
	}
}
