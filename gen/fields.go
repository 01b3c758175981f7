package gen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rtbwire/rtbwire/wire/coder"
)

// This file has what the templates ask about structs, fields and their types.

// Lacks reports whether no other generated file of the package has the method. Of Release, a name
// that users may have given to something else, it also reports that they have not.
func (st *structType) Lacks(method string) bool { return !st.shared[st.Name+"."+method] }

// Ext is the field of a root's member "ext", if that is a raw value, or else nil.
func (st *structType) Ext() *field {
	for _, f := range st.Fields {
		if f.Key == "ext" && f.Type.kind == kindRaw && st.IsRoot {
			return f
		}
	}
	return nil
}

// KeySet is the arguments of coder.NewKeySet for the keys of the struct.
func (st *structType) KeySet() string {
	var names, quoted []string
	for _, f := range st.Fields {
		names = append(names, f.Key)
		quoted = append(quoted, fmt.Sprintf("%q", f.Key))
	}
	mul, bits := perfectHash(names)
	return strings.Join(append([]string{fmt.Sprintf("%#x, %d", mul, bits)}, quoted...), ", ")
}

// perfectHash searches for a multiplier under which no two names collide. The search is a
// fixed sequence, so that the same names always give the same code.
func perfectHash(names []string) (mul uint64, bits uint8) {
	for bits = 3; 1<<bits < 2*len(names); bits++ {
	}
	state := uint64(0x9e3779b97f4a7c15)
	for ; ; bits++ {
		for range 20000 {
			state = state*6364136223846793005 + 1442695040888963407
			mul = state | 1
			if !coder.HashCollides(mul, bits, names) {
				return mul, bits
			}
		}
	}
}

// prediction is the comparison of a predicted key.
type prediction struct {
	Mismatch string // true if another key is at p
	Length   int    // of the key with quotes and colon
	Spaced   bool   // reading the value does not skip white space before it
}

// Prediction is how the key is compared when it is predicted, nil if it is too long for that.
func (f *field) Prediction() *prediction {
	words, at, shift, length, ok := coder.GuessWords(f.Key)
	if !ok {
		return nil
	}
	var mismatch strings.Builder
	fmt.Fprintf(&mismatch, "p+%d > c.r.Len()", max(8, length))
	for i, word := range words {
		load := "c.r.Word(p)"
		if at[i] > 0 {
			load = fmt.Sprintf("c.r.Word(p+%d)", at[i])
		}
		if shift > 0 {
			load += fmt.Sprintf("<<%d", shift)
		}
		fmt.Fprintf(&mismatch, " || %s != %#x", load, word)
	}
	skips := f.Type.shape != slice && f.Type.kind != kindStruct && f.Type.ReadSlowly("p") != ""
	return &prediction{mismatch.String(), length, !skips}
}

// Predicts reports whether a key of the struct can be predicted.
func (st *structType) Predicts() bool {
	return slices.ContainsFunc(st.Fields, func(f *field) bool { return f.Prediction() != nil })
}

// Ascends reports whether a key that was predicted has not come before in its object: see
// [coder.Order].
func (st *structType) Ascends() bool { return !st.Recursive && len(st.Fields) <= coder.OrderFields }

// Comma is the literal of a comma and the member's key.
func (f *field) Comma() string { return literal(`,"` + f.Key + `":`) }

// literal quotes JSON text for Go.
func literal(text string) string {
	if strings.Contains(text, "`") {
		return fmt.Sprintf("%q", text)
	}
	return "`" + text + "`"
}

// Present is the condition under which the member is written with its value, "" for always.
func (f *field) Present() string {
	t, v := &f.Type, "v."+f.GoName
	omit := f.omit || f.omitZero
	switch {
	case t.IsSlice() && f.omit && !f.keepEmpty:
		return "len(" + v + ") != 0"
	case t.shape != plain:
		return v + " != nil"
	case t.kind == kindRaw:
		return "len(" + v + ") != 0"
	case !omit || t.kind == kindStruct:
		return ""
	case t.kind == kindString:
		return v + ` != ""`
	case t.kind == kindBool:
		return v
	}
	return v + " != 0"
}

// Missing is the literal of what is written if Present is false, "" for nothing.
func (f *field) Missing() string {
	if f.omit || f.omitZero {
		return ""
	}
	return literal(`,"` + f.Key + `":null`)
}

// IsObject and the following methods tell the ways of storing values apart.
func (t *fieldType) IsObject() bool { return t.kind == kindStruct && t.shape == plain }

// IsObjectPointer reports whether the field is a pointer to a struct.
func (t *fieldType) IsObjectPointer() bool { return t.kind == kindStruct && t.shape == pointer }

// IsObjects reports whether the field is a slice of structs.
func (t *fieldType) IsObjects() bool { return t.kind == kindStruct && t.shape == slice }

// IsPointers reports whether the field is a slice of pointers to structs.
func (t *fieldType) IsPointers() bool { return t.shape == sliceOfPointers }

// IsPointer reports whether the field is a pointer.
func (t *fieldType) IsPointer() bool { return t.shape == pointer }

// IsSlice reports whether the field is a slice of anything.
func (t *fieldType) IsSlice() bool { return t.shape == slice || t.shape == sliceOfPointers }

// IsStrings reports whether the field is a slice of plain strings.
func (t *fieldType) IsStrings() bool { return t.shape == slice && t.kind == kindString && !t.named() }

// IsNamedInts reports whether the field is a slice of a defined type of ints, whose slots are the
// ones of plain ints.
func (t *fieldType) IsNamedInts() bool { return t.shape == slice && t.basic == "int" && t.named() }

// IsStored reports whether a scalar that was read is not yet what the field holds: it is
// converted, or put into a slab.
func (t *fieldType) IsStored() bool {
	return t.kind != kindStruct && t.kind != kindRaw && (t.shape == pointer || t.shape == plain && t.named())
}

// Unset is what a field holds that was not set, or set from null or an empty string, of which the
// reader takes notes. It is empty where other values leave no trace either.
func (t *fieldType) Unset() string {
	switch {
	case t.shape != plain || t.kind == kindRaw:
		return "nil"
	case t.basic == "string":
		return `""`
	}
	return ""
}

// ArrayFunc is the method of the codec that reads an array of objects.
func (t *fieldType) ArrayFunc() string {
	if t.IsPointers() {
		return "decode" + t.Object.Name + "Pointers"
	}
	return "decode" + t.Object.Name + "Array"
}

// Elem is the type of the elements of an array of objects.
func (t *fieldType) Elem() string {
	if t.IsPointers() {
		return "*" + t.Object.Name
	}
	return t.Object.Name
}

// InSlab reports whether an array of objects can stay open in the slab of its elements: not if
// reading an element uses that slab.
func (t *fieldType) InSlab() bool { return t.IsObjects() && !t.Object.Recursive }

// slab is the slab of the field's scalars.
func (t *fieldType) slab() scalarSlab {
	if t.kind == kindStruct || t.kind == kindRaw || t.shape == plain {
		return scalarSlab{}
	}
	elem := t.basic
	if t.named() && !(t.basic == "int" || t.shape == pointer) {
		elem = t.GoType // slices of other defined types have a slab of their own
	}
	return scalarSlab{"slab" + exported(strings.ReplaceAll(elem, ".", "")), elem, t.basic == "string"}
}

// Read is the call that reads the value at p.
func (t *fieldType) Read() string {
	switch {
	case t.kind == kindRaw && t.place:
		return "c.r.RawExt(p, depth-1)"
	case t.kind == kindRaw:
		return "c.r.Raw(p, depth-1)"
	case t.kind == kindStruct:
		return "c." + t.ArrayFunc() + "(p, depth-1)"
	case t.shape == slice:
		return t.readScalars()
	}
	return t.readScalar()
}

// readScalar is the call that reads one scalar of the basic type at p.
func (t *fieldType) readScalar() string {
	switch {
	case t.kind == kindString:
		return "c.r.String(p)"
	case t.kind == kindBool:
		return "c.r.Bool(p)"
	case t.basic == "float64":
		return "c.r.Float(p)"
	case t.basic == "float32":
		return "c.r.Float32(p)"
	case t.basic == "int":
		return "c.r.Int(p)"
	}
	return fmt.Sprintf("coder.Integer[%s](&c.r, p)", t.basic)
}

// ReadSlowly is the call that reads what Read leaves to it at p, "" if it leaves nothing.
func (t *fieldType) ReadSlowly(p string) string {
	switch {
	case t.shape == slice:
	case t.kind == kindString:
		return "c.r.SlowString(" + p + ")"
	case t.basic == "int":
		return "c.r.SlowInt(" + p + ")"
	}
	return ""
}

// readScalars is the call that reads an array of scalars.
func (t *fieldType) readScalars() string {
	name := t.slab().Name
	switch {
	case t.IsStrings():
		return fmt.Sprintf("c.r.Strings(&c.%s, p, depth-1)", name)
	case t.basic == "int":
		return fmt.Sprintf("c.r.Ints(&c.%s, p, depth-1)", name)
	case t.basic == "float64" && !t.named():
		return fmt.Sprintf("c.r.Floats(&c.%s, p, depth-1)", name)
	}
	read := strings.NewReplacer("c.r.String(", "r.AnyString(", "&c.r", "r", "c.r.", "r.").Replace(t.readScalar())
	return fmt.Sprintf("coder.Scalars(&c.r, &c.%s, p, depth-1, func(r *coder.Reader, p int) (%s, int) {\nx, q := %s\nreturn %s(x), q\n})", name, t.GoType, read, t.GoType)
}

// Store is the expression that keeps a scalar x of the basic type.
func (t *fieldType) Store() string {
	if t.shape != pointer {
		return t.GoType + "(x)"
	}
	put := fmt.Sprintf("c.%s.Put(&c.r, x)", t.slab().Name)
	if t.named() {
		return fmt.Sprintf("(*%s)(%s)", t.GoType, put)
	}
	return put
}

// Zero is the value of an absent scalar.
func (t *fieldType) Zero() string {
	switch {
	case t.shape == pointer:
		return "nil"
	case t.kind == kindString:
		return `""`
	case t.kind == kindBool:
		return "false"
	}
	return "0"
}

// Append is the call that appends the scalar or raw value v to b.
func (t *fieldType) Append(b, v string) string {
	switch {
	case t.kind == kindRaw:
		return fmt.Sprintf("w.Raw(%s, %s)", b, v)
	case t.kind == kindBool:
		return fmt.Sprintf("coder.AppendBool(%s, %s)", b, v)
	case t.kind == kindInt && strings.HasPrefix(t.basic, "uint"):
		return fmt.Sprintf("coder.AppendUint(%s, %s)", b, v)
	case t.kind == kindInt:
		return fmt.Sprintf("coder.AppendInt(%s, %s)", b, v)
	}
	if t.named() {
		v = fmt.Sprintf("%s(%s)", t.basic, v)
	}
	return fmt.Sprintf("w.%s(%s, %s)", exported(t.basic), b, v)
}

// CloneScalar is the expression that copies the scalar, the raw value or the slice of scalars v.
func (t *fieldType) CloneScalar(v string) string {
	switch {
	case t.shape == slice && t.kind == kindString:
		return fmt.Sprintf("coder.CloneStrings(%s)", v)
	case t.shape == slice || t.kind == kindRaw:
		return fmt.Sprintf("coder.CloneSlice(%s)", v)
	case t.kind == kindString:
		return fmt.Sprintf("coder.CloneString(%s)", v)
	}
	return v
}
