package setting_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/setting"
	"github.com/rtbwire/rtbwire/internal/strictyaml"
)

// TestMaps: members keep the order of the file, keys are text, and members with problems are left
// out.
func TestMaps(t *testing.T) {
	typ := setting.MapOf(setting.Identifier(), setting.Int("a number", 0, 9))
	for _, c := range []struct {
		text     string
		want     string
		problems []string
	}{
		{"{}", "", nil},
		{"{b: 1, a: 2}", "b=1@2 a=2@8 ", nil},
		{"{123: 1, true: 2}", "123=1@2 true=2@10 ", nil},
		{"{a: x, b: 3}", "b=3@8 ", []string{`x.yaml:1:5: expected a number, found "x"`}},
		{"{A: 1, b: 99, c: 3}", "c=3@15 ", []string{
			`x.yaml:1:2: "A" is not a name of lower case letters, digits, hyphens and dots (did you mean "a"?)`,
			"x.yaml:1:11: expected a number from 0 to 9, found 99",
		}},
		{"[a]", "", []string{"x.yaml:1:1: expected a mapping, found a sequence"}},
	} {
		entries, problems := parse(t, typ, c.text)
		got := ""
		for _, e := range entries {
			got += fmt.Sprintf("%s=%d@%d ", e.Name, e.Value, setting.PlaceOf(e.Key).Column)
		}
		if got != c.want || !reflect.DeepEqual(problems, c.problems) {
			t.Errorf("%s: %q, %q; want %q, %q", c.text, got, problems, c.want, c.problems)
		}
	}
}

// TestLists: elements with problems are left out, and a scalar is nearly a list.
func TestLists(t *testing.T) {
	typ := setting.ListOf(setting.Int("a number", 0, 9))
	for _, c := range []struct {
		text     string
		want     []int
		problems []string
	}{
		{"[]", []int{}, nil},
		{"[1, x, 2]", []int{1, 2}, []string{`x.yaml:1:5: expected a number, found "x"`}},
		{"5", nil, []string{`x.yaml:1:1: expected a sequence, found the number 5 (did you mean "[5]"?)`}},
		{"null", nil, []string{"x.yaml:1:1: expected a sequence, found null"}},
		{"{a: 1}", nil, []string{"x.yaml:1:1: expected a sequence, found a mapping"}},
	} {
		got, problems := parse(t, typ, c.text)
		if !reflect.DeepEqual(got, c.want) || !reflect.DeepEqual(problems, c.problems) {
			t.Errorf("%s: %v, %q; want %v, %q", c.text, got, problems, c.want, c.problems)
		}
	}
}

// TestChoices: a node is read by the type whose shape it has, so that its mistakes are about that.
func TestChoices(t *testing.T) {
	object := &setting.Object[string]{Name: "o", Fields: []setting.Field[string]{
		setting.F("name", setting.Text("a name", 9), func(s *string) *string { return s }, "Name.").Required(),
	}}
	list := setting.Convert(setting.ListOf(setting.Text("a word", 9)), func(words []string) string { return strings.Join(words, "+") })
	typ := setting.Either(setting.Text("a text", 9), list, object.Type())
	for text, want := range map[string]string{
		"x":           "x",
		"[x, y]":      "x+y",
		"{name: z}":   "z",
		"5":           `x.yaml:1:1: expected a text, found the number 5 (did you mean "5"?)`,
		"[x, [y]]":    "x.yaml:1:5: expected a word, found a sequence",
		"{names: z}":  `x.yaml:1:2: unknown key "names" (did you mean "name"?)`,
		"{}":          `x.yaml:1:1: missing required key "name"`,
		"{name: [x]}": "x.yaml:1:8: expected a name, found a sequence",
	} {
		got, problems := parse(t, typ, text)
		if len(problems) > 0 {
			got = problems[0]
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
	if shape := typ.Shape; shape.Kind != setting.AChoice || shape.What != "a text, a sequence or a mapping" || len(shape.Choices) != 3 {
		t.Errorf("shape %+v", shape)
	}
}

// TestDescribe: messages say what is there in the words of the file.
func TestDescribe(t *testing.T) {
	for text, want := range map[string]string{
		"{}": "a mapping", "[]": "a sequence", "null": "null", "~": "null", "": "nothing", "true": "true", "True": "True", "5": "the number 5",
		"0x1F": "the number 0x1F", "1e3": "the number 1e3", ".nan": "the number .nan", "x": `"x"`, `"5"`: `"5"`, "'a b'": `"a b"`, `"a\nb"`: `"a\nb"`,
	} {
		root, problems := strictyaml.Parse("x.yaml", "k: "+text)
		if len(problems) > 0 {
			t.Fatalf("%s: %v", text, problems)
		}
		if got := root.Get("k").Describe(); got != want {
			t.Errorf("%s is described as %s, want %s", text, got, want)
		}
	}
}

// TestBinarySecrets: a key may have any bytes, a token may not.
func TestBinarySecrets(t *testing.T) {
	name := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(name, []byte("a\x01b\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, s := range []setting.Secret{{File: name}, {Variable: "K"}} {
		environ := []string{"K=a\x01b"}
		if key, err := s.ReadBinary(environ); key != "a\x01b" || err != nil {
			t.Errorf("%+v: the key %q, %v", s, key, err)
		}
		if token, err := s.Read(environ); token != "" || err == nil || !strings.HasSuffix(err.Error(), "has a control character") {
			t.Errorf("%+v: the token %q, %v", s, token, err)
		}
	}
	if key, err := (setting.Secret{}).ReadBinary(nil); key != "" || err != nil {
		t.Errorf("nothing is declared: %q, %v", key, err)
	}
	if _, err := (setting.Secret{Variable: "K"}).ReadBinary([]string{"K= \t "}); err == nil || err.Error() != "the environment variable K is empty or not set" {
		t.Errorf("a blank key: %v", err)
	}
}
