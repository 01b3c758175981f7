package testkit

import (
	"fmt"
	"reflect"
	"strconv"
)

// Walk calls leaf for each string, number and raw value in v that is not absent. Pointers are
// followed, and fields that are not exported are left out.
func Walk(v any, leaf func(path string, v reflect.Value)) { walk(reflect.ValueOf(v), "", leaf) }

func walk(v reflect.Value, path string, leaf func(path string, v reflect.Value)) {
	switch v.Kind() { //nolint:exhaustive // the types have no others
	case reflect.Pointer:
		if !v.IsNil() {
			walk(v.Elem(), path, leaf)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				walk(v.Field(i), path+"."+f.Name, leaf)
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
			walk(v.Index(i), path+"["+strconv.Itoa(i)+"]", leaf)
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

// PanicOf returns the text of f's panic, "" if f does not panic.
func PanicOf(f func()) (text string) {
	defer func() {
		if r := recover(); r != nil {
			text = fmt.Sprint(r)
		}
	}()
	f()
	return ""
}
