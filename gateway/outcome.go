package gateway

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/valyala/fasthttp"

	"github.com/rtbwire/rtbwire/internal/serving/balance"
	"github.com/rtbwire/rtbwire/internal/serving/rejects"
)

// outcome is what became of a request.
type outcome int

const (
	outcomeForwarded   outcome = iota // accepted, and the upstream has answered
	outcomeRefused                    // by the verdict, or because its time was over
	outcomeMalformed                  // could not be decoded
	outcomeRejected                   // wrong as a message of HTTP
	outcomeShed                       // over a limit
	outcomeFailed                     // accepted, but the upstream did not answer
	outcomeWithheld                   // accepted, but the upstream's answer was not to be sent
	outcomePassthrough                // passed unread
	outcomeStatus                     // asked by a load balancer
	outcomeCount
)

var outcomeNames = [outcomeCount]string{
	"forwarded", "refused", "malformed", "rejected", "shed", "failed", "withheld", "passthrough", "status",
}

// outcomes counts requests by outcome.
type outcomes [outcomeCount]prometheus.Counter

// partnerCounts count the requests of one partner, or those of none.
type partnerCounts struct {
	requests          outcomes // nil for none
	judged            *rejects.Judged
	reasons, shadowed *rejects.Reasons
	answers           *rejects.Reasons // findings in them
}

// Reasons of the gateway itself, for metrics and the log. Those of verdicts are in
// docs/reference/reasons.md.
const (
	reasonGuard       = "http." // before a code of package guard
	reasonConnections = "gateway.connections"
	reasonPath        = "gateway.path"
	reasonMethod      = "gateway.method"
	reasonType        = "gateway.type"
	reasonEncoding    = "gateway.encoding"
	reasonVersion     = "gateway.version"
	reasonTwice       = "gateway.header-twice"      // of the named headers
	reasonUnderscore  = "gateway.header-underscore" // in place of a hyphen of theirs
	reasonSize        = "gateway.size"
	reasonGzip        = "gateway.gzip"
	reasonHTTP        = "gateway.http"         // unreadable
	reasonHTTP2       = "gateway.http2"        // a breach of its protocol
	reasonResets      = "gateway.http2-resets" // too many
	reasonTMax        = "gateway.tmax"
	reasonDrained     = "gateway.drained"           // a partner, by an operator
	reasonAnswer      = "gateway.response-encoding" // of an upstream, not understood
)

// failure is why a request ends without a verdict that refuses it and without an answer of the
// upstream. Stages return it; the exchange answers.
type failure struct {
	reason  string
	status  int // for senders that are no partner
	outcome outcome
}

var (
	failRate     = failure{"gateway.rate", fasthttp.StatusTooManyRequests, outcomeShed}
	failCapacity = failure{"gateway.capacity", fasthttp.StatusServiceUnavailable, outcomeShed}
	failOverload = failure{"gateway.overload", fasthttp.StatusServiceUnavailable, outcomeShed}
	failPanic    = failure{"gateway.panic", fasthttp.StatusInternalServerError, outcomeFailed}
	failEdits    = failure{"gateway.edits", fasthttp.StatusInternalServerError, outcomeFailed}
	failBroken   = failure{"gateway.upstream-broken", fasthttp.StatusBadGateway, outcomeFailed}
	failStatus   = failure{"gateway.upstream-status", fasthttp.StatusBadGateway, outcomeFailed}
	failAbsent   = failure{"gateway.upstream-absent", fasthttp.StatusServiceUnavailable, outcomeFailed}
	failSlow     = failure{"gateway.upstream-slow", fasthttp.StatusGatewayTimeout, outcomeFailed}
)

// errMemory stops the reading of a request or an answer when memory has run out.
var errMemory = fmt.Errorf("gateway: too many bytes of requests and answers are held: %w", balance.ErrNeutral)

// rejected is the failure of a message of HTTP that is wrong.
func rejected(status int, reason string) failure { return failure{reason, status, outcomeRejected} }

// retryAfter is what senders that are no partner are told when load is shed, in seconds.
const retryAfter = "1"
