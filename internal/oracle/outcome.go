package oracle

import (
	"fmt"
	"slices"
)

// Outcome is what came of a document: a value, or the fault that it was refused for.
type Outcome struct {
	Value any
	Fault *Fault  // nil: accepted
	Saved []Fault // what lenient mode repaired
}

// Diff returns how o differs from want, "" if it does not. If both are refused, only the faults
// count: how far a decoder got before is its own affair.
func (o Outcome) Diff(want Outcome) string {
	switch {
	case o.Fault == nil && want.Fault == nil:
		if s := Diff(o.Value, want.Value); s != "" {
			return s
		}
		if !slices.Equal(o.Saved, want.Saved) {
			return fmt.Sprintf("saved %v, want %v", o.Saved, want.Saved)
		}
	case o.Fault == nil:
		return fmt.Sprintf("accepted, want a refusal for %v", *want.Fault)
	case want.Fault == nil:
		return fmt.Sprintf("refused for %v, want no error", *o.Fault)
	case *o.Fault != *want.Fault:
		return fmt.Sprintf("refused for %v, want %v", *o.Fault, *want.Fault)
	}
	return ""
}

// String returns the fault as failure messages show it.
func (f Fault) String() string { return fmt.Sprintf("%s at %d in %q", f.Code, f.Offset, f.Path) }
