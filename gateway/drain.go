package gateway

import (
	"context"
)

// Ready reports whether the gateway should get requests: it is false from the beginning of
// Shutdown.
func (g *Gateway) Ready() bool { return !g.conns.draining.Load() }

// Shutdown stops the gateway.
func (g *Gateway) Shutdown(ctx context.Context) error {
	g.conns.draining.Store(true)
	return g.server.ShutdownWithContext(ctx)
}
