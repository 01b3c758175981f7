package abuse

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rtbwire/rtbwire/internal/testkit"
)

// program is the path of the program under test.
var program string

func TestMain(m *testing.M) {
	if os.Getenv("RTBWIRE_ABUSE") == "" {
		fmt.Println("left out: set RTBWIRE_ABUSE=1, or use scripts/abuse.sh")
		return
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "abuse")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "rtbwire")
	if err := build(program); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// build builds the program as the tests are built.
func build(to string) error {
	args := []string{"build", "-o", to}
	env := append(os.Environ(), "CGO_ENABLED=0")
	if testkit.Race {
		args, env = append(args, "-race"), append(os.Environ(), "CGO_ENABLED=1")
	}
	if testkit.Poisoned {
		args = append(args, "-tags", "rtbwiredebug")
	}
	cmd := exec.Command("go", append(args, "github.com/rtbwire/rtbwire/cmd/rtbwire")...)
	cmd.Env = env
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go %v: %w\n%s", args, err, out)
	}
	return nil
}
