package gen

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rtbwire/rtbwire/wire/coder"
)

// This file is about the types that no codec can be written for: each is refused, and the error
// names the field and says why.

var (
	fileSet = token.NewFileSet()
	// imports reads what the go command has compiled, which is much faster than the source.
	imports = sync.OnceValue(func() types.Importer {
		cmd := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}}={{.Export}}",
			"encoding/json", "io", "math/big", "math/bits", "net/url", "sync", "sync/atomic", "time", "../wire/coder")
		out, err := cmd.Output()
		if err != nil {
			panic(fmt.Sprint(cmd, ": ", err))
		}
		files := map[string]string{}
		for line := range strings.Lines(string(out)) {
			path, file, _ := strings.Cut(strings.TrimSpace(line), "=")
			files[path] = file
		}
		return importer.ForCompiler(fileSet, "gc", func(path string) (io.ReadCloser, error) { return os.Open(files[path]) })
	})
)

// modelOf builds the model of the type Root in a package of one file, without loading the package,
// which takes long.
func modelOf(t *testing.T, text string) (*model, error) {
	t.Helper()
	file, err := parser.ParseFile(fileSet, "types.go", "package types\n"+text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	config := types.Config{Importer: imports(), Error: func(error) {}} // as load, which generates before all compiles
	pkg, _ := config.Check("types", fileSet, []*ast.File{file}, nil)
	l := newLoader(pkg, Config{})
	st, err := l.structOf(pkg.Scope().Lookup("Root").Type(), "Root")
	if err != nil {
		return nil, err
	}
	st.IsRoot = true
	l.model.Roots = []*structType{st}
	l.markRecursive()
	return l.model, nil
}

func TestRefusedTypes(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string // parts of the error
	}{
		// Kinds that no JSON value decodes to, or that say too little about it.
		{"type Root struct { C chan int }", []string{"Root.C:", "chan int", "no JSON value"}},
		{"type Root struct { F func() }", []string{"Root.F:", "func()", "no JSON value"}},
		{"type Root struct { I any }", []string{"Root.I:", "any", "interfaces", "json.RawMessage"}},
		{"type Root struct { I interface{ M() } }", []string{"Root.I:", "interfaces"}},
		{"type Root struct { E error }", []string{"Root.E:", "interfaces"}},
		{"type Root struct { M map[string]int }", []string{"Root.M:", "map[string]int", "maps", "json.RawMessage"}},
		{"type M map[string]int; type Root struct { X M }", []string{"Root.X:", "maps"}},
		{"type Root struct { M []map[string]int }", []string{"Root.M:", "maps"}},
		{"type Root struct { A [3]int }", []string{"Root.A:", "[3]int", "fixed length"}},
		{"type Root struct { A *[3]int }", []string{"Root.A:", "fixed length"}},
		{"type Root struct { S struct{ A int } }", []string{"Root.S:", "anonymous struct", "name"}},
		{"type Root struct { S []struct{ A int } }", []string{"Root.S:", "anonymous struct"}},
		{"type Root struct { S *struct{ A int } }", []string{"Root.S:", "anonymous struct"}},
		{"type Root struct { A [][]int }", []string{"Root.A:", "arrays of arrays"}},
		{"type Root struct { A *[]int }", []string{"Root.A:", "arrays of arrays"}},
		{"type Root struct { P **int }", []string{"Root.P:", "pointers to pointers"}},
		{"type Root struct { P []**int }", []string{"Root.P:", "pointers to pointers"}},
		{"type Root struct { P []*int }", []string{"Root.P:", "slices of pointers to scalars"}},
		{"type Root struct { C complex128 }", []string{"Root.C:", "complex128"}},
		{"type Root struct { U uintptr }", []string{"Root.U:", "uintptr"}},
		{`import "unsafe"; type Root struct { U unsafe.Pointer }`, []string{"Root.U:", "unsafe.Pointer"}},
		{"type Root struct { B []byte }", []string{"Root.B:", "base64"}},
		{"type Root struct { B []uint8 }", []string{"Root.B:", "base64"}},
		{"type B byte; type Root struct { B []B }", []string{"Root.B:", "base64"}},
		{"type Root struct { X Missing }", []string{"Root.X:"}},

		// Named types that are more than their shape.
		{"type S []int; type Root struct { X S }", []string{"Root.X:", "named slice type", "S"}},
		{"type I struct{}; type P *I; type Root struct { P []P }", []string{"Root.P:", "named pointer"}},
		{`import "encoding/json"; type Root struct { R *json.RawMessage }`, []string{"Root.R:", "RawMessage"}},
		{`import "encoding/json"; type Root struct { R []json.RawMessage }`, []string{"Root.R:", "RawMessage"}},
		{`import "encoding/json"; type Root struct { N json.Number }`, []string{"Root.N:", "json.Number"}},
		{`import "encoding/json"; type Root struct { N []*json.Number }`, []string{"Root.N:", "json.Number"}},
		{`import "time"; type Root struct { T time.Time }`, []string{"Root.T:", "time.Time"}},
		{`import "math/big"; type Root struct { B *big.Int }`, []string{"Root.B:", "big.Int"}},
		{"type W string; func (*W) UnmarshalText([]byte) error { return nil }; type Root struct { X W }", []string{"Root.X:", "UnmarshalText"}},
		{"type W int; func (*W) UnmarshalJSON([]byte) error { return nil }; type Root struct { W []*W }", []string{"Root.W:", "UnmarshalJSON"}},
		{"type G[T any] struct { X T }; type Root struct { G G[int] }", []string{"Root.G:", "generic"}},
		{`import "net/url"; type Root struct { U url.URL }`, []string{"Root.U:", "another package"}},

		// Where the field is.
		{"type A struct { B *B }; type B struct { C []C }; type C struct { D chan int }; type Root struct { X A }", []string{"Root.X.B.C.D:"}},
		{"type A struct { C chan int }; type Root struct { A }", []string{"Root.A.C:"}},

		// Keys.
		{"type Root struct { A int `json:\"x\"`; B int `json:\"x\"` }", []string{"Root:", "A", "B", `"x"`, "same key"}},
		{"type Root struct { A int; B int `json:\"A\"` }", []string{"Root:", "A", "B", "same key"}},
		{"type E struct { A int }; type Root struct { E; A int }", []string{"Root:", "E.A", "same key"}},
		{"type E struct { A int }; type F struct { A string }; type Root struct { E; F }", []string{"Root:", "E.A", "F.A", "same key"}},
		{"type A struct { X int; Y int `json:\"X\"` }; type Root struct { A []A }", []string{"Root.A:", "X", "Y", "same key"}},
		{"type Root struct { A int `json:\"a\\\"b\"` }", []string{"Root.A:", "escaping"}},
		{"type Root struct { A int `json:\"a\\\\b\"` }", []string{"Root.A:", "escaping"}},
		{"type Root struct { A int `json:\"a\\tb\"` }", []string{"Root.A:", "escaping"}},
		{"type Root struct { A int `json:\"" + strings.Repeat("k", coder.KeyMax+1) + "\"` }", []string{"Root.A:", "longer than"}},
		// encoding/json takes none of these for a name, and goes by the field's own.
		{"type Root struct { A int `json:\"😀\"` }", []string{"Root.A:", "encoding/json"}},
		{"type Root struct { A int `json:\"it's\"` }", []string{"Root.A:", "encoding/json"}},

		// Options of the tag.
		{"type Root struct { A int `json:\"a,string\"` }", []string{"Root.A:", `"string"`, "not supported"}},
		{"type Root struct { A int `json:\",omitempti\"` }", []string{"Root.A:", `"omitempti"`}},

		{"type W int; func (W) MarshalJSON() ([]byte, error) { return nil, nil }; type Root struct { V W }", []string{"Root.V:", "MarshalJSON"}},
		{"type W int; func (W) MarshalText() ([]byte, error) { return nil, nil }; type Root struct { W *W }", []string{"Root.W:", "MarshalText"}},
		{"type S struct { A int }; type Root struct { V S `json:\"s,omitzero\"` }", []string{"Root.V:", "omitzero of a struct"}},
		// What is embedded.
		{"type e struct { A int }; type Root struct { e `json:\"e\"` }", []string{"Root.e:", "must be exported"}},
		{"type E struct { A int }; func (E) MarshalText() ([]byte, error) { return nil, nil }; type Root struct { E }", []string{"Root.E:", "MarshalText"}},
		{"type E struct { A int }; type Root struct { *E }", []string{"Root.E:", "only structs may be embedded"}},
		{"type E int; type Root struct { E }", []string{"Root.E:", "only structs may be embedded"}},
		{"type E interface{ M() }; type Root struct { E }", []string{"Root.E:", "only structs may be embedded"}},
		{"type e struct { A int }; type Root struct { e }", []string{"Root.e:", "exported"}},

		{fields("Root", 255), []string{"Root:", "at most 254 fields"}},
	} {
		_, err := modelOf(t, c.text)
		if err == nil {
			t.Errorf("%.300s: not refused", c.text)
			continue
		}
		for _, part := range append(c.want, "gen: ") {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%.300s: %v: does not say %q", c.text, err, part)
			}
		}
	}
}

// fields writes a struct of n fields.
func fields(name string, n int) string {
	var b strings.Builder
	b.WriteString("type " + name + " struct {\n")
	for i := range n {
		b.WriteString("\tF" + strconv.Itoa(i) + " int\n")
	}
	return b.String() + "}\n"
}

// TestTakenTypes has what looks like the refused, but is not.
func TestTakenTypes(t *testing.T) {
	for _, c := range []struct{ text, keys string }{
		{"type Root struct{}", ""},
		{"type Root struct { c chan int; A int }", "A"},
		{"type Root struct { C chan int `json:\"-\"`; A int }", "A"},
		{"type Root struct { A int `json:\"-,\"` }", "-"},
		{"type Root struct { A int `json:\",omitempty\"`; B int `json:\"b,omitzero,omitempty\"` }", "A b"},
		{"type Root struct { A int `xml:\"x\"` }", "A"},
		{"type Root struct { A int `json:\"id\"`; B int `json:\"ID\"` }", "ID id"},
		{"type E struct { A int }; type Root struct { E `json:\"e\"`; A int }", "A e"},
		{"type E struct { A int }; type Root struct { *E `json:\"e\"`; A int }", "A e"},
		{"type E struct { A int; b chan int }; type F struct { E; C int }; type Root struct { F; D int }", "A C D"},
		{"type Root struct { A int `json:\"" + strings.Repeat("k", coder.KeyMax) + "\"` }", strings.Repeat("k", coder.KeyMax)},
		{"type A = int; type Root struct { X []A; Y *A; Z A }", "X Y Z"},
		{"type P *int; type Root struct { X P }", "X"},
		{`import "encoding/json"; type Root struct { R json.RawMessage }`, "R"},
		{`import "time"; type Root struct { D time.Duration; E []time.Duration; F *time.Duration; M time.Month }`, "D E F M"},
		{"type Root struct { R *Root; S []Root; T []*Root }", "R S T"},
		{"type Root struct { A int `json:\"a/b.c:{}~ $@\"` }", "a/b.c:{}~ $@"},
	} {
		m, err := modelOf(t, c.text)
		if err != nil {
			t.Errorf("%.300s: %v", c.text, err)
			continue
		}
		var keys []string
		for _, f := range m.Roots[0].Fields {
			keys = append(keys, f.Key)
		}
		sort.Strings(keys)
		if got := strings.Join(keys, " "); got != c.keys {
			t.Errorf("%.300s: the keys are %q, want %q", c.text, got, c.keys)
		}
	}
	if m, err := modelOf(t, fields("Root", fieldsMax)); err != nil || len(m.Roots[0].Fields) != fieldsMax {
		t.Errorf("%d fields: %v", fieldsMax, err)
	}
}

// TestRecursive: types that can contain themselves are found.
func TestRecursive(t *testing.T) {
	m, err := modelOf(t, `
type Root struct { A1 A; P Plain; Self *Self; Ring1 []Ring1; E }
type A struct { B []B }
type B struct { Plain []Plain }
type Plain struct { X int }
type Self struct { S []*Self }
type Ring1 struct { R Ring2 }
type Ring2 struct { R []Ring3 }
type Ring3 struct { R *Ring1; X A }
type E struct { Tail *Tail }
type Tail struct { Root []Root }
`)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{"Root": true, "Self": true, "Ring1": true, "Ring2": true, "Ring3": true, "Tail": true}
	for _, st := range m.Structs {
		if st.Recursive != want[st.Name] {
			t.Errorf("%s: %v", st.Name, st.Recursive)
		}
	}
	if len(m.Structs) != 9 {
		t.Errorf("%d structs", len(m.Structs))
	}
}

// TestPerfectHash: a multiplier is found for any names, the same one every time, and the set made
// with it finds each.
func TestPerfectHash(t *testing.T) {
	var many, same []string
	for i := range fieldsMax {
		many = append(many, "field_number_"+strconv.Itoa(i))
		same = append(same, "beginning"+strconv.Itoa(1000+i)+"the_same_end")
	}
	for _, names := range [][]string{{}, {"a"}, {"a", "b"}, many, same, append(same[:100:100], many[:100]...)} {
		mul, bits := perfectHash(names)
		if again, _ := perfectHash(names); again != mul {
			t.Errorf("%d names: another multiplier the second time", len(names))
		}
		if coder.HashCollides(mul, bits, names) || bits > 14 {
			t.Errorf("%d names: multiplier %#x of %d bits", len(names), mul, bits)
		}
		coder.NewKeySet(mul, bits, names...) // panics if they collide
	}
}

// TestNamesOfThePackage checks that names which the generated code uses too are found before a file
// is written that does not compile; and that a package which does not compile without it is no
// reason to refuse.
func TestNamesOfThePackage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"type Root struct { A []string }; type len struct{ Y string }", "would not compile"},
		{"type Root struct { A string }; func (r *Root) WriteTo() {}", "WriteTo"},
		{"type Root struct { A string; AppendJSON int }", "AppendJSON"},
		{"type Root struct { A *int }; func nil() {}", "would not compile"},
		{"type Root struct { A int; Clone bool }", "Clone"},
		{"type Root struct { A int }; type arenaRoot int", "declares arenaRoot"},
		{"type Root struct { A int }; type RootPool int", "declares RootPool"},
		{"type Root struct { A int; Release string }", ""},
		{"type Root struct { A int }; func (r *Root) Release() int { return 0 }", ""},
		{"type Root struct { A string }; func use() { NewRootDecoder(); missing() }", ""},
	} {
		dir := moduleFolder(t, map[string]string{"types.go": "package names\n" + strings.ReplaceAll(c.text, "; ", "\n")})
		_, err := Generate(Config{Dir: dir, Types: []string{"Root"}})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", c.text, err, c.want)
		}
	}
}
