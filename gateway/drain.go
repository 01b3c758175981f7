package gateway

import (
	"context"
	"errors"
	"time"
)

// drainStep is how often Shutdown looks.
const drainStep = 5 * time.Millisecond

// Ready reports whether the gateway should get requests. It is false from the beginning of
// Shutdown on.
func (g *Gateway) Ready() bool { return !g.stopping.Load() }

// Shutdown stops the gateway so that no request is lost whose first byte was read, or whose
// connection was queued. It says that the gateway is not ready, waits for the drain delay, takes
// what is queued, stops listening, and waits until everything is answered; answers end their
// connections. If the context or the drain timeout ends first, the rest is cut, which is an error.
func (g *Gateway) Shutdown(ctx context.Context) error {
	if g.stopping.Swap(true) {
		select {
		case <-g.stopped:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	defer close(g.stopped)
	defer g.endBackground()
	defer g.candidate.Stop()
	o := &g.plan.Load().options
	if o.DrainDelay > 0 {
		select {
		case <-time.After(o.DrainDelay):
		case <-ctx.Done():
		}
	}
	ctx, cancel := context.WithTimeout(ctx, o.DrainTimeout)
	defer cancel()

	g.conns.draining.Store(true)
	step := time.NewTicker(drainStep)
	defer step.Stop()
	for !g.conns.end() {
		// A call of Serve may have begun at the same time as this one.
		for _, l := range g.conns.listeners() {
			l.stop()
		}
		if len(g.conns.listeners()) == 0 {
			g.http2.drain(ctx)
		}
		for _, c := range g.conns.all() {
			c.hurry()
		}
		select {
		case <-step.C:
		case <-ctx.Done():
			g.conns.abort()
			return errors.Join(errors.New("gateway: requests were cut at the end of the drain timeout"), ctx.Err())
		}
	}
	return nil
}
