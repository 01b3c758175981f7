package gateway

import (
	"github.com/valyala/fasthttp"
)

// head is what the stages ask of the head of a request. One pass over its fields finds it: every
// question to fasthttp normalizes the name that is asked for and walks over all fields. Slices are
// valid until the head is changed.
type head struct {
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

// Names of fields as SetCanonical takes them, which does not normalize them again.
var (
	nameVersion      = []byte(headerVersion)
	nameRequestID    = []byte(headerRequestID)
	nameForwardedFor = []byte(fasthttp.HeaderXForwardedFor)
	nameAction       = []byte(headerAction)
	nameScore        = []byte(headerScore)
	namePartner      = []byte(headerPartner)
	nameReason       = []byte(headerReason)
	nameNBR          = []byte(headerNBR)
)

// read fills the head in.
func (d *head) read(h *fasthttp.RequestHeader) {
	*d = head{plain: true}
	for name, value := range h.All() {
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
