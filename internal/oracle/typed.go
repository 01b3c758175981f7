package oracle

import (
	"encoding/json"
	"reflect"
	"strings"
	"sync"
)

// object reads the object at pos into a zero struct.
func (d *decoder) object(v reflect.Value, depth int, path string) {
	if depth == 0 {
		d.fail("depth", d.pos, path)
	}
	fields := fieldsOf(v.Type())
	d.members(path, func(key string, _ int) {
		here := member(path, key)
		if index, ok := fields[key]; ok {
			f := v.FieldByIndex(index)
			f.SetZero() // the last of two values wins whole
			d.value(f, depth-1, here)
		} else {
			d.skip(depth-1, here)
		}
	}, true)
}

// fieldsOf maps keys to the fields of a struct, including those of embedded structs.
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

// fieldsKnown caches the results of fieldsOf.
var fieldsKnown sync.Map

// charge subtracts memory from what the document may use.
func (d *decoder) charge(bytes int64) {
	if d.memory -= bytes; d.memory < 0 {
		d.fail("memory", 0, "")
	}
}

// What values are charged with: objects of their own and elements of arrays, see wire.MaxMemory.
func costOfObject(t reflect.Type) int64  { return int64(t.Size()) * 9 / 4 }
func costOfElement(t reflect.Type) int64 { return int64(t.Size()) * 9 / 2 }

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
		d.charge(costOfObject(t.Elem()))
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

// null reads null, if the value is null, and reports whether it was.
func (d *decoder) null(path string) bool {
	if d.peek() != 'n' {
		return false
	}
	d.word("null", path)
	return true
}

// onlyNull reads null, and refuses any other value.
func (d *decoder) onlyNull(path string) {
	if !d.null(path) {
		d.wrong(path)
	}
}

// wrong refuses the value at pos for its type, or for its grammar if that is wrong.
func (d *decoder) wrong(path string) {
	at := d.pos
	if strings.IndexByte(`{["`, d.peek()) < 0 {
		d.scalar(path) // an invalid number or word has no type
	}
	d.fail("type", at, path)
}

// array reads an array into a slice.
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
			d.charge(costOfElement(elem))
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
	case d.lenient && d.peek() != 'n': // one bare value is an array of one element
		d.save("type", d.pos, path)
		read(0, path)
	default:
		d.onlyNull(path)
		return
	}
	if !objects {
		d.charge(int64(elem.Size()) * int64(n) * 9 / 2)
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

// boolean reads a value into a bool.
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
