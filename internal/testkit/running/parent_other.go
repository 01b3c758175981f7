//go:build !linux

package running

import "os/exec"

// EndWithParent does nothing: here, a command stays when the program that started it is killed.
func EndWithParent(*exec.Cmd) {}
