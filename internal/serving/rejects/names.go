package rejects

import (
	"reflect"
	"strings"
	"sync"

	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/openrtb/native"
)

// specNames returns the names of all members that OpenRTB and its native ads have. Names of others
// are the sender's choice and can be anything, identifiers of people included.
var specNames = sync.OnceValue(func() map[string]bool {
	names, seen := map[string]bool{}, map[reflect.Type]bool{}
	var add func(t reflect.Type)
	add = func(t reflect.Type) {
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice:
			add(t.Elem())
		case reflect.Struct:
			if seen[t] {
				return
			}
			seen[t] = true
			for f := range t.Fields() {
				if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
					names[name] = true
					add(f.Type)
				}
			}
		}
	}
	for _, v := range []any{openrtb.BidRequest{}, openrtb.BidResponse{}, native.Request{}, native.Response{}} {
		add(reflect.TypeOf(v))
	}
	return names
})
