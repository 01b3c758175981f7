package rule

import (
	"net/netip"
	"strings"
	"time"
)

// Facts is what is known about a request besides its bytes. The zero value is a request of which
// nothing is known. Front ends fill it in; a verdict asks nothing else, neither clock nor
// network, so that it can be repeated from a log. Partner and Publisher choose the layers; the
// inspector of the specification reads none of the others.
type Facts struct {
	// Partner is the name of the partner that sent the request, a key of the configuration's
	// partners. For a name that the configuration does not have, the global layer alone counts.
	Partner string
	// Publisher replaces the publisher's id that the request has (site, app or dooh, publisher.id).
	Publisher string
	// Peer is the address of the connection.
	Peer netip.Addr
	// Forwarded are the addresses that trusted proxies have added, the nearest last.
	Forwarded []netip.Addr
	// UserAgent is the HTTP header, not the request's device.ua.
	UserAgent string
	// Headers are the headers of the HTTP request, or of the record in a stream, that rules may ask
	// for.
	Headers []Header
	// Time is when the request arrived, or in a stream when the event happened.
	Time time.Time

	// The answers of state: windows and services are asked between decoding
	// and judging.

	// Seen is whether the request's id was seen before.
	Seen bool
	// Counts are the numbers of requests in the current window.
	Counts Counts
	// Vendor are the answers of services.
	Vendor []VendorAnswer
}

// Header is a header of the message that brought the request.
type Header struct{ Name, Value string }

// Header returns the value of the first header with the name, in any case of ASCII letters; may be
// "".
func (f *Facts) Header(name string) string {
	for i := range f.Headers {
		if strings.EqualFold(f.Headers[i].Name, name) {
			return f.Headers[i].Value
		}
	}
	return ""
}

// Counts are numbers of requests in a window.
type Counts struct {
	IFA     int // with the device's advertising identifier
	Address int // with the device's address
}

// VendorAnswer is what a service says about a request.
type VendorAnswer struct {
	Name  string // of the service
	Score int    // from 0 (good) to 100 (fraud)
	// Err is set if there was no answer in time. Score is then what the configuration says that
	// this means: 0, so that it is ignored, or 100.
	Err bool
}
