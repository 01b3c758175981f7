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
	text, _ := Depart(data, t)
	return text
}

// Departures counts, in the objects that a struct type knows, the members that encoding/json reads in a way of its own.
type Departures struct {
	ByCase  int // unknown keys that are a field's but for case
	Twice   int // keys of fields that come once more
	NullExt int // members that are null where any value may stand
}

// Depart is Canonical, and says what it has left out that encoding/json would have read in another way.
func Depart(data []byte, t reflect.Type) ([]byte, Departures) {
	d := &decoder{data: data}
	d.space()
	var out strings.Builder
	d.canonical(&out, t)
	return []byte(out.String()), d.departures
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
				panic(err) // a string can always be written
			}
			out.WriteString(comma + string(name) + ":" + values[key])
			comma = ","
		}
	}
	out.WriteByte('}')
}
