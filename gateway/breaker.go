package gateway

import "time"

// The breaker of an upstream (package internal/breaker).
const (
	// BreakerFailures is how many failures in a row open it.
	BreakerFailures = 5
	// BreakerPause is how long an open breaker waits between two requests that try again: however
	// broken an upstream is, one request in each pause finds out whether it is back.
	BreakerPause = time.Second
)
