package inspect

import "github.com/rtbwire/rtbwire/inspect/facts"

// Facts is what is known about a request besides its bytes.
type Facts = facts.Facts

// Counts are numbers of requests in a window.
type Counts = facts.Counts

// VendorAnswer is what a service says about a request.
type VendorAnswer = facts.VendorAnswer

// Header is a header of the message that brought the request.
type Header = facts.Header
