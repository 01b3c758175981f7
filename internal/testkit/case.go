package testkit

import (
	"fmt"
	"path/filepath"
	"runtime"
)

// CaseName is the name of a case in a table and the line of the case, which failures print.
type CaseName struct{ text, where string }

// Name returns a CaseName for the caller's line.
func Name(text string) CaseName {
	_, file, line, _ := runtime.Caller(1)
	return CaseName{text, fmt.Sprintf("%s:%d", filepath.Base(file), line)}
}

// String returns the name and the line.
func (n CaseName) String() string { return n.text + " (" + n.where + ")" }
