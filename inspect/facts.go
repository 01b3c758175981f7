package inspect

import "github.com/rtbwire/rtbwire/inspect/rule"

// Facts is what is known about a request besides its bytes.
type Facts = rule.Facts

// Counts are numbers of requests in a window.
type Counts = rule.Counts

// VendorAnswer is what a service says about a request.
type VendorAnswer = rule.VendorAnswer

// Header is a header of the message that brought the request.
type Header = rule.Header
