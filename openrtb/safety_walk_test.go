package openrtb_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unsafe"
)

// This file is what the tests of safety and memory share: documents in which every value tells to whom it belongs, and
// walks over all that a value refers to.

// tagged makes a request whose every string holds the tag, whose every integer is it and whose every float is it and a
// half. So a byte of another request, or one that was lost, shows wherever it is. Some strings have escapes, which
// live in the arena.
func tagged(tag, imps int) []byte {
	t := strconv.Itoa(tag)
	var b strings.Builder
	b.WriteString(`{"id":"id ` + t + `","at":` + t + `,"cur":["c` + t + `","\u0063` + t + `"],"bcat":[`)
	for i := range imps {
		b.WriteString(`"b` + t + `",`)
		if i%3 == 0 {
			b.WriteString(`"\tb` + t + `",`)
		}
	}
	b.WriteString(`"` + t + `"],"imp":[`)
	for i := range imps {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`{"id":"` + t + `","tagid":"a \"b\" ` + t + `","bidfloor":` + t + `.5,"secure":` + t +
			`,"banner":{"w":` + t + `,"format":[{"w":` + t + `,"h":` + t + `},{"w":` + t + `}],"api":[` + t + `,` + t + `,` + t +
			`]},"pmp":{"deals":[{"id":"d` + t + `","bidfloor":` + t + `.5,"wseat":["s` + t + `","\\` + t + `"]}]},"ext":{"t":` + t + `}}`)
	}
	b.WriteString(`],"site":{"name":"n ` + t + `","publisher":{"id":"p` + t + `"}},"device":{"ua":"\/` + t + `","geo":{"lat":` + t +
		`.5}},"user":{"data":[{"segment":[{"id":"` + t + `"}]}],"eids":[{"uids":[{"id":"u` + t + `"},{"id":"\nu` + t + `"}]}]},"ext":[` + t + `]}`)
	return []byte(b.String())
}

// taggedResponse is tagged for a response.
func taggedResponse(tag, bids int) []byte {
	t := strconv.Itoa(tag)
	var b strings.Builder
	b.WriteString(`{"id":"` + t + `","cur":"\u0020` + t + `","seatbid":[{"seat":"` + t + `","bid":[`)
	for i := range bids {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`{"id":"` + t + `","price":` + t + `.5,"adm":"<a href=\"` + t + `\">","adomain":["` + t + `","x` + t + `"],"w":` + t + `,"ext":"` + t + `"}`)
	}
	b.WriteString(`]}],"nbr":` + t + `}`)
	return []byte(b.String())
}

// leaves is how many strings, numbers and exts walkValue finds in tagged(tag, imps).
func leaves(imps int) int { return 13 + 17*imps + (imps+2)/3 }

// checkTagged returns what in a value of tagged does not belong to it; "" if all does.
func checkTagged(v any, tag, want int) (problem string) {
	text, count := strconv.Itoa(tag), 0
	walkValue(reflect.ValueOf(v), "", func(path string, v reflect.Value) {
		count++
		ok := false
		switch x := v.Interface().(type) {
		case json.RawMessage:
			ok = strings.Contains(string(x), text)
		default:
			switch v.Kind() { //nolint:exhaustive // there are no others
			case reflect.String:
				ok = strings.HasSuffix(strings.TrimRight(v.String(), `">`), text)
			case reflect.Int:
				ok = v.Int() == int64(tag)
			case reflect.Float64:
				ok = v.Float() == float64(tag)+0.5
			}
		}
		if !ok && problem == "" {
			problem = fmt.Sprintf("%s is %.100q, want something of %d", path, fmt.Sprint(v), tag)
		}
	})
	if problem == "" && want >= 0 && count != want {
		problem = fmt.Sprintf("%d values, want %d", count, want)
	}
	return problem
}

// walkValue calls leaf for each string, number and ext that is not absent.
func walkValue(v reflect.Value, path string, leaf func(path string, v reflect.Value)) {
	switch v.Kind() { //nolint:exhaustive // the types have no others
	case reflect.Pointer:
		if !v.IsNil() {
			walkValue(v.Elem(), path, leaf)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				walkValue(v.Field(i), path+"."+f.Name, leaf)
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			if v.Len() > 0 {
				leaf(path, v)
			}
			return
		}
		for i := range v.Len() {
			walkValue(v.Index(i), path+"["+strconv.Itoa(i)+"]", leaf)
		}
	case reflect.String:
		if v.Len() > 0 {
			leaf(path, v)
		}
	default:
		if path != "" {
			leaf(path, v)
		}
	}
}

// span is memory that a value refers to.
type span struct {
	from, to uintptr
	path     string
}

// spans lists the memory of a value and of all that it refers to, ordered by address. text tells whether the bytes of
// strings and exts count.
func spans(v any, text bool) (list []span) {
	var walk func(v reflect.Value, path string)
	add := func(from, size uintptr, path string) {
		if size > 0 {
			list = append(list, span{from, from + size, path})
		}
	}
	walk = func(v reflect.Value, path string) {
		switch v.Kind() { //nolint:exhaustive // the types have no others
		case reflect.Pointer:
			if !v.IsNil() {
				add(v.Pointer(), v.Type().Elem().Size(), path)
				walk(v.Elem(), path)
			}
		case reflect.Struct:
			for i := range v.NumField() {
				if f := v.Type().Field(i); f.IsExported() {
					walk(v.Field(i), path+"."+f.Name)
				}
			}
		case reflect.Slice:
			bytes := v.Type().Elem().Kind() == reflect.Uint8
			if bytes && !text {
				return
			}
			add(v.Pointer(), uintptr(v.Cap())*v.Type().Elem().Size(), path)
			if bytes {
				return
			}
			for i := range v.Len() {
				walk(v.Index(i), path+"["+strconv.Itoa(i)+"]")
			}
		case reflect.String:
			if text && v.Len() > 1 { // a copied string of one byte is the runtime's
				add(addressOf(v.String()), uintptr(v.Len()), path)
			}
		default:
		}
	}
	walk(reflect.ValueOf(v), "")
	slices.SortFunc(list, func(a, b span) int {
		switch {
		case a.from < b.from:
			return -1
		case a.from > b.from:
			return 1
		}
		return 0
	})
	return list
}

// shared returns where two values share memory; "" if they do not.
func shared(a, b []span) string {
	for len(a) > 0 && len(b) > 0 {
		x, y := a[0], b[0]
		if x.from < y.to && y.from < x.to {
			return fmt.Sprintf("%q of one is in the memory of %q of the other", x.path, y.path)
		}
		if x.to <= y.to { // a span may lie inside of one that begins before it, never reach beyond it
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return ""
}

// panicOf returns what f panics with as text; "" if it does not.
func panicOf(f func()) (text string) {
	defer func() {
		if r := recover(); r != nil {
			text = fmt.Sprint(r)
		}
	}()
	f()
	return ""
}

func TestTaggedDocuments(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 4, 50} {
		for _, d := range decoders {
			v, err := d.request(tagged(7, n))
			if err != nil {
				t.Fatal(err)
			}
			if s := checkTagged(v, 7, leaves(n)); s != "" {
				t.Errorf("%s: %s", d.name, s)
			}
			if s := checkTagged(v, 8, -1); s == "" {
				t.Errorf("%s: a request of 7 passes for one of 8", d.name)
			}
		}
	}
}

// addressOf is where the bytes of s are.
func addressOf(s string) uintptr { return uintptr(unsafe.Pointer(unsafe.StringData(s))) }

// bytesInPlace is b as a string without a copy, to compare addresses.
func bytesInPlace(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
