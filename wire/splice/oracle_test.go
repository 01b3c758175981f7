package splice_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/wire"
	"github.com/rtbwire/rtbwire/wire/splice"
)

// checkSplice applies edits to the text and to the model, and compares the values.
func checkSplice(t testing.TB, doc string, edits []wire.Edit) {
	t.Helper()
	out, err := splice.Apply(nil, []byte(doc), edits...)
	want := treeOf(doc)
	var oracle error
	for _, e := range edits { // removals first: they keep indexes, and paths refer to the document
		if e.Value == nil {
			want.remove(tokens(e.Path))
		}
	}
	for _, e := range edits {
		if e.Value != nil && !json.Valid(e.Value) {
			oracle = errOracle
		}
		if e.Value != nil && oracle == nil {
			oracle = want.set(tokens(e.Path), treeOf(string(e.Value)))
		}
	}
	if e := (*wire.Error)(nil); errors.As(err, &e) && e.Code == wire.CodeConflict {
		return // the model does not know conflicts
	}
	if (err != nil) != (oracle != nil) {
		t.Fatalf("%s, %s: error %v, the model has %v", doc, show(edits), err, oracle)
	}
	if err != nil {
		return
	}
	if got := compact(string(out)); got != want.String() {
		t.Fatalf("%s, %s:\n%s, the model has\n%s", doc, show(edits), out, want)
	}
}

// checkBytes applies one edit and checks that all other bytes stay the same: those around a
// replaced value, all of them after an insertion, and the rest after a removal.
func checkBytes(t testing.TB, doc string, edit wire.Edit) {
	t.Helper()
	out, err := splice.Apply(nil, []byte(doc), edit)
	if err != nil {
		return
	}
	front := 0
	for front < min(len(doc), len(out)) && doc[front] == out[front] {
		front++
	}
	back := 0
	for back < min(len(doc), len(out)) && doc[len(doc)-1-back] == out[len(out)-1-back] {
		back++
	}
	n, unique := treeOf(doc).at(tokens(edit.Path))
	switch {
	case edit.Value == nil && unique:
		if front+back < len(out) {
			t.Fatalf("%s, %s=: %s changes other bytes", doc, edit.Path, out)
		}
	case edit.Value != nil && n != nil:
		if want := doc[:n.from] + string(edit.Value) + doc[n.to:]; want != string(out) {
			t.Fatalf("%s, %s=%s: %s, want %s", doc, edit.Path, edit.Value, out, want)
		}
	case edit.Value != nil && !strings.Contains(doc, "null"): // a null parent is replaced
		if front+back < len(doc) {
			t.Fatalf("%s, %s=%s: %s changes other bytes", doc, edit.Path, edit.Value, out)
		}
	}
}
