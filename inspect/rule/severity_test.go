package rule

import (
	"strings"
	"testing"
)

func TestSeverityNames(t *testing.T) {
	for s, names := range map[Severity][2]string{
		Off: {"off", "off"}, Observe: {"observe", "info"}, Warn: {"warn", "warn"}, Refuse: {"refuse", "error"}, 4: {"Severity(4)", "Severity(4)"},
	} {
		if s.String() != names[0] || s.Level() != names[1] {
			t.Errorf("%d is %q, in reports %q", s, s.String(), s.Level())
		}
		for _, name := range names {
			got, err := ParseSeverity(name)
			if s <= Refuse && (err != nil || got != s) || s > Refuse && err == nil {
				t.Errorf("ParseSeverity(%q): %v, %v", name, got, err)
			}
		}
	}
	if s, err := ParseSeverity("warning"); s != Warn || err != nil {
		t.Error(s, err)
	}
	if s, err := ParseSeverity("ERROR"); s != Off || err == nil || !strings.Contains(err.Error(), `"ERROR"`) {
		t.Error(s, err)
	}
}
