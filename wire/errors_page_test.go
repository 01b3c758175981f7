package wire_test

import (
	"encoding/hex"
	"errors"
	"flag"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
	"github.com/rtbwire/rtbwire/wire/splice"
)

var update = flag.Bool("update", false, "rewrite the errors in docs/reference/errors.md")

// pageCalls are the calls that the column "with" of docs/reference/errors.md names.
var pageCalls = map[string]func(doc []byte) error{
	"":                          decoded(),
	"`wire.Strict()`":           decoded(wire.Strict()),
	"`wire.MaxDepth(2)`":        decoded(wire.MaxDepth(2)),
	"`wire.MaxSize(9)`":         decoded(wire.MaxSize(9)),
	"`wire.MaxElements(1)`":     decoded(wire.MaxElements(1)),
	"`wire.MaxMemory(8, 4096)`": decoded(wire.MaxMemory(8, 4096)),
	"`AppendJSON`": func([]byte) error {
		_, err := (&openrtb.Bid{Price: new(math.NaN())}).AppendJSON(nil)
		return err
	},
	"`wire.Set(\"/id/x\", …)`":                           spliced(wire.Set("/id/x", []byte("1"))),
	"`wire.Remove(\"/ext\")`, `wire.Remove(\"/ext/a\")`": spliced(wire.Remove("/ext"), wire.Remove("/ext/a")),
}

func decoded(options ...wire.Option) func([]byte) error {
	return func(doc []byte) error {
		_, err := openrtb.NewDecoder(options...).Decode(doc)
		return err
	}
}

func spliced(edits ...wire.Edit) func([]byte) error {
	return func(doc []byte) error {
		_, err := splice.Apply(nil, doc, edits...)
		return err
	}
}

var (
	pageRow  = regexp.MustCompile("(?m)^(\\| `([a-z0-9]+)` \\| `Code.*? \\| .*? \\| (.*?) \\| (.*?) ?\\|)(.*) \\|$")
	pageByte = regexp.MustCompile("<[0-9a-f]{2}>")
)

// TestPage runs the examples of docs/reference/errors.md.
func TestPage(t *testing.T) {
	const file = "../docs/reference/errors.md"
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	actual := pageRow.ReplaceAllStringFunc(string(page), func(line string) string {
		rows++
		row := pageRow.FindStringSubmatch(line)
		code, call := row[2], pageCalls[row[4]]
		if call == nil {
			t.Fatalf("%s: this test does not know %s", code, row[4])
		}
		doc := pageByte.ReplaceAllStringFunc(strings.Trim(row[3], "`"), func(b string) string {
			raw, err := hex.DecodeString(b[1:3])
			if err != nil {
				t.Fatal(err)
			}
			return string(raw)
		})
		err := call([]byte(doc))
		if e, ok := errors.AsType[*wire.Error](err); !ok || e.Code.String() != code {
			t.Fatalf("the example of %s gives %v", code, err)
		}
		return row[1] + " `" + err.Error() + "` |"
	})
	if want := strings.Count(string(page), "\n| `"); rows != want || rows == 0 {
		t.Errorf("%d rows of %d are as this test expects them", rows, want)
	}
	if *update {
		if err := os.WriteFile(file, []byte(actual), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if actual != string(page) {
		t.Errorf("docs/reference/errors.md has other errors than the examples give; run go test ./wire -run Page -update. Want:\n%s", actual)
	}
}
