package inspect

// Observing is what an operator only observes at the moment, besides what the configuration says
// ([Layer.Enforce]). What is missed is in [Verdict.Observed]. Scrubs apply in any case, and a
// request that can't be decoded or scrubbed is refused in any case.
//
// A request with more findings that refuse than [Config.MaxFindings] is refused if only some
// reasons are observed: it is not known what the findings beyond are about.
type Observing struct {
	// All says that no judgement refuses, as where a share of 0 is enforced.
	All bool
	// Reasons are the ids of reasons that refuse nothing.
	Reasons map[string]bool
}
