package explain

import (
	"bytes"
	"testing"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/explanation"
)

// TestFindingPlace checks how the text names the place of a finding.
func TestFindingPlace(t *testing.T) {
	for want, f := range map[string]inspect.Finding{
		"\nwarn a at /id (line 1, column 1, byte 0)\n  text\n":      {ID: "a", Severity: inspect.Warn, Path: "/id", Message: "text"},
		"\nwarn a at the root (line 1, column 2, byte 1)\n  text\n": {ID: "a", Severity: inspect.Warn, Offset: 1, Message: "text"},
		"\nrefuse policy.a\n  text\n":                               {ID: "policy.a", Severity: inspect.Refuse, Offset: -1, Message: "text"},
	} {
		var b bytes.Buffer
		e := &explained{Explanation: &explanation.Explanation{Text: []byte("{}")}}
		if e.finding(&b, &f); b.String() != want {
			t.Errorf("got %q, want %q", b.String(), want)
		}
	}
}
