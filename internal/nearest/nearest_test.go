package nearest

import (
	"fmt"
	"strings"
	"testing"
)

// TestName has keys as people misspell them.
func TestName(t *testing.T) {
	words := []string{"when", "severity", "message", "on_error", "nbr", "shadow"}
	for word, want := range map[string]string{
		"wen": "when", "whne": "when", "When": "when", "serverity": "severity", "on-error": "on_error", "onerror": "on_error",
		"mesage": "message", "nrb": "nbr", "shadw": "shadow", "other": "", "x": "", "": "", strings.Repeat("when", 100): "",
	} {
		if got := Name(word, words); got != want {
			t.Errorf("nearest to %q is %q, want %q", word, got, want)
		}
	}
	if got := Name("ab", []string{strings.Repeat("ab", 100)}); got != "" {
		t.Errorf("got %q", got)
	}
}

// TestFields has names of fields, short ones among them.
func TestFields(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"bidflor", "bidfloor"}, {"BIDFLOOR", "bidfloor"}, {"dibfloor", "bidfloor"}, {"w", ""}, {"hw", "h"}, {"zzzz", ""}, {"", ""}, {"idx", "id"},
	} {
		if got := Name(c.name, []string{"id", "bidfloor", "bidfloorcur", "h"}); got != c.want {
			t.Errorf("%q: %q, want %q", c.name, got, c.want)
		}
	}
}

func ExampleName() {
	fmt.Println(Name("bidflor", []string{"bidfloor", "bidfloorcur"}))
	// Output: bidfloor
}
