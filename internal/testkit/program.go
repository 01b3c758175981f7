package testkit

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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

// WithProgram builds a program of the module in a folder of its own, sets its path, and returns the
// exit status of the tests.
func WithProgram(path *string, pkg string, tests func() int) int {
	dir, err := os.MkdirTemp("", "program")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }() // what the program of a test leaves is of no use
	*path = filepath.Join(dir, filepath.Base(pkg))
	if err := BuildProgram(*path, pkg); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return tests()
}
