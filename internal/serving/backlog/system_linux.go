package backlog

import "golang.org/x/sys/unix"

// onlySYN is a filter of the system's (BPF): it drops segments that would open a connection, with
// the flag SYN and without ACK. It sees a segment from the header of TCP on.
var onlySYN = []unix.SockFilter{
	{Code: unix.BPF_LD | unix.BPF_B | unix.BPF_ABS, K: 13}, // the flags
	{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: 0x12},
	{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: 0x02, Jf: 1},
	{Code: unix.BPF_RET | unix.BPF_K, K: 0},
	{Code: unix.BPF_RET | unix.BPF_K, K: 0xffffffff},
}

// refuse makes the system open no more connections of a socket. Those that are half open go on.
// Where it can't, there is a moment between the last Accept and the end in which one is lost.
func refuse(fd uintptr) error {
	if domain, err := unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_DOMAIN); err != nil || domain != unix.AF_INET && domain != unix.AF_INET6 {
		return err
	}
	return unix.SetsockoptSockFprog(int(fd), unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &unix.SockFprog{Len: uint16(len(onlySYN)), Filter: &onlySYN[0]})
}

// allow is the opposite of refuse.
func allow(fd uintptr) {
	_ = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_DETACH_FILTER, 0)
}
