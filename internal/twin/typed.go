package twin

import (
	"encoding/json"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"sync"
)

// object reads an object into a struct, which is zero. pos is at its brace.
func (d *decoder) object(v reflect.Value, depth int, path string) {
	if depth == 0 {
		d.fail("depth", d.pos, path)
	}
	fields := fieldsOf(v.Type())
	d.members(path, func(key string, _ int) {
		here := member(path, key)
		if index, ok := fields[key]; ok {
			f := v.FieldByIndex(index)
			f.SetZero() // the last of two wins, whole
			d.value(f, depth-1, here)
		} else {
			d.skip(depth-1, here)
		}
	}, true)
}

// fieldsOf maps the keys of a struct to its fields, those of embedded structs among them.
func fieldsOf(t reflect.Type) map[string][]int {
	if known, ok := fieldsKnown.Load(t); ok {
		return known.(map[string][]int)
	}
	fields := map[string][]int{}
	defer fieldsKnown.Store(t, fields)
	for i := range t.NumField() {
		f := t.Field(i)
		tag, tagged := f.Tag.Lookup("json")
		key, _, _ := strings.Cut(tag, ",")
		switch {
		case tag == "-" || !f.IsExported():
		case f.Anonymous && (!tagged || key == ""):
			for key, index := range fieldsOf(f.Type) {
				fields[key] = append([]int{i}, index...)
			}
		case key == "":
			fields[f.Name] = []int{i}
		default:
			fields[key] = []int{i}
		}
	}
	return fields
}

// fieldsKnown is what fieldsOf has found out.
var fieldsKnown sync.Map

// charge takes the memory of n values of a type from what the document may use. They count four times: see
// wire.MaxMemory.
func (d *decoder) charge(t reflect.Type, n int) {
	if d.memory -= 4 * int64(t.Size()) * int64(n); d.memory < 0 {
		d.fail("memory", 0, "")
	}
}

var rawMessage = reflect.TypeFor[json.RawMessage]()

// value reads one value into v, which is zero.
func (d *decoder) value(v reflect.Value, depth int, path string) {
	t := v.Type()
	switch {
	case t == rawMessage:
		if !d.null(path) {
			start := d.pos
			d.skip(depth, path)
			v.SetBytes(d.data[start:d.pos])
		}
	case t.Kind() == reflect.Slice:
		d.array(v, depth, path)
	case t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct:
		if d.peek() != '{' {
			d.onlyNull(path)
			return
		}
		d.charge(t.Elem(), 1)
		v.Set(reflect.New(t.Elem()))
		d.object(v.Elem(), depth, path)
	case t.Kind() == reflect.Struct:
		if d.peek() != '{' {
			d.onlyNull(path)
			return
		}
		d.object(v, depth, path)
	case d.null(path):
	case t.Kind() == reflect.Pointer:
		v.Set(reflect.New(t.Elem()))
		d.scalarOf(v.Elem(), path)
	default:
		d.scalarOf(v, path)
	}
}

// null reads null, and reports whether it is there.
func (d *decoder) null(path string) bool {
	if d.peek() != 'n' {
		return false
	}
	d.word("null", path)
	return true
}

// onlyNull reads null where nothing else may stand.
func (d *decoder) onlyNull(path string) {
	if !d.null(path) {
		d.wrong(path)
	}
}

// wrong refuses what stands at pos for its type, or for not being a value.
func (d *decoder) wrong(path string) {
	at := d.pos
	if strings.IndexByte(`{["`, d.peek()) < 0 {
		d.scalar(path) // a broken number or word is no value of any type
	}
	d.fail("type", at, path)
}

func (d *decoder) array(v reflect.Value, depth int, path string) {
	start, elem := d.pos, v.Type().Elem()
	each := elem
	if elem.Kind() == reflect.Pointer {
		each = elem.Elem()
	}
	objects := each.Kind() == reflect.Struct
	out := reflect.MakeSlice(v.Type(), 0, 0)
	read := func(i int, path string) {
		if objects {
			d.charge(elem, 1)
		}
		out = reflect.Append(out, reflect.Zero(elem))
		d.value(out.Index(i), depth-1, path)
	}
	n := 1
	switch {
	case d.peek() == '[':
		if depth == 0 {
			d.fail("depth", d.pos, path)
		}
		n = d.elementsOf(path, func(i int) { read(i, element(path, i)) })
	case d.lenient && d.peek() != 'n': // one bare value is an array of one
		d.save("type", d.pos, path)
		read(0, path)
	default:
		d.onlyNull(path)
		return
	}
	if !objects {
		d.charge(elem, n)
	}
	if n > d.elements {
		d.fail("elements", start, path)
	}
	v.Set(out)
}

// scalarOf reads a value other than null into a string, a number or a boolean.
func (d *decoder) scalarOf(v reflect.Value, path string) {
	c := d.peek()
	number := c == '-' || '0' <= c && c <= '9'
	switch v.Kind() {
	case reflect.String:
		switch {
		case c == '"':
			v.SetString(d.str(path, true))
		case d.lenient && c != '{' && c != '[':
			at := d.pos
			d.scalar(path)
			d.save("type", at, path)
			v.SetString(string(d.data[at:d.pos]))
		default:
			d.wrong(path)
		}
	case reflect.Bool:
		d.boolean(v, path)
	case reflect.Float32, reflect.Float64:
		switch {
		case number:
			at := d.pos
			d.setFloat(v, d.number(path), at, path)
		case d.lenient && c == '"':
			at := d.pos
			d.setFloat(v, d.quoted(path), at, path)
			d.save("type", at, path)
		default:
			d.wrong(path)
		}
	default:
		at := d.pos
		switch {
		case number:
			text := d.number(path)
			whole := !strings.ContainsAny(text, ".eE")
			if !whole && !d.lenient {
				d.fail("integer", at, path)
			}
			d.setInt(v, text, at, path)
			if !whole {
				d.save("integer", at, path)
			}
		case d.lenient && c == '"':
			d.setInt(v, d.quoted(path), at, path)
			d.save("type", at, path)
		case d.lenient && c == 't':
			d.word("true", path)
			d.setInt(v, "1", at, path)
			d.save("type", at, path)
		case d.lenient && c == 'f':
			d.word("false", path)
			d.save("type", at, path)
		default:
			d.wrong(path)
		}
	}
}

func (d *decoder) boolean(v reflect.Value, path string) {
	at := d.pos
	switch c := d.peek(); {
	case c == 't':
		d.word("true", path)
		v.SetBool(true)
		return
	case c == 'f':
		d.word("false", path)
		return
	case !d.lenient || c == '{' || c == '[':
		d.wrong(path)
	}
	if d.attempt(func() { d.skip(0, path) }) != nil {
		d.pos = at
		d.wrong(path)
	}
	switch string(d.data[at:d.pos]) {
	case `1`, `"1"`, `"true"`:
		v.SetBool(true)
	case `0`, `"0"`, `"false"`:
	default:
		d.pos = at
		d.wrong(path)
	}
	d.save("type", at, path)
}

// quoted reads a string that holds a number and nothing else.
func (d *decoder) quoted(path string) string {
	at := d.pos
	text := d.str(path, true)
	inner := &decoder{data: []byte(text)}
	var read string
	if inner.attempt(func() { read = inner.number("") }) != nil || read != text {
		d.fail("type", at, path)
	}
	return text
}

func (d *decoder) setFloat(v reflect.Value, text string, at int, path string) {
	f, err := strconv.ParseFloat(text, v.Type().Bits())
	if err != nil {
		d.fail("range", at, path)
	}
	v.SetFloat(f)
}

// setInt stores the integer part of a number, if it fits.
func (d *decoder) setInt(v reflect.Value, text string, at int, path string) {
	n := integerPart(text)
	switch {
	case n == nil:
		d.fail("range", at, path)
	case v.CanInt():
		if !n.IsInt64() || v.OverflowInt(n.Int64()) {
			d.fail("range", at, path)
		}
		v.SetInt(n.Int64())
	default:
		if !n.IsUint64() || v.OverflowUint(n.Uint64()) {
			d.fail("range", at, path)
		}
		v.SetUint(n.Uint64())
	}
}

// integerPart rounds a number toward zero; it is nil if the number is beyond any integer type.
func integerPart(text string) *big.Int {
	mantissa, exponent := text, "0"
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		mantissa, exponent = text[:i], text[i+1:]
	}
	if strings.Trim(mantissa, "-0.") == "" {
		return new(big.Int)
	}
	e, _ := new(big.Int).SetString(exponent, 10)
	// Far out the exponent decides alone; what is nearer math/big computes exactly.
	if e.CmpAbs(big.NewInt(int64(len(text)+100))) > 0 {
		if e.Sign() < 0 {
			return new(big.Int)
		}
		return nil
	}
	rat, _ := new(big.Rat).SetString(mantissa + "e" + e.String())
	return new(big.Int).Quo(rat.Num(), rat.Denom())
}
