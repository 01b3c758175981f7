package http

import (
	"fmt"
	"os"
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
	os.Exit(testkit.WithProgram(&program, "github.com/rtbwire/rtbwire/cmd/rtbwire", m.Run))
}
