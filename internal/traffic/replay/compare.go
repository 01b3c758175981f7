package replay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/rtbwire/rtbwire/wire/splice"
)

// reply is an answer that is compared with another.
type reply struct {
	status int
	text   []byte
}

// difference says where two answers differ first, "" if nowhere, and whether that is the status.
func difference(a, b reply) (what string, status bool) {
	if a.status != b.status {
		return fmt.Sprintf("status %d, status %d", a.status, b.status), true
	}
	if bytes.Equal(a.text, b.text) {
		return "", false
	}
	x, xErr := decode(a.text)
	y, yErr := decode(b.text)
	switch {
	case xErr != nil && yErr != nil:
		return "both bodies are not JSON, and differ", false
	case xErr != nil:
		return "a body that is not JSON, JSON", false
	case yErr != nil:
		return "JSON, a body that is not JSON", false
	}
	if path, differs := differing(x, y, ""); differs {
		return fmt.Sprintf("values differ at %q", path), false
	}
	return "", false
}

// decode decodes JSON with numbers as they are written.
func decode(text []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("more than one value")
	}
	return v, nil
}

// differing returns the JSON Pointer of the first difference of two values, in the order of names.
func differing(a, b any, path string) (string, bool) {
	switch x := a.(type) {
	case map[string]any:
		y, same := b.(map[string]any)
		if !same {
			return path, true
		}
		names := slices.Concat(slices.Collect(maps.Keys(x)), slices.Collect(maps.Keys(y)))
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			at := path + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
			v, inX := x[name]
			w, inY := y[name]
			if inX != inY {
				return at, true
			}
			if at, differs := differing(v, w, at); differs {
				return at, true
			}
		}
		return "", false
	case []any:
		y, same := b.([]any)
		if !same {
			return path, true
		}
		for i := range min(len(x), len(y)) {
			if at, differs := differing(x[i], y[i], path+"/"+strconv.Itoa(i)); differs {
				return at, true
			}
		}
		return path + "/" + strconv.Itoa(min(len(x), len(y))), len(x) != len(y)
	case json.Number:
		y, same := b.(json.Number)
		return path, !same || x != y && decimalOf(string(x)) != decimalOf(string(y))
	}
	return path, a != b
}

// decimal is a number as digits without zeros around them and a power of ten.
type decimal struct {
	negative bool
	digits   string
	exponent int64
}

// decimalOf reads a number of JSON. Numbers with more than nine digits in their exponent are equal
// to nothing but their own text.
func decimalOf(text string) (d decimal) {
	mantissa, exponent := text, int64(0)
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		n, err := strconv.ParseInt(text[i+1:], 10, 32)
		if err != nil {
			return decimal{digits: text}
		}
		mantissa, exponent = text[:i], n
	}
	mantissa, d.negative = strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimRight(whole+fraction, "0")
	d.exponent = exponent - int64(len(fraction)) + int64(len(whole)+len(fraction)-len(digits))
	if d.digits = strings.TrimLeft(digits, "0"); d.digits == "" {
		return decimal{}
	}
	return d
}

// idOf returns the id of a request or response, "" if it has none.
func idOf(text []byte) (id string) {
	found, err := splice.Find(text, "/id")
	if err != nil || len(found) == 0 || json.Unmarshal(found[0].Value, &id) != nil {
		return ""
	}
	return id
}

// onlyID reports whether a response has no member besides its id.
func onlyID(text []byte) bool {
	v, err := decode(text)
	members, isObject := v.(map[string]any)
	delete(members, "id")
	return err == nil && isObject && len(members) == 0
}
