package measure

import (
	"net"
	"strconv"
	"testing"
)

// TestFreeAddress gives addresses that can be listened at, outside the ports of connections that
// are opened: one of those could be taken again before the program has started.
func TestFreeAddress(t *testing.T) {
	for range 20 {
		address, err := FreeAddress()
		if err != nil {
			t.Fatal(err)
		}
		_, port, err := net.SplitHostPort(address)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := strconv.Atoi(port); err != nil || n < portFirst || n >= portPast {
			t.Errorf("port %s is not in %d to %d", port, portFirst, portPast-1)
		}
		ln, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer ln.Close() // the next ones have to differ
	}
}
