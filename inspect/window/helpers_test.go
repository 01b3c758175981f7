package window

import "runtime"

// heap returns how much memory is in use. Pools let go of theirs in the second collection only.
func heap() int {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
