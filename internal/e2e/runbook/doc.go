// Package runbook makes docs/runbook.md: what an operator sees of each fault, and what to do then.
// Its tests start the real program in front of real upstreams, make a fault, and look at what an
// operator has: the log, the metrics, the page, /readyz, and the alerts of deploy/prometheus. A
// fault that leaves one of them silent fails its test. It has no code of its own, and is a module
// of its own because it asks Prometheus's engine about the alerts.
//
//	fault_test.go     what a fault is, and its test
//	stage_test.go     the processes, and what is seen of them
//	scrape_test.go    the metrics at a time
//	alerts_test.go    which alerts these metrics raise
//	observed_test.go  what was seen, as testdata/observed.json has it
//	page_test.go      docs/runbook.md
//
// All other files have faults, by what is at fault. The tests run with "make ci STEPS=runbook", or
// with RTBWIRE_E2E=1, all of them with RTBWIRE_LONG=1; -update writes what they see.
package runbook
