package transport

import (
	"context"
	"fmt"
	"net"
)

// ListenersMax is how many sockets one address can have.
const ListenersMax = 1024

// several opens s.Each sockets of one address of IP, or none. They share its connections, so that
// as many goroutines accept them.
func (s *Sockets) several(ctx context.Context, network, at string) (list []net.Listener, err error) {
	if s.Each > ListenersMax {
		return nil, fmt.Errorf("%d listeners (want at most %d)", s.Each, ListenersMax)
	}
	shared := s.config()
	shared.Control = reusePort
	for range s.Each {
		ln, err := shared.Listen(ctx, network, at)
		if err != nil {
			for _, other := range list {
				_ = other.Close()
			}
			return nil, err
		}
		list = append(list, ln)
		at = ln.Addr().String() // the port is the same, also if it was the system's to choose
	}
	return list, nil
}
