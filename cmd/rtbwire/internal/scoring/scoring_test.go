package scoring

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/fraud"
)

// TestWidth writes the row of every signal with a long path: no line is longer than the limit.
func TestWidth(t *testing.T) {
	for _, s := range fraud.Signals() {
		var b bytes.Buffer
		score := inspect.Scoring{
			Score: s.Weight, Threshold: 60, Families: []inspect.FamilyScore{{Name: s.Family(), Points: 2 * s.Weight, Counts: s.Weight}},
			Signals: []inspect.ScoredSignal{{Signal: s, Points: s.Weight, Severity: inspect.Observe, Path: "/source/ext/schain"}},
		}
		Append(&b, &score, Options{Title: "score", Place: func(string) string { return "(line 1000, column 10000, byte 100000)" }})
		for line := range strings.Lines(b.String()) {
			if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > lineMax {
				t.Errorf("too long: %s", line)
			}
		}
		if got := strings.Join(strings.Fields(b.String()), " "); !strings.Contains(got, s.ID+" at /source/ext/schain (line 1000,") || !strings.Contains(got, s.Text) {
			t.Errorf("%s is not complete:\n%s", s.ID, b.String())
		}
	}
	var b bytes.Buffer
	if Append(&b, &inspect.Scoring{Threshold: 60}, Options{}); b.Len() > 0 {
		t.Errorf("a score without signals: %s", b.String())
	}
}
