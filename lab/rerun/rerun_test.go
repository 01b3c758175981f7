package rerun

import (
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/lab/figures"
	"github.com/rtbwire/rtbwire/lab/measure"
)

// A run measures what Names promises, and its line has every column.
func TestRun(t *testing.T) {
	t.Chdir("..")
	r := newRun(effort{
		Effort: measure.Effort{Rounds: 1, Max: 1}, budget: time.Millisecond,
		profiles: 1, profile: 200 * time.Millisecond, services: 1, service: 20 * time.Millisecond,
	})
	r.progress, r.folder = io.Discard, t.TempDir()
	if err := r.measure(); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "published.json")
	if err := r.end(out); err != nil {
		t.Fatal(err)
	}
	f, err := figures.Read(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range Names() {
		_, found := f.Figures[name]
		if short := strings.HasPrefix(name, "published/profile/"); !found && !short { // a quotient may have no samples below it
			t.Errorf("the run lacks %s", name)
		}
	}
	for name := range f.Figures {
		if !slices.Contains(Names(), name) {
			t.Errorf("%s has no name", name)
		}
	}
	if f.Notes["github.com/goccy/go-json"] != "v0.10.6" || f.Notes["github.com/json-iterator/go"] != "v1.1.12" {
		t.Errorf("versions are %v, expected those of the articles", f.Notes)
	}
	var table strings.Builder
	r.print(&table)
	for _, e := range engines {
		if !strings.Contains(table.String(), "| "+e+" | ") {
			t.Errorf("the table lacks %s:\n%s", e, table.String())
		}
	}
}

func TestLate(t *testing.T) {
	r := newRun(effort{})
	r.services["gojson"] = []measure.ServiceResult{{Behind: true}, {Behind: true}, {}}
	r.services["fast"] = []measure.ServiceResult{{Behind: true}, {}}
	if late := r.late(); !slices.Equal(late, []string{"gojson"}) {
		t.Errorf("late are %v", late)
	}
}

func TestArguments(t *testing.T) {
	for _, args := range [][]string{{"x"}, {"--none"}} {
		if err := Main(args, io.Discard, io.Discard); err != ErrUsage {
			t.Errorf("%v: %v", args, err)
		}
	}
	var help strings.Builder
	if err := Main([]string{"--help"}, io.Discard, &help); err != nil || !strings.Contains(help.String(), "--write") {
		t.Errorf("%s, %v", help.String(), err)
	}
}
