package gateway

import (
	"slices"
	"strconv"

	"github.com/rtbwire/rtbwire/wire"
)

// tmaxPath is where a request says how long the answer may take.
const tmaxPath = "/tmax"

// edits returns the changes to the document: those of the verdict, and the lower tmax. They are
// applied together. There are none by default.
func (x *exchange) edits() []wire.Edit {
	o := &x.plan.options
	edits := x.verdict.Edits
	if o.Shadow {
		return nil
	}
	if !o.LowerTMax || slices.ContainsFunc(edits, func(e wire.Edit) bool { return e.Path == tmaxPath }) {
		return edits
	}
	asked := x.tmaxMs()
	if asked == 0 {
		return edits // nobody has said how long
	}
	left := max(int(x.timeout().Milliseconds()), 1)
	if r := x.worker.Request(); r == nil || r.TMax != nil && *r.TMax > 0 && *r.TMax <= left {
		return edits
	}
	x.tmaxText = strconv.AppendInt(x.tmaxText[:0], int64(left), 10)
	x.lowered = append(append(x.lowered[:0], edits...), wire.Set(tmaxPath, x.tmaxText))
	return x.lowered
}
