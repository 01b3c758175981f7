package setting

import (
	"fmt"
	"reflect"
	"strings"
)

// This file is about options in Go: what fields declare holds for those who set them without a
// file.

// Complete gives numbers, times and names that are not set their defaults, and refuses values that
// are out of range. The error begins with the name of the package.
func Complete[S any](pkg string, s *S, fields []Field[S]) error {
	return complete(pkg, s, anyFields(fields))
}

func complete(pkg string, s any, fields []*field) error {
	for _, f := range fields {
		if f.values.outside == nil {
			continue
		}
		if f.reflected(s).IsZero() {
			if f.set != nil {
				f.set(&Reader{}, s)
			}
			continue
		}
		if want := f.values.outside(f.at(s), f.loose); want != "" {
			return fmt.Errorf("%s: %s is %v (want 0 for the default, or %s)", pkg, f.goName(s), f.reflected(s), want)
		}
	}
	return nil
}

// Keep gives fixed settings the values that they have in now, and returns the names in Go of those
// that differed.
func Keep[S any](s, now *S, fields []Field[S]) (differed []string) {
	for _, f := range keep(s, now, anyFields(fields)) {
		differed = append(differed, f.goName(s))
	}
	return differed
}

// KeepPaths is [Keep] with the paths of the keys.
func KeepPaths[S any](s, now *S, fields []Field[S]) (differed []string) {
	for _, f := range keep(s, now, anyFields(fields)) {
		differed = append(differed, f.Name)
	}
	return differed
}

// keep gives fixed settings the values that they have in now, and returns those that differed.
func keep(s, now any, fields []*field) (differed []*field) {
	for _, f := range fields {
		if f.Key.Fixed && !reflect.DeepEqual(f.reflected(s).Interface(), f.reflected(now).Interface()) {
			differed = append(differed, f)
			f.reflected(s).Set(f.reflected(now))
		}
	}
	return differed
}

// Show returns what operators may see of settings, in mappings as a file has them.
func Show[S any](s *S, fields []Field[S]) map[string]any { return show(anyFields(fields), s) }

func show(fields []*field, s any) map[string]any {
	out := map[string]any{}
	for _, f := range fields {
		switch {
		case f.inner != nil:
			out[f.Name] = show(f.inner, s)
		case !f.hidden:
			put(out, f.Name, f.values.show(f.at(s)))
		}
	}
	return out
}

// Merge adds what is shown of other settings, which wins where both have a value.
func Merge(to, from map[string]any) {
	for name, v := range from {
		inner, ok := v.(map[string]any)
		into, both := to[name].(map[string]any)
		if ok && both {
			Merge(into, inner)
			continue
		}
		to[name] = v
	}
}

// put sets a value by its path.
func put(to map[string]any, path string, v any) {
	outer, rest, deeper := strings.Cut(path, ".")
	if !deeper {
		to[path] = v
		return
	}
	inner, ok := to[outer].(map[string]any)
	if !ok {
		inner = map[string]any{}
		to[outer] = inner
	}
	put(inner, rest, v)
}

// reflected returns the value of a setting, which can be set.
func (f *field) reflected(s any) reflect.Value { return reflect.ValueOf(f.at(s)).Elem() }

// goName returns the name of the field that has the value of a setting in s, a pointer.
func (f *field) goName(s any) string {
	empty := reflect.New(reflect.TypeOf(s).Elem())
	if name := fieldAt(empty.Elem(), f.reflected(empty.Interface())); name != "" {
		return name
	}
	return f.Name
}

// fieldAt returns the name of the field of a struct that is at the place of another value.
func fieldAt(in, want reflect.Value) string {
	for i := range in.NumField() {
		f := in.Field(i)
		name := in.Type().Field(i).Name
		if f.Addr().Pointer() == want.Addr().Pointer() && f.Type() == want.Type() {
			return name
		}
		if f.Kind() == reflect.Struct {
			if inner := fieldAt(f, want); inner != "" {
				return name + "." + inner
			}
		}
	}
	return ""
}
