package engine

import (
	"bytes"
	"fmt"
	"reflect"
)

// Diff compares what two engines read and returns the path of the first difference, or "". The
// types may be copies with the same fields. Fields that are not exported do not count. An empty
// slice differs from a nil slice.
func Diff(a, b any) string {
	return diff("", reflect.ValueOf(a), reflect.ValueOf(b))
}

func diff(path string, a, b reflect.Value) string {
	if a.Kind() != b.Kind() {
		return fmt.Sprintf("%s: %s is not %s", path, a.Kind(), b.Kind())
	}
	switch a.Kind() {
	case reflect.Pointer:
		if a.IsNil() != b.IsNil() {
			return path + ": only one is nil"
		}
		if a.IsNil() {
			return ""
		}
		return diff(path, a.Elem(), b.Elem())
	case reflect.Struct:
		for i := range a.NumField() {
			field := a.Type().Field(i)
			if !field.IsExported() {
				continue
			}
			if d := diff(path+"."+field.Name, a.Field(i), b.FieldByName(field.Name)); d != "" {
				return d
			}
		}
	case reflect.Slice:
		if a.IsNil() != b.IsNil() || a.Len() != b.Len() {
			return fmt.Sprintf("%s: %d elements (nil: %t), not %d (nil: %t)", path, a.Len(), a.IsNil(), b.Len(), b.IsNil())
		}
		if a.Type().Elem().Kind() == reflect.Uint8 {
			if !bytes.Equal(a.Bytes(), b.Bytes()) {
				return path + ": other bytes"
			}
			return ""
		}
		for i := range a.Len() {
			if d := diff(fmt.Sprintf("%s[%d]", path, i), a.Index(i), b.Index(i)); d != "" {
				return d
			}
		}
	default:
		if !a.Equal(b) && fmt.Sprint(a) != fmt.Sprint(b) {
			return fmt.Sprintf("%s: %.40v, not %.40v", path, a, b)
		}
	}
	return ""
}
