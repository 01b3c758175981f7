package gateway

import "github.com/rtbwire/rtbwire/internal/serving/rejects"

// What operators see of a running gateway: [Gateway.Configuration] and [Gateway.Rejects].
type (
	// Configuration says which configuration is in use.
	Configuration = rejects.Configuration
	// Reject is a refused request.
	Reject = rejects.Reject
	// RejectFinding is a finding in a refused request.
	RejectFinding = rejects.Finding
	// Excerpt is the text around such a finding.
	Excerpt = rejects.Excerpt
)

// noteReject keeps the refused request of an exchange for operators, if it is in the sample.
func (x *exchange) noteReject() {
	if !x.g.rejects.Wants(x.began) {
		return
	}
	x.g.rejects.Add(Reject{
		Time: x.began, Partner: x.facts.Partner, RequestID: string(x.traceID), Full: x.plan.options.FullRejects,
		Reason: x.verdict.Reason, NBR: int(x.verdict.NBR), Score: x.verdict.Score,
	}, x.body, x.verdict.Findings)
}

// Rejects returns the last refused requests, the latest first.
func (g *Gateway) Rejects() []Reject { return g.rejects.List() }
