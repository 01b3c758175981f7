package strictyaml

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/rtbwire/rtbwire/internal/setting"
)

// FuzzLoad reads any text. Nothing panics, every node and problem has a place in the text, and
// JSON is read as encoding/json does.
func FuzzLoad(f *testing.F) {
	for _, c := range parseCases {
		f.Add(c.in)
	}
	for _, c := range refusedCases {
		f.Add(c.in)
	}
	f.Add(laughs(3, 3))
	f.Fuzz(func(t *testing.T, text string) {
		root, problems := Parse("x.yaml", text)
		for _, p := range problems {
			checkProblem(t, text, p)
		}
		if root == nil {
			if len(problems) == 0 {
				t.Fatal("neither a tree nor a problem")
			}
			return
		}
		nodes := 0
		var visit func(n *setting.Node, depth int)
		visit = func(n *setting.Node, depth int) {
			nodes++
			if n.Offset < 0 || n.Offset > len(n.Source.Text) || depth > DepthMax {
				t.Fatalf("a node at %d of %d, %d deep", n.Offset, len(n.Source.Text), depth)
			}
			p := n.Problem("", "here")
			if n.Source.Text[p.Offset:] != n.Source.Text[n.Offset:] {
				t.Fatalf("the node at %d has a problem at %d", n.Offset, p.Offset)
			}
			n.ProblemAt(len(n.Text)/2, 1, "", "here")
			seen := map[string]bool{}
			for _, m := range n.Members {
				if seen[m.Key.Text] || m.Key.Kind != setting.Scalar {
					t.Fatalf("key %q twice, or not a scalar", m.Key.Text)
				}
				seen[m.Key.Text] = true
				visit(m.Key, depth+1)
				visit(m.Value, depth+1)
			}
			for _, item := range n.Items {
				visit(item, depth+1)
			}
		}
		visit(root, 1)
		if nodes > NodesMax {
			t.Fatalf("%d nodes", nodes)
		}
		var want any
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.UseNumber()
		if got, ok := root.JSON(); ok && len(problems) == 0 && json.Valid([]byte(text)) && root.Kind != setting.Scalar {
			if err := decoder.Decode(&want); err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("got %v, want %v (%v)", got, want, err)
			}
		}
	})
}

func checkProblem(t *testing.T, text string, p setting.Problem) {
	t.Helper()
	if p.Offset < 0 || p.Offset > len(text) || p.Message == "" || p.Line < 1 && !strings.Contains(p.Message, "larger than") {
		t.Fatalf("a problem without a place: %+v", p)
	}
	for _, r := range p.String() {
		if r != '\n' && !unicode.IsPrint(r) && r != utf8.RuneError {
			t.Fatalf("%q would be printed in %q", r, p.String())
		}
	}
	if lines := strings.Split(p.Excerpt, "\n"); p.Line > 0 && (len(lines) != 2 || !strings.Contains(lines[1], "^")) {
		t.Fatalf("an excerpt without a caret: %q", p.Excerpt)
	}
}
