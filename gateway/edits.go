package gateway

import (
	"slices"
	"strconv"

	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// tmaxPath is where a request says how long the answer may take.
const tmaxPath = "/tmax"

// lowerTMax returns the edits of a verdict with one more: a lower tmax, if less time is left than
// the request says. They are applied together.
func (o *outgoing) lowerTMax(edits []wire.Edit, bid *openrtb.BidRequest, b *timeBudget) []wire.Edit {
	if b.tmaxMs == 0 || slices.ContainsFunc(edits, func(e wire.Edit) bool { return e.Path == tmaxPath }) {
		return edits // the sender set no tmax, or a scrub sets it
	}
	left := max(int(b.left().Milliseconds()), 1)
	if bid == nil || bid.TMax != nil && *bid.TMax > 0 && *bid.TMax <= left {
		return edits
	}
	o.tmaxText = strconv.AppendInt(o.tmaxText[:0], int64(left), 10)
	o.edits = append(append(o.edits[:0], edits...), wire.Set(tmaxPath, o.tmaxText))
	return o.edits
}
