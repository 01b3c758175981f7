// Package parent has the system end programs that a program has started, however that one ends: a
// test that runs into its deadline is killed and cleans nothing up.
package parent

import (
	"os/exec"
	"syscall"
)

// EndWith has the system kill the command when this program ends.
func EndWith(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
}
