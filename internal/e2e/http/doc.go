// Package http has the end-to-end tests of "rtbwire serve": they build the real program, start
// it in front of an upstream over real sockets, and treat it as a hostile network would. It has no
// code of its own.
//
// The tests run with "make ci STEPS=e2e", or with RTBWIRE_E2E=1; with RTBWIRE_LONG=1 they do more.
// The program is built as the tests are: go test -race builds it with the race detector, go test
// -tags rtbwiredebug with memory that is overwritten when a request ends.
package http
