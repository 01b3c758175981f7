package wire

import (
	"errors"
	"fmt"
	"os"
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

// TestCodesAreDocumented checks that docs/errors.md has one line for each code, in order.
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

// TestErrorIs checks errors.Is, errors.As and the message.
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
	if want := `wire: a value of another type is expected at byte 7 in "/imp/0"`; err.Error() != want {
		t.Errorf("the message is %s, want %s", err, want)
	}
	if want := `wire: the document is empty at byte 0 in "the document"`; (&Error{Code: CodeEmpty}).Error() != want {
		t.Errorf("the message is %s, want %s", &Error{Code: CodeEmpty}, want)
	}
}
