// Package openrtb is OpenRTB 2.6 as Go types, with a decoder made for bid streams. [SpecVersion]
// names the release.
//
// [BidRequest] and [BidResponse] are the two messages; the other types are the objects inside
// them. The comment of each type names its section of the specification. The comment of each
// field gives the facts of the specification's table: whether it is required, its unit, range,
// format and list, its default, and the version that added it. In prose, fields go by their JSON
// names. The native objects, which travel as text inside a string, are in package native.
//
// # Decoding
//
// [Parse] and [ParseResponse] return values that own their memory; start with them. The
// faster functions have conditions, which their comments state:
//
//	Parse            owns everything                             valid forever
//	ParseReader      the same, from an io.Reader, with a limit   valid forever
//	ParseFast        strings and ext point into the text         until the text is changed
//	ParseFastArena   the same, objects in a pooled arena,        until Release, or until
//	                 no allocation                               the text is changed
//	Decoder.Decode   the same, in an arena of the decoder's,     until the next Decode, or until
//	                 with options                                the text is changed
//
// Responses have the same five. A [Pool] has all of them with options, for any number of
// goroutines. [BidRequest.Clone] and [BidResponse.Clone] copy any result, and the copy stays valid.
//
// With the same options all of them accept and refuse the same texts: JSON after RFC 8259, the
// types of the specification, keys compared byte for byte. Unknown keys are skipped; null leaves a
// field absent. Decoding checks the shape, not the sense: a request without id or with a negative
// price decodes; package inspect/schema has the rules. [wire.Strict] refuses more, [wire.Lenient]
// saves what real exchanges get wrong, and lists it. Errors are a [*wire.Error] with a code, an
// offset and a JSON Pointer, except for those of an io.Reader.
//
// No type has a method that encoding/json calls. The fields have json tags, so encoding/json and
// every other library read and write the types too, by their own rules. Results in arenas equal
// those of Parse for reflect.DeepEqual and go-cmp.
//
// # Types
//
// An absent price is not a price of 0, and a gdpr of 0 is not an unknown one. So every number
// that a message may leave out is a pointer, and nil is absent:
//
//	in the specification     in Go
//	string                   plain string      "" is absent or empty, which mean the same
//	integer                  *int
//	integer with a list      *adcom.Type       a named integer type, see package adcom
//	float                    *float64
//	object                   *Object
//	array of T               []T               no pointers inside; nil is absent
//	ext                      json.RawMessage   any JSON value, its exact bytes
//
// Required fields follow the same rules. That a message has to carry a price does not mean
// that it does, and a decoder that makes 0 of a missing one has hidden the fault. To write a
// pointer to a constant, use new: &Bid{Price: new(1.25)}. To read one, compare with nil first,
// and take the default that the comment of the field names.
//
// AppendJSON and its siblings leave out fields that are nil or an empty string. They write a
// pointer to 0, an array that is empty but not nil, and all elements of arrays. (encoding/json
// leaves out empty arrays too.)
//
// # Lists
//
// A field with a list of codes has a type of package adcom. Every integer decodes, because readers
// have to tolerate codes that are newer than they are. Valid reports whether the list has a code,
// or leaves it to vendors and exchanges, as most lists do with codes of 500 and above (section
// 2.6). Switches, which are 0 or 1 and have no list, are plain integers.
//
// # Extensions
//
// An ext is kept as the bytes that the message has, checked but not interpreted: white space,
// the order of keys and the spelling of numbers arrive untouched. (An ext of null is absent,
// as every null is.) Decode it with [ExtAs], or with whatever suits the extension at hand; [SetExt]
// and [SetExtMember] write it. Fields that were extensions in earlier versions may still be found
// there; their comments say where, and [ConvertTo26] moves them.
//
// # Files
//
// The types are generated, in one file per family; its second line lists the sections of the
// specification that it covers.
//
//	types_request.go     request, source, regulations, supply chain
//	types_imp.go         impressions and their media
//	types_inventory.go   site, app, out-of-home, publisher, content
//	types_user.go        device, user, ids
//	types_response.go    response, seats, bids
package openrtb

//go:generate go run ../gen/internal/codecgen
