package policy

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strconv"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/internal/address"
	"github.com/rtbwire/rtbwire/internal/currency"
)

// This file shows requests to cel-go: their types to its checker, their values to its interpreter.
// Values of an ext become cel-go's own.

// celType returns a type as cel-go knows it.
func celType(t typ) *cel.Type {
	switch t.kind {
	case kindBool:
		return cel.BoolType
	case kindInt:
		return cel.IntType
	case kindDouble:
		return cel.DoubleType
	case kindString:
		return cel.StringType
	case kindObject:
		return celObject(t.object)
	case kindList:
		return cel.ListType(celType(*t.elem))
	case kindTime:
		return cel.TimestampType
	case kindHeaders:
		return cel.MapType(cel.StringType, cel.StringType)
	case kindVendors:
		return cel.MapType(cel.StringType, celObject(objVendor))
	default:
		return cel.DynType
	}
}

var celObjects = func() (all [objectsAll]*cel.Type) {
	for i := range objects {
		all[i] = cel.ObjectType(objects[i].name)
	}
	return all
}()

func celObject(id objectID) *cel.Type { return celObjects[id] }

var objectsByName = func() map[string]*object {
	m := map[string]*object{}
	for i := range objects {
		m[objects[i].name] = &objects[i]
	}
	return m
}()

// provider tells cel-go the types of the model.
type provider struct {
	*types.Registry
	env *Env
}

func newRegistry() *types.Registry {
	r, err := types.NewRegistry()
	if err != nil {
		panic(err) // the standard types of cel-go fit together
	}
	return r
}

func (p *provider) FindStructType(name string) (*types.Type, bool) {
	if name == listsType.TypeName() || name == namedType.TypeName() || objectsByName[name] != nil {
		return types.NewTypeTypeWithParam(types.NewObjectType(name)), true
	}
	return nil, false
}

func (p *provider) FindStructFieldNames(name string) ([]string, bool) {
	names := p.env.fieldNames(name)
	return names, names != nil
}

func (p *provider) FindStructFieldType(name, fieldName string) (*types.FieldType, bool) {
	if o := objectsByName[name]; o != nil {
		if f := o.field(fieldName); f != nil {
			return &types.FieldType{
				Type:    celType(f.typ()),
				IsSet:   func(target any) bool { v := target.(*objectVal); return f.present(v.c, v.o) },
				GetFrom: func(target any) (any, error) { v := target.(*objectVal); return fieldVal(v.c, f, v.o), nil },
			}, true
		}
	}
	if name == listsType.TypeName() {
		if m, ok := p.env.lists[fieldName]; ok {
			return &types.FieldType{
				Type:    namedType,
				IsSet:   func(any) bool { return true },
				GetFrom: func(any) (any, error) { return &namedVal{m: m}, nil },
			}, true
		}
	}
	p.env.misses = append(p.env.misses, miss{name, fieldName})
	return nil, false
}

// NewValue refuses to make objects.
func (p *provider) NewValue(name string, _ map[string]ref.Val) ref.Val {
	return types.NewErr("objects can't be made: %s", name)
}

// adapter converts what accessors return.
type adapter struct{}

func (adapter) NativeToValue(v any) ref.Val {
	return types.DefaultTypeAdapter.NativeToValue(v)
}

// fieldVal reads a field.
func fieldVal(c *frame, f *field, owner any) ref.Val {
	if f.list {
		return listVal(c, f.listOf(c, owner))
	}
	switch f.kind {
	case kindBool:
		return types.Bool(f.b(c, owner))
	case kindInt:
		return types.Int(f.i(c, owner))
	case kindDouble:
		return types.Double(f.f(c, owner))
	case kindString:
		return types.String(f.s(c, owner))
	case kindObject:
		return &objectVal{opaque{}, c, f.o(c, owner), &objects[f.object]}
	case kindTime:
		return types.Timestamp{Time: c.facts.Time}
	case kindHeaders, kindVendors:
		return &factsVal{c: c, vendors: f.kind == kindVendors}
	default:
		text := f.raw(c, owner)
		if c.charge(len(text) * extCost); c.fail != failNone {
			return types.WrapErr(failures[c.fail])
		}
		return extVal(text)
	}
}

func listVal(c *frame, l list) ref.Val {
	if c.charge(l.n * textPerStep); c.fail != failNone {
		return types.WrapErr(failures[c.fail])
	}
	all := make([]ref.Val, l.n)
	for i := range all {
		switch v := l.at(c, i); v.kind {
		case kindInt:
			all[i] = types.Int(v.i)
		case kindDouble:
			all[i] = types.Double(v.double())
		case kindString:
			all[i] = types.String(v.s)
		default:
			id := objEID
			if l.field != nil {
				id = l.field.object
			}
			all[i] = &objectVal{opaque{}, c, v.o, &objects[id]}
		}
	}
	return types.NewRefValList(types.DefaultTypeAdapter, all)
}

// extCost is how much more it costs to decode an ext than to look into it.
const extCost = 4

// extVal decodes an ext, or a part of it.
func extVal(text []byte) ref.Val {
	if len(text) == 0 {
		return types.NullValue
	}
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return types.WrapErr(err)
	}
	return jsonVal(v)
}

func jsonVal(v any) ref.Val {
	switch v := v.(type) {
	case bool:
		return types.Bool(v)
	case string:
		return types.String(v)
	case json.Number:
		if i, err := strconv.ParseInt(string(v), 10, 64); err == nil {
			return types.Int(i)
		}
		f, err := v.Float64()
		if err != nil {
			f = math.Copysign(math.Inf(1), f)
		}
		return types.Double(f)
	case []any:
		all := make([]ref.Val, len(v))
		for i := range v {
			all[i] = jsonVal(v[i])
		}
		return types.NewRefValList(types.DefaultTypeAdapter, all)
	case map[string]any:
		all, folded := make(map[ref.Val]ref.Val, len(v)), make(map[string]ref.Val, len(v))
		for key, member := range v {
			name := foldedName(key)
			value := jsonVal(member)
			all[types.String(key)] = value
			if folded[name] != nil {
				value = types.WrapErr(ErrCase)
			}
			folded[name] = value
		}
		return &membersVal{types.NewRefValMap(types.DefaultTypeAdapter, all), folded}
	}
	return types.NullValue
}

// membersVal is an object in an ext. Conditions find its members as [frame.memberAlike] does.
type membersVal struct {
	traits.Mapper
	folded map[string]ref.Val // by foldedName; an error for two
}

// foldedName is equal for keys that [legacy.Alike] takes for each other.
func foldedName(key string) string {
	key, _, _ = strings.Cut(key, "\x00")
	return strings.ToLower(strings.ToUpper(key))
}

func (v *membersVal) Contains(key ref.Val) ref.Val {
	name, ok := key.(types.String)
	if !ok {
		return types.False
	}
	member := v.folded[foldedName(string(name))]
	if types.IsError(member) {
		return member
	}
	return types.Bool(member != nil)
}

var errNoConversion = errors.New("condition: no conversion")

// opaque has what the values below share: they convert to nothing.
type opaque struct{}

func (opaque) ConvertToNative(reflect.Type) (any, error) { return nil, errNoConversion }
func (opaque) ConvertToType(ref.Type) ref.Val            { return types.NewErr("no conversion") }

// objectVal is an object.
type objectVal struct {
	opaque
	c    *frame
	o    any
	what *object
}

func (v *objectVal) Type() ref.Type { return cel.ObjectType(v.what.name) }
func (v *objectVal) Value() any     { return v }

// Equal compares what is in the objects.
func (v *objectVal) Equal(other ref.Val) ref.Val {
	o, ok := other.(*objectVal)
	return types.Bool(ok && reflect.DeepEqual(v.o, o.o))
}

// factsVal is facts.headers or facts.vendor.
type factsVal struct {
	opaque
	c       *frame
	vendors bool
}

func (v *factsVal) Type() ref.Type            { return types.MapType }
func (v *factsVal) Value() any                { return v }
func (v *factsVal) Equal(ref.Val) ref.Val     { return types.False }
func (v *factsVal) Iterator() traits.Iterator { return types.NewRefValList(nil, nil).Iterator() }

func (v *factsVal) Size() ref.Val {
	if v.vendors {
		return types.Int(len(v.c.facts.Vendor))
	}
	return types.Int(len(v.c.facts.Headers))
}

func (v *factsVal) Contains(key ref.Val) ref.Val {
	name, _ := key.Value().(string)
	if v.vendors {
		return types.Bool(v.c.vendor(name) != nil)
	}
	return types.Bool(v.c.hasHeader(name))
}

func (v *factsVal) Get(key ref.Val) ref.Val {
	name, _ := key.Value().(string)
	if !v.vendors {
		return types.String(v.c.facts.Header(name))
	}
	var answer *rule.VendorAnswer
	if answer = v.c.vendor(name); answer == nil {
		answer = &noVendor
	}
	return &objectVal{opaque{}, v.c, answer, &objects[objVendor]}
}

func (v *factsVal) Find(key ref.Val) (ref.Val, bool) { return v.Get(key), true }

// namedVal is a list of the configuration.
type namedVal struct {
	opaque
	m Matcher
}

func (v *namedVal) Equal(other ref.Val) ref.Val { return types.Bool(v == other) }
func (v *namedVal) Type() ref.Type              { return namedType }
func (v *namedVal) Value() any                  { return v }

func (v *namedVal) Contains(value ref.Val) ref.Val {
	s, ok := value.(types.String)
	if !ok {
		return types.MaybeNoSuchOverloadErr(value)
	}
	if v.m == nil {
		return types.WrapErr(ErrList)
	}
	return types.Bool(v.m.Match(string(s)))
}

// The functions that the interpreter calls.

func (e *Env) usd(amount, code ref.Val) ref.Val {
	a, ok := amount.(types.Double)
	cur, isString := code.(types.String)
	if !ok || !isString {
		return types.MaybeNoSuchOverloadErr(code)
	}
	var buf [currency.Len]byte
	rate, ok := e.rates[currency.Canonical(&buf, string(cur))]
	if !ok {
		return types.WrapErr(failures[e.noRate()])
	}
	return a * types.Double(rate)
}

func isAddress(v ref.Val) ref.Val {
	s, ok := v.(types.String)
	if !ok {
		return types.MaybeNoSuchOverloadErr(v)
	}
	_, is := address.Read(string(s))
	return types.Bool(is)
}

func lowerASCII(v ref.Val) ref.Val {
	s, ok := v.(types.String)
	if !ok {
		return types.MaybeNoSuchOverloadErr(v)
	}
	lower := []byte(s)
	for i, b := range lower {
		if b >= 'A' && b <= 'Z' {
			lower[i] = b + 'a' - 'A'
		}
	}
	return types.String(lower)
}

// memberOf is a member of a value of an ext: absent ones, and those of null, are null.
func memberOf(v, key ref.Val) ref.Val {
	switch x := v.(type) {
	case types.Null:
		return types.NullValue
	case *membersVal:
		name, ok := key.(types.String)
		if !ok {
			return types.MaybeNoSuchOverloadErr(key)
		}
		if m := x.folded[foldedName(string(name))]; m != nil {
			return m
		}
		return types.NullValue
	case traits.Mapper:
		if _, ok := key.(types.String); !ok {
			return types.MaybeNoSuchOverloadErr(key)
		}
		if m, ok := x.Find(key); ok {
			return m
		}
		return types.NullValue
	case traits.Lister:
		if _, ok := key.(types.String); ok {
			return types.MaybeNoSuchOverloadErr(key)
		}
		return x.Get(key)
	}
	return types.MaybeNoSuchOverloadErr(v)
}

func presentIn(v, key ref.Val) ref.Val {
	m := memberOf(v, key)
	if types.IsError(m) {
		return m
	}
	return types.Bool(m != types.NullValue)
}

// activation gives cel-go the variables.
type activation struct{ c *frame }

func (a *activation) ResolveName(name string) (any, bool) {
	switch name {
	case requestName:
		return &objectVal{opaque{}, a.c, a.c.request, &objects[objBidRequest]}, true
	case "facts":
		return &objectVal{opaque{}, a.c, a.c.facts, &objects[objFacts]}, true
	case listsName:
		return &objectVal{opaque{}, a.c, nil, &object{name: "Lists"}}, true
	}
	if f := objects[objBidRequest].field(name); f != nil {
		return fieldVal(a.c, f, a.c.request), true
	}
	return nil, false
}

func (a *activation) Parent() cel.Activation { return nil }

// program plans a condition for the interpreter. Members of an ext are read by functions of this
// package, because for cel-go an absent one is an error.
func (e *Env) program(tree *ast.AST) (cel.Program, error) {
	factory := ast.NewExprFactory()
	rewritten := map[int64]bool{}
	// The checker infers types of what is read from an ext, such as a map for one that is indexed.
	dynamic := func(operand ast.Expr) bool {
		t := tree.GetType(operand.ID()).Kind()
		// The other maps are literals, and fields of the facts.
		inferred := t == types.MapKind && operand.Kind() != ast.MapKind && operand.Kind() != ast.SelectKind
		return rewritten[operand.ID()] || t == types.DynKind || inferred
	}
	visit := func(x ast.Expr) {
		var operand, key ast.Expr
		name, overload := memberName, "member_dyn_dyn"
		switch x.Kind() {
		case ast.SelectKind:
			s := x.AsSelect()
			operand = s.Operand()
			if s.IsTestOnly() {
				name, overload = presentName, "present_dyn_dyn"
			}
			key = factory.NewLiteral(ast.MaxID(tree)+1, types.String(s.FieldName()))
		case ast.CallKind:
			if call := x.AsCall(); call.FunctionName() == operators.Index {
				operand, key = call.Args()[0], call.Args()[1]
			}
		default:
		}
		if operand == nil || !dynamic(operand) {
			return
		}
		rewritten[x.ID()] = true
		x.SetKindCase(factory.NewCall(x.ID(), name, operand, key))
		tree.SetReference(x.ID(), ast.NewFunctionReference(overload))
	}
	ast.PostOrderVisit(tree.Expr(), ast.NewExprVisitor(visit))
	return e.cel.PlanProgram(tree, cel.CostLimit(CostMax))
}
