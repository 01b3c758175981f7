package main

import (
	"strings"
	"testing"
)

func TestSame(t *testing.T) {
	r := newTestRelease(t)
	list := func(now, digest string) string {
		return `{"bomFormat":"CycloneDX","metadata":{"timestamp":"` + now + `","tools":{"components":[{"name":"tool","hashes":[{"content":"` + digest + `"}]}]}},"components":[{"name":"<a>","hashes":[{"content":"h1"}]},{"name":"std"}]}`
	}
	one, err := r.same([]byte(list("2026-11-27T10:00:00Z", "aa")))
	if err != nil {
		t.Fatal(err)
	}
	two, err := r.same([]byte(list("2026-11-28T10:00:00Z", "bb")))
	if err != nil || string(one) != string(two) {
		t.Errorf("two lists: %v\n%s\n%s", err, one, two)
	}
	for _, want := range []string{`"timestamp": "2026-11-27T06:43:21Z"`, `"content": "h1"`, `"id": "BSD-3-Clause"`, `"name": "<a>"`} {
		if !strings.Contains(string(one), want) {
			t.Errorf("the list lacks %s: %s", want, one)
		}
	}
	for _, wrong := range []string{"", "[]", "{}"} {
		if _, err := r.same([]byte(wrong)); err == nil {
			t.Errorf("%q is taken for a list", wrong)
		}
	}
}
