package check

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/inspect/schema"
	"github.com/rtbwire/rtbwire/lab/data"
)

// TestTable measures for a moment and looks at the table.
func TestTable(t *testing.T) {
	sets, err := data.Load("")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := rowsOf(sets)
	if err != nil {
		t.Fatal(err)
	}
	if err := run(rows, 2, time.Microsecond); err != nil {
		t.Skip(err)
	}
	text := table(rows)
	for _, p := range schema.Presets() {
		for _, want := range []string{" | banner | 1 |", " | app | 1 |", " | corpus, with findings |"} {
			if !strings.Contains(text, "| "+string(p)+want) {
				t.Errorf("no row %s%s in\n%s", p, want, text)
			}
		}
	}
	for _, r := range rows {
		if x := r.ratio(whole, decode); !(x > 0.8 && x < 1000) {
			t.Errorf("%s, %s: a check takes %v of decoding", r.preset, r.name, x)
		}
	}
	if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
		t.Error(text)
	}
}

func TestInsert(t *testing.T) {
	page := []byte("a\n" + begin + "old\n" + end + "\nb\n")
	got, err := insert(page, "new\n")
	if want := "a\n" + begin + "\nnew\n\n" + end + "\nb\n"; err != nil || string(got) != want {
		t.Errorf("%v, got %q, want %q", err, got, want)
	}
	if again, err := insert(got, "new\n"); err != nil || !bytes.Equal(again, got) {
		t.Errorf("%v, got %q", err, again)
	}
	if _, err := insert([]byte("a"), ""); err == nil {
		t.Error("a page without a place was accepted")
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{{"x"}, {"--rounds", "0"}, {"--time", "0"}, {"--nothing"}} {
		var out, errs bytes.Buffer
		if err := Main(args, &out, &errs); err != ErrUsage || errs.Len() == 0 {
			t.Errorf("%v: %v, %q", args, err, errs.String())
		}
	}
}
