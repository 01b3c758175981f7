// Package kafka has the end-to-end tests of "rtbwire stream": they build the real program, run it
// on a real broker (internal/kafkatest), and let happen to both what happens to such programs. It
// has no code of its own.
//
// The tests run with "make verify STEPS=stream", or with RTBWIRE_KAFKATEST=1; with RTBWIRE_LONG=1
// they do more. The program is built as the tests are, with the race detector by go test -race.
//
//	process_test.go  the program under test
//	record_test.go   what is sent, and what must come of it
//	stage_test.go    topics and a group, and what has arrived
//	feed_test.go     records are sent while the program runs
//
// All other files have tests, by what goes wrong.
package kafka
