package demo

import "syscall"

// attributes make a process that gets no interrupt of the terminal, because it is stopped in its
// turn, and that ends when this one is killed.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
