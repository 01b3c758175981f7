package gateway

import (
	"fmt"
	"slices"
)

// ResponseMode says what becomes of the answers of upstreams.
type ResponseMode string

// The modes.
const (
	ResponsesOff     ResponseMode = "off"     // they pass unread
	ResponsesObserve ResponseMode = "observe" // a sample is judged and counted, and all pass
	ResponsesEnforce ResponseMode = "enforce" // all are judged; bids that break rules are removed
)

// Responses says how the answers of upstreams are inspected.
type Responses struct {
	// Mode is what becomes of them. Default: [ResponsesObserve].
	Mode ResponseMode
	// Sample is the share of answers that is judged where they are observed, more than 0 and at
	// most 1. It is chosen by a hash of the request's id, see [inspect.SampleOf]. Default:
	// [ResponseSampleDefault].
	Sample float64
}

// ResponseSampleDefault is the share of answers that is judged where they are observed.
const ResponseSampleDefault = 0.01

// validate checks what is set, and fills in the rest.
func (r *Responses) validate(otherwise Responses) error {
	if r.Mode == "" {
		r.Mode = otherwise.Mode
	}
	if r.Sample == 0 {
		r.Sample = otherwise.Sample
	}
	if !slices.Contains([]ResponseMode{ResponsesOff, ResponsesObserve, ResponsesEnforce}, r.Mode) {
		return fmt.Errorf("gateway: unknown mode of responses %q (want off, observe or enforce)", r.Mode)
	}
	if !(r.Sample > 0 && r.Sample <= 1) { // also NaN
		return fmt.Errorf("gateway: the sample of responses is %v (want more than 0, at most 1)", r.Sample)
	}
	return nil
}
