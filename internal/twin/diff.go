package twin

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
)

// Diff returns the first place where two values differ, and how; "" if they don't. It looks at exported fields only,
// tells nil from empty, and floats by their bits, so that -0 is not 0.
func Diff(got, want any) string { return diff(reflect.ValueOf(got), reflect.ValueOf(want), "") }

func diff(got, want reflect.Value, path string) string {
	if got.Type() != want.Type() {
		return fmt.Sprintf("%s: a %s, want a %s", path, got.Type(), want.Type())
	}
	switch got.Kind() {
	case reflect.Pointer, reflect.Slice:
		if got.IsNil() != want.IsNil() {
			return fmt.Sprintf("%s: nil is %v, want %v", path, got.IsNil(), want.IsNil())
		}
	}
	switch got.Kind() {
	case reflect.Pointer:
		if !got.IsNil() {
			return diff(got.Elem(), want.Elem(), path)
		}
	case reflect.Struct:
		for i := range got.NumField() {
			if f := got.Type().Field(i); f.IsExported() {
				if s := diff(got.Field(i), want.Field(i), path+"."+f.Name); s != "" {
					return s
				}
			}
		}
	case reflect.Slice:
		if got.Type().Elem().Kind() == reflect.Uint8 {
			if !bytes.Equal(got.Bytes(), want.Bytes()) {
				return fmt.Sprintf("%s: %.200q, want %.200q", path, got.Bytes(), want.Bytes())
			}
			return ""
		}
		if got.Len() != want.Len() {
			return fmt.Sprintf("%s: %d elements, want %d", path, got.Len(), want.Len())
		}
		for i := range got.Len() {
			if s := diff(got.Index(i), want.Index(i), fmt.Sprintf("%s[%d]", path, i)); s != "" {
				return s
			}
		}
	case reflect.Float32, reflect.Float64:
		if math.Float64bits(got.Float()) != math.Float64bits(want.Float()) {
			return fmt.Sprintf("%s: %v, want %v", path, got.Float(), want.Float())
		}
	default:
		if !got.Equal(want) {
			return fmt.Sprintf("%s: %.200q, want %.200q", path, fmt.Sprint(got), fmt.Sprint(want))
		}
	}
	return ""
}
