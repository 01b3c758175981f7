package measure

import (
	"fmt"
	"math/rand/v2"
	"net"
)

// The ports of programs that are measured. Connections that a program opens have other ones (32768
// and above on Linux), so that none is taken between the choice and the start.
const (
	portFirst = 20_000
	portPast  = 32_768
	portTries = 100
)

// FreeAddress returns a loopback address without a listener.
func FreeAddress() (string, error) {
	var err error
	for range portTries {
		address := fmt.Sprintf("127.0.0.1:%d", portFirst+rand.IntN(portPast-portFirst))
		var ln net.Listener
		if ln, err = net.Listen("tcp", address); err == nil {
			return address, ln.Close()
		}
	}
	return "", err
}
