// Package gateway is a reverse proxy for bid requests: it gets a verdict on each from package
// inspect, forwards accepted ones byte for byte, and answers the rest itself.
//
//	g, err := gateway.New(gateway.Options{Upstreams: gateway.At("http://127.0.0.1:9000")})
//	...
//	go g.Serve(listener)
//	...
//	err = g.Shutdown(ctx) // answers what was read
//
// The files are in layers. Each layer uses the ones above it and none below, which a test checks.
//
// # Plan
//
// The compiled options. They know no request.
//
//	options.go     Options and their defaults
//	keys.go        the settings of a configuration that options have
//	redacted.go    options without their secrets
//	partner.go     senders, and what proves who they are
//	named.go       headers that decide something: a second copy is refused
//	limit.go       rates and requests in flight of partners and publishers
//	overload.go    how many requests the core can serve at once, by their latency
//	routes.go      paths and methods
//	upstream.go    upstreams, and how they are chosen and watched
//	routing.go     which of them a request can go to
//	core.go        an auction and inspections of the caller's, in Go
//	nobid.go       how refusals are answered
//	responses.go   how upstreams' answers are inspected
//	capture.go     which share of requests is captured
//	outcome.go     the outcomes of requests, and their reasons
//	reasontext.go  what reasons mean
//	plan.go        all of it, replaced as a whole by Reload
//
// # Read
//
// Reading a request.
//
//	listen.go      listeners and their connections, within limits
//	conn.go        one connection: when the first byte came, deadlines
//	sender.go      who the peer is, and which partner that makes it
//	admit.go       method, path, version, type and encoding
//	explain.go     what is told about those
//	mediatype.go   Content-Type, and the character sets that are taken
//	fields.go      which headers are forwarded
//	head.go        the head, in one pass
//	request.go     the message with its sender
//	body.go        gzip, within limits
//	memory.go      buffers for the next request
//	poison_on.go   overwrites them in debug builds
//	poison_off.go  leaves them alone in others
//	bytebudget.go  memory that requests share
//	decoded.go     the document after decoding
//	budget.go      the time that the sender gives
//	facts.go       what else is known: peer, headers, windows, vendors
//
// # Decide
//
// The outcome of the request.
//
//	decision.go    the verdict, and what it leads to
//	admission.go   the limits that a request counts for
//
// # Send
//
// The request to an upstream.
//
//	outgoing.go    the document that goes on, and what differs in its head
//	edits.go       a lower tmax
//	send.go        the request to an upstream
//	bids.go        whether an upstream's answer has a bid
//	mirror.go      copies to upstreams whose answers are ignored
//	compose.go     the same for a core in Go
//
// # Answer
//
// The response to the sender.
//
//	answer.go      answers of our own
//	relay.go       the upstream's answer
//	compress.go    gzip for those who accept it
//
// # Gateway
//
// The server, which uses the other layers.
//
//	exchange.go         one request through its stages
//	publisher.go        counts of single publishers
//	responsemetrics.go  counts of upstreams' answers
//	upstreammetrics.go  counts by upstream
//	metrics.go          what is counted
//	gauges.go           what is measured when metrics are read
//	state.go            metrics of vendors and windows
//	capturemetrics.go   metrics of captures
//	rejects.go          the last refused requests
//	log.go              what fasthttp logs
//	gateway.go          New and Serve
//	std.go              net/http in place of fasthttp
//	http2.go            HTTP/2, where a client of TLS chooses it
//	overrides.go        what operators change at run time
//	drain.go            Shutdown: nothing that was read is lost
//	reload.go           Reload: other options for the next requests
package gateway
