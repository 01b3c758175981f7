package gateway

import "github.com/rtbwire/rtbwire/internal/serving/rejects"

// noteReject keeps the refused request of an exchange for operators, if it is in the sample.
func (x *exchange) noteReject() {
	if !x.g.rejects.Wants(x.began) {
		return
	}
	x.g.rejects.Add(rejects.Reject{
		Time: x.began, Partner: x.facts.Partner, RequestID: string(x.traceID), Full: x.plan.options.FullRejects,
		Reason: x.verdict.Reason, NBR: int(x.verdict.NBR), Score: x.verdict.Score,
	}, x.body, x.verdict.Findings)
}

// Rejects returns the last refused requests, the latest first.
func (g *Gateway) Rejects() []rejects.Reject { return g.rejects.List() }
