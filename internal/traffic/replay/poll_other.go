//go:build !linux

package replay

func newPoller() (poller, error) { return newPortable() }
