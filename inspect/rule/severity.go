package rule

import (
	"fmt"
	"slices"
	"strings"
)

// Severity says what a finding does. There is one scale for all inspectors and all front ends, and
// two sets of words for it:
//
//	Severity  configuration, verdicts  reports of "rtbwire check", inspect/schema
//	Off       off                      off
//	Observe   observe                  info
//	Warn      warn                     warn ("warning" is read, too)
//	Refuse    refuse                   error
//
// [Severity.String] has the words of verdicts, [Severity.Level] those of reports, and
// [ParseSeverity] reads both.
type Severity uint8

// The severities, in rising order.
const (
	Off     Severity = iota // not looked for
	Observe                 // reported: worth knowing
	Warn                    // reported as a likely fault
	Refuse                  // the document is invalid: a request is refused
)

var (
	severityNames = [...]string{Off: "off", Observe: "observe", Warn: "warn", Refuse: "refuse"}
	levelNames    = [...]string{Off: "off", Observe: "info", Warn: "warn", Refuse: "error"}
)

// String returns "off", "observe", "warn" or "refuse".
func (s Severity) String() string { return s.name(&severityNames) }

// Level returns the word of reports: "off", "info", "warn" or "error".
func (s Severity) Level() string { return s.name(&levelNames) }

func (s Severity) name(names *[Refuse + 1]string) string {
	if int(s) < len(names) {
		return names[s]
	}
	return fmt.Sprintf("Severity(%d)", s)
}

// ParseSeverity returns the severity with the given name, in the words of [Severity.String] or of
// [Severity.Level]; "warning" is accepted for Warn.
func ParseSeverity(text string) (Severity, error) {
	if text == "warning" {
		return Warn, nil
	}
	for _, names := range [...][]string{severityNames[:], levelNames[:]} {
		if i := slices.Index(names, text); i >= 0 {
			return Severity(i), nil
		}
	}
	return Off, fmt.Errorf("inspect: unknown severity %q (want %s)", text, strings.Join(severityNames[:], ", "))
}
