package gateway

import (
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/mem"
)

// inspect decodes and judges. It reports whether the request is forwarded, and has answered it
// otherwise.
func (x *exchange) inspect() bool {
	x.worker = x.plan.worker()
	_ = x.worker.Decode(x.body) // Judge knows
	x.facts = inspect.Facts{
		Peer:      x.sender.peer,
		UserAgent: mem.String(x.req.Header.UserAgent()), // valid as long as the request
		Time:      x.began,
	}
	x.verdict = x.worker.Judge(x.facts)
	if x.verdict.Action == inspect.ActionRefuse && !x.plan.options.Shadow {
		x.noBid()
		return false
	}
	return true
}
