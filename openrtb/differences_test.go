package openrtb_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/rtbwire/rtbwire/internal/twin"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// This file says in which ways encoding/json may read a document differently, and why. Every difference that a test
// meets has to belong to one of these classes, by a predicate that looks at the document; what belongs to none is a
// fault of somebody's.

// The two ways to agree.
const (
	sameValue  = "both accept, same value"
	bothRefuse = "both refuse"
)

// judged is one document with what the two decoders make of it.
type judged struct {
	data     []byte
	value    any         // the decoder's
	err      *wire.Error // the decoder's
	plain    any         // that of encoding/json
	plainErr error
}

// explanation is one class of differences.
type explanation struct {
	name, reason string
	explains     func(d *judged) bool
}

// onlyThere explains what encoding/json accepts and default mode refuses.
var onlyThere = []explanation{
	{"only encoding/json accepts: not UTF-8",
		"RFC 8259 wants UTF-8 and the contract refuses anything else; encoding/json puts U+FFFD in its place",
		func(d *judged) bool {
			// The refusal has to point at the first sequence that is none.
			at := d.err.Offset
			c, n := utf8.DecodeRune(d.data[at:])
			return d.err.Code == wire.CodeUTF8 && c == utf8.RuneError && n == 1 && utf8.Valid(d.data[:at])
		}},
	{"only encoding/json accepts: half a surrogate pair",
		"half a pair stands for no character and the contract refuses it; encoding/json puts U+FFFD in its place",
		func(d *judged) bool { return d.err.Code == wire.CodeSurrogate && halfPair(d.data[d.err.Offset:]) }},
	{"only encoding/json accepts: the document null",
		"a document of null is not an object; encoding/json leaves the struct as it was",
		func(d *judged) bool {
			return d.err.Code == wire.CodeType && d.err.Path == "" && string(bytes.TrimSpace(d.data)) == "null"
		}},
	{"only encoding/json accepts: nested too deep",
		"the contract stops at 1,024 levels, encoding/json at 10,000",
		func(d *judged) bool { return d.err.Code == wire.CodeDepth && deepest(d.data) > wire.DepthDefault }},
	{"only encoding/json accepts: too much memory",
		"the contract bounds the memory of a value by the length of its text; encoding/json does not",
		func(d *judged) bool {
			if d.err.Code != wire.CodeMemory {
				return false
			}
			fault, _ := twin.Decode(d.data, reflect.New(reflect.TypeOf(d.value).Elem()).Interface(), twin.Options{})
			return fault != nil && fault.Code == wire.CodeMemory.String()
		}},
}

// halfPair reports whether the text begins with an escape for half of a surrogate pair that the other half does not
// follow.
func halfPair(text []byte) bool {
	unit := func(text []byte) rune {
		var s [1]uint16
		if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
			return 0
		}
		if _, err := fmt.Sscanf(string(text[2:6]), "%04x", &s[0]); err != nil {
			return 0
		}
		return rune(s[0])
	}
	first := unit(text)
	return utf16.IsSurrogate(first) && utf16.DecodeRune(first, unit(text[6:])) == utf8.RuneError
}

// deepest is how deep a document is nested that is valid JSON.
func deepest(data []byte) (most int) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	for level := 0; ; {
		token, err := dec.Token()
		if err != nil {
			return most
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			level++
			most = max(most, level)
		case json.Delim('}'), json.Delim(']'):
			level--
		}
	}
}

// bothAccept explains values that differ, and errors of encoding/json about what the contract does not look at. The
// document without the members in question has to give the same value; see twin.Depart.
var bothAccept = []struct {
	name, reason string
	count        func(d twin.Departures) int
}{
	{"keys by case", "the contract matches keys byte for byte, encoding/json by case folding as well",
		func(d twin.Departures) int { return d.ByCase }},
	{"keys twice", "of a key that comes twice the contract takes the last, whole; encoding/json reads one value over the other",
		func(d twin.Departures) int { return d.Twice }},
	{"ext of null", "null is absent in the contract; a json.RawMessage keeps its text",
		func(d twin.Departures) int { return d.NullExt }},
}

// reasons are the explanations by the names of their classes.
func reasons(class string) (list []string) {
	for _, x := range onlyThere {
		if x.name == class {
			list = append(list, x.reason)
		}
	}
	for _, x := range bothAccept {
		if strings.Contains(class, x.name) {
			list = append(list, x.reason)
		}
	}
	return list
}

// judge has encoding/json decode the document and returns the class of the difference, or how the two differ without an
// explanation. value is the decoder's value, or any of its type if there is an error.
func judge(data []byte, value any, err *wire.Error) (class, unexplained string) {
	d := judged{data: data, value: value, err: err}
	if _, response := value.(*openrtb.BidResponse); response {
		d.plain = new(openrtb.BidResponse)
	} else {
		d.plain = new(openrtb.BidRequest)
	}
	d.plainErr = json.Unmarshal(data, d.plain)
	switch {
	case err == nil && d.plainErr == nil && twin.Diff(value, d.plain) == "":
		return sameValue, ""
	case err == nil:
		return d.explainValue()
	case d.plainErr != nil:
		return bothRefuse, ""
	}
	for _, x := range onlyThere {
		if x.explains(&d) {
			return x.name, ""
		}
	}
	return "", fmt.Sprintf("refused (%s at %d), encoding/json accepts", err.Code.String(), err.Offset)
}

func (d *judged) explainValue() (class, unexplained string) {
	t := reflect.TypeOf(d.value).Elem()
	if fault, _ := twin.Decode(d.data, reflect.New(t).Interface(), twin.Options{}); fault != nil {
		return "", fmt.Sprintf("accepted, encoding/json says %v, and the twin %+v", d.plainErr, *fault)
	}
	text, departures := twin.Depart(d.data, t)
	plain := reflect.New(t).Interface()
	if err := json.Unmarshal(text, plain); err != nil {
		return "", fmt.Sprintf("accepted, encoding/json says %v of %s", err, text)
	}
	if s := twin.Diff(d.value, plain); s != "" {
		return "", s
	}
	var names []string
	for _, x := range bothAccept {
		if x.count(departures) > 0 {
			names = append(names, x.name)
		}
	}
	if len(names) == 0 {
		return "", fmt.Sprintf("encoding/json has %v and another value, but the document has nothing that it reads differently", d.plainErr)
	}
	prefix := "both accept: "
	if d.plainErr != nil {
		if departures.ByCase == 0 {
			return "", fmt.Sprintf("accepted, encoding/json says %v", d.plainErr)
		}
		prefix = "only the decoder accepts: "
	}
	return prefix + strings.Join(names, ", "), ""
}
