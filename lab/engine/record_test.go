package engine_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/lab/engine"
)

// The decision record has a row for each engine, with its configuration and what recommends it.
func TestDecisionRecord(t *testing.T) {
	const file = "../../docs/decisions/0003-lab-engines.md"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	cell := strings.NewReplacer("|", `\|`, "<", `\<`)
	for _, e := range engine.All() {
		row := fmt.Sprintf("| %s | %s | %s |\n", e.Name, cell.Replace(e.Config), cell.Replace(e.Source))
		if !strings.Contains(string(text), row) {
			t.Errorf("%s lacks the row\n%s", file, row)
		}
	}
}
