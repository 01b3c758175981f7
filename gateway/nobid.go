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

// UpstreamErrors says what becomes of an upstream's answer of status 5xx to a bid request.
type UpstreamErrors string

// What becomes of it. The upstream has failed in both cases.
const (
	ErrorsNoBid UpstreamErrors = "no_bid" // the no-bid answer takes its place
	ErrorsPass  UpstreamErrors = "pass"   // it goes to the sender as it is
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
