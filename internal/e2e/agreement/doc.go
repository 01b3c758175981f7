// Package agreement tests that all front ends give the same verdict: the gateway with both of its
// servers, streams, filters of lines, and checks of files. It has no code of its own.
//
//	agreement_test.go  the documents, the truth, the comparison
//	gateway_test.go    how each front end is asked, and what it shows of a verdict
//	stream_test.go
//	files_test.go
package agreement
