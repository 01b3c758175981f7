// Package wire is the common API of generated codecs: errors and their codes, options and limits,
// edits. It knows nothing of OpenRTB.
//
//	error.go    Error and Code: what a refusal looks like
//	option.go   Option, the limits, Saved: how to decode; EncodeOptions: how to write
//	notes.go    Notes: what a decoder met in a document that it accepted
//	read.go     ReadAll: documents from an io.Reader, with a limit
//	edit.go     Edit: what package splice applies to a document
//
// Package wire/coder is the runtime of generated code; package wire/splice changes
// and searches documents without decoding them.
package wire
