package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// stableCodes are the numbers and names of all codes. Programs store them in logs and databases, so
// the list may only grow at its end.
var stableCodes = []string{
	1: "empty", 2: "syntax", 3: "truncated", 4: "trailing", 5: "bom", 6: "control", 7: "escape", 8: "utf8", 9: "surrogate",
	10: "number", 11: "type", 12: "integer", 13: "range", 14: "duplicate", 15: "depth", 16: "size", 17: "elements", 18: "memory",
	19: "finite", 20: "path", 21: "conflict",
}

// TestCodesAreStable compares the codes with stableCodes.
func TestCodesAreStable(t *testing.T) {
	if int(codeCount) != len(stableCodes) {
		t.Errorf("wire has %d codes, this test %d", codeCount-1, len(stableCodes)-1)
	}
	for i, want := range stableCodes[1:] {
		c := Code(i + 1)
		if c.String() != want {
			t.Errorf("code %d is %q, want %q", i+1, c.String(), want)
		}
		if c.Error() != want || codeText[c].message == "" {
			t.Errorf("code %s is the error %q, its message is %q", want, c.Error(), codeText[c].message)
		}
	}
	for _, c := range []Code{0, codeCount, 255} {
		if want := fmt.Sprintf("Code(%d)", c); c.String() != want || c.Error() != want {
			t.Errorf("code %d is %q, %q", uint8(c), c.String(), c.Error())
		}
	}
}

// TestCodesAreDocumented checks that docs/reference/errors.md has one line for each code, in order.
func TestCodesAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../docs/reference/errors.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("error.go")
	if err != nil {
		t.Fatal(err)
	}
	lines := regexp.MustCompile("(?m)^\\| `([a-z0-9]+)` \\| `(Code[A-Za-z0-9]+)` \\|").FindAllStringSubmatch(string(text), -1)
	if len(lines) != int(codeCount)-1 {
		t.Errorf("docs/reference/errors.md has %d codes, want %d", len(lines), codeCount-1)
	}
	constants := regexp.MustCompile(`(?m)^\t(Code[A-Za-z0-9]+)( Code = iota)?$`).FindAllStringSubmatch(string(source), -1)
	for i, line := range lines {
		if c := Code(i + 1); c.String() != line[1] {
			t.Errorf("line %d of docs/reference/errors.md is about %s, want %s", i+1, line[1], c)
		}
		if i < len(constants) && constants[i][1] != line[2] {
			t.Errorf("docs/reference/errors.md calls the constant of %s %s, error.go %s", line[1], line[2], constants[i][1])
		}
	}
	if len(constants) != len(lines) {
		t.Errorf("error.go has %d constants, docs/reference/errors.md %d", len(constants), len(lines))
	}
}

// TestErrorIs checks errors.Is and errors.As.
func TestErrorIs(t *testing.T) {
	var err error = &Error{Code: CodeType, Offset: 7, Path: "/imp/0"}
	wrapped := fmt.Errorf("while reading: %w", err)
	if !errors.Is(wrapped, CodeType) || errors.Is(wrapped, CodeSyntax) || errors.Is(wrapped, os.ErrNotExist) {
		t.Error("errors.Is does not compare the code")
	}
	var e *Error
	if !errors.As(wrapped, &e) || e.ByteOffset() != 7 {
		t.Error("errors.As does not find the offset")
	}
}

// TestErrorText checks the form of the message: the place, then what is known of the reason.
func TestErrorText(t *testing.T) {
	for want, e := range map[string]Error{
		`empty document`:                                    {Code: CodeEmpty, Offset: 3},
		`/a (byte 0): empty value`:                          {Code: CodeEmpty, Path: "/a"},
		`document (byte 0): expected object, found array`:   {Code: CodeType, Expected: "object", Found: "array"},
		`/a: wrong type`:                                    {Code: CodeType, Offset: -1, Path: "/a"},
		`/a: expected object`:                               {Code: CodeType, Offset: -1, Path: "/a", Expected: "object"},
		`/a (byte 7): unexpected end of document`:           {Code: CodeTruncated, Offset: 7, Path: "/a", Found: "end of document"},
		`/a (byte 7): number does not fit (want int8)`:      {Code: CodeRange, Offset: 7, Path: "/a", Expected: "int8"},
		`/a (byte 7): number does not fit (found string)`:   {Code: CodeRange, Offset: 7, Path: "/a", Found: "string"},
		`/a (byte 7): path leads through a string`:          {Code: CodePath, Offset: 7, Path: "/a", Found: "string"},
		`/a: path can't be followed (want JSON Pointer)`:    {Code: CodePath, Offset: -1, Path: "/a", Expected: "JSON Pointer"},
		`document: Code(0)`:                                 {Offset: -1},
		`document: Code(99)`:                                {Code: 99, Offset: -1},
		`"/a\nb" (byte 7): duplicate key`:                   {Code: CodeDuplicate, Offset: 7, Path: "/a\nb"},
		`"/a (byte 1): wrong type" (byte 7): duplicate key`: {Code: CodeDuplicate, Offset: 7, Path: "/a (byte 1): wrong type"},
		`"/\"\xff" (byte 7): duplicate key`:                 {Code: CodeDuplicate, Offset: 7, Path: "/\"\xff"},
		`/é😀 (byte 7): duplicate key`:                       {Code: CodeDuplicate, Offset: 7, Path: "/é😀"},
	} {
		if got := e.Error(); got != want {
			t.Errorf("%+v: %s, want %s", e, got, want)
		}
	}
}

// TestCodeIsAWord: whatever prints, logs or writes a code uses its word.
func TestCodeIsAWord(t *testing.T) {
	e := &Error{Code: CodeType, Offset: 7, Path: "/a", Expected: "integer", Found: "string"}
	saved := Saved{Code: CodeType, Offset: 7, Path: "/a"}
	const place = `"code":"type","offset":7,"path":"/a"`
	if got := fmt.Sprint(e.Code, saved) + fmt.Sprintf(" %s %q %+v", e.Code, e.Code, saved); got != `type {type 7 /a} type "type" {Code:type Offset:7 Path:/a}` {
		t.Errorf("package fmt prints %s", got)
	}
	for want, v := range map[string]any{
		`"type"`:          e.Code,
		`{` + place + `}`: saved,
		`{"":2,"type":1}`: map[Code]int{CodeType: 1, 0: 2},
		`{` + place + `,"expected":"integer","found":"string"}`: e,
		`{"code":"empty","offset":0,"path":""}`:                 &Error{Code: CodeEmpty},
	} {
		text, err := json.Marshal(v)
		back := reflect.New(reflect.TypeOf(v))
		if err != nil || string(text) != want || json.Unmarshal(text, back.Interface()) != nil || !reflect.DeepEqual(back.Elem().Interface(), v) {
			t.Errorf("%v is %s in JSON, %v, want %s; read again it is %v", v, text, err, want, back.Elem())
		}
	}
	for want, v := range map[string]any{
		`"type"`:            e.Code,
		`{` + place + `}`:   saved,
		`[{` + place + `}]`: []Saved{saved},
		`{` + place + `,"expected":"integer","found":"string"}`: e,
		`{"code":"duplicate","offset":7,"path":"/a"}`:           &Error{Code: CodeDuplicate, Offset: 7, Path: "/a"},
		`"read: /a (byte 7): expected integer, found string"`:   fmt.Errorf("read: %w", e),
	} {
		var b strings.Builder
		slog.New(slog.NewJSONHandler(&b, nil)).Info("refused", "x", v)
		if !strings.HasSuffix(b.String(), `"x":`+want+"}\n") {
			t.Errorf("slog logs %v as %s, want %s", v, b.String(), want)
		}
	}
	var b strings.Builder
	slog.New(slog.NewTextHandler(&b, nil)).Info("refused", "code", e.Code, "err", e)
	if want := "code=type err.code=type err.offset=7 err.path=/a err.expected=integer err.found=string\n"; !strings.HasSuffix(b.String(), want) {
		t.Errorf("slog logs %s, want %s", b.String(), want)
	}
}

// TestCodeText: words become codes again, and nothing else does.
func TestCodeText(t *testing.T) {
	for c := range codeCount {
		text, err := c.MarshalText()
		back := CodeType
		if err != nil || back.UnmarshalText(text) != nil || back != c {
			t.Errorf("%v: %q, %v, read as %v", c, text, err, back)
		}
	}
	for _, c := range []Code{codeCount, 255} {
		if text, err := c.MarshalText(); err == nil {
			t.Errorf("code %d is marshaled as %q", uint8(c), text)
		}
	}
	for _, text := range []string{"Type", "type ", "11", "Code(0)", strings.Repeat("x", 1000)} {
		c := CodeType
		if err := c.UnmarshalText([]byte(text)); err == nil || c != CodeType || len(err.Error()) > 100 {
			t.Errorf("%.20s is read as %v, %v", text, c, err)
		}
	}
}

// TestLogNil: a nil error in a log does not panic.
func TestLogNil(t *testing.T) {
	if got := (*Error)(nil).LogValue().String(); got != "<nil>" {
		t.Error(got)
	}
}
