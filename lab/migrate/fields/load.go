package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"reflect"
	"strings"
)

// model is what a package declares.
type model struct {
	name    string // of the package
	structs []*object
	named   map[string]string // a named type that is not a struct, with its underlying type as written
	aliases map[string]string // other names of a type
}

type object struct {
	name   string
	fields []field
}

type field struct {
	name, key, typ string // typ as written, without package names
}

// load reads the structs of the first folder, and the named types of all.
func load(dirs ...string) (*model, error) {
	m := &model{named: map[string]string{}, aliases: map[string]string{}}
	for i, dir := range dirs {
		names, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(names) == 0 {
			return nil, fmt.Errorf("no Go files in %s", dir)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			if i == 0 {
				m.name = file.Name.Name
			}
			for _, decl := range file.Decls {
				if gen, ok := decl.(*ast.GenDecl); ok && gen.Tok == token.TYPE {
					for _, s := range gen.Specs {
						m.add(s.(*ast.TypeSpec), i == 0)
					}
				}
			}
		}
	}
	return m, nil
}

func (m *model) add(spec *ast.TypeSpec, messages bool) {
	name := spec.Name.Name
	body, ok := spec.Type.(*ast.StructType)
	switch {
	case spec.Assign.IsValid():
		m.aliases[name] = typeOf(spec.Type)
		return
	case !ok:
		m.named[name] = typeOf(spec.Type)
		return
	}
	o := &object{name: name}
	for _, f := range body.Fields.List {
		if f.Tag == nil || len(f.Names) != 1 {
			continue
		}
		tag := reflect.StructTag(strings.Trim(f.Tag.Value, "`"))
		if key, _, _ := strings.Cut(tag.Get("json"), ","); key != "" && key != "-" {
			o.fields = append(o.fields, field{f.Names[0].Name, key, typeOf(f.Type)})
		}
	}
	if messages && ast.IsExported(name) && len(o.fields) > 0 {
		m.structs = append(m.structs, o)
	}
}

// typeOf writes a type without package names: they differ between the packages by design.
func typeOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return "*" + typeOf(e.X)
	case *ast.ArrayType:
		if e.Len == nil {
			return "[]" + typeOf(e.Elt)
		}
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return types.ExprString(e)
}

// find returns the object with a name, or nil.
func (m *model) find(name string) *object {
	for _, o := range m.structs {
		if o.name == name {
			return o
		}
	}
	return nil
}

// field returns the field with a key, or nil.
func (o *object) field(key string) *field {
	for i := range o.fields {
		if o.fields[i].key == key {
			return &o.fields[i]
		}
	}
	return nil
}

// split separates the pointers and brackets of a type from its element.
func split(typ string) (shape, elem string) {
	elem = strings.TrimLeft(typ, "*[]")
	return typ[:len(typ)-len(elem)], elem
}

// kind returns what a type is for the comparison: a struct is "object", a list of codes
// "code (int8)". RawMessage, and a type made of it, is bytes of JSON.
func (m *model) kind(typ string) string {
	shape, elem := split(typ)
	if of := m.aliases[elem]; of != "" {
		return m.kind(shape + of)
	}
	switch under, named := m.named[elem]; {
	case m.find(elem) != nil:
		return shape + "object"
	case elem == "RawMessage" || named && under == "RawMessage":
		return shape + "RawMessage"
	case named:
		return shape + "code (" + under + ")"
	}
	return typ
}
