package splice_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/grammar"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/wire"
	"github.com/rtbwire/rtbwire/wire/splice"
)

// TestSpliceAgainstTree applies random edits to real requests, and compares with the model.
func TestSpliceAgainstTree(t *testing.T) {
	r := testkit.Rand(7)
	n := testkit.Scale(t, 1, 2, 20)
	for _, d := range testkit.Documents(t) {
		doc := string(d.Text)
		if d.Response {
			continue
		}
		if !json.Valid([]byte(doc)) || doc[0] != '{' {
			continue
		}
		model := treeOf(doc)
		for range n {
			edits := randomEdits(r, model)
			checkSplice(t, doc, edits)
			checkBytes(t, doc, edits[0])
		}
	}
}

// FuzzSplice applies random edits, which a seed determines, to any document.
func FuzzSplice(f *testing.F) {
	for _, doc := range []string{`{}`, `{"a":1,"a":{"b":[1,{"c":null}]}}`, ` { "a" : [ ] , "\u0062" : { } } `, `{"x":[[[0]]],"y":"\"\\"}`} {
		for seed := range uint64(4) {
			f.Add(doc, seed)
		}
	}
	f.Fuzz(func(t *testing.T, doc string, seed uint64) {
		if !json.Valid([]byte(doc)) || strings.TrimLeft(doc, " \t\r\n")[0] != '{' {
			return
		}
		if _, err := splice.Apply(nil, []byte(doc), wire.Remove("/no such member")); err != nil {
			return // beyond a limit, or invalid text that encoding/json accepts
		}
		edits := randomEdits(rand.New(rand.NewPCG(seed, 1)), treeOf(doc))
		checkSplice(t, doc, edits)
		for _, e := range edits {
			checkBytes(t, doc, e)
		}
	})
}

// randomEdits edits random places in a document, and missing ones beside them.
func randomEdits(r *rand.Rand, doc *model) []wire.Edit {
	values := []string{"1", "null", `"x"`, `{"n":[1,2]}`, "[]", " {} "}
	var edits []wire.Edit
	for range 1 + r.IntN(4) {
		n, path := doc, ""
		for range 5 {
			var name string
			switch {
			case len(n.members) > 0 && r.IntN(5) > 0:
				i := r.IntN(len(n.members))
				if name = strconv.Itoa(i); n.kind == '{' {
					name = n.keys[i]
				}
				n = n.members[i]
			case n.kind == '[':
				name = []string{"-", "0", "7", "x", "00", "-1"}[r.IntN(6)]
				n = &model{kind: '{'}
			default:
				name = []string{"ext", "new", "", "a/b~c", "id", "-", "0", "01"}[r.IntN(8)]
				n = &model{kind: '{'}
			}
			path += "/" + grammar.EscapePointer(name)
			if r.IntN(3) == 0 {
				break
			}
		}
		if r.IntN(3) == 0 {
			edits = append(edits, wire.Remove(path))
		} else {
			edits = append(edits, wire.Set(path, []byte(values[r.IntN(len(values))])))
		}
	}
	return edits
}

// show returns the edits for failure messages.
func show(edits []wire.Edit) string {
	var b strings.Builder
	for _, e := range edits {
		fmt.Fprintf(&b, "%s=%s ", e.Path, e.Value)
	}
	return b.String()
}
