//go:build rtbwiredebug

package openrtb

import "reflect"

// What a value that is read after its release looks like.
const (
	poisonString = "rtbwire: used after release"
	poisonNumber = -559038737 // 0xdeadbeef
)

// poison overwrites what an arena handed out, and tells the caller to keep the arena out of the
// pool: in this build no memory is used twice, and whoever reads it after the release sees the
// poison.
func poison(c *codec, root any) bool {
	spoil(reflect.ValueOf(root).Elem())
	c.r.Spoil()
	c.detach()
	return true
}

// spoil overwrites the strings and numbers of a value and of all it refers to.
func spoil(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				spoil(v.Field(i))
			}
		}
	case reflect.Pointer:
		if !v.IsNil() {
			spoil(v.Elem())
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte(`"` + poisonString + `"`)) // the text itself is the caller's
			return
		}
		for i := range v.Len() {
			spoil(v.Index(i))
		}
	case reflect.String:
		v.SetString(poisonString)
	case reflect.Int:
		v.SetInt(poisonNumber)
	case reflect.Float64:
		v.SetFloat(poisonNumber)
	}
}
