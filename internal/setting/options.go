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
	for i := range fields {
		f := &fields[i]
		switch {
		case f.outside == nil:
		case f.at(s).IsZero():
			if f.set != nil {
				f.set(&Reader{}, s)
			}
		default:
			if want := f.outside(s, f.loose); want != "" {
				return fmt.Errorf("%s: %s is %v (want 0 for the default, or %s)", pkg, goName(f), f.at(s), want)
			}
		}
	}
	return nil
}

// Keep gives fixed settings the values that they have in now, and returns the names in Go of those
// that differed.
func Keep[S any](s, now *S, fields []Field[S]) (differed []string) {
	for i := range fields {
		f := &fields[i]
		if f.Key.Fixed && !same(f, s, now) {
			differed = append(differed, goName(f))
			f.at(s).Set(f.at(now))
		}
	}
	return differed
}

// KeepPaths is [Keep] with the paths of the keys.
func KeepPaths[S any](s, now *S, fields []Field[S]) (differed []string) {
	for i := range fields {
		if f := &fields[i]; f.Key.Fixed && !same(f, s, now) {
			differed = append(differed, f.Name)
			f.at(s).Set(f.at(now))
		}
	}
	return differed
}

// Show returns what operators may see of settings, in mappings as a file has them.
func Show[S any](s *S, fields []Field[S]) map[string]any { return show(fields, s) }

func show[S any](fields []Field[S], s *S) map[string]any {
	out := map[string]any{}
	for i := range fields {
		f := &fields[i]
		switch {
		case f.inner != nil:
			out[f.Name] = show(f.inner, s)
		case f.show != nil:
			put(out, f.Name, f.show(s))
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

func same[S any](f *Field[S], a, b *S) bool {
	return reflect.DeepEqual(f.at(a).Interface(), f.at(b).Interface())
}

// goName returns the name of the field of S that has the value of a setting.
func goName[S any](f *Field[S]) string {
	var s S
	want := f.at(&s)
	if name := fieldAt(reflect.ValueOf(&s).Elem(), want); name != "" {
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
