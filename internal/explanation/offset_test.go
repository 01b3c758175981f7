package explanation

import (
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/grammar"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

// TestOffset finds the places of all signals in the corpus. What finds paths by offsets leads back
// from each, unless the request lacks the value: then the place is the object that lacks it.
func TestOffset(t *testing.T) {
	worker := new(inspect.Engine).NewWorker()
	found, lacking := 0, 0
	for _, body := range testkit.Requests(t) {
		v := worker.Inspect(body, inspect.Facts{})
		for _, signal := range worker.Scoring(&v).Signals {
			if signal.Path == "" {
				continue
			}
			switch back := grammar.PointerAt(body, Offset(body, signal.Path)); {
			case strings.EqualFold(back, signal.Path), strings.EqualFold(strings.Replace(back, "/ext/", "/", 1), signal.Path):
				found++
			case strings.HasPrefix(signal.Path, back):
				lacking++
			default:
				t.Errorf("%s: %s is found at %s", signal.Signal.ID, signal.Path, back)
			}
		}
	}
	if found < 100 || lacking == 0 {
		t.Errorf("too little was seen: %d places, %d values that are not there", found, lacking)
	}
}

func TestOffsetOf(t *testing.T) {
	const text = " {\"a\": [10, {\"b\\u0063\" :2,\"x\":{}, \"X\":[ ]}],\"e\":{\"ext\":{\"f\":3}}, \"e/~\":\"]}\", \"ext\":0}"
	for path, want := range map[string]string{
		"": "{", "/a": "[10", "/a/0": "10", "/a/1/bc": "2", "/a/1/x": "[ ]", "/a/1/x/0": "[ ]", "/a/2": "[10", "/a/x": "[10", "/e/f": "3", "/e/g": `{"ext`,
		"/e~1~0": `"]}"`, "/none": "{", "/none/x": "{", "/a/0/y": "10",
	} {
		if got := text[Offset([]byte(text), path):]; !strings.HasPrefix(got, want) {
			t.Errorf("%s is at %.10q, want %q", path, got, want)
		}
	}
	for n := range len(text) { // never outside, whatever the text
		for _, path := range []string{"/a/1/x", "/e/f", "/e~1~0"} {
			if at := Offset([]byte(text[:n]), path); at < 0 || at > n {
				t.Fatalf("%q: %s is at %d", text[:n], path, at)
			}
		}
	}
	if at := Offset([]byte("\xef\xbb\xbf{\"a\":1}"), "/a"); at != 8 {
		t.Errorf("after a byte order mark: %d", at)
	}
}
