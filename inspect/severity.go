package inspect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rtbwire/rtbwire/inspect/schema"
)

// Severity says what a finding does. It is one scale for the reasons of all inspectors.
type Severity uint8

// The severities, in rising order.
const (
	Off     Severity = iota // not looked for
	Observe                 // reported
	Warn                    // reported as a likely fault
	Refuse                  // the request is refused
)

var severityNames = [...]string{Off: "off", Observe: "observe", Warn: "warn", Refuse: "refuse"}

// String returns "off", "observe", "warn" or "refuse".
func (s Severity) String() string {
	if int(s) < len(severityNames) {
		return severityNames[s]
	}
	return fmt.Sprintf("Severity(%d)", s)
}

// commandWords are the words of "rtbwire check" for severities.
var commandWords = map[string]Severity{"info": Observe, "warning": Warn, "error": Refuse}

// ParseSeverity returns the severity with the given name. It also takes the words of the command
// "rtbwire check": info for Observe, warning for Warn, error for Refuse.
func ParseSeverity(text string) (Severity, error) {
	if s, ok := commandWords[text]; ok {
		return s, nil
	}
	if i := slices.Index(severityNames[:], text); i >= 0 {
		return Severity(i), nil
	}
	return Off, fmt.Errorf("inspect: unknown severity %q (want %s)", text, strings.Join(severityNames[:], ", "))
}

// The two scales, of this package and of inspect/schema, have the same order.
func fromSchema(s schema.Severity) Severity { return Severity(s) }
func toSchema(s Severity) schema.Severity   { return schema.Severity(s) }

// The conversions above hold only while the scales agree: otherwise this does not compile.
var (
	_ = [1]int{}[int(Off)-int(schema.Off)]
	_ = [1]int{}[int(Observe)-int(schema.Info)]
	_ = [1]int{}[int(Warn)-int(schema.Warn)]
	_ = [1]int{}[int(Refuse)-int(schema.Error)]
)
