// Package adcom holds the lists of codes that OpenRTB messages use: those of AdCOM 1.0, those
// of OpenRTB itself (such as [NoBidReason]), of OpenRTB Native 1.2 (Native...) and of the
// Global Privacy Platform ([GPPSection]).
//
// A list is a named integer type with its codes as constants. String tells the meaning of a
// code in a few words, for logs and reports; Valid tells whether the list has it. Values are
// compared and converted like any integer, and are numbers in JSON.
//
// # Codes that a list does not have
//
// Lists grow between two versions of the specification, and OpenRTB asks readers to take an
// unknown code as "unknown" rather than to reject the message (section 2.6). So decoding
// never looks at lists: every integer is kept as it is, the types have room for all of them,
// and String prints what it does not know as the type with the number, "DeviceType(42)".
// Whether an unknown code matters is for the caller to decide, with Valid.
//
// Codes of 500 and above are private to a vendor or an exchange. They are valid in the lists
// that the specification opens to them, such as [AuctionType], which the comment of the type
// says; their meaning is a matter between the parties, so String has no words for them. The
// other lists are closed. [StartDelayMode] is a special case: its positive values are no
// codes but offsets in seconds, and all of them are valid.
//
// Where a field has a list, 0 is a code like any other if the list has it. An absent field is
// a nil pointer in package openrtb, and never the code 0.
//
// The constants are generated from the data in package spec.
package adcom

// The types come before the codecs that are generated from them: go generate takes packages
// in the order of their paths, and this is the first one.
//go:generate go run ../internal/tools/specgen -out ..
