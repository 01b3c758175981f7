package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rtbwire/rtbwire/internal/grammar"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// acceptable is the reference for the scanner: whether a document is JSON, in valid Unicode, and
// nested no deeper than the limit.
func acceptable(data []byte) bool {
	return json.Valid(data) && utf8.Valid(data) && surrogatesPaired(data) && nesting(data) <= grammar.DepthMax
}

// surrogatesPaired looks at the escapes of valid JSON.
func surrogatesPaired(data []byte) bool {
	high := false // the escape just before was the first half of a pair
	for i := 0; i < len(data); i++ {
		if data[i] != '\\' {
			if high {
				return false
			}
			continue
		}
		i++
		if data[i] != 'u' {
			if high {
				return false
			}
			continue
		}
		var unit int
		_, _ = fmt.Sscanf(string(data[i+1:i+5]), "%04x", &unit)
		i += 4
		switch {
		case unit >= 0xdc00 && unit < 0xe000:
			if !high {
				return false
			}
			high = false
		case high:
			return false
		default:
			high = unit >= 0xd800 && unit < 0xdc00
		}
	}
	return !high
}

// nesting is how deep the values of valid JSON are nested.
func nesting(data []byte) (deepest int) {
	depth, inString := 0, false
	for i := 0; i < len(data); i++ {
		switch b := data[i]; {
		case inString && b == '\\':
			i++
		case b == '"':
			inString = !inString
		case inString:
		case b == '{' || b == '[':
			depth++
			deepest = max(deepest, depth)
		case b == '}' || b == ']':
			depth--
		}
	}
	return deepest
}

// refused are the rules about documents that are not JSON.
var refused = map[string]bool{"json.syntax": true, "json.depth": true, "any.utf8": true}

func accepted(r Report) bool {
	return !slices.ContainsFunc(r.Findings, func(f Finding) bool { return refused[f.ID] })
}

// TestScannerAgainstSuite runs the texts of the JSON test suite: as they are, and wherever a
// request may hold a value that the specification knows nothing of.
func TestScannerAgainstSuite(t *testing.T) {
	c := strict(t)
	texts := 0
	for _, line := range lines(string(readFile(t, shared+"jsontestsuite/manifest.jsonl"))) {
		var entry struct {
			File, Class  string
			EncodingJSON bool `json:"encoding_json"`
		}
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatal(err)
		}
		text := readFile(t, shared+"jsontestsuite/"+entry.File)
		texts++
		if json.Valid(text) != entry.EncodingJSON {
			t.Errorf("%s: the manifest says %v", entry.File, entry.EncodingJSON)
		}
		for _, frame := range []string{
			"%s",
			`{"id":"1","ext":%s}`,
			`{"id":"1","vendor":%s,"imp":[]}`,
			`{"imp":[{"ext":%s,"id":"1"}]}`,
			`{"imp":[{"banner":{"vendor":[1,%s ]}}]}`,
			`{"ext":{"a":[{"b":%s}]}}`,
			`{"id":%s}`,
			`{"imp":[%s]}`,
			`{"imp":[{"bidfloor":%s}]}`,
			`{"cur":[%s]}`,
			`{"tmax":%s}`,
		} {
			doc := []byte(strings.Replace(frame, "%s", string(text), 1))
			want := acceptable(doc)
			if entry.Class == "y" && frame != "%s" && !acceptable(doc) {
				t.Errorf("%s in %s: the reference refuses it", entry.File, frame)
			}
			if entry.Class == "n" && frame == "%s" && want {
				t.Errorf("%s: the reference accepts it", entry.File)
			}
			if got := accepted(c.Request(doc)); got != want {
				t.Errorf("%s in %s: accepted %v, want %v:%s", entry.File, frame, got, want, describe(c.Request(doc)))
			}
			if got := accepted(c.Response(doc)); got != want {
				t.Errorf("%s in %s as a response: accepted %v, want %v", entry.File, frame, got, want)
			}
		}
	}
	files := 0
	if err := filepath.WalkDir(filepath.FromSlash(shared+"jsontestsuite"), func(path string, d fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".json") {
			files++
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if texts != files {
		t.Errorf("the manifest lists %d of %d files", texts, files)
	}
}

// TestTruncated cuts documents after every byte: what is left is never valid.
func TestTruncated(t *testing.T) {
	c := strict(t)
	docs := [][]byte{edited(t, clean(t, "site")), edited(t, clean(t, "dooh"))}
	for i, doc := range corpus(t, "requests") {
		if i%80 == 0 {
			docs = append(docs, doc)
		}
	}
	for _, doc := range docs {
		for n := range doc {
			r := c.Request(doc[:n])
			i := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.ID == "json.syntax" })
			if i < 0 || r.Valid() {
				t.Fatalf("%s cut after %d bytes is accepted:%s", doc, n, describe(r))
			}
			if f := r.Findings[i]; f.Offset != n {
				t.Fatalf("%s cut after %d bytes: the place is %d", doc, n, f.Offset)
			}
		}
	}
	response := edited(t, clean(t, "response"))
	for n := range response {
		if c.Response(response[:n]).Valid() || c.Pair(docs[0][:min(n, len(docs[0])-1)], response).Valid() || c.Pair(docs[0], response[:n]).Valid() {
			t.Fatalf("the response cut after %d bytes is accepted", n)
		}
	}
}

// TestDepth nests values to the limit and beyond, in the two readers there are: the one that
// follows the specification and the one that skips.
func TestDepth(t *testing.T) {
	c := strict(t)
	for _, x := range []struct {
		name, open, close string
		levels            int // that the frame has around each of the nested values
		front, back       string
	}{
		{"ext", "[", "]", 1, `{"ext":`, `}`},
		{"ext of objects", `{"a":`, "}", 1, `{"ext":`, `}`},
		{"unknown member", "[", "]", 1, `{"vendor":`, `}`},
		{"ext of an impression", `{"a":`, "}", 3, `{"imp":[{"ext":`, `}]}`},
		{"wrong type", "[", "]", 1, `{"id":`, `}`},
		{"element of the wrong type", "[", "]", 2, `{"imp":[`, `]}`},
		{"native request of the wrong type", "[", "]", 4, `{"imp":[{"native":{"request":`, `}}]}`},
	} {
		for _, levels := range []int{grammar.DepthMax - 1, grammar.DepthMax, grammar.DepthMax + 1, grammar.DepthMax + 2, 3 * grammar.DepthMax} {
			n := levels - x.levels
			doc := x.front + strings.Repeat(x.open, n) + "1" + strings.Repeat(x.close, n) + x.back
			if nesting([]byte(doc)) != levels {
				t.Fatalf("%s has %d levels, want %d", x.name, nesting([]byte(doc)), levels)
			}
			r := c.Request([]byte(doc))
			if deep := has(r, "json.depth"); deep != (levels > grammar.DepthMax) || has(r, "json.syntax") {
				t.Errorf("%s, %d levels: too deep %v:%s", x.name, levels, deep, describe(r))
			}
			for _, f := range r.Findings {
				if want := len(x.front) + len(x.open)*(grammar.DepthMax-x.levels); f.ID == "json.depth" && f.Offset != want {
					t.Errorf("%s, %d levels: at byte %d, want %d", x.name, levels, f.Offset, want)
				}
			}
		}
	}
}

// TestPlaces has the offsets and paths of findings about the text: § marks the place.
func TestPlaces(t *testing.T) {
	long := strings.Repeat("k", 70)
	for _, x := range []struct{ doc, rule, path string }{
		{`§`, "json.syntax", ""},
		{`  §`, "json.syntax", ""},
		{"§\xef\xbb\xbf{}", "json.syntax", ""},
		{`nul§`, "json.syntax", ""},
		{`{"id":"1"§`, "json.syntax", ""},
		{`n§ot JSON`, "json.syntax", ""},
		{`{"id":"1"} §x`, "json.syntax", ""},
		{`{"id":"1"}§}`, "json.syntax", ""},
		{`{"id":"1",§}`, "json.syntax", ""},
		{`{§id:1}`, "json.syntax", ""},
		{`{"id" §1}`, "json.syntax", ""},
		{`{"id":§}`, "json.syntax", "/id"},
		{`{"id":"a§` + "\n" + `"}`, "json.syntax", "/id"},
		{`{"id":"\§x"}`, "json.syntax", "/id"},
		{`{"id":"\u12§g4"}`, "json.syntax", "/id"},
		{`{"id":"\ud800\u12§g4"}`, "json.syntax", "/id"},
		{`{"id":"abc§`, "json.syntax", "/id"},
		{`{"imp":[{"banner":{"w":0§1}}]}`, "json.syntax", "/imp/0/banner/w"},
		{`{"imp":[{"banner":{"w":-§}}]}`, "json.syntax", "/imp/0/banner/w"},
		{`{"imp":[{"banner":{"w":1.§}}]}`, "json.syntax", "/imp/0/banner/w"},
		{`{"imp":[{"banner":{"w":1e+§}}]}`, "json.syntax", "/imp/0/banner/w"},
		{`{"imp":[{},{"id":"1"§]}`, "json.syntax", "/imp/1"},
		{`{"imp":[{},§]}`, "json.syntax", "/imp/1"},
		{`{"imp":[{}§}`, "json.syntax", "/imp/0"},
		{`{"imp":[null§`, "json.syntax", "/imp/0"},
		{`{"ext":{"a":[1,§]}}`, "json.syntax", "/ext"},
		{`{"ext":{"a":1,§}}`, "json.syntax", "/ext"},
		{`{"ext":{"a":1§]}`, "json.syntax", "/ext"},
		{`{"ext":[1§}`, "json.syntax", "/ext"},
		{`{"ext":tru§}`, "json.syntax", "/ext"},
		{`{"vendor":§+1}`, "json.syntax", ""},
		{`{"imp":[{"vendor":{"a":§.5}}]}`, "json.syntax", "/imp/0"},
		{"{\"id\":§\x00}", "json.syntax", "/id"},
		{`§[]`, "any.object", ""},
		{" \n§\"x\"", "any.object", ""},
		{`{"id":§1}`, "any.type", "/id"},
		{`{"imp":[{},{"banner":{"w":§"300"}}]}`, "any.type", "/imp/1/banner/w"},
		{`{"cur": §"USD"}`, "any.type", "/cur"},
		{`{"cur":["USD",§1]}`, "any.type", "/cur/1"},
		{`{"site":{"content":{"data":[{"segment":[{},{},{"id":§[]}]}]}}}`, "any.type", "/site/content/data/0/segment/2/id"},
		{`{"imp":[{"native":{"request":§{}}}]}`, "Native.request.string", "/imp/0/native/request"},
		{`{"tmax":§1.5}`, "any.integer", "/tmax"},
		{`{"imp":[{"bidfloor":§1e999}]}`, "json.number", "/imp/0/bidfloor"},
		{`{"site":{"name":§null}}`, "any.null", "/site/name"},
		{`{"cur":["USD", §null]}`, "any.null", "/cur/1"},
		{`{"imp":[{"ext":§null}]}`, "any.null", "/imp/0/ext"},
		{`{"imp":[{"ext":§[]}]}`, "any.ext", "/imp/0/ext"},
		{`{"site":{"name":§""}}`, "any.empty-string", "/site/name"},
		{`{"badv":§[]}`, "any.empty-array", "/badv"},
		{`{"imp":[{"banner":{§"W":1}}]}`, "any.key-case", "/imp/0/banner/W"},
		{`{§"ID":"1"}`, "any.key-case", "/ID"},
		{`{"dev\u0069ce":{§"\u0049P":"1"}}`, "any.key-case", "/device/IP"},
		{`{"id":"1",§"id":"2"}`, "any.duplicate-key", "/id"},
		{`{"id":"1",§"\u0069d":"2"}`, "any.duplicate-key", "/id"},
		{`{"imp":[{"ext":{},"id":"1",§"ext":{}}]}`, "any.duplicate-key", "/imp/0/ext"},
		{`{"vendor":1,§"vendor":2}`, "any.duplicate-key", "/vendor"},
		{`{"vendor":1,"imp":[{"vendor":1,§"v\u0065ndor":2}]}`, "any.duplicate-key", "/imp/0/vendor"},
		{`{§"vendor":{"a":1}}`, "any.custom-in-ext", "/vendor"},
		{`{"imp":[{"banner":{"wmin":§1}}]}`, "Banner.removed", "/imp/0/banner/wmin"},
		{`{"imp":[{"video":{"protocol":§1}}]}`, "Video.removed", "/imp/0/video/protocol"},
		{`{"site":{"content":{"videoquality":§1}}}`, "Content.removed", "/site/content/videoquality"},
		{`{§"a/b~c":1}`, "any.custom-in-ext", "/a~1b~0c"},
		{`{§"":1}`, "any.custom-in-ext", "/"},
		{`{§"a\nb\u0000\u007f":1}`, "any.custom-in-ext", "/a?b??"},
		{`{§"a\"b":1}`, "any.custom-in-ext", `/a"b`},
		{`{§"ü€😀":1}`, "any.custom-in-ext", "/ü€😀"},
		{"{\"a\u202eb\":1}"[:1] + "§" + "{\"a\u202eb\":1}"[1:], "any.custom-in-ext", "/a?b"},
		{`{§"` + long + `":1}`, "any.custom-in-ext", "/" + long[:64] + "..."},
		{`{§"` + long[:63] + `ü":1}`, "any.custom-in-ext", "/" + long[:63] + "?..."},
		{`{§"` + long[:64] + `":1}`, "any.custom-in-ext", "/" + long[:64]},
		{"{\"id\":\"a§\xffb\xff\"}", "any.utf8", "/id"},
		{`{"id":"a§\udc00"}`, "any.utf8", "/id"},
		{`{"id":"a§\ud800b"}`, "any.utf8", "/id"},
		{`{"id":"\ud83d\ude00§\ud800\ud83d\ude00"}`, "any.utf8", "/id"},
		{"{\"ext\":{\"a\":[\"§\xc0\x80\"]}}", "any.utf8", "/ext"},
		{"{\"ext\":{\"§\xff\":1}}", "any.utf8", "/ext"},
		{"{\"imp\":[{\"§\xff\":1}]}", "any.utf8", "/imp/0"},
		{"{\"tmax\":\"§\xff\"}", "any.utf8", "/tmax"},
	} {
		offset := strings.Index(x.doc, "§")
		doc := strings.Replace(x.doc, "§", "", 1)
		r := strict(t).Request([]byte(doc))
		i := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.ID == x.rule && f.Path == x.path && f.Offset == offset })
		if i < 0 {
			t.Errorf("%q: no %s at byte %d in %q:%s", doc, x.rule, offset, x.path, describe(r))
		}
		if acceptable([]byte(doc)) {
			checkPlaces(t, r, []byte(doc), nil)
		}
	}
}

// TestMissingPlaces has the offsets of what is missing: the innermost object around it.
func TestMissingPlaces(t *testing.T) {
	for _, x := range []struct{ doc, rule, path string }{
		{`§{}`, "BidRequest.id.required", "/id"},
		{` §{"imp":[]}`, "BidRequest.id.required", "/id"},
		{`{"imp":[{"id":"1"}, §{"banner":{}}]}`, "Imp.id.required", "/imp/1/id"},
		{`{"imp":[{"id":"1"},§{"id":"2"}]}`, "Imp.media", "/imp/1"},
		{`§{"regs":{"gdpr":1}}`, "Regs.gdpr.consent", "/user/consent"},
		{`{"user":§{},"regs":{"gdpr":1}}`, "Regs.gdpr.consent", "/user/consent"},
		{`{"dooh":{},"device":§{}}`, "DOOH.device.geo", "/device/geo/lat"},
		{`{"dooh":{},"device":{"geo": §{}}}`, "DOOH.device.geo", "/device/geo/lon"},
		{`{"dooh":{},"device":{"devicetype": §1}}`, "DOOH.device.type", "/device/devicetype"},
		{`{"imp":[{"id":"1"}],"imp":[{"id":"1"},§{}]}`, "Imp.id.required", "/imp/1/id"},
		{`{"cur":["USD","EUR",§"USD"]}`, "BidRequest.cur.unique", "/cur/2"},
		{`{"imp":§null}`, "BidRequest.imp.required", "/imp"},
		{`{"imp":[{"id":"1"},§null]}`, "Imp.id.required", "/imp/1/id"},
		{`{"source":{"schain":{"ver":"1.0","nodes":[{"hp":1},{"hp": §0}]}}}`, "SupplyChainNode.hp.v1", "/source/schain/nodes/1/hp"},
	} {
		offset := strings.Index(x.doc, "§")
		doc := []byte(strings.Replace(x.doc, "§", "", 1))
		for name, r := range map[string]Report{
			"text":  strict(t).Request(doc),
			"value": strict(t).RequestValue(mustRequest(t, doc), doc),
		} {
			i := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.ID == x.rule && f.Path == x.path && f.Offset == offset })
			if i < 0 {
				t.Errorf("%s, %s: no %s at byte %d in %q:%s", doc, name, x.rule, offset, x.path, describe(r))
			}
			checkPlaces(t, r, doc, nil)
		}
	}
}

// TestMessagesHoldNoPayload plants a mark wherever a document can hold text.
func TestMessagesHoldNoPayload(t *testing.T) {
	const mark = "cAnArY"
	var docs []string
	for _, base := range bases {
		doc := string(edited(t, clean(t, base)))
		for i := 0; i < len(doc); i++ {
			if doc[i] == '"' {
				end := i + 1 + strings.IndexByte(doc[i+1:], '"')
				docs = append(docs, doc[:i+1]+mark+doc[i+1:], doc[:i]+mark+doc[i:], doc[:i]+`"`+mark+`"`+doc[end+1:])
				i = end
			}
			if b := doc[i]; strings.IndexByte("0123456789-", b) >= 0 && strings.IndexByte(":[,", doc[i-1]) >= 0 {
				docs = append(docs, doc[:i]+`"`+mark+`"`+strings.TrimLeft(doc[i:], "0123456789-.e+"))
			}
		}
	}
	seen := map[string]bool{}
	for i, doc := range docs {
		if i%4 == 3 {
			continue // most will do
		}
		for _, c := range []*Checker{strict(t), strict(t, WithLenient(true))} {
			r := c.Request([]byte(doc))
			if strings.Contains(doc, `"seatbid`) || strings.Contains(doc, mark+"seatbid") {
				r = c.Response([]byte(doc))
			}
			for _, f := range r.Findings {
				seen[f.ID] = true
				if strings.Contains(strings.ToLower(f.Message), strings.ToLower(mark)) {
					t.Fatalf("%s says %q", f.ID, f.Message)
				}
				if key := f.ID == "any.custom-in-ext" || f.ID == "any.key-case" || f.ID == "any.duplicate-key"; !key && strings.Contains(f.Path, mark) {
					t.Fatalf("%s has the path %q", f.ID, f.Path)
				}
			}
		}
	}
	for _, id := range []string{"json.syntax", "any.custom-in-ext", "any.type", "Site.domain.format"} {
		if !seen[id] {
			t.Errorf("no document had a finding of %s", id)
		}
	}
}

// patched runs the text layer alone and returns the document it leaves for the decoder.
func patched(t *testing.T, c *Checker, doc string) string {
	t.Helper()
	c.begin([]byte(doc), nil)
	if !c.text(Request, objBidRequest) {
		t.Fatalf("%s can't be read:%s", doc, describe(c.found))
	}
	return string(c.docs[Request].decodable())
}

// TestPatched has documents with mistakes and what is left of them for the value layer.
func TestPatched(t *testing.T) {
	for _, x := range []struct{ doc, want, lenient string }{
		{`{"id":"1"}`, `{"id":"1"}`, `{"id":"1"}`},
		// Values of another type are absent, if lenient decoding does not save them.
		{`{"id":1}`, `{"id":null}`, `{"id":"1"}`},
		{`{"id":1.50e3}`, `{"id":null}`, `{"id":"1.50e3"}`},
		{`{"id":true}`, `{"id":null}`, `{"id":"true"}`},
		{`{"id":{}}`, `{"id":null}`, `{"id":null}`},
		{`{"id":[]}`, `{"id":null}`, `{"id":null}`},
		{`{"id":null}`, `{"id":null}`, `{"id":null}`},
		{`{"tmax":"120"}`, `{"tmax":null}`, `{"tmax":120}`},
		{`{"tmax":"-1"}`, `{"tmax":null}`, `{"tmax":-1}`},
		{`{"tmax":"x"}`, `{"tmax":null}`, `{"tmax":null}`},
		{`{"tmax":" 1"}`, `{"tmax":null}`, `{"tmax":null}`},
		{`{"tmax":""}`, `{"tmax":null}`, `{"tmax":null}`},
		{`{"tmax":"\u0031"}`, `{"tmax":null}`, `{"tmax":1}`},
		{`{"tmax":300.0}`, `{"tmax":null}`, `{"tmax":300}`},
		{`{"tmax":300.99}`, `{"tmax":null}`, `{"tmax":300}`},
		{`{"tmax":-0.5}`, `{"tmax":null}`, `{"tmax":0}`},
		{`{"tmax":3e2}`, `{"tmax":null}`, `{"tmax":300}`},
		{`{"tmax":"3e2"}`, `{"tmax":null}`, `{"tmax":300}`},
		{`{"tmax":12345e-2}`, `{"tmax":null}`, `{"tmax":123}`},
		{`{"tmax":9007199254740993.0}`, `{"tmax":null}`, `{"tmax":9007199254740993}`},
		{`{"tmax":9223372036854775807.9}`, `{"tmax":null}`, `{"tmax":9223372036854775807}`},
		{`{"tmax":9223372036854775808}`, `{"tmax":null}`, `{"tmax":null}`},
		{`{"tmax":1e30}`, `{"tmax":null}`, `{"tmax":null}`},
		{`{"tmax":1e999999999999}`, `{"tmax":null}`, `{"tmax":null}`},
		{`{"tmax":1e-999999999999}`, `{"tmax":null}`, `{"tmax":0}`},
		{`{"tmax":0e999999999999}`, `{"tmax":null}`, `{"tmax":0}`},
		{`{"tmax":true}`, `{"tmax":null}`, `{"tmax":1}`},
		{`{"tmax":false}`, `{"tmax":null}`, `{"tmax":0}`},
		{`{"tmax":"true"}`, `{"tmax":null}`, `{"tmax":null}`},
		{`{"imp":[{"bidfloor":"1.5"}]}`, `{"imp":[{"bidfloor":null}]}`, `{"imp":[{"bidfloor":1.5}]}`},
		{`{"imp":[{"bidfloor":"1e999"}]}`, `{"imp":[{"bidfloor":null}]}`, `{"imp":[{"bidfloor":null}]}`},
		{`{"imp":[{"bidfloor":1e999}]}`, `{"imp":[{"bidfloor":null}]}`, `{"imp":[{"bidfloor":null}]}`},
		{`{"imp":[{"bidfloor":true}]}`, `{"imp":[{"bidfloor":null}]}`, `{"imp":[{"bidfloor":null}]}`},
		{`{"site":"x"}`, `{"site":null}`, `{"site":null}`},
		{`{"imp":[{"native":{"request":{"a":1}}}]}`, `{"imp":[{"native":{"request":null}}]}`, `{"imp":[{"native":{"request":null}}]}`},
		{`{"imp":[{"native":{"request":7}}]}`, `{"imp":[{"native":{"request":null}}]}`, `{"imp":[{"native":{"request":"7"}}]}`},
		// One value instead of an array.
		{`{"cur":"USD"}`, `{"cur":null}`, `{"cur":["USD"]}`},
		{`{"cur":840}`, `{"cur":null}`, `{"cur":["840"]}`},
		{`{"cur":{}}`, `{"cur":null}`, `{"cur":[null]}`},
		{`{"imp":{"id":"1"}}`, `{"imp":null}`, `{"imp":[{"id":"1"}]}`},
		{`{"imp":{"id":1,"metric":{"value":"2"}}}`, `{"imp":null}`, `{"imp":[{"id":"1","metric":[{"value":2}]}]}`},
		{`{"regs":{"gpp_sid":"2"}}`, `{"regs":{"gpp_sid":null}}`, `{"regs":{"gpp_sid":[2]}}`},
		{`{"cur":["USD",1,null,{}]}`, `{"cur":["USD",null,null,null]}`, `{"cur":["USD","1",null,null]}`},
		// Of a key that comes twice the last value counts, whole.
		{`{"id":"1","id":"2"}`, `{"id":null,"id":"2"}`, `{"id":null,"id":"2"}`},
		{`{"id":"1","id":"2","id":"3"}`, `{"id":null,"id":null,"id":"3"}`, `{"id":null,"id":null,"id":"3"}`},
		{`{"site":{"id":"1","name":"x"},"site":{"id":"2"}}`, `{"site":null,"site":{"id":"2"}}`, `{"site":null,"site":{"id":"2"}}`},
		{`{"site":{"id":"1"},"site":null}`, `{"site":null,"site":null}`, `{"site":null,"site":null}`},
		{`{"id":1,"id":"2"}`, `{"id":null,"id":"2"}`, `{"id":null,"id":"2"}`},
		{`{"id":"2","id":1}`, `{"id":null,"id":null}`, `{"id":null,"id":"1"}`},
		{`{"cur":"USD","cur":["EUR"]}`, `{"cur":null,"cur":["EUR"]}`, `{"cur":null,"cur":["EUR"]}`},
		{`{"cur":5,"cur":5}`, `{"cur":null,"cur":null}`, `{"cur":null,"cur":["5"]}`},
		{`{"imp":[{"id":1,"tagid":"\ud800"}],"imp":[{"id":2}]}`, `{"imp":null,"imp":[{"id":null}]}`, `{"imp":null,"imp":[{"id":"2"}]}`},
		{`{"imp":{"id":1},"imp":{"id":2}}`, `{"imp":null,"imp":null}`, `{"imp":null,"imp":[{"id":"2"}]}`},
		// Text that is no Unicode.
		{"{\"id\":\"a\xffb\"}", `{"id":"a�b"}`, `{"id":"a�b"}`},
		{`{"id":"a\ud800b"}`, `{"id":"a�b"}`, `{"id":"a�b"}`},
		{"{\"tmax\":\"1\xff\"}", `{"tmax":null}`, `{"tmax":null}`},
		{"{\"cur\":\"US\xff\"}", `{"cur":null}`, `{"cur":["US�"]}`},
		{"{\"site\":[\"\xff\"]}", `{"site":null}`, `{"site":null}`},
		{"{\"ext\":{\"a\xff\":[\"\xff\"]}}", `{"ext":{"a�":["�"]}}`, `{"ext":{"a�":["�"]}}`},
		{"{\"ext\":\"\xff\"}", `{"ext":"�"}`, `{"ext":"�"}`},
		{"{\"vendor\xff\":1}", `{"vendor�":1}`, `{"vendor�":1}`},
		// Keys that only some decoders take for the specification's.
		{`{"ID":"1"}`, `{"":"1"}`, `{"":"1"}`},
		{`{"id":"1","ID":{}}`, `{"id":"1","":{}}`, `{"id":"1","":{}}`},
		{`{"Imp":[{"Id":1,"id":2}]}`, `{"":[{"Id":1,"id":2}]}`, `{"":[{"Id":1,"id":2}]}`},
		{`{"user":{"uſer":1,"\u212aeywords":2}}`, `{"user":{"uſer":1,"":2}}`, `{"user":{"uſer":1,"":2}}`},
		{`{"uſer":{}}`, `{"":{}}`, `{"":{}}`},
	} {
		for name, c := range map[string]*Checker{"default": strict(t), "lenient": strict(t, WithLenient(true))} {
			want := x.want
			if name == "lenient" {
				want = x.lenient
			}
			if strconv.IntSize == 32 && len(x.lenient) > len(`{"tmax":9000000000}`) && strings.HasPrefix(x.doc, `{"tmax":9`) {
				continue // too large for this build's int
			}
			got := patched(t, c, x.doc)
			if got != want {
				t.Errorf("%q, %s:\n got %s\nwant %s", x.doc, name, got, want)
				continue
			}
			if _, err := openrtb.Parse([]byte(got)); err != nil {
				t.Errorf("%q, %s: %s: %v", x.doc, name, got, err)
			}
			r := c.Request([]byte(x.doc))
			if has(r, "json.syntax") || has(r, "json.limit") {
				t.Errorf("%q, %s:%s", x.doc, name, describe(r))
			}
		}
	}
}

// TestLenientAgainstDecoder compares with rtbwire's lenient decoder: it accepts what has no
// error of this layer, and decodes what this layer leaves.
func TestLenientAgainstDecoder(t *testing.T) {
	c := strict(t, WithLenient(true))
	compareDecoders(t, c, openrtb.NewDecoder(wire.Lenient()))
}

// TestDefaultAgainstDecoder does the same for the default.
func TestDefaultAgainstDecoder(t *testing.T) {
	compareDecoders(t, strict(t), openrtb.NewDecoder())
}

// undecodableText are the rules whose errors mean that the decoder refuses the document.
func undecodableText(r Report) bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool {
		return f.Severity == Error && (strings.HasPrefix(f.ID, "json.") || f.ID == "any.type" || f.ID == "any.integer" || f.ID == "any.utf8" || f.ID == "any.object" || f.ID == "Native.request.string")
	})
}

func compareDecoders(t *testing.T, c *Checker, d *openrtb.Decoder) {
	t.Helper()
	values := []string{
		`1`, `-1`, `0`, `-0`, `1.0`, `1.5`, `-0.5`, `1e2`, `1e-2`, `9223372036854775807`, `9223372036854775808`, `-9223372036854775809`, `1e400`, `1e19`, `9e18`,
		`"1"`, `"1.5"`, `"1e2"`, `"x"`, `""`, `" 1"`, `"true"`, `"1e400"`, `"01"`, `"+1"`, `"-0"`, `"\u0031"`,
		`true`, `false`, `null`, `{}`, `[]`, `[1]`, `["1"]`, `["x"]`, `[null]`, `[{}]`, `[true,"x",1.5]`, `{"id":1}`, `[[1]]`, `"\ud800"`, "\"\xff\"", `["\ud800"]`, `{"id":"\udc00"}`,
	}
	var docs [][]byte
	for _, base := range []string{"app", "dooh"} {
		doc := edited(t, clean(t, base))
		p := placesOf(t, doc)
		for _, pointer := range slices.Sorted(maps.Keys(p.values)) {
			start := p.values[pointer]
			if pointer == "" {
				continue
			}
			s := scanner(doc)
			s.Pos = start
			s.Skip(nil)
			for _, v := range values {
				docs = append(docs, slices.Concat(doc[:start], []byte(v), doc[s.Pos:]))
			}
		}
	}
	agreed := 0
	for _, doc := range docs {
		r := c.Request(doc)
		want, err := d.Decode(doc)
		if (err != nil) != undecodableText(r) {
			near := ""
			if e := (*wire.Error)(nil); errors.As(err, &e) {
				near = string(doc[e.Offset:min(len(doc), e.Offset+30)])
			} else if len(r.Findings) > 0 {
				near = string(doc[r.Findings[0].Offset:min(len(doc), r.Findings[0].Offset+30)])
			}
			t.Fatalf("the decoder says %v near %s:%s\n%s", err, near, describe(r), doc)
		}
		if err != nil || slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.ID == "any.utf8" && strings.HasSuffix(f.Path, "/ext") }) {
			continue // in ext the decoder keeps the bytes, also those that are no Unicode
		}
		got, err := openrtb.Parse([]byte(patched(t, c, string(doc))))
		if err != nil {
			t.Fatalf("%v in %s", err, doc)
		}
		if !reflect.DeepEqual(got, want.Clone()) {
			a, _ := json.Marshal(got)
			b, _ := json.Marshal(want)
			i := 0
			for i < min(len(a), len(b)) && a[i] == b[i] {
				i++
			}
			t.Fatalf("the decoder reads something else: %s, want %s, in %s", b[max(0, i-60):min(len(b), i+40)], a[max(0, i-60):min(len(a), i+40)], doc)
		}
		agreed++
	}
	t.Logf("%d documents, %d of them decodable", len(docs), agreed)
}

// TestTooLong checks the limit of the length, with a low one.
func TestTooLong(t *testing.T) {
	defer func(n int) { textMax = n }(textMax)
	textMax = 100
	c := strict(t)
	data := []byte(`{"id":"` + strings.Repeat("x", 92) + `"}`)
	for name, r := range map[string]Report{"request": c.Request(data), "response": c.Response(data), "pair": c.Pair([]byte(`{}`), data)} {
		if got := ids(r); !slices.Equal(got, []string{"json.limit"}) || r.Valid() || r.Findings[0].Offset != textMax {
			t.Errorf("%s:%s", name, describe(r))
		}
	}
	if r := c.Request(data[1:]); has(r, "json.limit") {
		t.Error("a document of the greatest length is refused")
	}
}
