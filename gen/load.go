package gen

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"reflect"
	"strings"
	"unicode"

	"golang.org/x/tools/go/packages"
)

// load reads the package and builds the model of the root types.
func load(c Config) (*model, error) {
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return nil, fmt.Errorf("gen: %w", err)
	}
	// Without NeedDeps and with NeedExportFile the types of imports come from compiled packages,
	// which is much faster than from their source.
	pkgs, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedTypes | packages.NeedSyntax | packages.NeedImports | packages.NeedFiles | packages.NeedExportFile,
		Dir:  dir,
	}, ".")
	if err != nil {
		return nil, fmt.Errorf("gen: loading %s: %w", c.Dir, err)
	}
	if len(pkgs) != 1 || pkgs[0].Types == nil {
		return nil, fmt.Errorf("gen: no Go package in %s", c.Dir)
	}
	// Errors in the package do not matter here: code that calls what is about to be generated
	// does not compile yet. What matters is that the types are there.
	l := newLoader(pkgs[0].Types, c)
	l.model.lookAt(pkgs[0], c.Output)
	for _, name := range c.Types {
		obj, ok := l.pkg.Scope().Lookup(name).(*types.TypeName)
		if !ok {
			return nil, fmt.Errorf("gen: package %s has no type %s%s", l.model.Pkg, name, firstProblem(pkgs[0]))
		}
		if method := ownMethod(obj.Type()); method != "" {
			return nil, fmt.Errorf("gen: type %s has the method %s, which generated code would not call", name, method)
		}
		st, err := l.structOf(obj.Type(), name)
		if err != nil {
			return nil, err
		}
		if st == nil {
			return nil, fmt.Errorf("gen: type %s is not a struct", name)
		}
		st.IsRoot = true
		l.model.Roots = append(l.model.Roots, st)
	}
	l.markRecursive()
	return l.model, nil
}

func newLoader(pkg *types.Package, c Config) *loader {
	m := &model{Pkg: pkg.Name(), taken: map[string]token.Position{}, generated: map[string]bool{}, shared: map[string]bool{}, imports: map[string]string{}}
	return &loader{pkg: pkg, model: m, keepEmpty: c.KeepEmpty, byName: map[string]*structType{}}
}

func firstProblem(p *packages.Package) string {
	if len(p.Errors) == 0 {
		return ""
	}
	return " (the package has errors: " + p.Errors[0].Msg + ")"
}

// lookAt notes what the files of the package declare, except for the one to be written.
func (m *model) lookAt(p *packages.Package, output string) {
	for _, file := range p.Syntax {
		name := filepath.Base(p.Fset.Position(file.Package).Filename)
		if name == output {
			continue
		}
		for _, name := range declared(file) {
			m.taken[name.Name] = p.Fset.Position(name.Pos())
		}
		ours := ast.IsGenerated(file) && strings.Contains(file.Comments[0].Text(), "rtbwire-gen")
		if ours {
			m.generated[name] = true
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && (ours || f.Name.Name == "Release") {
				m.shared[receiver(f)+"."+f.Name.Name] = true
			}
		}
	}
}

type loader struct {
	pkg       *types.Package
	model     *model
	keepEmpty bool
	byName    map[string]*structType
}

// structOf returns the model of a defined struct type, nil for other types. where is for
// errors: the path of fields that led to it.
func (l *loader) structOf(t types.Type, where string) (*structType, error) {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return nil, nil
	}
	under, ok := named.Underlying().(*types.Struct)
	if !ok {
		return nil, nil
	}
	if named.TypeArgs().Len() > 0 {
		return nil, fmt.Errorf("gen: %s: the generic type %s is not supported; give the instance a name of its own", where, named)
	}
	if named.Obj().Pkg() != l.pkg {
		return nil, fmt.Errorf("gen: %s: the struct %s is of another package; only structs of one package can be generated together", where, named)
	}
	name := named.Obj().Name()
	if st := l.byName[name]; st != nil {
		return st, nil
	}
	st := &structType{Name: name, shared: l.model.shared}
	l.byName[name] = st
	for field := range under.Fields() {
		if field.Name() == "Release" {
			st.shared[name+".Release"] = true
		}
	}
	l.model.Structs = append(l.model.Structs, st)
	if err := l.fields(st, under, where, ""); err != nil {
		return nil, err
	}
	return st, l.unique(st, where)
}

// fields adds the fields of a struct, and of those it embeds, in their order.
func (l *loader) fields(st *structType, s *types.Struct, where, prefix string) error {
	for i := range s.NumFields() {
		v := s.Field(i)
		tag, hasTag := reflect.StructTag(s.Tag(i)).Lookup("json")
		key, options, _ := strings.Cut(tag, ",")
		here := where + "." + v.Name()
		switch {
		case tag == "-":
			continue
		case v.Embedded() && !v.Exported():
			return fmt.Errorf("gen: %s: an embedded struct must be exported, or left out with json:\"-\"", here)
		case v.Embedded() && (!hasTag || key == ""):
			if name := ownMethod(v.Type()); name != "" {
				return fmt.Errorf("gen: %s: the embedded type %s has the method %s, which generated code would not call", here, v.Type(), name)
			}
			under, ok := v.Type().Underlying().(*types.Struct)
			if !ok {
				return fmt.Errorf("gen: %s: only structs may be embedded, not %s; give the field a json name", here, v.Type())
			}
			if err := l.fields(st, under, here, prefix+v.Name()+"."); err != nil {
				return err
			}
			continue
		case !v.Exported():
			continue
		}
		if key == "" {
			key = v.Name()
		}
		if err := checkKey(key); err != nil {
			return fmt.Errorf("gen: %s: %w", here, err)
		}
		f := &field{GoName: prefix + v.Name(), Number: len(st.Fields) + 1, Key: key, keepEmpty: l.keepEmpty}
		for opt := range strings.SplitSeq(options, ",") {
			switch opt {
			case "omitempty":
				f.omit = true
			case "omitzero":
				f.omitZero = true
			case "":
			default:
				return fmt.Errorf("gen: %s: the json option %q is not supported", here, opt)
			}
		}
		t, err := l.typeOf(v.Type(), here)
		if err != nil {
			return err
		}
		f.Type = t
		if f.omitZero && t.kind == kindStruct && t.shape == plain {
			return fmt.Errorf("gen: %s: omitzero of a struct is not supported; make the field a pointer", here)
		}
		st.Fields = append(st.Fields, f)
		if len(st.Fields) > fieldsMax {
			return fmt.Errorf("gen: %s: a struct may have at most %d fields", where, fieldsMax)
		}
	}
	return nil
}

// fieldsMax keeps field numbers within a byte.
const fieldsMax = 254

// keyMax is coder.KeyMax.
const keyMax = 200

func checkKey(key string) error {
	if len(key) > keyMax {
		return fmt.Errorf("the key is longer than %d bytes", keyMax)
	}
	for _, r := range key {
		if r < 0x20 || r == '"' || r == '\\' {
			return fmt.Errorf("the key %q needs escaping, which is not supported", key)
		}
	}
	for _, r := range key {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r) {
			return fmt.Errorf("encoding/json ignores the key %q because of %q, and uses the name of the field", key, r)
		}
	}
	return nil
}

func (l *loader) unique(st *structType, where string) error {
	seen := map[string]string{}
	for _, f := range st.Fields {
		if other, ok := seen[f.Key]; ok {
			return fmt.Errorf("gen: %s: fields %s and %s have the same key %q", where, other, f.GoName, f.Key)
		}
		seen[f.Key] = f.GoName
	}
	return nil
}

// typeOf says how a field of the type is decoded.
func (l *loader) typeOf(t types.Type, where string) (fieldType, error) {
	if isRaw(t) {
		return fieldType{kind: kindRaw, GoType: l.typeName(t), basic: "[]byte"}, nil
	}
	if name := ownMethod(t); name != "" {
		return fieldType{}, fmt.Errorf("gen: %s: type %s has the method %s, which generated code would not call; use json.RawMessage", where, t, name)
	}
	shape := plain
	elem := types.Unalias(t)
	switch u := elem.Underlying().(type) {
	case *types.Pointer:
		shape, elem = pointer, types.Unalias(u.Elem())
	case *types.Slice:
		if _, named := elem.(*types.Named); named {
			return fieldType{}, fmt.Errorf("gen: %s: the named slice type %s is not supported; use a plain slice", where, t)
		}
		shape, elem = slice, types.Unalias(u.Elem())
		if p, ok := elem.Underlying().(*types.Pointer); ok {
			if _, named := elem.(*types.Named); named {
				return fieldType{}, fmt.Errorf("gen: %s: a slice of the named pointer type %s is not supported; use a plain pointer", where, elem)
			}
			shape, elem = sliceOfPointers, types.Unalias(p.Elem())
		}
	}
	if types.TypeString(elem, nil) == "encoding/json.Number" {
		return fieldType{}, fmt.Errorf("gen: %s: json.Number is not supported: it is a string that takes numbers; use json.RawMessage", where)
	}
	if isRaw(elem) {
		return fieldType{}, fmt.Errorf("gen: %s: pointers to and slices of json.RawMessage are not supported", where)
	}
	ft := fieldType{shape: shape, GoType: l.typeName(elem)}
	if st, err := l.structOf(elem, where); err != nil {
		return ft, err
	} else if st != nil {
		ft.kind, ft.Object, ft.basic = kindStruct, st, "struct"
		return ft, nil
	}
	b, ok := elem.Underlying().(*types.Basic)
	if !ok {
		return ft, fmt.Errorf("gen: %s: type %s is not supported (%s)", where, t, whyNot(elem.Underlying()))
	}
	ft.basic = b.Name()
	switch b.Kind() {
	case types.String:
		ft.kind = kindString
	case types.Int, types.Int8, types.Int16, types.Int32, types.Int64, types.Uint8, types.Uint16, types.Uint32, types.Uint, types.Uint64:
		ft.kind = kindInt
		ft.basic = strings.NewReplacer("byte", "uint8", "rune", "int32").Replace(ft.basic)
		if ft.basic == "uint8" && (shape == slice || shape == sliceOfPointers) {
			return ft, fmt.Errorf("gen: %s: []byte is base64 text to encoding/json, which is not supported; use string or json.RawMessage", where)
		}
	case types.Float64, types.Float32:
		ft.kind = kindFloat
	case types.Bool:
		ft.kind = kindBool
	default:
		return ft, fmt.Errorf("gen: %s: type %s is not supported", where, t)
	}
	if shape == sliceOfPointers {
		return ft, fmt.Errorf("gen: %s: slices of pointers to scalars are not supported", where)
	}
	return ft, nil
}

// ownMethod returns a method that encoding/json would call to read or write a value of the type,
// or of what it points to or is a slice of.
func ownMethod(t types.Type) string {
	for {
		set := types.NewMethodSet(types.NewPointer(t))
		for _, name := range []string{"UnmarshalJSON", "UnmarshalJSONFrom", "UnmarshalText", "MarshalJSON", "MarshalJSONTo", "MarshalText", "AppendText"} {
			if set.Lookup(nil, name) != nil {
				return name
			}
		}
		switch u := types.Unalias(t).(type) {
		case *types.Pointer:
			t = u.Elem()
		case *types.Slice:
			t = u.Elem()
		default:
			return ""
		}
	}
}

func whyNot(u types.Type) string {
	switch u.(type) {
	case *types.Map:
		return "maps have no fixed keys; use json.RawMessage"
	case *types.Interface:
		return "interfaces say nothing about the JSON type; use json.RawMessage"
	case *types.Slice:
		return "arrays of arrays; use json.RawMessage"
	case *types.Array:
		return "arrays of fixed length; use a slice"
	case *types.Struct:
		return "anonymous structs; give the struct a name"
	case *types.Pointer:
		return "pointers to pointers"
	}
	return "no JSON value decodes to it"
}

// isRaw reports whether t is encoding/json's RawMessage.
func isRaw(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Name() == "RawMessage" && n.Obj().Pkg() != nil &&
		(n.Obj().Pkg().Path() == "encoding/json" || n.Obj().Pkg().Path() == "encoding/json/jsontext")
}

// typeName writes a type as the generated file does, and notes the import.
func (l *loader) typeName(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if p == l.pkg {
			return ""
		}
		l.model.imports[p.Path()] = p.Name()
		return p.Name()
	})
}

// markRecursive finds the structs that can contain themselves.
func (l *loader) markRecursive() {
	for _, st := range l.model.Structs {
		st.Recursive = reaches(st, st, map[*structType]bool{})
	}
}

func reaches(from, to *structType, seen map[*structType]bool) bool {
	if seen[from] {
		return false
	}
	seen[from] = true
	for _, f := range from.Fields {
		if o := f.Type.Object; o != nil && (o == to || reaches(o, to, seen)) {
			return true
		}
	}
	return false
}
