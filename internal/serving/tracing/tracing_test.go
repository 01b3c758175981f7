package tracing

import (
	"bytes"
	"strings"
	"testing"
)

const given = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

// TestParse reads what W3C Trace Context allows, and nothing else.
func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		given:                                                true,
		strings.Replace(given, "-01", "-00", 1):              true,
		strings.Replace(given, "-01", "-ff", 1):              true, // flags that nobody knows yet
		strings.Replace(given, "00-", "cc-", 1):              true, // a later version
		strings.Replace(given, "00-", "cc-", 1) + "-what-is": true,
		strings.Replace(given, "00-", "cc-", 1) + "x":        false,
		strings.Replace(given, "00-", "ff-", 1):              false,
		given + "-x":                                         false, // version 0 has nothing more
		given[:54]:                                           false,
		strings.ToUpper(given):                               false,
		strings.Replace(given, "4bf92f35", "4bf92g35", 1):    false,
		"00-" + strings.Repeat("0", 32) + given[35:]:         false,
		given[:36] + strings.Repeat("0", 16) + "-01":         false,
		strings.Replace(given, "6-0", "6.0", 1):              false,
		"":                                                   false,
	} {
		c, ok := parse([]byte(text))
		if ok != want {
			t.Errorf("%q: %v", text, ok)
		}
		if ok {
			c.Next = c.Parent
			if got := string(c.Append(nil)); got[:52] != given[:2]+text[2:52] {
				t.Errorf("%q became %q", text, got)
			}
		}
	}
}

// TestBegin decides about requests with and without a traceparent.
func TestBegin(t *testing.T) {
	t.Parallel()
	unsampled := strings.Replace(given, "-01", "-00", 1)
	for _, tt := range []struct {
		share   float64
		flag    Flag
		parents []string
		nothing bool // to do
		sampled bool
		broken  bool
	}{
		{0, FlagIgnore, nil, true, false, false},
		{1, FlagIgnore, nil, false, true, false},
		{1, FlagIgnore, []string{unsampled}, false, true, false},
		{0, FlagIgnore, []string{given}, false, false, false}, // the flag is taken back
		{0, FlagIgnore, []string{unsampled}, true, false, false},
		{0, FlagFollow, []string{given}, false, true, false},
		{1, FlagFollow, []string{unsampled}, true, false, false},
		{1, FlagFollow, nil, false, true, false},
		{0, FlagFollow, nil, true, false, false},
		{0, FlagFollow, []string{given, given}, false, false, true},
		{1, FlagFollow, []string{"00-x"}, false, true, true},
	} {
		var parent []byte
		if len(tt.parents) > 0 {
			parent = []byte(tt.parents[0])
		}
		s := Sampling{Share: tt.share, Flag: tt.flag}
		c, broken := s.Begin(parent, len(tt.parents))
		if (c == nil) != tt.nothing || broken != tt.broken {
			t.Errorf("%+v: %+v, %v", tt, c, broken)
			continue
		}
		if c == nil {
			continue
		}
		if c.Sampled() != tt.sampled || c.Trace == (TraceID{}) || c.Span == (SpanID{}) || c.Next == (SpanID{}) || c.Span == c.Next {
			t.Errorf("%+v: %+v", tt, c)
		}
		continued := len(tt.parents) == 1 && !tt.broken
		text := c.Append(nil)
		if continued != bytes.Contains(text, []byte(given[2:36])) || continued != (c.Parent != SpanID{}) {
			t.Errorf("%+v: continues with %s", tt, text)
		}
		if again, ok := parse(text); !ok || again.Parent != c.Next || again.Sampled() != tt.sampled {
			t.Errorf("%+v: receivers can't read %s", tt, text)
		}
	}
}

// TestShare samples about the share that it is given.
func TestShare(t *testing.T) {
	t.Parallel()
	s, n := Sampling{Share: 0.25, Flag: FlagIgnore}, 0
	for range 10_000 {
		if c, _ := s.Begin(nil, 0); c != nil {
			n++
		}
	}
	if n < 2200 || n > 2800 { // seven standard deviations
		t.Errorf("%d of 10,000 requests are sampled, want about 2,500", n)
	}
}
