package guard

import (
	"fmt"
	"io"
	"net/http"
)

// Refusal says why a connection was cut. It is the error of Read when the server has already been
// given a part of the message.
type Refusal struct {
	Code   string // stable, from the table of the package
	Status int    // that the client is answered with
	answer []byte
}

// Error returns the code, and says that the message is incomplete.
func (r *Refusal) Error() string {
	return fmt.Sprintf("guard: refused, %s: %v", r.Code, io.ErrUnexpectedEOF)
}

// Unwrap returns [io.ErrUnexpectedEOF]: to the server the message ends too early.
func (r *Refusal) Unwrap() error { return io.ErrUnexpectedEOF }

// ErrUnread is the error of Read after a final answer to a message that was not handed on to its
// end. Nothing can follow on the connection, because what the client sends next may be the rest of
// that message.
var ErrUnread = fmt.Errorf("guard: the request was answered before it was read: %w", io.ErrUnexpectedEOF)

// refusals is everything that the guard refuses, in the order of the package's table.
var refusals []*Refusal

func refusal(code string, status int) *Refusal {
	r := &Refusal{code, status, refusalAnswer(status, "")}
	refusals = append(refusals, r)
	return r
}

// refusalAnswer returns an answer that closes the connection. The text may be "".
func refusalAnswer(status int, text string) []byte {
	more := ""
	if status == http.StatusMethodNotAllowed {
		more = "Allow: GET, POST\r\n" // RFC 9110, section 15.5.6
	}
	if text != "" {
		more += "Content-Type: text/plain; charset=utf-8\r\n"
	}
	return fmt.Appendf(nil, "HTTP/1.1 %d %s\r\n%sContent-Length: %d\r\nConnection: close\r\n\r\n%s", status, http.StatusText(status), more, len(text), text)
}

var (
	headBlankLine = refusal("head.blank-line", 400)
	headBareLF    = refusal("head.bare-lf", 400)
	headBareCR    = refusal("head.bare-cr", 400)
	headControl   = refusal("head.control", 400)
	headFold      = refusal("head.fold", 400)
	headSize      = refusal("head.size", 431)
	headFields    = refusal("head.fields", 431)
	headTruncated = refusal("head.truncated", 400)
	headTimeout   = refusal("head.timeout", 408)

	lineMethod      = refusal("line.method", 400)
	lineSpaces      = refusal("line.spaces", 400)
	lineVersion     = refusal("line.version", 400)
	protocolHTTP09  = refusal("protocol.http-0.9", 400)
	protocolVersion = refusal("protocol.version", 505)
	protocolH2      = refusal("protocol.h2", 400)
	protocolTLS     = refusal("protocol.tls", 400)
	protocolProxy   = refusal("protocol.proxy", 400)
	methodConnect   = refusal("method.connect", 405)

	targetSize         = refusal("target.size", 414)
	targetForm         = refusal("target.form", 400)
	targetCharacter    = refusal("target.character", 400)
	targetEscape       = refusal("target.escape", 400)
	targetDoubleSlash  = refusal("target.double-slash", 400)
	targetHostMismatch = refusal("target.host-mismatch", 400)

	fieldName       = refusal("field.name", 400)
	fieldNoColon    = refusal("field.no-colon", 400)
	fieldSpaceColon = refusal("field.space-before-colon", 400)
	hostMissing     = refusal("host.missing", 400)
	hostTwice       = refusal("host.twice", 400)
	hostInvalid     = refusal("host.invalid", 400)

	framingBoth           = refusal("framing.length-and-encoding", 400)
	framingLengthTwice    = refusal("framing.length-twice", 400)
	framingLengthEmpty    = refusal("framing.length-empty", 400)
	framingLengthSign     = refusal("framing.length-sign", 400)
	framingLengthList     = refusal("framing.length-list", 400)
	framingLengthZeros    = refusal("framing.length-zeros", 400)
	framingLengthInvalid  = refusal("framing.length-invalid", 400)
	framingLengthOverflow = refusal("framing.length-overflow", 400)
	framingEncoding       = refusal("framing.encoding", 400)
	framingEncodingTwice  = refusal("framing.encoding-twice", 400)
	framingEncoding10     = refusal("framing.encoding-http-1.0", 400)
	framingLookAlike      = refusal("framing.look-alike", 400)
	framingUnexpected     = refusal("framing.unexpected-body", 400)
	framingTrailer        = refusal("framing.trailer", 400)
	expectUnknown         = refusal("expect.unknown", 417)

	bodySize      = refusal("body.size", 413)
	bodyTruncated = refusal("body.truncated", 400)
	bodyTimeout   = refusal("body.timeout", 408)

	chunkSize        = refusal("chunk.size", 400)
	chunkOverflow    = refusal("chunk.overflow", 400)
	chunkLineEnd     = refusal("chunk.line-end", 400)
	chunkControl     = refusal("chunk.control", 400)
	chunkExtensions  = refusal("chunk.extensions", 400)
	chunkDataEnd     = refusal("chunk.data-end", 400)
	chunkTrailer     = refusal("chunk.trailer", 400)
	chunkTrailerName = refusal("chunk.trailer-name", 400)
	chunkTrailerSize = refusal("chunk.trailer-size", 400)
)
