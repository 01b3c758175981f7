package lists

import (
	"reflect"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/setting"
	"github.com/rtbwire/rtbwire/internal/setting/settingtest"
)

func TestConfigured(t *testing.T) {
	c := settingtest.MustParse(t, `
lists:
  b: {kind: prefix, entries: [192.0.2.0/24]}
  a: {kind: seller, file: /a.csv, format: csv, columns: [x, y], bad_entries_max: 3}
`)
	list := Configured(c)
	if len(list) != 2 || list[0].Name != "b" || list[0].Place.Line != 3 {
		t.Fatalf("%+v", list)
	}
	if want := (Definition{Kind: Prefix, Entries: []string{"192.0.2.0/24"}}); !reflect.DeepEqual(list[0].Definition, want) {
		t.Errorf("got %+v", list[0])
	}
	if want := (Definition{Kind: Seller, File: "/a.csv", Format: CSV, Columns: []string{"x", "y"}, BadEntriesMax: 3}); !reflect.DeepEqual(list[1].Definition, want) {
		t.Errorf("got %+v", list[1])
	}
	for _, kind := range Kinds {
		if own := Configured(settingtest.MustParse(t, "lists: {l: {kind: "+string(kind)+", file: x}}")); own[0].Kind != kind {
			t.Errorf("%s is read as %s", kind, own[0].Kind)
		}
	}
	var r setting.Reader
	set := OpenConfigured(&r, settingtest.MustParse(t, "lists: {l: {kind: domain, entries: [a.example]}}"), nil, nil)
	if set == nil || !set.List("l").Match("www.a.example") || len(r.Problems()) > 0 {
		t.Errorf("%v", r.Problems())
	}
	if set := OpenConfigured(&r, settingtest.MustParse(t, "lists: {\n l: {kind: domain, entries: [a.example]},\n m: {kind: domain, entries: [\"?\"]}}"), nil, nil); set != nil {
		t.Error("a list with a mistake is opened")
	}
	if p := r.Problems(); len(p) != 1 || p[0].Line != 3 || strings.Contains(p[0].Message, "lists: ") {
		t.Errorf("%v", p)
	}
}

func TestConfiguredMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"{in: {kind: domain, file: x}}":                        "CEL has another use for the word",
		"{A-b: {kind: domain, file: x}}":                       `did you mean "a_b"?`,
		"{a: {kind: domain}}":                                  `missing "file" or "entries"`,
		"{a: {file: x}}":                                       `missing required key "kind"`,
		"{a: {kind: domain, entries: [x], format: csv}}":       "format without a file",
		"{a: {kind: domain, entries: [x], columns: [domain]}}": "columns without a file",
	} {
		if _, problems := settingtest.Parse(t, "lists: "+text); len(problems) != 1 || !strings.Contains(problems[0].Summary(), want) {
			t.Errorf("%s: %v, want %s", text, problems, want)
		}
	}
}
