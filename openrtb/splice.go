package openrtb

import (
	"strings"

	"github.com/rtbwire/rtbwire/wire"
	"github.com/rtbwire/rtbwire/wire/splice"
)

// Splice appends data, the text that r was decoded from, to dst with the edits applied, and
// leaves every other byte as it is; see [splice.Apply]. r itself does not change.
//
// Edits below /ext, where gateways put their additions, cost little more than a copy if r has an
// ext and is from [ParseFast], an arena or a decoder: its place in data is known then. r may be
// nil; then it is [splice.Apply].
func (r *BidRequest) Splice(dst, data []byte, edits ...wire.Edit) ([]byte, error) {
	if r != nil {
		return spliceExt(dst, data, r.Ext, edits)
	}
	return splice.Apply(dst, data, edits...)
}

// Splice is [BidRequest.Splice] for a response.
func (r *BidResponse) Splice(dst, data []byte, edits ...wire.Edit) ([]byte, error) {
	if r != nil {
		return spliceExt(dst, data, r.Ext, edits)
	}
	return splice.Apply(dst, data, edits...)
}

// spliceExt looks for the edits in ext alone if they are all there, and else in all of data.
func spliceExt(dst, data, ext []byte, edits []wire.Edit) ([]byte, error) {
	if len(edits) > 0 && len(ext) > 0 && ext[0] == '{' && strings.HasPrefix(edits[0].Path, "/ext/") {
		if out, ok, err := splice.Within(dst, data, ext, "/ext", edits...); ok {
			return out, err
		}
	}
	return splice.Apply(dst, data, edits...)
}
