package gateway

import (
	"bytes"

	"github.com/valyala/fasthttp"
)

// head is what the stages ask of the head of a request. One pass over its fields finds it: every
// question to fasthttp normalizes the name that is asked for and walks over all fields. Slices are
// valid until the head is changed.
type head struct {
	path      []byte // of the target, as it was sent
	query     []byte // without the question mark
	queried   bool   // there is a question mark
	version   []byte // the first X-Openrtb-Version
	versions  int
	unknown   bool   // one of them is of another kind
	id        []byte // the first X-Request-Id
	ids       int
	encoding  encoding
	encodings int
	forwarded bool // there is an X-Forwarded-For
	plain     bool // all fields pass
}

// read fills the head in.
func (d *head) read(r *fasthttp.Request) {
	*d = head{plain: true}
	d.readTarget(r)
	for name, value := range r.Header.All() {
		switch string(name) {
		case headerVersion:
			if d.versions++; d.versions == 1 {
				d.version = value
			}
			d.unknown = d.unknown || !knownVersion(value)
		case headerRequestID:
			if d.ids++; d.ids == 1 {
				d.id = value
			}
		case fasthttp.HeaderContentEncoding:
			// Two codings at once are unknown.
			if d.encoding = encodingNamed(value); d.encodings > 0 {
				d.encoding = encodingUnknown
			}
			d.encodings++
		default:
			if kind := kindOf(name); kind != headerPasses {
				d.plain = false
				d.forwarded = d.forwarded || string(name) == fasthttp.HeaderXForwardedFor
			}
		}
	}
}

// readTarget splits the target into path and query. Other targets go to fasthttp, whose parser does
// more than is needed here.
func (d *head) readTarget(r *fasthttp.Request) {
	target := r.Header.RequestURI()
	if len(target) == 0 || target[0] != '/' || bytes.HasPrefix(target, doubleSlash) || bytes.IndexByte(target, '#') >= 0 {
		uri := r.URI()
		d.path, d.query = uri.PathOriginal(), uri.QueryString()
		d.queried = len(d.query) > 0
		return
	}
	d.path, d.query, d.queried = bytes.Cut(target, questionMark)
}

var (
	doubleSlash  = []byte("//")
	questionMark = []byte("?")
)
