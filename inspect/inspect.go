// Package inspect is the verdict engine: it decides whether a bid request is forwarded or refused,
// and why. It is the one engine of HTTP, streams and files, so that the same bytes, configuration
// and [Facts] have the same [Verdict] everywhere.
//
//	engine, err := inspect.New(inspect.Config{})
//	worker := engine.NewWorker() // one for each goroutine
//	verdict := worker.Inspect(body, inspect.Facts{})
//	if verdict.Action == inspect.ActionRefuse { ... verdict.Reason, verdict.NBR ... }
//
// [Worker.Inspect] is [Worker.Decode] and [Worker.Judge]. A program that must look at the decoded
// request first, to ask for its state or for what is left of its time, calls the two itself.
//
//	verdict.go    Verdict, Decision, Finding: what was decided
//	facts.go      Facts: what is not in the bytes
//	severity.go   Severity: off, observe, warn, refuse
//	config.go     Config, Layer, Partner, Setting: what is to be decided
//	keys.go       what a configuration file says about that
//	reason.go     Reason: the table of everything that can be reported
//	engine.go     Engine: a compiled configuration
//	layer.go      layers of the configuration, with their names resolved
//	resolved.go   the policy that layers resolve to, for one partner and publisher
//	observing.go  what refuses nothing at the moment
//	sample.go     the share of requests that a layer applies to
//	holder.go     Holder: an engine that is replaced while workers run
//	worker.go     Worker: the memory of one goroutine
//	inspector.go  the interface of inspectors
//	scoring.go    Scoring: what a fraud score consists of
//	annotate.go   the verdict under ext
//	response.go   Response, JudgeResponse: responses to bid requests
//	bids.go       which bids of a response are removed
//	markup.go     the search for payloads in responses
//
// Inspectors are packages of their own. An adapter connects each of them to the engine:
//
//	decode.go         errors of the decoder
//	adapt_schema.go   the rules of the specification, of package schema
//	adapt_policy.go   the rules of layers, whose conditions package policy compiles
//	adapt_payload.go  the search for payloads in requests, of package payload
//	adapt_fraud.go    the fraud score, of package fraud
//	adapt_scrub.go    what layers change in requests, of package scrub
//
// [Worker.Judge] judges a bid request, and [Worker.JudgeResponse] the response to it.
package inspect
