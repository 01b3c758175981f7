package gateway

// reasonTexts say what has happened when a request ends for a reason of the gateway. Those of
// package guard have the text of their prefix.
var reasonTexts = map[string]string{
	reasonConnections:   "connections_max is reached",
	reasonPath:          "no bid requests are taken at this path",
	reasonMethod:        "a bid request must be a POST",
	reasonType:          "the Content-Type is not JSON",
	reasonEncoding:      "the Content-Encoding is not gzip",
	reasonVersion:       "the gateway does not know this version of OpenRTB",
	reasonTwice:         "a header that has one meaning comes twice",
	reasonUnderscore:    "a header has underscores in place of hyphens",
	reasonSize:          "the body is larger than the limit",
	reasonGzip:          "the body can't be inflated within the limit",
	reasonHTTP:          "the HTTP request can't be read",
	reasonHTTP2:         "the connection breaks the protocol of HTTP/2",
	reasonResets:        "the client has reset too many streams of HTTP/2",
	reasonTMax:          "no time is left of tmax",
	reasonDrained:       "an operator has drained the partner",
	reasonAnswer:        "the upstream's answer has an unknown Content-Encoding",
	failRate.reason:     "the partner sends more than its limit",
	failCapacity.reason: "there is no memory for one more request",
	failOverload.reason: "too many requests are in flight: they wait for each other",
	failPanic.reason:    "a bug: the log says where",
	failEdits.reason:    "the edits of the verdict can't be made",
	failBroken.reason:   "the upstream's answer can't be read",
	failStatus.reason:   "the upstream has answered with a status of 5xx",
	failAbsent.reason:   "no upstream can be reached",
	failSlow.reason:     "the upstream has not answered in time",
	reasonGuard:         "servers would not understand this HTTP request alike",
}
