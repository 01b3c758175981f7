//go:build !rtbwiredebug

package openrtb

// poison does nothing in this build: arenas are used again.
func poison(*codec, any) bool { return false }
