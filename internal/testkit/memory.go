package testkit

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
)

// Span is memory that a value refers to.
type Span struct {
	from, to uintptr
	path     string
}

// SpanOf is the memory of a text.
func SpanOf(text []byte, name string) Span {
	from := addressOf(text)
	return Span{from, from + uintptr(len(text)), name}
}

// Spans lists the memory of a value and of all that it refers to, ordered by address: its objects,
// arrays, strings and raw values. Fields that are not exported are left out.
func Spans(v any) (list []Span) {
	add := func(from, size uintptr, path string) {
		if size > 0 {
			list = append(list, Span{from, from + size, path})
		}
	}
	var visit func(v reflect.Value, path string)
	visit = func(v reflect.Value, path string) {
		switch v.Kind() { //nolint:exhaustive // the others refer to nothing
		case reflect.Pointer:
			if !v.IsNil() {
				add(v.Pointer(), v.Type().Elem().Size(), path)
				visit(v.Elem(), path)
			}
		case reflect.Struct:
			for i := range v.NumField() {
				if f := v.Type().Field(i); f.IsExported() {
					visit(v.Field(i), path+"."+f.Name)
				}
			}
		case reflect.Slice:
			add(v.Pointer(), uintptr(v.Cap())*v.Type().Elem().Size(), path)
			if v.Type().Elem().Kind() == reflect.Uint8 {
				return
			}
			for i := range v.Len() {
				visit(v.Index(i), path+"["+strconv.Itoa(i)+"]")
			}
		case reflect.String:
			if v.Len() > 1 { // a copied string of one byte is in the Go runtime's table
				s := v.String()
				add(addressOf(s), uintptr(len(s)), path)
			}
		default:
		}
	}
	visit(reflect.ValueOf(v), "")
	slices.SortFunc(list, func(a, b Span) int { return cmp.Compare(a.from, b.from) })
	return list
}

// Shared returns where two lists of [Spans] overlap, "" if they do not.
func Shared(a, b []Span) string {
	for len(a) > 0 && len(b) > 0 {
		x, y := a[0], b[0]
		if x.from < y.to && y.from < x.to {
			return fmt.Sprintf("%q of one is in the memory of %q of the other", x.path, y.path)
		}
		// A span may lie within one that begins before it, but never reaches beyond that one's end.
		if x.to <= y.to {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return ""
}

// Inside reports whether s is not empty and points into data.
func Inside[T ~string | ~[]byte](data []byte, s T) bool {
	from, at := addressOf(data), addressOf(s)
	return len(s) > 0 && from <= at && at < from+uintptr(len(data))
}

// addressOf is the address of the first byte.
func addressOf[T ~string | ~[]byte](s T) uintptr { return reflect.ValueOf(s).Pointer() }
