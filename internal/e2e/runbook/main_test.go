package runbook

import (
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/testkit"
)

var update = flag.Bool("update", false, "write what is seen to testdata/observed.json, and docs/runbook.md")

// program is the path of the program under test, "" if no fault is made.
var program string

// patience is how long anything may take before a test gives up. Machines that run tests are busy.
const patience = time.Minute

// The files, from the root of the repository, where the tests run.
const (
	rulesFile    = "deploy/prometheus/rules.yaml"
	pageFile     = "docs/runbook.md"
	observedFile = "internal/e2e/runbook/testdata/observed.json"
)

func TestMain(m *testing.M) {
	flag.Parse()
	if err := os.Chdir("../../.."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if os.Getenv("RTBWIRE_E2E") == "" {
		os.Exit(m.Run())
	}
	os.Exit(testkit.WithProgram(&program, "github.com/rtbwire/rtbwire/cmd/rtbwire", m.Run))
}
