package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// pattern is one element of the data; testdata/payload/README.md explains the fields.
type pattern struct {
	ID      string   `json:"id"`
	Class   string   `json:"class"`
	Literal string   `json:"literal"`
	Why     string   `json:"why"`
	Found   []string `json:"found"`
	Layered []string `json:"layered"`
	Absent  []string `json:"absent"`
}

// fields are the fields of a pattern, in the order of the data.
var fields = []string{"id", "class", "literal", "why", "found", "layered", "absent"}

var classes = []string{"xss", "sqli", "template", "command", "url"}

// literalMax is literals.LengthMax, and RTBWIRE_LITERAL_MAX of the C++ scanner.
const literalMax = 64

// parse reads the data. The error lists all faults, each with the id of its pattern.
func parse(data []byte) ([]pattern, error) {
	var raw []json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	var (
		patterns []pattern
		faults   []error
		ids      = map[string]bool{}
		literals = map[string]bool{}
	)
	for i, text := range raw {
		name := fmt.Sprintf("pattern %d", i)
		report := func(format string, args ...any) {
			faults = append(faults, fmt.Errorf("%s: "+format, append([]any{name}, args...)...))
		}
		var p pattern
		if err := json.Unmarshal(text, &p); err != nil {
			report("%v", err)
			continue
		}
		if p.ID != "" {
			name = p.ID
		}
		if got := keys(text); !slices.Equal(got, fields) {
			report("has the fields %q, want %q", got, fields)
			continue
		}
		for _, problem := range p.problems() {
			report("%s", problem)
		}
		if ids[p.ID] {
			report("an earlier pattern has this id")
		}
		if literals[p.Literal] {
			report("an earlier pattern has this literal")
		}
		ids[p.ID], literals[p.Literal] = true, true
		patterns = append(patterns, p)
	}
	if len(patterns) == 0 && faults == nil {
		faults = append(faults, errors.New("no pattern"))
	}
	return patterns, errors.Join(faults...)
}

// keys returns the keys of an object, in their order.
func keys(object []byte) (names []string) {
	d := json.NewDecoder(bytes.NewReader(object))
	if _, err := d.Token(); err != nil {
		return nil
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return names
		}
		names = append(names, fmt.Sprint(name))
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return names
		}
	}
	return names
}

// problems returns what is wrong with a pattern by itself. What needs a scanner is left to the
// tests of the scanners.
func (p *pattern) problems() (list []string) {
	add := func(bad bool, format string, args ...any) {
		if bad {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	add(!slices.Contains(classes, p.Class), "unknown class %q (want one of %q)", p.Class, classes)
	add(!strings.HasPrefix(p.ID, p.Class+"."), "the id does not begin with the class %q and a point", p.Class)
	add(strings.ContainsFunc(p.Literal, func(r rune) bool { return r < ' ' || r > '~' || 'A' <= r && r <= 'Z' }),
		"the literal %q is not printable ASCII in lower case", p.Literal)
	add(p.Literal == "" || len(p.Literal) > literalMax, "the literal has %d bytes (want 1 to %d)", len(p.Literal), literalMax)
	add(!strings.HasSuffix(p.Why, ".") || strings.Contains(p.Why, ". "), "why is not one sentence: %q", p.Why)
	add(len(p.Found) == 0, "found is empty")
	add(len(p.Absent) == 0, "absent is empty")
	if p.Literal == "" {
		return list
	}
	for _, text := range p.Found {
		add(!strings.Contains(fold(text), p.Literal), "found: %q does not contain the literal", text)
	}
	for _, text := range p.Layered {
		add(strings.Contains(fold(text), p.Literal), "layered: %q contains the literal without decoding", text)
	}
	for _, text := range p.Absent {
		add(strings.Contains(fold(text), p.Literal), "absent: %q contains the literal", text)
	}
	return list
}

// fold returns text with ASCII letters in lower case.
func fold(text string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + ('a' - 'A')
		}
		return r
	}, text)
}
