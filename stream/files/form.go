package files

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/stream"
	"github.com/rtbwire/rtbwire/wire/coder"
)

// Form is what a record looks like on its line.
type Form uint8

// The forms.
const (
	// Values are for accepted records: the value alone. It is JSON, so line breaks are white space
	// between its parts, and become spaces.
	Values Form = iota
	// Objects are for dead letters and responses: an object with the members source, reason, nbr,
	// path and offset (of dead letters), size and dropped (where the stream says so), time, key,
	// headers and value. Key and value are strings with exactly the bytes of the record; bytes that
	// are not UTF-8 are base64, in the members key_base64 and value_base64.
	Objects
)

var formNames = [...]string{Values: "Values", Objects: "Objects"}

// String returns the name of the form.
func (f Form) String() string {
	if int(f) < len(formNames) {
		return formNames[f]
	}
	return fmt.Sprintf("Form(%d)", f)
}

// append appends the line of a record.
func (f Form) append(dst []byte, r *stream.Record) []byte {
	if f == Objects {
		return append(appendObject(dst, r), '\n')
	}
	from := len(dst)
	dst = append(dst, r.Value...)
	for i, c := range dst[from:] {
		if c == '\n' || c == '\r' {
			dst[from+i] = ' '
		}
	}
	return append(dst, '\n')
}

// members are what the headers of the stream are called in an object, in their order.
var members = [...]struct {
	header, name string
	number       bool
}{
	{stream.HeaderSource, "source", false},
	{stream.HeaderReason, "reason", false},
	{stream.HeaderNBR, "nbr", true},
	{stream.HeaderPath, "path", false},
	{stream.HeaderOffset, "offset", true},
	{stream.HeaderSize, "size", true},
	{stream.HeaderDropped, "dropped", false},
}

func appendObject(dst []byte, r *stream.Record) []byte {
	dst = append(dst, '{')
	for _, m := range members {
		for _, h := range r.Added {
			if h.Key != m.header {
				continue
			}
			if m.number {
				dst = append(append(append(append(dst, '"'), m.name...), `":`...), h.Value...)
			} else {
				dst = appendBytes(dst, m.name, h.Value)
			}
			dst = append(dst, ',')
		}
	}
	if !r.Time.IsZero() {
		dst = append(dst, `"time":"`...)
		dst = append(r.Time.UTC().AppendFormat(dst, time.RFC3339Nano), `",`...)
	}
	if r.Key != nil {
		dst = append(appendBytes(dst, "key", r.Key), ',')
	}
	if len(r.Headers) > 0 {
		dst = append(dst, `"headers":[`...)
		for i, h := range r.Headers {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendBytes(append(dst, '{'), "name", mem.Bytes(h.Key)), ',')
			dst = append(appendBytes(dst, "value", h.Value), '}')
		}
		dst = append(dst, `],`...)
	}
	return append(appendBytes(dst, "value", r.Value), '}')
}

// appendBytes appends a member: a string with exactly these bytes, or their base64; null if there
// are none.
func appendBytes(dst []byte, name string, value []byte) []byte {
	if value != nil && !utf8.Valid(value) {
		dst = append(strconv.AppendQuote(dst, name+"_base64"), `:"`...)
		return append(base64.StdEncoding.AppendEncode(dst, value), '"')
	}
	dst = append(strconv.AppendQuote(dst, name), ':')
	if value == nil {
		return append(dst, "null"...)
	}
	var w coder.Writer
	return w.String(dst, mem.String(value))
}
