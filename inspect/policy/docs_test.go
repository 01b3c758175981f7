package policy

import (
	"os"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/legacy"
)

// TestPage holds what docs/policy.md says about limits and legacy fields.
func TestPage(t *testing.T) {
	text, err := os.ReadFile("../../docs/policy.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	for name, max := range map[string]int{"StepsMax": StepsMax, "ValuesMax": ValuesMax, "TextMax": TextMax, "CostMax": CostMax} {
		digits, _, _ := strings.Cut(limit(max, "", name), " ")
		if row := "| `" + name + "` | " + digits + " "; !strings.Contains(page, row) {
			t.Errorf("no row %s", row)
		}
	}
	_, table, _ := strings.Cut(page, "| fields | if both places disagree |")
	table, _, _ = strings.Cut(table, "\n\n")
	says := map[legacy.Reading]string{legacy.One: "1, if one", legacy.Absent: "absent", legacy.OptOut: "opt-out", legacy.Both: "both", legacy.Field: "the field"}
	for _, r := range legacy.Table() {
		field := "." + r.To[strings.LastIndexByte(r.To, '/')+1:] + "`"
		found := false
		for row := range strings.SplitSeq(table, "\n") {
			if fields, reading, ok := strings.Cut(strings.TrimPrefix(row, "|"), "|"); ok && strings.Contains(fields, field) {
				found = strings.HasPrefix(strings.TrimSpace(reading), says[r.Conflict]) || r.Conflict == legacy.OptOut && strings.Contains(reading, says[r.Conflict])
			}
		}
		if !found {
			t.Errorf("no row for %s of %s, whose reading is %s", r.To, r.Object, r.Conflict)
		}
	}
}
