package oracle

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"sync"
)

// Diff returns the first place where two values differ, and how; "" if they do not. It compares
// exported fields only, distinguishes nil from empty, and compares floats by their bits, so -0 is
// not 0.
func Diff(got, want any) string {
	path, how := diff(reflect.ValueOf(got), reflect.ValueOf(want))
	if how == "" {
		return ""
	}
	return path + ": " + how
}

// diff returns how two values differ, and the path to the difference. It builds the path only on
// the way up from a difference, because long runs compare millions of values and nearly all are
// equal.
func diff(got, want reflect.Value) (path, how string) {
	t := got.Type()
	if t != want.Type() {
		return "", fmt.Sprintf("a %s, want a %s", t, want.Type())
	}
	switch got.Kind() {
	case reflect.Pointer, reflect.Slice:
		if got.IsNil() != want.IsNil() {
			return "", fmt.Sprintf("nil is %v, want %v", got.IsNil(), want.IsNil())
		}
	}
	switch got.Kind() {
	case reflect.Pointer:
		if !got.IsNil() {
			return diff(got.Elem(), want.Elem())
		}
	case reflect.Struct:
		for _, i := range exportedOf(t) {
			if path, how := diff(got.Field(i), want.Field(i)); how != "" {
				return "." + t.Field(i).Name + path, how
			}
		}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			if !bytes.Equal(got.Bytes(), want.Bytes()) {
				return "", fmt.Sprintf("%.200q, want %.200q", got.Bytes(), want.Bytes())
			}
			return "", ""
		}
		if got.Len() != want.Len() {
			return "", fmt.Sprintf("%d elements, want %d", got.Len(), want.Len())
		}
		for i := range got.Len() {
			if path, how := diff(got.Index(i), want.Index(i)); how != "" {
				return fmt.Sprintf("[%d]%s", i, path), how
			}
		}
	case reflect.Float32, reflect.Float64:
		if math.Float64bits(got.Float()) != math.Float64bits(want.Float()) {
			return "", fmt.Sprintf("%v, want %v", got.Float(), want.Float())
		}
	default:
		if !got.Equal(want) {
			return "", fmt.Sprintf("%.200q, want %.200q", fmt.Sprint(got), fmt.Sprint(want))
		}
	}
	return "", ""
}

// exportedOf returns the indexes of the exported fields of a struct.
func exportedOf(t reflect.Type) (fields []int) {
	if known, ok := exportedKnown.Load(t); ok {
		return known.([]int)
	}
	for i := range t.NumField() {
		if t.Field(i).IsExported() {
			fields = append(fields, i)
		}
	}
	exportedKnown.Store(t, fields)
	return fields
}

// exportedKnown caches the results of exportedOf.
var exportedKnown sync.Map
