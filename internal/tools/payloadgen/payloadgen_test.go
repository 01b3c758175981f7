package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const root = "../../.."

// TestFresh compares the committed files with what the data says.
func TestFresh(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(root, source))
	if err != nil {
		t.Fatal(err)
	}
	files, err := generate(data)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is stale: run 'make generate' and commit what changes", name)
		}
	}
}

// sound is a pattern without a fault, and what is replaced in it for each case of TestFaults.
const sound = `{"id":"xss.a","class":"xss","literal":"<a","why":"Opens a.","found":["<A"],"layered":["%3ca"],"absent":["a"]}`

// TestFaults checks that each fault is reported with the pattern and the reason.
func TestFaults(t *testing.T) {
	if _, err := parse([]byte("[" + sound + "]")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, want string }{
		{`"xss"`, `"css"`, `xss.a: unknown class "css"`},
		{`"xss.a"`, `"sqli.a"`, `sqli.a: the id does not begin with the class "xss"`},
		{`"<a"`, `"<A"`, `xss.a: the literal "<A" is not printable ASCII in lower case`},
		{`"<a"`, `"<\u00e4"`, "is not printable ASCII in lower case"},
		{`"<a"`, `""`, "xss.a: the literal has 0 bytes (want 1 to 64)"},
		{`"<a"`, `"` + strings.Repeat("a", literalMax+1) + `"`, "xss.a: the literal has 65 bytes"},
		{`"Opens a."`, `"Opens a"`, "xss.a: why is not one sentence"},
		{`"Opens a."`, `"Opens. A."`, "xss.a: why is not one sentence"},
		{`["<A"]`, `[]`, "xss.a: found is empty"},
		{`["<A"]`, `["A"]`, `xss.a: found: "A" does not contain the literal`},
		{`["%3ca"]`, `["<a"]`, `xss.a: layered: "<a" contains the literal without decoding`},
		{`["a"]`, `[]`, "xss.a: absent is empty"},
		{`["a"]`, `["<a"]`, `xss.a: absent: "<a" contains the literal`},
		{`"why"`, `"because"`, `xss.a: has the fields ["id" "class" "literal" "because"`},
		{`["<A"]`, `7`, "pattern 0: json: cannot unmarshal number"},
		{sound, sound + "," + sound, "xss.a: an earlier pattern has this id"},
		{sound, sound + "," + strings.Replace(sound, "xss.a", "xss.b", 1), "xss.b: an earlier pattern has this literal"},
		{sound, "", "no pattern"},
		{"]", "", source},
	} {
		text := strings.Replace("["+sound+"]", c.old, c.new, 1)
		if text == "["+sound+"]" {
			t.Fatalf("%s occurs nowhere", c.old)
		}
		_, err := generate([]byte(text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s for %s: %v, want %q", c.new, c.old, err, c.want)
		}
	}
}

func TestCppString(t *testing.T) {
	if got, want := cppString("a\"\\?\n\x7f\xff0"), `"a\"\\\?\012\177\3770"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
