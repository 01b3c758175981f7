package gateway

// Shares are which part of requests is captured, from 0 to 1.
type Shares struct {
	Forwarded, Refused float64 // by the verdict
}

// valid reports whether the shares are shares.
func (s Shares) valid() bool {
	return s.Forwarded >= 0 && s.Forwarded <= 1 && s.Refused >= 0 && s.Refused <= 1 // false for NaN
}
