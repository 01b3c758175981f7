package kafkatest

import (
	"os/exec"
	"syscall"
)

// endWithParent has the system kill the command when this program ends, however it does.
func endWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
