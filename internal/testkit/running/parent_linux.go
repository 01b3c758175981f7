package running

import (
	"os/exec"
	"syscall"
)

// EndWithParent has the system kill a command when this program ends, however it does: tests that
// run out of time run no cleanup. It is to be called before the command starts.
func EndWithParent(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
}
