package gen

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// This file is about the text of the generated code: it is what was committed, depends on nothing
// but the types, and adds nothing that other libraries see.

// TestGolden generates the codec of examples/gen again. It is committed, and short enough to be
// read: a change of the templates shows there.
func TestGolden(t *testing.T) {
	t.Parallel()
	c := Config{Dir: "../examples/gen", Types: []string{"Event"}, Command: "rtbwire-gen Event"}
	got, err := Generate(c)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(c.Dir, OutputDefault)
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if line := firstDifference(got, want); line != 0 {
		t.Errorf("%s is stale from line %d on: go generate ./examples/gen", file, line)
	}
	noJSONMethods(t, got)
}

// firstDifference is the number of the first line in which two texts differ, 0 if they don't.
func firstDifference(a, b []byte) int {
	if bytes.Equal(a, b) {
		return 0
	}
	x, y := bytes.Split(a, []byte("\n")), bytes.Split(b, []byte("\n"))
	for i := range min(len(x), len(y)) {
		if !bytes.Equal(x[i], y[i]) {
			return i + 1
		}
	}
	return min(len(x), len(y)) + 1
}

// noJSONMethods checks that no method in generated code has a name that encoding/json or another
// library looks for.
func noJSONMethods(t *testing.T, src []byte) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	if !ast.IsGenerated(file) {
		t.Error("the file does not say that it is generated, as Go's tools look for it")
	}
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Recv == nil {
			continue
		}
		switch f.Name.Name {
		case "MarshalJSON", "UnmarshalJSON", "MarshalJSONTo", "UnmarshalJSONFrom", "MarshalText", "UnmarshalText", "AppendText",
			"MarshalEasyJSON", "UnmarshalEasyJSON", "MarshalJSONObject", "UnmarshalJSONObject", "NKeys", "IsNil":
			t.Errorf("there is a method %s, which changes what another library does with the type", f.Name.Name)
		}
	}
}

// TestShuffledTypes: in which order the types are declared, and in which files, changes nothing.
func TestShuffledTypes(t *testing.T) {
	declarations := []string{
		"type Root struct { A *A `json:\"a\"`; B []B `json:\"b\"`; X C `json:\"c\"`; Y N `json:\"n\"` }",
		"type A struct { S string `json:\"s\"`; B *B `json:\"b\"` }",
		"type B struct { I []int `json:\"i\"`; A []*A `json:\"a\"` }",
		"type C struct { F *float64 `json:\"f\"`; D []D `json:\"d\"`; N []N `json:\"n\"` }",
		"type D struct{}",
		"type N int64",
	}
	var want []byte
	compare := func(order []string, src []byte, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = src
		}
		if line := firstDifference(src, want); line != 0 {
			t.Fatalf("with the types as %q it is another text from line %d on", order, line)
		}
	}
	c := Config{Types: []string{"Root"}}.withDefaults()
	for i := range declarations {
		shuffled := slices.Concat(declarations[i:], declarations[:i])
		if i%2 == 1 {
			slices.Reverse(shuffled)
		}
		for range 2 {
			m, err := modelOf(t, strings.Join(shuffled, "\n"))
			if err != nil {
				t.Fatal(err)
			}
			src, err := m.render(c)
			compare(shuffled, src, err)
		}
	}
	slices.Reverse(declarations)
	c.Dir = packageOf(t, declarations...)
	src, err := Generate(c)
	compare(declarations, src, err)
}

// packageOf writes a package with a file for each of the texts and returns its folder.
func packageOf(t *testing.T, texts ...string) string {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example.com/types\n\ngo 1.26\n")
	for i, text := range texts {
		write(fmt.Sprintf("types%d.go", i), "package types\n\n"+text+"\n")
	}
	return dir
}

// TestWrite: the file is written where the configuration says, and left alone when it is as it
// should be.
func TestWrite(t *testing.T) {
	t.Parallel()
	for _, output := range []string{"", "other_gen.go"} {
		dir := packageOf(t, "type Root struct { A int }")
		c := Config{Dir: dir, Types: []string{"Root"}, Output: output, Internal: true}
		if err := Write(c); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, output)
		if output == "" {
			file = filepath.Join(dir, OutputDefault)
		}
		if written, err := os.ReadFile(file); err != nil || !bytes.Contains(written, []byte("\nfunc parseRoot(")) {
			t.Errorf("%s does not hold what is generated, %v", file, err)
		}
		if err := os.Chmod(file, 0o444); err != nil {
			t.Fatal(err)
		}
		before, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := Write(c); err != nil {
			t.Errorf("writing the same again: %v", err)
		}
		if after, err := os.Stat(file); err != nil || after.ModTime() != before.ModTime() {
			t.Errorf("the same file was written again, %v", err)
		}
	}
}

// TestWrongUse has what Generate refuses before it looks at a field.
func TestWrongUse(t *testing.T) {
	t.Parallel()
	dir := packageOf(t, "type Root struct { A int }\n\ntype Word string\n\nvar Value int")
	for _, c := range []struct {
		config Config
		want   string
	}{
		{Config{Dir: dir}, "no types given"},
		{Config{Dir: dir, Types: []string{"Missing"}}, "no type Missing"},
		{Config{Dir: dir, Types: []string{"Value"}}, "no type Value"},
		{Config{Dir: dir, Types: []string{"Word"}}, "type Word is not a struct"},
		{Config{Dir: filepath.Join(dir, "nowhere"), Types: []string{"Root"}}, "nowhere"},
		{Config{Dir: t.TempDir(), Types: []string{"Root"}}, "gen: "},
	} {
		if src, err := Generate(c.config); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want an error with %q; %d bytes are generated", c.config.Types, err, c.want, len(src))
		}
	}
}
