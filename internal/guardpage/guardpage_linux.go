package guardpage

import (
	"syscall"
	"testing"
)

// Enabled reports whether this system protects the pages around a Buffer.
const Enabled = true

// alloc maps at least size bytes between two guards.
func alloc(tb testing.TB, size int) (whole []byte, guard int) {
	tb.Helper()
	page := syscall.Getpagesize()
	size = (size + page - 1) / page * page
	whole, err := syscall.Mmap(-1, 0, size+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		tb.Fatalf("guardpage: mmap: %v", err)
	}
	tb.Cleanup(func() {
		if err := syscall.Munmap(whole); err != nil {
			tb.Errorf("guardpage: munmap: %v", err)
		}
	})
	for _, side := range [][]byte{whole[:page], whole[page+size:]} {
		if err := syscall.Mprotect(side, syscall.PROT_NONE); err != nil {
			tb.Fatalf("guardpage: mprotect: %v", err)
		}
	}
	return whole, page
}
