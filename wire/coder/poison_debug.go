//go:build rtbwiredebug

package coder

import "reflect"

// What a value that is read after its release looks like.
const (
	poisonString = "rtbwire: used after release"
	poisonNumber = -559038737 // 0xdeadbeef
)

// retired keeps the chunks that unescaped strings of the last document are in, besides the
// current one, so that Poison finds them.
type retired struct{ chunks [][]byte }

func (r *retired) add(chunk []byte) {
	if chunk != nil {
		r.chunks = append(r.chunks, chunk)
	}
}

func (r *retired) forget() { r.chunks = nil }

// Poison overwrites the value that root points to and the unescaped strings of the last
// document, so that whoever reads them after the release sees it. It returns true: the caller
// may not use the memory again, or the poison would go.
func (r *Reader) Poison(root any) bool {
	spoil(reflect.ValueOf(root).Elem())
	for _, chunk := range append(r.unescaped.retired.chunks, r.unescaped.buf) {
		for i := range chunk {
			chunk[i] = '!'
		}
	}
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
	case reflect.Float32, reflect.Float64:
		v.SetFloat(poisonNumber)
	default:
		switch number := int64(poisonNumber); {
		case v.CanInt():
			v.SetInt(number)
		case v.CanUint():
			v.SetUint(uint64(number))
		}
	}
}
