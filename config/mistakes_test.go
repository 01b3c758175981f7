package config

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// mistakeKinds are mistakes in a section of the file, written so that both JSON and YAML read
// them. The place is marked with « and »; a problem with a mapping or sequence is at its bracket.
var mistakeKinds = []struct {
	section    string // "rules", "scrub": a sequence; "lists", "partners", ...: a mapping
	text       string // # is a number
	message    string // a part of it
	suggestion string
}{
	{"rules", `{"name": "a-#", «"wen"»: "true", "severity": "off"}`, `unknown key "wen"`, "when"},
	{"rules", `{"name": "b-#", "when": "true", "severity": «"refused"»}`, `expected a severity (off, observe, warn or refuse), found "refused"`, "refuse"},
	{"rules", `{"name": "c-#", "when": "true", "severity": "off", «"name"»: "x"}`, `duplicate key "name"`, ""},
	{"rules", `{"name": "d-#", "when": "true", "severity": "off", "nbr": «99»}`, "no-bid reason 99 is not defined", ""},
	{"rules", `«{»"name": "e-#", "when": "true"}`, `missing required key "severity"`, ""},
	{"rules", `{"name": "f-#", "when": "true", "severity": "off", "shadow": «"yes"»}`, `expected true or false, found "yes"`, "true"},
	{"rules", `{"name": "g-#", "when": "true", "severity": "off", "sample": «5»}`, `"5" is not a share such as 5%`, "5%"},
	{"rules", `{"name": "h-#", "when": "true", "severity": "off", "on_error": «"pas"»}`, `(pass or refuse), found "pas"`, "pass"},
	{"rules", `{"name": «"Rule #"», "when": "true", "severity": "off"}`, "is not a name of lower case letters, digits and hyphens", "rule-#"},
	{"rules", `{"name": "j-#", "when": «[»"true"], "severity": "off"}`, "expected a condition in CEL, found a sequence", ""},
	{"rules", `{"name": "k-#", "when": "true", "severity": "off", "message": «7»}`, "expected a message, found the number 7", `"7"`},
	{"rules", `{"name": "l-#", "when": «true», "severity": "off"}`, "expected a condition in CEL, found true", `"true"`},
	{"lists", `"m#": {"kind": «"domian"», "file": "x"}`, `found "domian"`, "domain"},
	{"lists", `"n#": {"kind": "domain", "file": "x", «"entries"»: ["x"]}`, `both "file" and "entries" are given`, ""},
	{"scrub", `{"remove": [«"device.ifa"»]}`, "a path begins with /", "/device/ifa"},
	{"scrub", `«{»"name": "p-#"}`, "a scrub needs one of remove, truncate, replace and hash", ""},
	{"scrub", `{"truncate": ["/device/ip"], "ipv4_bits": «33»}`, "expected a number of bits from 1 to 32, found 33", ""},
	{"severities", `«"Imp.id.require#"»: "off"`, "no reason matches", "Imp.id.required"},
	{"partners", `"s-#": {"match": {"from": [«"192.0.2.#/24"»]}}`, "bits after the first 24 are set", "192.0.2.0/24"},
	{"partners", `"t-#": {"match": {"path": «"t#"»}}`, "is not a path of a URL", "/t#"},
	{"partners", `"u-#": {"limits": {"rate": «0»}}`, "expected a number of requests per second from 1 to", ""},
	{"partners", `"w-#": {"fraud": {"weights": {«"adress.private"»: 5}}}`, `"adress.private" is not the id of a signal: docs/fraud.md lists all`, "address.private"},
	{"partners", `"x-#": {"fraud": {"weights": {"address.private": «101»}}}`, "expected a weight from 0 to 100, found 101", ""},
	{"partners", `"y-#": {"fraud": {"threshold": «0»}}`, "expected a score from 1 to 100, found 0", ""},
	{"partners", `"z-#": {"direct": «"yes"»}`, `expected true or false, found "yes"`, "true"},
	{"partners", `"0-#": {"systems": [«"https://exchange-#.example/x"»]}`, "is not the domain of an advertising system", "exchange-#.example"},
	{"partners", `"v-#": {"no_bid": «"403"»}`, `expected a no-bid answer (204, 200, 400 or 400-json), found "403"`, ""},
}

const mistakesOfAKind = 10

// mistake is one of the file, with its place.
type mistake struct {
	line, column        int
	marked              string // what has to be underlined
	message, suggestion string
}

// bare are the strings that YAML reads without quotes too.
var bare = regexp.MustCompile(`"([a-zA-Z_/][a-zA-Z_/.# -]*)"`)

// fileOfMistakes writes every kind ten times, in JSON, or in YAML with few quotes.
func fileOfMistakes(asJSON bool) (text string, list []mistake) {
	var b strings.Builder
	line := 1
	writeLine := func(s string) { b.WriteString(s + "\n"); line++ }
	sections := []string{"rules", "lists", "scrub", "severities", "partners"}
	if asJSON {
		writeLine(`{"version": 1,`)
	} else {
		writeLine("version: 1")
	}
	for s, section := range sections {
		sequence := section == "rules" || section == "scrub"
		switch {
		case !asJSON:
			writeLine(section + ":")
		case sequence:
			writeLine(`"` + section + `": [`)
		default:
			writeLine(`"` + section + `": {`)
		}
		first := true
		for _, kind := range mistakeKinds {
			for i := range mistakesOfAKind {
				if kind.section != section {
					continue
				}
				text := kind.text
				if !asJSON && !strings.Contains(text, `«"7"»`) {
					text = bare.ReplaceAllStringFunc(text, func(s string) string {
						if inner := s[1 : len(s)-1]; inner != "true" && inner != "x" {
							return inner
						}
						return s
					})
				}
				number := strings.NewReplacer("#", fmt.Sprint(i+1))
				text = number.Replace(text)
				prefix := map[bool]string{true: "  - ", false: "  "}[sequence]
				if asJSON {
					if prefix = " "; !first {
						prefix = ","
					}
				}
				text = prefix + text
				before, rest, _ := strings.Cut(text, "«")
				marked, after, _ := strings.Cut(rest, "»")
				list = append(list, mistake{line, utf8.RuneCountInString(before) + 1, marked, kind.message, number.Replace(kind.suggestion)})
				writeLine(before + marked + after)
				first = false
			}
		}
		if asJSON {
			end := map[bool]string{true: "]", false: "}"}[sequence]
			if s < len(sections)-1 {
				end += ","
			}
			writeLine(end)
		}
	}
	if asJSON {
		writeLine("}")
	}
	return b.String(), list
}

// TestMistakes wants one problem for each of 270 mistakes, at its place, with carets under it and
// the right suggestion; in YAML and in JSON.
func TestMistakes(t *testing.T) {
	for _, name := range []string{"mistakes.yaml", "mistakes.json"} {
		text, want := fileOfMistakes(strings.HasSuffix(name, ".json"))
		c, problems := Parse(name, text, Options{})
		if c != nil {
			t.Errorf("%s: a configuration in spite of problems", name)
		}
		if len(want) != len(mistakeKinds)*mistakesOfAKind || len(want) < 200 {
			t.Fatalf("%d mistakes", len(want))
		}
		for i := range max(len(want), len(problems)) {
			if i >= len(problems) {
				t.Errorf("%s: no problem on line %d, %+v", name, want[i].line, want[i])
				break
			}
			p := problems[i]
			if i >= len(want) {
				t.Errorf("%s: too much: %s", name, p)
				break
			}
			m := want[i]
			if p.File != name || p.Line != m.line || p.Column != m.column || !strings.Contains(p.Message, m.message) || p.Suggestion != m.suggestion {
				t.Errorf("%s: got %s\nwant %+v", name, p, m)
				if p.Line != m.line {
					break // all others would follow
				}
			}
			if got := underlined(t, p); got != m.marked {
				t.Errorf("%s: the carets are under %q, want %q\n%s", name, got, m.marked, p)
			}
			if !strings.HasPrefix(text[p.Offset:], m.marked) {
				t.Errorf("%s: offset %d is that of %q", name, p.Offset, text[p.Offset:p.Offset+10])
			}
		}
	}
}

// underlined returns the text of an excerpt that has carets below it.
func underlined(t *testing.T, p Problem) string {
	t.Helper()
	above, below, found := strings.Cut(p.Excerpt, "\n")
	if !found {
		t.Fatalf("no excerpt: %s", p)
	}
	text, carets := []rune(above), []rune(below)
	from := strings.IndexRune(string(carets), '^')
	if from < 0 || len(carets) > len(text) {
		t.Fatalf("no carets, or too many: %s", p)
	}
	return string(text[from:])[:len(string(text[from:len(carets)]))]
}
