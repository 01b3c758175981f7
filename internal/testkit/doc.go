// Package testkit holds the helpers that tests of several packages share. It knows nothing of
// package wire, so tests of every layer may import it.
//
//	case.go      a case's name and the line that it is on
//	scale.go     how much a test does: with -short, by default, with RTBWIRE_LONG=1
//	rand.go      random numbers that repeat, and numbers from environment variables
//	kernel.go    the choice of SIMD kernels
//	race_*.go    whether the race detector is on
//	poison_*.go  whether released arenas are poisoned
//	program.go   programs that tests run, built as the tests are
//	corpus.go    the documents below testdata
//	suite.go     JSONTestSuite
//	tagged.go    documents whose values all name the document that they belong to
//	walk.go      walks over decoded values
//	memory.go    which memory a value refers to
//	text.go      text for failure messages
package testkit
