//go:build !unix

package backlog

func readable(uintptr) bool { return false }
