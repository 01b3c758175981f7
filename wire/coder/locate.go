package coder

import (
	"math"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rtbwire/rtbwire/internal/grammar"
	"github.com/rtbwire/rtbwire/wire"
)

// This file finds out what could not be written, and where. It runs for values that have
// failed only, so it may take its time: it walks the value by reflection, in the order in which
// it is written.

// locate returns the error for the first thing in v that can't be written. code is what the
// encoder has failed with, should the value look different by now.
func locate(v any, o wire.EncodeOptions, code wire.Code) error {
	l := locator{EncodeOptions: o}
	if l.value(reflect.ValueOf(v), 0) {
		l.fault.Path = l.pointer()
		return l.fault
	}
	return &wire.Error{Code: code, Offset: -1}
}

type locator struct {
	wire.EncodeOptions
	path  []string
	fault *wire.Error // without its path
}

// found notes the fault of the value at the current path.
func (l *locator) found(code wire.Code, expected, found string) bool {
	l.fault = &wire.Error{Code: code, Offset: -1, Expected: expected, Found: found}
	return true
}

// pointer renders the path as a JSON Pointer.
func (l *locator) pointer() string {
	var b strings.Builder
	for _, name := range l.path {
		b.WriteByte('/')
		b.WriteString(grammar.EscapePointer(name))
		if b.Len() > wire.PathMax {
			return grammar.CutPointer(b.String())
		}
	}
	return b.String()
}

// value looks at one value and what it refers to.
func (l *locator) value(v reflect.Value, depth int) bool {
	if depth > 2*wire.DepthMax { // a pointer counts as a level too
		return l.found(wire.CodeDepth, atMost(wire.DepthMax, "level"), "")
	}
	switch v.Kind() {
	case reflect.Pointer:
		return !v.IsNil() && l.value(v.Elem(), depth+1)
	case reflect.Float32, reflect.Float64:
		switch f := v.Float(); {
		case math.IsNaN(f):
			return l.found(wire.CodeFinite, "finite number", "NaN")
		case math.IsInf(f, 0):
			return l.found(wire.CodeFinite, "finite number", "infinity")
		}
	case reflect.String:
		if l.RefuseInvalidUTF8 && !utf8.ValidString(v.String()) {
			return l.found(wire.CodeUTF8, "", "")
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 { // json.RawMessage
			if v.Len() == 0 {
				return false
			}
			code, at := Validate(v.Bytes())
			if code != 0 {
				l.fault = Invalid(v.Bytes(), code, at, "")
			}
			return code != 0
		}
		for i := range v.Len() {
			if l.step(strconv.Itoa(i), v.Index(i), depth) {
				return true
			}
		}
	case reflect.Struct:
		return l.fields(v, depth)
	}
	return false
}

// fields looks at the members of an object.
func (l *locator) fields(v reflect.Value, depth int) bool {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		tag := f.Tag.Get("json")
		name, _, _ := strings.Cut(tag, ",")
		switch {
		case tag == "-" || !f.IsExported():
			continue
		case f.Anonymous && name == "":
			if l.value(v.Field(i), depth) {
				return true
			}
			continue
		case name == "":
			name = f.Name
		}
		if l.step(name, v.Field(i), depth) {
			return true
		}
	}
	return false
}

func (l *locator) step(name string, v reflect.Value, depth int) bool {
	l.path = append(l.path, name)
	if l.value(v, depth+1) {
		return true
	}
	l.path = l.path[:len(l.path)-1]
	return false
}
