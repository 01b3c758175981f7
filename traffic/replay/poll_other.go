//go:build !linux

package replay

func newPoller(bool) (poller, error) { return newPortable(), nil }
