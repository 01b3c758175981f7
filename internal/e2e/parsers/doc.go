// Package parsers holds that an auction core reads what rules, lists and scrubs have looked at. The
// gateway forwards the bytes that came, and the core has a JSON parser of its own. So the tests
// mutate requests where parsers are known to differ, have the engine judge them, and have other
// parsers read those that it forwards: each value that rules look at must be the same. The package
// has no code of its own.
//
//	parsers_test.go    the comparison
//	known_test.go      the differences that are known, and why they do no harm
//	rules_test.go      conditions and scrubs: the values that they see and remove
//	documents_test.go  the documents: corpus and simulated traffic, mutated
//	mutations_test.go  the mutations of documents that may be forwarded
//	faults_test.go     the mutations of documents that must be refused
//	tokens_test.go     the places of a document's values and keys
//	places_test.go     the places that are compared, and what rtbwire reads there
//	values_test.go     values in the form in which readers print them
//	readers_test.go    the parsers: those of Go here, others as the programs below readers/
//	jsonv2_test.go     encoding/json/v2
//
// scripts/parsers.sh builds and fetches all readers and runs the tests with them.
package parsers
