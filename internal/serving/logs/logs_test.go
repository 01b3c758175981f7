package logs

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// TestLog writes each format, from each level on.
func TestLog(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"", "text", "json"} {
		for i, level := range []string{"debug", "info", "warn", "error"} {
			var out bytes.Buffer
			log := New(&out, Options{Format: format, Level: level})
			log.Debug("one", "a", 1)
			log.Info("one", "a", 1)
			log.Warn("one", "a", 1)
			log.Error("one", "a", 1)
			lines := strings.Split(strings.TrimSpace(out.String()), "\n")
			if len(lines) != 4-i {
				t.Errorf("%s from %s: %q", format, level, lines)
			}
			if json.Valid([]byte(lines[0])) != (format == "json") {
				t.Errorf("%s: %s", format, lines[0])
			}
		}
	}
	var out bytes.Buffer
	New(&out, Options{}).Info("one") // without flags and file
	if !strings.Contains(out.String(), "level=INFO msg=one") {
		t.Error(out.String())
	}
}
