package scrub

import (
	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// NewEditor returns the program with working memory for one goroutine, for package inspect.
func (p *Program) NewEditor() rule.Editor { return &editor{program: p} }

// editor is a program as a [policy.Editor].
type editor struct {
	program *Program
	scratch Scratch
}

// Append appends the edits that body needs. See [Program.Append].
func (e *editor) Append(edits []wire.Edit, body []byte, _ *openrtb.BidRequest) ([]wire.Edit, error) {
	return e.program.Append(edits, body, &e.scratch, nil)
}
