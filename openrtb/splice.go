package openrtb

import (
	"strings"

	"github.com/rtbwire/rtbwire/wire"
	"github.com/rtbwire/rtbwire/wire/splice"
)

// Splice appends data, the text that r was decoded from, to dst with the edits applied, and
// leaves every other byte as it is; see [splice.Apply]. r itself does not change.
//
// It knows from r where things stand: edits below /ext, which is where a gateway puts what it
// has to say, cost little more than a copy if r is from [ParseFast], an arena or a decoder and
// has an ext. r may be nil; then it is [splice.Apply].
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

// spliceExt edits ext alone if it can.
func spliceExt(dst, data, ext []byte, edits []wire.Edit) ([]byte, error) {
	if len(edits) > 0 && len(ext) > 0 && ext[0] == '{' && strings.HasPrefix(edits[0].Path, "/ext/") {
		if out, ok, err := splice.Within(dst, data, ext, "/ext", edits...); ok {
			return out, err
		}
	}
	return splice.Apply(dst, data, edits...)
}
