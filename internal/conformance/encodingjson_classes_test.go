package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/rtbwire/rtbwire/internal/oracle"
	"github.com/rtbwire/rtbwire/wire"
)

// encoding/json may read a document differently from the contract in the ways that onlyThere and
// bothAccept list, each with the reason. A predicate that looks at the document decides whether a
// difference belongs to a class. A difference of no class fails the test.

// The two ways to agree.
const (
	sameValue  = "both accept, same value"
	bothRefuse = "both refuse"
)

// judged is one document with what the two decoders make of it.
type judged struct {
	data     []byte
	got      oracle.Outcome // the decoder's
	plain    any            // that of encoding/json
	plainErr error
}

// refusedAs reports whether the decoder refused the document with the code.
func (d *judged) refusedAs(code wire.Code) bool { return d.got.Fault.Code == code.String() }

// explanation is one class of differences.
type explanation struct {
	name, reason string
	explains     func(d *judged) bool
}

// onlyThere explains what encoding/json accepts and default mode refuses.
var onlyThere = []explanation{
	{"only encoding/json accepts: not UTF-8",
		"RFC 8259 requires UTF-8 and the contract refuses anything else; encoding/json replaces it by U+FFFD",
		func(d *judged) bool {
			// The refusal must point at the first invalid sequence.
			at := d.got.Fault.Offset
			c, n := utf8.DecodeRune(d.data[at:])
			return d.refusedAs(wire.CodeUTF8) && c == utf8.RuneError && n == 1 && utf8.Valid(d.data[:at])
		}},
	{"only encoding/json accepts: half a surrogate pair",
		"half a pair encodes no character and the contract refuses it; encoding/json replaces it by U+FFFD",
		func(d *judged) bool { return d.refusedAs(wire.CodeSurrogate) && halfPair(d.data[d.got.Fault.Offset:]) }},
	{"only encoding/json accepts: the document null",
		"a document of null is not an object; encoding/json leaves the struct as it was",
		func(d *judged) bool {
			return d.refusedAs(wire.CodeType) && d.got.Fault.Path == "" && string(bytes.TrimSpace(d.data)) == "null"
		}},
	{"only encoding/json accepts: nested too deep",
		"the contract stops at 1,024 levels, encoding/json at 10,000",
		func(d *judged) bool { return d.refusedAs(wire.CodeDepth) && deepest(d.data) > wire.DepthDefault }},
	{"only encoding/json accepts: too much memory",
		"the contract bounds the memory of a value by the length of its text; encoding/json does not",
		func(d *judged) bool {
			if !d.refusedAs(wire.CodeMemory) {
				return false
			}
			fault, _ := oracle.Decode(d.data, reflect.New(d.typ()).Interface(), oracle.Options{})
			return fault != nil && fault.Code == wire.CodeMemory.String()
		}},
}

// halfPair reports whether the text begins with an escape for half of a surrogate pair, without the
// other half after it.
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

// deepest returns how deep a valid JSON document is nested.
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

// bothAccept explains values that differ, and errors of encoding/json about members that the
// contract skips. Without the members in question the document must give the same value; see
// oracle.Depart.
var bothAccept = []struct {
	name, reason string
	count        func(d oracle.Departures) int
}{
	{"keys by case", "the contract matches keys byte for byte, encoding/json by case folding as well",
		func(d oracle.Departures) int { return d.ByCase }},
	{"keys twice", "of a key that comes twice the contract takes the last value whole; encoding/json merges it into the first",
		func(d oracle.Departures) int { return d.Twice }},
	{"ext of null", "in the contract null is absent; a json.RawMessage keeps its text",
		func(d oracle.Departures) int { return d.NullExt }},
}

// reasons returns why a class exists.
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

// judge decodes a document with encoding/json and returns the class of the difference, or a
// description of a difference that no class explains. plain is a zero value of the decoder's type.
func judge(data []byte, plain any, got oracle.Outcome) (class, unexplained string) {
	d := judged{data: data, got: got, plain: plain}
	d.plainErr = json.Unmarshal(data, d.plain)
	switch {
	case got.Fault == nil && d.plainErr == nil && oracle.Diff(got.Value, d.plain) == "":
		return sameValue, ""
	case got.Fault == nil:
		return d.explainValue()
	case d.plainErr != nil:
		return bothRefuse, ""
	}
	for _, x := range onlyThere {
		if x.explains(&d) {
			return x.name, ""
		}
	}
	return "", fmt.Sprintf("refused for %v, encoding/json accepts", *got.Fault)
}

// typ is the type that both decode to.
func (d *judged) typ() reflect.Type { return reflect.TypeOf(d.plain).Elem() }

// explainValue is judge for a document that the decoder accepts and encoding/json does not, or
// reads as another value.
func (d *judged) explainValue() (class, unexplained string) {
	if fault, _ := oracle.Decode(d.data, reflect.New(d.typ()).Interface(), oracle.Options{}); fault != nil {
		return "", fmt.Sprintf("accepted; encoding/json says %v, the oracle %v", d.plainErr, *fault)
	}
	text, departures := oracle.Depart(d.data, d.typ())
	plain := reflect.New(d.typ()).Interface()
	if err := json.Unmarshal(text, plain); err != nil {
		return "", fmt.Sprintf("accepted; encoding/json says %v of %s", err, text)
	}
	if s := oracle.Diff(d.got.Value, plain); s != "" {
		return "", s
	}
	var names []string
	for _, x := range bothAccept {
		if x.count(departures) > 0 {
			names = append(names, x.name)
		}
	}
	if len(names) == 0 {
		return "", fmt.Sprintf("encoding/json has another value (error %v), but the document has nothing that it reads differently", d.plainErr)
	}
	prefix := "both accept: "
	if d.plainErr != nil {
		if departures.ByCase == 0 {
			return "", fmt.Sprintf("accepted; encoding/json says %v", d.plainErr)
		}
		prefix = "only the decoder accepts: "
	}
	return prefix + strings.Join(names, ", "), ""
}
