package figures

import (
	"strings"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/lab/report"
)

func TestInsert(t *testing.T) {
	const page = "a\n<!-- lab: x, written by \"go run x\" -->\nold\n<!-- /lab -->\nb\n<!-- lab: y, written by \"go run y\" -->\n<!-- /lab -->\n"
	got, err := insert([]byte(page), "x", "go run x", "new\n")
	want := strings.Replace(page, "\nold\n", "\n\nnew\n\n", 1)
	if err != nil || string(got) != want {
		t.Errorf("%s, %v", got, err)
	}
	if again, err := insert(got, "x", "go run x", "new"); err != nil || string(again) != want {
		t.Errorf("again: %s, %v", again, err)
	}
	for _, part := range []string{"z", "x, written by \"go run x\" -->\nold"} {
		if _, err := insert([]byte(page), part, "go run x", "new"); err == nil {
			t.Errorf("a place for %q", part)
		}
	}
}

func TestAbout(t *testing.T) {
	f := File{Taken: time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC), Machine: report.Machine{CPU: "A", Cores: 2, Go: "go1", Commit: "c"}}
	if got := f.About(); got != "A, 2 cores, go1, commit c, 2026-01-02." {
		t.Error(got)
	}
	f.Preliminary = []string{"x", "y"}
	if got := f.About(); !strings.HasSuffix(got, ". Preliminary: x; y.") {
		t.Error(got)
	}
}
