package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/setting"
)

// place is where an object of the table can be in a file.
type place struct {
	shape *setting.Shape
	wrap  func(inner string) string // makes a file of an object in braces
}

// placesOf returns a place for each object.
func placesOf() []place {
	list := []place{{root().Shape, func(s string) string { return s }}}
	done := map[string]bool{root().Shape.Object: true}
	for i := 0; i < len(list); i++ {
		outer := list[i]
		for _, key := range outer.shape.Keys {
			wrap := func(inner string) string { return outer.wrap(objectWith(outer.shape, key.Name, inner)) }
			for s := key.Shape; s != nil; s = s.Of {
				switch s.Kind {
				case setting.AList:
					next := wrap
					wrap = func(inner string) string { return next("[" + inner + "]") }
				case setting.AMap:
					next := wrap
					wrap = func(inner string) string { return next("{x: " + inner + "}") }
				case setting.AnObject:
					if !done[s.Object] {
						done[s.Object] = true
						list = append(list, place{s, wrap})
					}
				}
			}
		}
	}
	return list
}

// companions are what objects need besides their required keys, and what keys need besides
// themselves.
var companions = map[string]string{
	"list": "entries: [x]", "list.file": "", "list.entries": "", "list.format": "file: x", "list.columns": "file: x", "list.max_age": "file: x",
	"rates": "file: x", "rates.file": "", "rates.values": "",
	"hash": "key_env: K", "hash.key_env": "", "hash.key_file": "",
	"scrub": "remove: [/x]", "scrub.remove": "", "scrub.ipv4_bits": "truncate: [/x]", "scrub.ipv6_bits": "truncate: [/x]", "scrub.decimals": "truncate: [/x]",
	"limits.burst": "rate: 1", "vendor.token_header": "token_env: X",
	"file.fraud": "lists: {datacenters: {kind: prefix, entries: []}, proxies: {kind: prefix, entries: []}, blocked_nodes: {kind: seller, entries: []}}",
}

// examples are values for required keys.
func exampleOf(key setting.Key) string {
	if key.Example != "" {
		_, value, _ := strings.Cut(key.Example, ": ")
		return value
	}
	return key.Default
}

// objectWith returns an object, in YAML's braces, that has one key with a value and whatever it
// needs besides.
func objectWith(s *setting.Shape, name, value string) string {
	members := []string{}
	for _, key := range s.Keys {
		switch {
		case key.Name == name:
			members = append(members, name+": "+value)
		case key.Required && !misspells(name, key.Name):
			members = append(members, key.Name+": "+exampleOf(key))
		}
	}
	if !slices.ContainsFunc(s.Keys, func(k setting.Key) bool { return k.Name == name }) {
		members = append(members, name+": "+value)
	}
	companion, given := companions[s.Object+"."+strings.TrimSuffix(name, "x")]
	if !given {
		companion = companions[s.Object]
	}
	if companion != "" && !strings.HasPrefix(companion, name+":") {
		members = append(members, companion)
	}
	return "{" + strings.Join(members, ", ") + "}"
}

// misspells reports whether a word is another one with the letter that TestEveryKey adds.
func misspells(word, name string) bool { return word == name+"x" }

// prepared replaces values of examples that refer to what a small file does not have.
var prepared = strings.NewReplacer("[partners/*.yaml]", "[none/*.yaml]", "policy.floor-too-low", "Imp.id.required", `"policy.*"`, `"Imp.*"`)

// TestEveryKey gives every key a right value, a value of a wrong type, and a wrong name.
func TestEveryKey(t *testing.T) {
	keys := 0
	for _, p := range placesOf() {
		for _, key := range p.shape.Keys {
			keys++
			name := p.shape.Object + "." + key.Name
			value := exampleOf(key)
			if value == "" {
				t.Errorf("%s has neither an example nor a default", name)
				continue
			}
			if key.Doc == "" || !strings.HasSuffix(key.Doc, ".") || key.Example != "" && !strings.HasPrefix(key.Example, key.Name+": ") {
				t.Errorf("%s: doc %q, example %q", name, key.Doc, key.Example)
			}
			good := prepared.Replace(p.wrap(objectWith(p.shape, key.Name, value)))
			if _, problems := Parse("x.yaml", good, Options{}); len(problems) > 0 {
				t.Errorf("%s: %s\n%v", name, good, problems)
				continue
			}

			bad := "[[]]"
			switch key.Shape.Kind {
			case setting.AList:
				bad = "{}"
			case setting.Anything:
				bad = "null"
			}
			wrong := prepared.Replace(p.wrap(objectWith(p.shape, key.Name, "@"+bad)))
			at := strings.IndexByte(wrong, '@')
			wrong = strings.Replace(wrong, "@", "", 1)
			_, problems := Parse("x.yaml", wrong, Options{})
			if len(problems) != 1 || problems[0].Offset < at || problems[0].Offset > at+1 {
				t.Errorf("%s: %s\ngot %v, want one problem at %d", name, wrong, problems, at)
			}

			misspelt := prepared.Replace(p.wrap(objectWith(p.shape, key.Name+"x", value)))
			_, problems = Parse("x.yaml", misspelt, Options{})
			if len(problems) != 1 || problems[0].Suggestion != key.Name || !strings.Contains(problems[0].Message, "unknown key") {
				t.Errorf("%s: %s\ngot %v, want one about an unknown key", name, misspelt, problems)
			}
		}
	}
	if keys < 60 {
		t.Errorf("found only %d keys", keys)
	}
}

// TestDocuments wants the committed reference and schema to be what the table says.
func TestDocuments(t *testing.T) {
	for name, want := range map[string]string{"configuration.md": Reference(), "configuration.schema.json": string(JSONSchema())} {
		got, err := os.ReadFile(filepath.Join("..", "docs", "reference", name))
		if err != nil || string(got) != want {
			t.Errorf("docs/reference/%s is stale (%v): run go generate ./config", name, err)
		}
	}
	page, err := os.ReadFile(filepath.Join("..", "docs", "reference", "renamed.md"))
	if err != nil || !strings.Contains(string(page), RenamedBegin+Renamed()+RenamedEnd) {
		t.Errorf("docs/reference/renamed.md is stale (%v): run go generate ./config", err)
	}
	if rows := strings.Count(Renamed(), "\n| flag "); rows < 6 {
		t.Errorf("%d renamed flags, expected those of the gateway:\n%s", rows, Renamed())
	}
}

// TestJSONSchema follows every reference, and finds every key of the table where it belongs.
func TestJSONSchema(t *testing.T) {
	var s map[string]any
	d := json.NewDecoder(bytes.NewReader(JSONSchema()))
	d.UseNumber()
	if err := d.Decode(&s); err != nil {
		t.Fatal(err)
	}
	definitions := s["$defs"].(map[string]any)
	for _, p := range placesOf() {
		object := s
		if p.shape.Object != root().Shape.Object {
			object, _ = definitions[p.shape.Object].(map[string]any)
		}
		properties, _ := object["properties"].(map[string]any)
		if len(properties) != len(p.shape.Keys) || object["additionalProperties"] != false {
			t.Errorf("%s: %d properties for %d keys", p.shape.Object, len(properties), len(p.shape.Keys))
		}
		for _, key := range p.shape.Keys {
			property, _ := properties[key.Name].(map[string]any)
			required := slices.Contains(anys(object["required"]), any(key.Name))
			if property["description"] == nil || required != key.Required {
				t.Errorf("%s.%s: %v, required %v", p.shape.Object, key.Name, property, required)
			}
			if key.Default != "" && key.Default != "{}" && fmt.Sprint(property["default"]) != key.Default {
				t.Errorf("%s.%s: default %v, want %s", p.shape.Object, key.Name, property["default"], key.Default)
			}
			if ref, is := property["$ref"].(string); is && definitions[strings.TrimPrefix(ref, "#/$defs/")] == nil {
				t.Errorf("%s.%s refers to %s", p.shape.Object, key.Name, ref)
			}
		}
	}
}

func anys(v any) []any { list, _ := v.([]any); return list }
