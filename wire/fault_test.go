package wire

import (
	"testing"

	"github.com/rtbwire/rtbwire/internal/grammar"
)

// TestFaultsAreCodes: the grammar's faults have the numbers of the codes, so that one converts to
// the other.
func TestFaultsAreCodes(t *testing.T) {
	for fault, code := range map[grammar.Fault]Code{
		grammar.Empty: CodeEmpty, grammar.Syntax: CodeSyntax, grammar.Truncated: CodeTruncated,
		grammar.Trailing: CodeTrailing, grammar.ByteOrderMark: CodeBOM, grammar.Control: CodeControl,
		grammar.Escape: CodeEscape, grammar.UTF8: CodeUTF8, grammar.Surrogate: CodeSurrogate,
		grammar.Number: CodeNumber, grammar.Duplicate: CodeDuplicate, grammar.Depth: CodeDepth,
	} {
		if Code(fault) != code {
			t.Errorf("fault %d of the grammar converts to %s, want %s", fault, Code(fault).String(), code.String())
		}
	}
}
