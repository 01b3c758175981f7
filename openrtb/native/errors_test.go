package native_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/openrtb/native"
	"github.com/rtbwire/rtbwire/wire"
)

// errorCases are refused as requests and as responses, unless of names one of them.
var errorCases = []struct {
	name   string
	text   string
	code   wire.Code
	offset int
	path   string
	of     string // "request" or "response" if only that one has the field
}{
	{"empty", "", wire.CodeEmpty, 0, "", ""},
	{"white space", " \n", wire.CodeEmpty, 2, "", ""},
	{"HTML", "<div>", wire.CodeSyntax, 0, "", ""},
	{"VAST", `<VAST version="4.0"></VAST>`, wire.CodeSyntax, 0, "", ""},
	{"placeholder", `{"native":{ ... }}`, wire.CodeSyntax, 12, "/native", ""},
	{"cut", `{"native":{"assets":[{"id":1}`, wire.CodeTruncated, 29, "/native/assets", ""},
	{"followed by something", `{"ver":"1.2"} x`, wire.CodeTrailing, 14, "", ""},
	{"two objects", `{"ver":"1.2"}{}`, wire.CodeTrailing, 13, "", ""},
	{"array", `[{"ver":"1.2"}]`, wire.CodeType, 0, "", ""},
	{"string", `"{}"`, wire.CodeType, 0, "", ""},
	{"null", `null`, wire.CodeType, 0, "", ""},
	{"wrapped string", `{"native":"{\"ver\":\"1.2\"}"}`, wire.CodeType, 10, "/native", ""},
	{"number for a string", `{"ver":1.2}`, wire.CodeType, 7, "/ver", ""},
	{"string for an integer", `{"assets":[{"id":1},{"id":"2"}]}`, wire.CodeType, 26, "/assets/1/id", ""},
	{"fraction", `{"native":{"assets":[{"id":1.5}]}}`, wire.CodeInteger, 27, "/native/assets/0/id", ""},
	{"too large", `{"assets":[{"id":99999999999999999999}]}`, wire.CodeRange, 17, "/assets/0/id", ""},
	{"object for an array", `{"assets":{}}`, wire.CodeType, 10, "/assets", ""},
	{"array for an object", `{"assets":[{"title":[]}]}`, wire.CodeType, 20, "/assets/0/title", ""},
	{"not UTF-8", "{\"ver\":\"\xff\"}", wire.CodeUTF8, 8, "/ver", ""},
	{"half a pair", `{"ver":"\ud800"}`, wire.CodeSurrogate, 8, "/ver", ""},
	{"control character", "{\"ver\":\"\n\"}", wire.CodeControl, 8, "/ver", ""},
	{"fault in an unknown member", `{"eventrackers":[01]}`, wire.CodeNumber, 18, "/eventrackers/0", ""},
	{"privacy is a flag in requests", `{"privacy":"https://a.example"}`, wire.CodeType, 11, "/privacy", "request"},
	{"privacy is a URL in responses", `{"privacy":1}`, wire.CodeType, 11, "/privacy", "response"},
	{"a code that is not a number", `{"eventtrackers":[{"event":"1"}]}`, wire.CodeType, 27, "/eventtrackers/0/event", ""},
	{"methods", `{"eventtrackers":[{"methods":[1,"2"]}]}`, wire.CodeType, 32, "/eventtrackers/0/methods/1", "request"},
	{"clicktrackers", `{"link":{"clicktrackers":["a",1]}}`, wire.CodeType, 30, "/link/clicktrackers/1", "response"},
	{"beside the wrapper", `{"native":{},"assets":1}`, wire.CodeType, 22, "/assets", ""},
	{"too deep", strings.Repeat(`{"ext":`, 2) + strings.Repeat("[", wire.DepthDefault) + strings.Repeat("]", wire.DepthDefault) + "}}", wire.CodeDepth, 14 + wire.DepthDefault - 2, "", ""},
}

// TestErrors checks code, offset and path of each refusal.
func TestErrors(t *testing.T) {
	for _, c := range errorCases {
		_, _, reqErr := native.ParseRequest(c.text)
		_, _, respErr := native.ParseResponse(c.text)
		for kind, err := range map[string]error{"request": reqErr, "response": respErr} {
			if c.of != "" && c.of != kind {
				if err != nil {
					t.Errorf("%s: %s: %v", c.name, kind, err)
				}
				continue
			}
			var e *wire.Error
			if !errors.As(err, &e) || !errors.Is(err, c.code) || e.Offset != c.offset {
				t.Errorf("%s: %s: %v, want %v at byte %d", c.name, kind, err, c.code, c.offset)
				continue
			}
			if e.Path != c.path && c.code != wire.CodeDepth { // the tests of wire/coder have long paths
				t.Errorf("%s: %s: path %q, want %q", c.name, kind, e.Path, c.path)
			}
		}
	}
}
