// Package inspect decides about bid requests: forward or refuse, and why. It is the one engine
// of HTTP, streams and files, so that the same bytes, configuration and [Facts] have the same
// [Verdict] everywhere.
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
//	reason.go     Reason: the table of everything that can be reported
//	engine.go     Engine: a configuration, compiled
//	layer.go      layers of the configuration, with their names resolved
//	profile.go    layers, compiled for one partner and publisher
//	sample.go     the share of requests that a layer is about
//	holder.go     Holder: an engine that is replaced while workers run
//	worker.go     Worker: the memory of one goroutine
//	inspector.go  how inspectors plug in
//	decode.go     errors of the decoder as reasons
//	schema.go     the inspector of the specification, on package inspect/schema
//	policy.go     Rule, and the inspector of the rules that layers bring
//	payload.go    Payload, and the inspector of payloads, on package inspect/payload
//	scrub.go      Scrub: what layers change in requests
//	annotate.go   the verdict under ext
//
// Bid requests alone are judged. For responses, use package inspect/schema.
package inspect
