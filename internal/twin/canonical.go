package twin

import (
	"encoding/json"
	"reflect"
	"strings"
)

// Canonical returns the document without what encoding/json and the contract read differently: members with keys that
// the struct type does not have, byte for byte; all but the last of those that come twice; and those that are null. So
// encoding/json makes of it what the contract makes of the whole document. The document has to be one that default mode
// accepts.
func Canonical(data []byte, t reflect.Type) []byte {
	d := &decoder{data: data}
	d.space()
	var out strings.Builder
	d.canonical(&out, t)
	return []byte(out.String())
}

func (d *decoder) canonical(out *strings.Builder, t reflect.Type) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	start := d.pos
	switch {
	case t.Kind() == reflect.Struct && d.peek() == '{':
		d.canonicalObject(out, t)
	case t.Kind() == reflect.Slice && t != rawMessage && d.peek() == '[':
		out.WriteByte('[')
		d.elementsOf("", func(i int) {
			if i > 0 {
				out.WriteByte(',')
			}
			d.canonical(out, t.Elem())
		})
		out.WriteByte(']')
	default:
		d.skip(depthAny, "")
		out.Write(d.data[start:d.pos])
	}
}

const depthAny = 1 << 20

func (d *decoder) canonicalObject(out *strings.Builder, t reflect.Type) {
	fields := fieldsOf(t)
	var keys []string
	values := map[string]string{}
	d.members("", func(key string, _ int) {
		index, known := fields[key]
		if !known {
			d.skip(depthAny, "")
			return
		}
		if _, twice := values[key]; !twice {
			keys = append(keys, key)
		}
		var value strings.Builder
		d.canonical(&value, t.FieldByIndex(index).Type)
		values[key] = value.String()
	}, false)
	out.WriteByte('{')
	comma := ""
	for _, key := range keys {
		if values[key] != "null" {
			name, err := json.Marshal(key)
			if err != nil {
				panic(err) // a string can always be written
			}
			out.WriteString(comma + string(name) + ":" + values[key])
			comma = ","
		}
	}
	out.WriteByte('}')
}
