package wire

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/twin"
)

// This file is about refusals: codes, offsets and paths, which programs compare.

// stableCodes are the numbers and names of all codes. They are written into logs and databases: what is here may get
// longer at its end, and nothing else.
var stableCodes = []string{
	1: "empty", 2: "syntax", 3: "truncated", 4: "trailing", 5: "bom", 6: "control", 7: "escape", 8: "utf8", 9: "surrogate",
	10: "number", 11: "type", 12: "integer", 13: "range", 14: "duplicate", 15: "depth", 16: "size", 17: "elements", 18: "memory",
	19: "finite", 20: "path", 21: "conflict",
}

func TestCodesAreStable(t *testing.T) {
	if int(codeCount) != len(stableCodes) {
		t.Errorf("there are %d codes, %d are known here", codeCount-1, len(stableCodes)-1)
	}
	for i, want := range stableCodes[1:] {
		c := Code(i + 1)
		if c.String() != want {
			t.Errorf("code %d is %q, want %q", i+1, c.String(), want)
		}
		if !strings.HasPrefix(c.Error(), "wire: ") || codeText[c].message == "" {
			t.Errorf("code %s has the message %q", want, c.Error())
		}
	}
	for _, c := range []Code{0, codeCount, 255} {
		if want := fmt.Sprintf("Code(%d)", c); c.String() != want || c.Error() != "wire: "+want {
			t.Errorf("code %d is %q, %q", uint8(c), c.String(), c.Error())
		}
	}
}

// TestCodesAreDocumented holds docs/errors.md against the codes: each has its line, in order, and there is no other.
func TestCodesAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../docs/errors.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("error.go")
	if err != nil {
		t.Fatal(err)
	}
	lines := regexp.MustCompile("(?m)^\\| `([a-z0-9]+)` \\| `(Code[A-Za-z0-9]+)` \\|").FindAllStringSubmatch(string(text), -1)
	if len(lines) != int(codeCount)-1 {
		t.Errorf("docs/errors.md has %d codes, want %d", len(lines), codeCount-1)
	}
	constants := regexp.MustCompile(`(?m)^\t(Code[A-Za-z0-9]+)( Code = iota)?$`).FindAllStringSubmatch(string(source), -1)
	for i, line := range lines {
		if c := Code(i + 1); c.String() != line[1] {
			t.Errorf("line %d of docs/errors.md is about %s, want %s", i+1, line[1], c)
		}
		if i < len(constants) && constants[i][1] != line[2] {
			t.Errorf("docs/errors.md calls the constant of %s %s, error.go %s", line[1], line[2], constants[i][1])
		}
	}
	if len(constants) != len(lines) {
		t.Errorf("error.go has %d constants, docs/errors.md %d", len(constants), len(lines))
	}
}

func TestErrorIs(t *testing.T) {
	var err error = &Error{Code: CodeType, Offset: 7, Path: "/imp/0"}
	wrapped := fmt.Errorf("while reading: %w", err)
	if !errors.Is(wrapped, CodeType) || errors.Is(wrapped, CodeSyntax) || errors.Is(wrapped, os.ErrNotExist) {
		t.Error("errors.Is does not go by the code")
	}
	var e *Error
	if !errors.As(wrapped, &e) || e.ByteOffset() != 7 {
		t.Error("errors.As does not find the offset")
	}
	if want := `wire: a value of another type is expected at byte 7 in "/imp/0"`; err.Error() != want {
		t.Errorf("the message is %s, want %s", err, want)
	}
	if want := `wire: the document is empty at byte 0 in "the document"`; (&Error{Code: CodeEmpty}).Error() != want {
		t.Errorf("the message is %s, want %s", &Error{Code: CodeEmpty}, want)
	}
}

// mark stands in texts where a refusal points to.
const mark = "‸"

var refusalCases = []struct {
	name caseName
	in   string
	path string
	code Code
}{
	{name("nothing"), "‸", "", CodeEmpty},
	{name("white space"), " \n\t‸", "", CodeEmpty},
	{name("no object"), " ‸[1]", "", CodeType},
	{name("no key"), "{‸x}", "", CodeSyntax},
	{name("no colon"), `{"v"‸"x"}`, "", CodeSyntax},
	{name("no value"), `{"v":‸}`, "/v", CodeSyntax},
	{name("no comma"), `{"v":"" ‸"w":1}`, "", CodeSyntax},
	{name("a comma too many"), `{"v":"",‸}`, "", CodeSyntax},
	{name("cut"), `{"v":"‸`, "/v", CodeTruncated},
	{name("cut, with a brace"), `{"v":"}‸`, "/v", CodeTruncated},
	{name("cut in an inner object"), `{"x":{"a":{}}‸`, "", CodeTruncated},
	{name("something behind"), `{"v":""} ‸{}`, "", CodeTrailing},
	{name("a byte order mark"), "‸\xef\xbb\xbf{}", "", CodeBOM},
	{name("a control character"), "{\"v\":\"a‸\x01\"}", "/v", CodeControl},
	{name("no such escape"), `{"v":"\‸x"}`, "/v", CodeEscape},
	{name("no hex digit"), `{"v":"\u00‸g0"}`, "/v", CodeEscape},
	{name("not UTF-8"), "{\"v\":\"a‸\xff\"}", "/v", CodeUTF8},
	{name("half a pair"), `{"v":"a‸\ud800"}`, "/v", CodeSurrogate},
	{name("a leading zero"), `{"x":[0,0‸1]}`, "/x/1", CodeNumber},
	{name("the wrong type"), `{"v":‸1}`, "/v", CodeType},
	{name("an unknown value"), `{"x":‸'1'}`, "/x", CodeSyntax},
	{name("the value of an unknown member of a member"), `{"x":{"y":[{},{"z":‸?}]}}`, "/x/y/1/z", CodeSyntax},

	// RFC 6901.
	{name("a slash in a key"), `{"a/b":‸?}`, "/a~1b", CodeSyntax},
	{name("a tilde in a key"), `{"a~b":‸?}`, "/a~0b", CodeSyntax},
	{name("what looks escaped already"), `{"~1~0~01":‸?}`, "/~01~00~001", CodeSyntax},
	{name("an empty key"), `{"":‸?}`, "/", CodeSyntax},
	{name("empty keys"), `{"":{"":‸?}}`, "//", CodeSyntax},
	{name("a key of digits"), `{"0":[‸?]}`, "/0/0", CodeSyntax},
	{name("a key with escapes"), `{"\u002f\u007E\"\\":‸?}`, "/~1~0\"\\", CodeSyntax},
	{name("a key that is no ASCII"), `{"é😀\ud83d\ude00":‸?}`, "/é😀😀", CodeSyntax},
	{name("an element that is not the first"), `{"x":[[],{},"",‸?]}`, "/x/3", CodeSyntax},
	{name("behind an element"), `{"x":[1 ‸2]}`, "/x", CodeSyntax},
	{name("a path at its limit"), `{"` + strings.Repeat("k", PathMax-1) + `":‸?}`, "/" + strings.Repeat("k", PathMax-1), CodeSyntax},
	{name("a path above its limit"), `{"` + strings.Repeat("k", PathMax) + `":‸?}`, "/" + strings.Repeat("k", PathMax-5) + "/...", CodeSyntax},
	{name("a cut inside of a character"), `{"` + strings.Repeat("é", PathMax) + `":‸?}`, "/" + strings.Repeat("é", (PathMax-5)/2) + "/...", CodeSyntax},
	{name("a cut inside of an escape"), `{"x` + strings.Repeat("~", PathMax) + `":‸?}`, "/x" + strings.Repeat("~0", (PathMax-6)/2) + "/...", CodeSyntax},
}

func TestRefusals(t *testing.T) {
	var r Reader
	for _, c := range refusalCases {
		before, after, _ := strings.Cut(c.in, mark)
		_, err := decodeHolder(&r, []byte(before+after), scalar((*Reader).AnyString))
		var e *Error
		if !errors.As(err, &e) || *e != (Error{Code: c.code, Offset: len(before), Path: c.path}) {
			t.Errorf("%v: %v, want %s at %d in %q", c.name, err, c.code.String(), len(before), c.path)
		}
		against(t, readers(), []byte(before+after), scalar((*Reader).AnyString))
	}
}

// TestMessagesDoNotEcho: neither the message nor the path holds what stands in a value.
func TestMessagesDoNotEcho(t *testing.T) {
	var r Reader
	for _, value := range []string{`"secret\x"`, `{"a":"secret",}`, `secret`, `["secret",]`, "\"secret\xff\"", `"secret`} {
		_, err := decodeHolder(&r, []byte(`{"v":`+value+`}`), scalar((*Reader).AnyString))
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", value, err)
		}
	}
}

// brokenValues are texts that stand where a value belongs, and are none.
var brokenValues = []string{
	"-", "--1", "-a", "-.5", "01", "1.", "1e", "t", "tr", "tru", "trux", "trueish", "f", "fals", "falsy", "n", "nul", "nulx", "nan", "NaN", "Infinity", "+1", ".5",
	"'a'", "a", "}", "]", ",", ":", "", "/", "\\", "\x00", "\x1f", "(", "[", "{", "[}", "{]", "[1,]", `{"a"}`, `{"a":}`, `"`, `"\x"`, `"\ud800"`, "\"\x01\"",
}

// TestBrokenValues holds the code of a broken value against the twin, in a field of each type.
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

// TestFirstRefusalCounts: what is noted after a refusal does not change it.
func TestFirstRefusalCounts(t *testing.T) {
	var r Reader
	if r.Begin([]byte(`{"v":1}`)) == 0 {
		t.Fatal("refused")
	}
	if r.Refuse(CodeType, 5) != 0 || r.Refuse(CodeSyntax, 1) != 0 {
		t.Error("Refuse returns something else than 0")
	}
	var e *Error
	if err := r.End(0); !errors.As(err, &e) || *e != (Error{Code: CodeType, Offset: 5, Path: "/v"}) {
		t.Errorf("%v", err)
	}
	if r.Begin([]byte(`{}`)) == 0 || r.End(2) != nil {
		t.Error("the next document has the refusal of the last one")
	}
}

// TestSizePath: what is beyond the limit on the size is not even read for the path.
func TestSizePath(t *testing.T) {
	doc := []byte(`{"x":{"y":["a","b","c"]}}`)
	for size := 1; size <= len(doc)+1; size++ {
		for i, m := range modes {
			againstMode(t, readers(MaxSize(size))[i], m.mode, doc, twin.Options{Size: size}, scalar((*Reader).AnyString))
		}
	}
}
