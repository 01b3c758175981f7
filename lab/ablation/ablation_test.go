package ablation

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const root = "../.."

// TestTechniques holds the lists against the decoders: every edit finds its text and changes it,
// and the result compiles.
func TestTechniques(t *testing.T) {
	for _, d := range designs {
		for _, technique := range d.techniques {
			t.Run(d.name+"/"+technique.name, func(t *testing.T) {
				overlay, err := technique.overlay(filepath.Join(root, d.folder), t.TempDir())
				if err != nil {
					t.Fatalf("%v: change lab/ablation/patches.go with the code", err)
				}
				if (overlay == "") != (technique.edits == nil) {
					t.Errorf("overlay %q for %d edits", overlay, len(technique.edits))
				}
				for _, e := range technique.edits {
					if e.old == e.new {
						t.Errorf("%s: the edit changes nothing", e.function)
					}
				}
				args := []string{"build", "-tags", technique.tags}
				if overlay != "" {
					args = append(args, "-overlay", overlay)
				}
				build := exec.Command("go", append(args, "./...")...)
				build.Dir = filepath.Join(root, d.folder)
				if out, err := build.CombinedOutput(); err != nil {
					t.Errorf("%v: %s", err, out)
				}
			})
		}
	}
}

const source = `package p

type Slab[T any] struct{ n int }

func (s *Slab[T]) New() int {
	s.n++
	return s.n
}

func New() int { return 1 }
`

func TestEdit(t *testing.T) {
	for _, c := range []struct {
		edit
		want string // in the text, or in the error
		ok   bool
	}{
		{edit{"Slab.New", "return s.n", "return 7"}, "\treturn 7\n", true},
		{edit{"New", "return 1", "return 2"}, "func New() int { return 2 }", true},
		{edit{"New", "s.n++", ""}, `"s.n++" occurs 0 times in New`, false},
		{edit{"Slab.New", "s.n", "x"}, `"s.n" occurs 2 times in Slab.New`, false},
		{edit{"Slab.Old", "s.n", "x"}, "Slab.Old is declared 0 times", false},
	} {
		folder := t.TempDir()
		name := filepath.Join(folder, "p.go")
		if err := os.WriteFile(name, []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
		patched := map[string][]byte{}
		err := c.apply(folder, patched)
		got := string(patched[name])
		if err != nil {
			got = err.Error()
		}
		if (err == nil) != c.ok || !strings.Contains(got, c.want) {
			t.Errorf("%+v: %v, %q", c.edit, err, got)
		}
	}
}

// A function that two files declare is ambiguous.
func TestEditIsAmbiguous(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"a.go", "b.go"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	e := edit{"New", "return 1", "return 2"}
	if err := e.apply(folder, map[string][]byte{}); err == nil || !strings.Contains(err.Error(), "declared 2 times") {
		t.Errorf("%v", err)
	}
}
