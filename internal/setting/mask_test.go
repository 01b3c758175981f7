package setting_test

import (
	"testing"

	"github.com/rtbwire/rtbwire/internal/setting"
)

// TestMaskURLs hides users and queries, and keeps the length for carets below an excerpt.
func TestMaskURLs(t *testing.T) {
	for in, want := range map[string]string{
		"http://127.0.0.1:9000/x":              "http://127.0.0.1:9000/x",
		"http://u:pw@h":                        "http://****@h",
		"http://u:p/w@x@h/y":                   "http://*******@h/y",
		"http://h/x?key=s":                     "http://h/x?*****",
		`a: ["http://u:p@h?k=s", "http://i"]`:  `a: ["http://***@h?***", "http://i"]`,
		"{a: http://h/x?k=s}":                  "{a: http://h/x?***}",
		"user@example.com has no URL, or has?": "user@example.com has no URL, or has?",
	} {
		if got := setting.MaskURLs(in); got != want || len(got) != len(in) {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}
