package coder

import (
	"errors"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/oracle"
	"github.com/rtbwire/rtbwire/wire"
)

// These tests are about refusals: codes, offsets and paths, which programs compare.

// mark is before the place in a text that a refusal points to.
const mark = "‸"

// refusalCases are documents with the place, the path and the code of their refusal.
var refusalCases = []struct {
	name caseName
	in   string
	path string
	code wire.Code
}{
	{name("nothing"), "‸", "", wire.CodeEmpty},
	{name("white space"), " \n\t‸", "", wire.CodeEmpty},
	{name("no object"), " ‸[1]", "", wire.CodeType},
	{name("no key"), "{‸x}", "", wire.CodeSyntax},
	{name("no colon"), `{"v"‸"x"}`, "", wire.CodeSyntax},
	{name("no value"), `{"v":‸}`, "/v", wire.CodeSyntax},
	{name("no comma"), `{"v":"" ‸"w":1}`, "", wire.CodeSyntax},
	{name("a comma too many"), `{"v":"",‸}`, "", wire.CodeSyntax},
	{name("cut"), `{"v":"‸`, "/v", wire.CodeTruncated},
	{name("cut, with a brace"), `{"v":"}‸`, "/v", wire.CodeTruncated},
	{name("cut in an inner object"), `{"x":{"a":{}}‸`, "", wire.CodeTruncated},
	{name("text after the document"), `{"v":""} ‸{}`, "", wire.CodeTrailing},
	{name("a byte order mark"), "‸\xef\xbb\xbf{}", "", wire.CodeBOM},
	{name("a control character"), "{\"v\":\"a‸\x01\"}", "/v", wire.CodeControl},
	{name("no such escape"), `{"v":"\‸x"}`, "/v", wire.CodeEscape},
	{name("no hex digit"), `{"v":"\u00‸g0"}`, "/v", wire.CodeEscape},
	{name("not UTF-8"), "{\"v\":\"a‸\xff\"}", "/v", wire.CodeUTF8},
	{name("half a pair"), `{"v":"a‸\ud800"}`, "/v", wire.CodeSurrogate},
	{name("a leading zero"), `{"x":[0,0‸1]}`, "/x/1", wire.CodeNumber},
	{name("the wrong type"), `{"v":‸1}`, "/v", wire.CodeType},
	{name("an unknown value"), `{"x":‸'1'}`, "/x", wire.CodeSyntax},
	{name("the value of an unknown member of a member"), `{"x":{"y":[{},{"z":‸?}]}}`, "/x/y/1/z", wire.CodeSyntax},

	// RFC 6901.
	{name("a slash in a key"), `{"a/b":‸?}`, "/a~1b", wire.CodeSyntax},
	{name("a tilde in a key"), `{"a~b":‸?}`, "/a~0b", wire.CodeSyntax},
	{name("a key that looks escaped"), `{"~1~0~01":‸?}`, "/~01~00~001", wire.CodeSyntax},
	{name("an empty key"), `{"":‸?}`, "/", wire.CodeSyntax},
	{name("empty keys"), `{"":{"":‸?}}`, "//", wire.CodeSyntax},
	{name("a key of digits"), `{"0":[‸?]}`, "/0/0", wire.CodeSyntax},
	{name("a key with escapes"), `{"\u002f\u007E\"\\":‸?}`, "/~1~0\"\\", wire.CodeSyntax},
	{name("a key that is not ASCII"), `{"é😀\ud83d\ude00":‸?}`, "/é😀😀", wire.CodeSyntax},
	{name("a later element"), `{"x":[[],{},"",‸?]}`, "/x/3", wire.CodeSyntax},
	{name("after an element"), `{"x":[1 ‸2]}`, "/x", wire.CodeSyntax},
	{name("a path at its limit"), `{"` + strings.Repeat("k", wire.PathMax-1) + `":‸?}`, "/" + strings.Repeat("k", wire.PathMax-1), wire.CodeSyntax},
	{name("a path above its limit"), `{"` + strings.Repeat("k", wire.PathMax) + `":‸?}`, "/" + strings.Repeat("k", wire.PathMax-5) + "/...", wire.CodeSyntax},
	{name("a cut within a character"), `{"` + strings.Repeat("é", wire.PathMax) + `":‸?}`, "/" + strings.Repeat("é", (wire.PathMax-5)/2) + "/...", wire.CodeSyntax},
	{name("a cut within an escape"), `{"x` + strings.Repeat("~", wire.PathMax) + `":‸?}`, "/x" + strings.Repeat("~0", (wire.PathMax-6)/2) + "/...", wire.CodeSyntax},
}

// TestRefusals decodes refusalCases, and compares with the oracle as well.
func TestRefusals(t *testing.T) {
	var r Reader
	for _, c := range refusalCases {
		before, after, _ := strings.Cut(c.in, mark)
		_, err := decodeHolder(&r, []byte(before+after), scalar((*Reader).AnyString))
		var e *wire.Error
		if !errors.As(err, &e) || e.Code != c.code || e.Offset != len(before) || e.Path != c.path {
			t.Errorf("%v: %v, want %v at %d in %q", c.name, err, c.code, len(before), c.path)
		}
		against(t, readers(), []byte(before+after), scalar((*Reader).AnyString))
	}
}

// TestMessagesDoNotEcho: neither the message nor the path has text from a value.
func TestMessagesDoNotEcho(t *testing.T) {
	var r Reader
	for _, value := range []string{`"secret\x"`, `{"a":"secret",}`, `secret`, `["secret",]`, "\"secret\xff\"", `"secret`} {
		_, err := decodeHolder(&r, []byte(`{"v":`+value+`}`), scalar((*Reader).AnyString))
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", value, err)
		}
	}
}

// brokenValues are texts in the position of a value that are not JSON.
var brokenValues = []string{
	"-", "--1", "-a", "-.5", "01", "1.", "1e", "t", "tr", "tru", "trux", "trueish", "f", "fals", "falsy", "n", "nul", "nulx", "nan", "NaN", "Infinity", "+1", ".5",
	"'a'", "a", "}", "]", ",", ":", "", "/", "\\", "\x00", "\x1f", "(", "[", "{", "[}", "{]", "[1,]", `{"a"}`, `{"a":}`, `"`, `"\x"`, `"\ud800"`, "\"\x01\"",
}

// TestBrokenValues compares the code of a broken value with the oracle, in a field of each type.
func TestBrokenValues(t *testing.T) {
	rs := readers()
	for _, value := range brokenValues {
		for _, end := range []string{"}", ",}", " }", "]}", "}}", `,"v":null}`} {
			doc := []byte(`{"v":` + value + end)
			against(t, rs, doc, scalar((*Reader).AnyString))
			against(t, rs, doc, scalar(plainInt))
			against(t, rs, doc, scalar(Integer[uint8]))
			against(t, rs, doc, scalar((*Reader).Float))
			against(t, rs, doc, scalar((*Reader).Bool))
			against(t, rs, doc, rawMessage)
			against(t, rs, doc, func(r *Reader, p, depth int) ([]int, int) { return r.Ints(new(Slab[int]), p, depth) })
		}
	}
}

// TestFirstRefusalCounts: a second refusal does not replace the first.
func TestFirstRefusalCounts(t *testing.T) {
	var r Reader
	if r.Begin([]byte(`{"v":1}`)) == 0 {
		t.Fatal("refused")
	}
	if r.Refuse(wire.CodeType, 5) != 0 || r.Refuse(wire.CodeSyntax, 1) != 0 {
		t.Error("Refuse does not return 0")
	}
	var e *wire.Error
	if err := r.End(0); !errors.As(err, &e) || e.Code != wire.CodeType || e.Offset != 5 || e.Path != "/v" {
		t.Errorf("%v", err)
	}
	if r.Begin([]byte(`{}`)) == 0 || r.End(2) != nil {
		t.Error("the next document has the refusal of the last one")
	}
}

// TestSizePath: text beyond the limit on size is not read, not even for the path.
func TestSizePath(t *testing.T) {
	doc := []byte(`{"x":{"y":["a","b","c"]}}`)
	for size := 1; size <= len(doc)+1; size++ {
		for i, m := range modes {
			againstMode(t, readers(wire.MaxSize(size))[i], m.mode, doc, oracle.Options{Size: size}, scalar((*Reader).AnyString))
		}
	}
}
