package inspect

import (
	"strings"
	"testing"
)

// TestAnnotationIsOurs: whatever annotation a sender has written, in any copy and spelling of the
// keys, only that of the engine is forwarded.
func TestAnnotationIsOurs(t *testing.T) {
	e, err := New(Config{Annotate: true, Global: Layer{Severities: []Setting{{"schema.*", Off}}}})
	if err != nil {
		t.Fatal(err)
	}
	w := e.NewWorker()
	for _, body := range []string{
		`{"id":"1"}`,
		`{"id":"1","ext":{}}`,
		`{"id":"1","ext":{"rtbwire":{"forged":1}}}`,
		`{"id":"1","ext":{"rtbwire":{"forged":1}},"ext":{}}`,
		`{"id":"1","e\u0078t":{"rtbwir\u0065":{"forged":1}},"ext":{"a":1}}`,
		`{"id":"1","ext":{"rtbwir\u0065":{"forged":1},"rtbwire":{"forged":2}}}`,
		`{"id":"1","ext":{"rtbwire":{"forged":1}},"ext":"x"}`,
		`{"id":"1","ext":{"rtbwire":{"forged":1}},"ext":null}`,
	} {
		v := w.Inspect([]byte(body), Facts{})
		out, err := v.Apply(nil, []byte(body))
		if err != nil || strings.Contains(string(out), "forged") {
			t.Errorf("%s: %s, %v", body, out, err)
		}
		if want := 1; !strings.Contains(body, `"x"`) && strings.Count(string(out), `"action"`) != want {
			t.Errorf("%s: %s, want %d annotation", body, out, want)
		}
	}
}
