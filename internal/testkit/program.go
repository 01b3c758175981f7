package testkit

import (
	"fmt"
	"os"
	"os/exec"
)

// BuildProgram builds a program of the module as the tests are built: with the race detector, and
// with poisoned memory, if they are.
func BuildProgram(to, path string) error {
	args, cgo := []string{"build", "-o", to}, "CGO_ENABLED=0"
	if Race {
		args, cgo = append(args, "-race"), "CGO_ENABLED=1"
	}
	if Poisoned {
		args = append(args, "-tags", "rtbwiredebug")
	}
	cmd := exec.Command("go", append(args, path)...)
	cmd.Env = append(os.Environ(), cgo)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go %v: %w\n%s", args, err, out)
	}
	return nil
}
