// Package conformance tests that generated codecs keep the decoding contract of package wire,
// whatever their types. It has tests only. They use the codec of package openrtb, because its types
// have every kind of field, through its exported functions. Package openrtb tests what is about
// OpenRTB.
//
// Each document is decoded in every way: by Parse, ParseFast, ParseFastArena and decoders of all
// three modes, for requests and responses, with every SIMD kernel (entries_test.go). The outcome
// must be the one of the oracle, a slow second implementation of the contract (oracle_test.go), and
// in default mode the one of encoding/json, except for listed classes of differences
// (encodingjson_classes_test.go).
//
// # The contract by row
//
//	row of the contract                      cases                 more tests
//	one object, nothing after it (RFC 8259)  rows_grammar_test.go  suite_test.go, truncated_test.go
//	escapes, control characters, Unicode     rows_text_test.go     strings_test.go
//	keys: byte for byte, after unescaping    rows_keys_test.go     strings_test.go
//	unknown keys: skipped and checked        rows_keys_test.go     bugs_grammar_test.go
//	a key twice: the last value wins whole   rows_keys_test.go     encodingjson_classes_test.go
//	null                                     rows_values_test.go
//	integers                                 rows_numbers_test.go  numbers_integer_test.go
//	floats                                   rows_numbers_test.go  numbers_float_test.go
//	strings, arrays, objects, ext            rows_values_test.go   encodingjson_test.go
//	strict and lenient mode                  rows_*_test.go        fuzz_test.go (FuzzModes)
//	limit on depth                           limits_depth_test.go  bugs_input_test.go
//	limits on size and elements              limits_size_test.go
//	limit on memory                          limits_memory_test.go
//	linear time                              limits_time_test.go
//	costs of hostile documents               limits_costs_test.go
//
// contract_test.go runs the cases of the rows_*_test.go files, contract_response_test.go repeats
// some of them for responses.
//
// # The contract about memory
//
//	who owns what: Parse, ParseFast, Clone   memory_alias_test.go
//	warm arenas and decoders do not allocate memory_allocs_test.go
//	idle arenas and decoders keep no text alivememory_idle_test.go
//	the collector sees every pointer         memory_collector_test.go
//	no read outside the document             boundary_test.go, bugs_input_test.go
//	no state from one document in the next   truncated_test.go, fuzz_sequence_test.go
//
// # Other
//
//	bugs_*_test.go          bugs that other parsers had (docs/testing.md lists them)
//	differential*_test.go   random documents, compared with encoding/json and the oracle
//	mutate_test.go          where random documents come from
//	fuzz*_test.go           fuzz targets
package conformance
