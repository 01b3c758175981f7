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

// Rejects returns the last refused requests, the latest first.
func (g *Gateway) Rejects() []Reject { return g.rejects.List() }
