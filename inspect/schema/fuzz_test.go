package schema

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// FuzzRequest holds what is true of every text, with references to compare with: encoding/json
// for the grammar and the places, rtbwire's decoders for what can be decoded.
func FuzzRequest(f *testing.F) {
	for _, base := range append(bases, "answer") {
		f.Add(clean(f, base))
	}
	for i, doc := range corpus(f, "requests") {
		if i%25 == 0 {
			f.Add(doc)
		}
	}
	for i, doc := range corpus(f, "responses") {
		if i%50 == 0 {
			f.Add(doc)
		}
	}
	for _, x := range specExamples(f) {
		f.Add(readFile(f, shared+"spec-examples/"+x.File))
	}
	for _, doc := range fuzzSeeds {
		f.Add([]byte(doc))
	}
	c, lenient := strict(f), strict(f, WithLenient(true))
	decoder, lenientDecoder := openrtb.NewDecoder(), openrtb.NewDecoder(wire.Lenient())
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		kept := slices.Clone(data)
		r := c.Request(data)
		r.Findings = slices.Clone(r.Findings)
		checkFuzzed(t, r, data)
		if again := strict(t).Request(data); !slices.Equal(again.Findings, r.Findings) || again.Counts != r.Counts {
			t.Fatalf("a new checker finds something else:%s\nthan:%s", describe(again), describe(r))
		}
		checkDecodable(t, r, decoder, data)
		if v, err := openrtb.Parse(data); err == nil {
			value := c.RequestValue(v, data)
			if want := valueLayer(r); !slices.Equal(value.Findings, want) {
				t.Fatalf("of the value:%s\nof the text:%s", describe(value), describe(r))
			}
		}

		saved := lenient.Request(data)
		for _, f := range saved.Findings {
			if f.Offset < -1 || f.Offset > len(data) {
				t.Fatalf("%s is at byte %d of %d", f.ID, f.Offset, len(data))
			}
		}
		checkDecodable(t, saved, lenientDecoder, data)

		response := c.Response(data)
		checkFuzzed(t, response, data)
		checkCounts(t, c.Pair(data, data))
		checkCounts(t, c.Pair(siteForFuzz, data))
		if !slices.Equal(kept, data) {
			t.Fatal("the document was written to")
		}
	})
}

var siteForFuzz = []byte(`{"id":"1","imp":[{"id":"1","banner":{"w":1,"h":1},"pmp":{"private_auction":1,"deals":[{"id":"d","guar":1}]}},{"id":"2","video":{},"audio":{"poddur":5}},{"id":"3","native":{"ver":"1.2"}}],"bcat":["IAB1"],"badv":["a.b"],"cur":["USD"]}`)

var fuzzSeeds = []string{
	`{"id":"1","id":2,"ID":3,"i\u0064":null}`,
	`{"cur":"USD","cur":["USD",1],"imp":{"id":7},"imp":[null,{},5]}`,
	`{"imp":[{"bidfloor":"1e400","banner":{"w":3e2,"h":"\ud800"}}],"ext":[{"a":1,"a":2}]}`,
	"\xef\xbb\xbf{\"id\":\"\xff\"}",
	`{"vendor":{"a":[1,2,{"b":null}]},"vendor":1,"a/b~":"\u0000"}`,
	`{"id":"1","imp":[{"native":{"request":"{\"native\":{}}","ver":"1.0"}}],"regs":{"gdpr":1},"dooh":{}}`,
	`{"id":"1","seatbid":[{"bid":[{"id":"1","impid":"1","price":1,"adm":"<VAST xmlns=\"http://x\"","dealid":"d"}]}]}`,
}

// checkFuzzed holds what is true of every report on a text.
func checkFuzzed(t *testing.T, r Report, data []byte) {
	t.Helper()
	checkCounts(t, r)
	for _, f := range r.Findings {
		if f.Offset < 0 || f.Offset > len(data) {
			t.Fatalf("%s is at byte %d of %d", f.ID, f.Offset, len(data))
		}
	}
	ok := acceptable(data)
	if accepted(r) != ok {
		t.Fatalf("accepted %v, want %v:%s", accepted(r), ok, describe(r))
	}
	if !ok {
		return
	}
	root := decodeAny(t, data)
	if _, object := root.(map[string]any); object == has(r, "any.object") {
		t.Fatalf("any.object:%s", describe(r))
	}
	checkPlaces(t, r, data, data)
	if has(r, "any.duplicate-key") {
		return // a path into an earlier value of the key leads nowhere
	}
	for _, f := range r.Findings {
		if err := resolves(root, f.Path); err != nil {
			t.Fatalf("%s has the path %q: %v", f.ID, f.Path, err)
		}
	}
}

// resolves reports whether a pointer leads to a value, or to a member that an object of the
// document, or a null in place of one, does not have.
func resolves(at any, pointer string) error {
	for _, part := range splitPointer(pointer) {
		switch v := at.(type) {
		case nil:
			return nil
		case map[string]any:
			next, ok := v[part]
			if !ok {
				return nil
			}
			at = next
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i >= len(v) {
				return fmt.Errorf("no element %q", part)
			}
			at = v[i]
		default:
			return fmt.Errorf("%q of %T", part, at)
		}
	}
	return nil
}

// checkDecodable compares with a decoder: it refuses what has an error of the text layer.
func checkDecodable(t *testing.T, r Report, d *openrtb.Decoder, data []byte) {
	t.Helper()
	_, err := d.Decode(data)
	if (err != nil) != undecodableText(r) {
		t.Fatalf("the decoder says %v:%s", err, describe(r))
	}
	limit := errors.Is(err, wire.CodeMemory) || errors.Is(err, wire.CodeElements) || errors.Is(err, wire.CodeSize)
	if has(r, "json.limit") && !limit || strings.Contains(describe(r), "can't be decoded") {
		t.Fatalf("the decoder says %v:%s", err, describe(r))
	}
}
