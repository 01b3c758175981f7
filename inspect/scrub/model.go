package scrub

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/rtbwire/rtbwire/internal/grammar"
	"github.com/rtbwire/rtbwire/internal/nearest"
	"github.com/rtbwire/rtbwire/openrtb"
)

// leaf is what a pointer leads to.
type leaf struct {
	typ    reflect.Type // without pointers; nil below an ext
	object string       // the type of the object that has the field
	name   string       // of the field
	inside []object     // the objects on the way
}

// object is an object on the way of a pointer.
type object struct {
	at  int // how many names lead to it
	typ string
}

var (
	requestType = reflect.TypeFor[openrtb.BidRequest]()
	rawType     = reflect.TypeFor[json.RawMessage]()
	geoType     = reflect.TypeFor[openrtb.Geo]()
)

// find follows a pointer through the types of package openrtb. On failure it returns what is wrong
// and the pointer that was probably meant, and the leaf has the objects up to there.
func find(names []string) (l leaf, fault, nearest string) {
	l.typ = requestType
	where := "request"
	for i, name := range names {
		switch l.typ.Kind() {
		case reflect.Struct:
			l.inside = append(l.inside, object{i, l.typ.Name()})
			field, ok := fieldOf(l.typ, name)
			if !ok {
				fault = fmt.Sprintf("%s has no field %q", where, name)
				if near := nearestField(l.typ, name); near != "" {
					nearest = pointer(names[:i]) + "/" + near
				}
				return l, fault, nearest
			}
			l.object, l.name = l.typ.Name(), name
			if l.typ = bare(field.Type); l.typ == rawType {
				l.typ = nil
				for j, name := range names[i+1:] {
					if grammar.PointerIndex(name) >= 0 {
						return l, "every element of an array is *, and there is nothing for a single one",
							pointer(names[:i+1+j]) + "/" + every + pointer(names[i+2+j:])

					}
				}
				return l, "", ""
			}
		case reflect.Slice:
			if name != every {
				return l, where + " is an array, whose elements are *", pointer(names[:i]) + "/" + every + pointer(names[i+isIndex(name):])
			}
			l.typ = bare(l.typ.Elem())
		default:
			return l, fmt.Sprintf("%s is a %s and has no members", where, typeName(l.typ)), ""
		}
		if name != every {
			where = name
		}
	}
	return l, "", ""
}

// isIndex returns 1 for the index of an element, else 0.
func isIndex(name string) int {
	if grammar.PointerIndex(name) >= 0 {
		return 1
	}
	return 0
}

// pointer returns the JSON Pointer with the names.
func pointer(names []string) string {
	var b strings.Builder
	for _, name := range names {
		b.WriteString("/" + grammar.EscapePointer(name))
	}
	return b.String()
}

// bare returns the type that a pointer points to.
func bare(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// fieldOf returns the field with the JSON name.
func fieldOf(t reflect.Type, name string) (reflect.StructField, bool) {
	for f := range fieldsOf(t) {
		if jsonName(f) == name {
			return f, true
		}
	}
	return reflect.StructField{}, false
}

func fieldsOf(t reflect.Type) func(yield func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for field := range t.Fields() {
			if !yield(field) {
				return
			}
		}
	}
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// typeName is how JSON calls the values of a type.
func typeName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Struct:
		return "object"
	case reflect.Slice:
		return "array"
	case reflect.String:
		return "string"
	}
	return "number"
}

// kinds returns the first characters that values of a type have, "" for any.
func kinds(t reflect.Type) string {
	if t == nil {
		return ""
	}
	switch typeName(t) {
	case "object":
		return "{n"
	case "array":
		return "[n"
	case "string":
		return `"n`
	}
	return "-0123456789n"
}

// shape returns what can be truncated.
func (l leaf) shape() (shape, bool) {
	switch {
	case l.typ == nil:
		return shapeFree, true
	case l.typ == geoType:
		return shapeGeo, true
	case l.object == "Device" && (l.name == "ip" || l.name == "ipv6"):
		return shapeAddress, true
	case l.object == geoType.Name() && l.name == "lat":
		return shapeLatitude, true
	case l.object == geoType.Name() && l.name == "lon":
		return shapeLongitude, true
	}
	return 0, false
}

// nearestField returns the JSON name of the field that is most like a name, "" if none is.
func nearestField(t reflect.Type, name string) string {
	var names []string
	for f := range fieldsOf(t) {
		names = append(names, jsonName(f))
	}
	return nearest.Name(name, names)
}
