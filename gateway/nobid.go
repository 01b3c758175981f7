package gateway

// NoBid says how a refusal is answered.
type NoBid string

// The no-bid answers.
const (
	NoBid204     NoBid = "204"      // no content
	NoBid200     NoBid = "200"      // {"id": ..., "nbr": ...}
	NoBid400     NoBid = "400"      // without a body
	NoBid400JSON NoBid = "400-json" // {"id": ..., "nbr": ...}
)

// undecoded returns the answer to a request that was not decoded: it has no id, so 204 stands for
// 200.
func (n NoBid) undecoded() NoBid {
	if n == NoBid200 {
		return NoBid204
	}
	return n
}

// valid reports whether n is a no-bid answer, or "" for the default.
func (n NoBid) valid() bool {
	return n == "" || n == NoBid204 || n == NoBid200 || n == NoBid400 || n == NoBid400JSON
}
