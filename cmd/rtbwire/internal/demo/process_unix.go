//go:build unix && !linux

package demo

import "syscall"

// attributes make a process that gets no interrupt of the terminal: it is stopped in its turn.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
