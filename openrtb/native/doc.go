// Package native is OpenRTB Native 1.2: the native ad request and the native ad as Go types,
// read from and written to the JSON-in-a-string that carries them in OpenRTB.
//
// The request travels as text in the request member of [openrtb.Native]
// (imp[].native.request), the ad as text in the adm member of [openrtb.Bid]. [RequestOf] and
// [ResponseOf] read them from there, [ParseRequest] and [ParseResponse] from any text;
// [Request.Encode] and [Response.Encode] write them.
//
// # The wrapper
//
// Version 1.0 wraps the object in another one with the single member native. Later versions
// do not, but many senders still do, whatever version they name. Reading accepts both forms
// and says as a [Wrapper] which one it was; writing takes the form to write, so that an answer
// can have that of the question. A root object that has a member native with an object in it
// is a wrapper. What stands beside that member is checked, but not part of the result.
//
// # Types
//
// The types follow the rules of package openrtb: optional scalars are pointers, strings are
// plain, codes are the types of package adcom, ext and customdata keep their bytes. Native
// events are numbered differently from AdCOM's: [adcom.NativeEventType].
//
// # What is read, and what is lost
//
// Reading follows the decoding contract of package openrtb: exact grammar and types, keys
// compared byte for byte, unknown members skipped. [wire.Strict], [wire.Lenient] and the
// limits of package wire are options; without them a text is refused if it is longer than
// [wire.SizeDefault] bytes or nested deeper than [wire.DepthDefault] levels. Errors are a
// [*wire.Error]: code, byte offset and JSON Pointer are those within the embedded text, and
// include the wrapper, as in /native/assets/0/id.
//
// What is read and written again has the same fields with the same values. Lost are: members
// that the specification does not have, outside of ext; members that are null, empty strings
// and empty arrays; the order of members, white space, and the spelling of strings. A
// party that passes a text on unchanged should pass on the text.
package native
