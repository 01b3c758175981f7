package gen

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
	"strings"
	"testing"
)

// This file is about types that are unusual, but allowed: what is generated for them compiles.

// generated returns what is generated for the type Root in a package of one file.
func generated(t *testing.T, text string, internal bool) (string, error) {
	t.Helper()
	m, err := modelOf(t, text)
	if err != nil {
		return "", err
	}
	c := Config{Internal: internal}.withDefaults()
	src, err := m.render(c)
	if err != nil {
		t.Fatalf("%.300s: %v", text, err)
	}
	return string(src), m.conflict(c, src)
}

// problems type-checks the files of a package.
func problems(t *testing.T, texts ...string) (list []string) {
	t.Helper()
	var files []*ast.File
	for i, text := range texts {
		file, err := parser.ParseFile(fileSet, fmt.Sprintf("file%d.go", i), text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	config := types.Config{Importer: imports(), Error: func(err error) { list = append(list, err.Error()) }}
	config.Check("types", fileSet, files, nil)
	return list
}

// structs writes n structs that hold each other.
func structs(n int) string {
	var b strings.Builder
	b.WriteString("type Root struct {\n")
	for i := range n {
		fmt.Fprintf(&b, "\tS%d *S%d\n", i, i)
	}
	b.WriteString("}\n")
	for i := range n {
		fmt.Fprintf(&b, "type S%d struct { A []S%d; B *int }\n", i, (i+1)%n)
	}
	return b.String()
}

func TestCompiles(t *testing.T) {
	if testing.Short() {
		t.Skip("it is the same in every build")
	}
	for i, c := range []struct {
		name, text string
		rename     string // the name that would be there twice: refused
	}{
		{"no field", "type Root struct{}", ""},
		{"no field that is read", "type Root struct { a int; B int `json:\"-\"` }", ""},
		{"one field", "type Root struct { A int }", ""},
		{"one long key", "type Root struct { A int `json:\"" + strings.Repeat("k", 60) + "\"` }", ""},
		{"100 fields", fields("Root", 100), ""},
		{"the most fields", fields("Root", fieldsMax), ""},
		{"more structs than bits", structs(70), ""},
		{"no scalar at all", "type Root struct { A *Root; B []Root; C []*Root }", ""},
		{"only raw values", `import "encoding/json"; type Root struct { R json.RawMessage }`, ""},
		{"only booleans", "type Root struct { A bool; B *bool; C []bool }", ""},
		{"only floats", "type Root struct { A float32; B *float32; C []float32 }", ""},
		{"only unsigned", "type Root struct { A uint8; B *uint64; C []uint16 }", ""},
		{"only strings of a name", "type T string; type Root struct { A T; B *T; C []T }", ""},
		{"names of the language's functions", "type Root struct { len int; Cap int `json:\"cap\"`; Append *int `json:\"append\"` }; type max struct{}", ""},
		{"keys that are words of the language", "type Root struct { A int `json:\"type\"`; B int `json:\"func\"`; C []string `json:\"range\"` }", ""},
		{"keys that break comments and formats", "type Root struct { A int `json:\"*/\"`; B int `json:\"//\"`; C int `json:\"%d%s\"` }", ""},
		{"letters that are no ASCII", "type Größe struct { Ä int }; type Root struct { É *Größe; Σ []Größe }", ""},
		{"two levels embedded", "type C struct { X []C2 }; type C2 struct { Y *string }; type B struct { C }; type Root struct { B; Z int }", ""},
		{"aliases", "type A = []int; type B = *C; type C struct { D int }; type E = C; type Root struct { A A; B B; E E; F []E; G []B }", ""},
		{"a named pointer", "type P *C; type C struct { D int }; type Root struct { X P }", ""},
		{"structs with the names of basic types", "type String struct { A string; B *string }; type Int struct { A *int }; type Root struct { A String; B []Int; C []string }", "slabString"},
		{"a type called as an array of another", "type A struct { X int }; type AArray struct { Y int }; type Root struct { A []A; B AArray; C *AArray }", "decodeAArray"},
		{"a type called as pointers to another", "type A struct { X int }; type APointers struct { Y int }; type Root struct { A []*A; B *APointers }", "decodeAPointers"},
		{"another package's type called as one of ours", `import "time"; type TimeDuration struct { A int }; type Root struct { A []time.Duration; B []TimeDuration }`, "slabTimeDuration"},
		{"types that differ by the case of a letter", "type a struct { X int }; type A struct { Y int }; type Root struct { P a; Q A; R []a; S []A; T []*a }", ""},
		{"defined types that differ by the case of a letter", "type w string; type W string; type Root struct { A []w; B []W }", "slabW"},
	} {
		for _, internal := range []bool{false, true} {
			if internal && i > 4 {
				continue // only what is around the functions of the types differs
			}
			src, err := generated(t, c.text, internal)
			if c.rename != "" {
				if err == nil || !strings.Contains(err.Error(), "called "+c.rename+"; rename") {
					t.Errorf("%s: %v, want the advice to rename what %s is named after", c.name, err, c.rename)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			noJSONMethods(t, []byte(src))
			if list := problems(t, "package types\n"+c.text, src); len(list) > 0 {
				t.Errorf("%s, internal %v: %d problems, the first: %s", c.name, internal, len(list), list[0])
			}
		}
	}
}
