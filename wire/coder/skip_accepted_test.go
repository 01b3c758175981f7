package coder

import (
	"encoding/json"
	"testing"

	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/wire"
)

// TestSkipAccepted skips every value of the documents of the corpus as Skip does, at every place
// that a value can have in its blocks.
func TestSkipAccepted(t *testing.T) {
	testkit.EachLevel(t, func(t *testing.T) {
		skipped := 0
		for i, d := range testkit.Documents(t) {
			if len(d.Text) > 1<<14 || !json.Valid(d.Text) || testing.Short() && i%20 != 0 {
				continue
			}
			pad := i % 64
			text := make([]byte, pad, pad+len(d.Text))
			for j := range text {
				text[j] = ' '
			}
			text = append(text, d.Text...)
			r := new(Reader)
			p := r.Begin(text)
			if p == 0 {
				continue
			}
			for q := p; q < r.Len()-1; q++ {
				if b := text[q]; b != '"' && b != '{' && b != '[' || !outside(text, q) {
					continue
				}
				r.failed = 0
				want := r.Skip(q, wire.DepthMax)
				if want == 0 || want >= r.Len() {
					continue // a quote that ends a string
				}
				if got := r.SkipAccepted(q); got != want {
					t.Fatalf("%s: the value at %d ends at %d, want %d", text, q, got, want)
				}
				skipped++
			}
		}
		if skipped < 1000 {
			t.Errorf("only %d values", skipped)
		}
	})
}

// outside reports whether a place of valid JSON is not inside a string.
func outside(text []byte, place int) bool {
	in := false
	for i := 0; i < place; i++ {
		switch {
		case in && text[i] == '\\':
			i++
		case text[i] == '"':
			in = !in
		}
	}
	return !in
}

// TestSkipAcceptedStops: a text that ends too early gets 0, whatever it is.
func TestSkipAcceptedStops(t *testing.T) {
	for _, text := range []string{`{"a":[1,2}`, `{"a":"b}`, `{"a":{"b":1}`, `{"a":[[[[}`, `{"a":1}`} {
		r := new(Reader)
		if p := r.Begin([]byte(text)); p == 0 {
			t.Fatal(text)
		}
		if got := r.SkipAccepted(5); got >= len(text) {
			t.Errorf("%s: %d", text, got)
		}
	}
}
