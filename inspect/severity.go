package inspect

import "github.com/rtbwire/rtbwire/inspect/rule"

// Severity says what a finding does. It is one scale for the reasons of all inspectors.
type Severity = rule.Severity

// The severities, in rising order.
const (
	Off     = rule.Off     // not looked for
	Observe = rule.Observe // reported
	Warn    = rule.Warn    // reported as a likely fault
	Refuse  = rule.Refuse  // the request is refused
)

// ParseSeverity returns the severity with the given name. It also takes the words of the command
// "rtbwire check": info for Observe, warning for Warn, error for Refuse.
func ParseSeverity(text string) (Severity, error) { return rule.ParseSeverity(text) }
