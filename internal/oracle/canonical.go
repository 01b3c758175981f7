package oracle

import (
	"encoding/json"
	"reflect"
	"strings"
)

// Departures counts the members that encoding/json reads differently, in objects of known types.
type Departures struct {
	ByCase  int // unknown keys that differ from a field's only by case
	Twice   int // repetitions of the keys of fields
	NullExt int // raw members that are null
}

// Depart returns the document without the members that encoding/json and the contract read
// differently: those whose keys the struct type does not have byte for byte, all but the last of
// those that come twice, and those that are null. So encoding/json reads the same value from it as
// the contract does from the whole document. Default mode must accept the document. It also counts
// the removed members.
func Depart(data []byte, t reflect.Type) ([]byte, Departures) {
	d := &decoder{data: data}
	d.space()
	var out strings.Builder
	d.canonical(&out, t)
	return []byte(out.String()), d.departures
}

// canonical copies the value at pos.
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

// depthAny is more than any document is nested.
const depthAny = 1 << 20

// canonicalObject copies the object at pos.
func (d *decoder) canonicalObject(out *strings.Builder, t reflect.Type) {
	fields := fieldsOf(t)
	var keys []string
	values := map[string]string{}
	d.members("", func(key string, _ int) {
		index, known := fields[key]
		if !known {
			d.skip(depthAny, "")
			for name := range fields {
				if strings.EqualFold(name, key) {
					d.departures.ByCase++
				}
			}
			return
		}
		if _, twice := values[key]; twice {
			d.departures.Twice++
		} else {
			keys = append(keys, key)
		}
		field := t.FieldByIndex(index).Type
		if field == rawMessage && d.peek() == 'n' {
			d.departures.NullExt++
		}
		var value strings.Builder
		d.canonical(&value, field)
		values[key] = value.String()
	}, false)
	out.WriteByte('{')
	comma := ""
	for _, key := range keys {
		if values[key] != "null" {
			name, err := json.Marshal(key)
			if err != nil {
				panic(err) // a string can always be encoded
			}
			out.WriteString(comma + string(name) + ":" + values[key])
			comma = ","
		}
	}
	out.WriteByte('}')
}
