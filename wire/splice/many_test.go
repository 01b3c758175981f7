package splice_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/wire"
	"github.com/rtbwire/rtbwire/wire/splice"
)

// TestSpliceMany edits so many members and elements that a map replaces the linear search.
func TestSpliceMany(t *testing.T) {
	for _, n := range []int{splice.ManyChildren - 1, splice.ManyChildren, splice.ManyChildren + 1, 300} {
		var doc, list strings.Builder
		var edits []wire.Edit
		for i := range n {
			fmt.Fprintf(&doc, `"k%d":%d,`, i, i)
			fmt.Fprintf(&list, `,{"x":%d}`, i)
			edits = append(edits, wire.Set(fmt.Sprintf("/k%d", i), []byte("-1")))
			if i%3 == 0 {
				edits = append(edits, wire.Remove(fmt.Sprintf("/imp/%d/x", i)))
			} else {
				edits = append(edits, wire.Set(fmt.Sprintf("/imp/%d/y", i), []byte("[]")))
			}
		}
		text := "{" + doc.String() + `"imp":[` + list.String()[1:] + "]}"
		checkSplice(t, text, edits)
		slices.Reverse(edits)
		checkSplice(t, text, edits)
		var paths []string
		for i := range n {
			paths = append(paths, fmt.Sprintf("/imp/%d/x", n-1-i), fmt.Sprintf("/k%d", i))
		}
		found, err := splice.Find([]byte(text), paths...)
		if err != nil || len(found) != 2*n {
			t.Errorf("%d of %d found, %v", len(found), 2*n, err)
		}
	}
}
