package gateway

import (
	"github.com/rtbwire/rtbwire/internal/serving/judged"
	"github.com/rtbwire/rtbwire/internal/serving/tracing"
)

// A log of verdicts.
type (
	// VerdictLog takes requests that were judged.
	VerdictLog = judged.Log
	// Judged is what it gets of each.
	Judged = judged.Request
)

// Traces of requests, with names of OpenTelemetry's conventions.
type (
	// Tracer takes traces of requests. It never waits.
	Tracer = tracing.Tracer
	// Trace is what a Tracer gets: the spans of a request.
	Trace = tracing.Trace
	// Sampling says which requests are traced.
	Sampling = tracing.Sampling
)

// What becomes of the flag in a traceparent that says that a request is traced.
const (
	// FlagIgnore lets [Sampling.Share] decide.
	FlagIgnore = tracing.FlagIgnore
	// FlagFollow does what the flag says.
	FlagFollow = tracing.FlagFollow
)
