package data

import (
	"reflect"
	"strings"

	"github.com/rtbwire/rtbwire/openrtb"
)

// lowerKeys are the keys of the model in lower case.
var lowerKeys = func() map[string]bool {
	keys := map[string]bool{}
	seen := map[reflect.Type]bool{}
	var walk func(t reflect.Type)
	walk = func(t reflect.Type) {
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice:
			walk(t.Elem())
		case reflect.Struct:
			if seen[t] {
				return
			}
			seen[t] = true
			for f := range t.Fields() {
				if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
					keys[strings.ToLower(name)] = true
					walk(f.Type)
				}
			}
		}
	}
	walk(reflect.TypeFor[openrtb.BidRequest]())
	walk(reflect.TypeFor[openrtb.BidResponse]())
	return keys
}()
