package http

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/rtbwire/rtbwire/internal/testkit"
)

// program is the path of the program under test.
var program string

func TestMain(m *testing.M) {
	if os.Getenv("RTBWIRE_E2E") == "" {
		fmt.Println("left out: set RTBWIRE_E2E=1, or use make ci STEPS=e2e")
		return
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "e2e")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "rtbwire")
	if err := testkit.BuildProgram(program, "github.com/rtbwire/rtbwire/cmd/rtbwire"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}
