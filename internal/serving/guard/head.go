package guard

import "bytes"

// head is the state of reading one head. Lines are checked when they are complete, so what is
// refused, and with which code, does not depend on how the bytes arrive.
type head struct {
	line   int // where the current line begins
	seen   int // how far its end has been searched for
	fields int
	found  found
	length int64 // of Content-Length

	code    int // the status of an answer
	codings int // fields Content-Encoding of an answer

	host, authority span // in Host, in the target
}

// span is a part of the head, by offsets, because the head moves while it arrives.
type span struct{ from, to int }

// found is what has been seen in a head.
type found uint8

const (
	version10 found = 1 << iota
	bodiless        // the method has no body
	hostField
	lengthField
	chunked
	isAnswer // of an upstream; see Answer
	closes   // Connection: close, of an answer
	keeps    // Connection: keep-alive, of an answer
)

// parse returns the length of the head that b begins with, or 0 if b ends before the head does. It
// is called again with the same bytes and more.
func (h *head) parse(b []byte, o *Options) (int, *Refusal) {
	if h.line == 0 {
		if r := firstByte(b[0]); r != nil {
			return 0, r
		}
	}
	for {
		i := bytes.IndexByte(b[h.seen:], '\n')
		if i < 0 {
			h.seen = len(b)
			return 0, h.tooLong(len(b), o)
		}
		from, end := h.line, h.seen+i
		if end == from || b[end-1] != '\r' {
			return 0, headBareLF
		}
		h.line, h.seen = end+1, end+1
		line := b[from : end-1]
		var r *Refusal
		switch {
		case from == 0 && h.found&isAnswer != 0:
			r = h.statusLine(line)
		case from == 0:
			r = h.requestLine(line, o)
		case len(line) == 0:
			if r = h.finish(b, o); r == nil {
				return end + 1, nil
			}
		default:
			r = h.field(line, from, o)
		}
		if r != nil {
			return 0, r
		}
	}
}

// firstByte refuses what can't begin a method before a line is complete: the handshake of another
// protocol may have no line end at all.
func firstByte(c byte) *Refusal {
	switch {
	case class[c]&tokenByte != 0:
		return nil
	case c == 0x16: // the type of a handshake record, RFC 8446, section 5.1
		return protocolTLS
	case c == '\r' || c == '\n':
		return headBlankLine
	case isControl(c):
		return headControl
	}
	return lineMethod
}

// tooLong refuses a head of n bytes that is not complete.
func (h *head) tooLong(n int, o *Options) *Refusal {
	switch {
	case n < o.HeadBytes:
		return nil
	case h.line == 0:
		return targetSize
	}
	return headSize
}

// requestLine checks a line by RFC 9112, section 3.
func (h *head) requestLine(line []byte, o *Options) *Refusal {
	if c := control(line); c >= 0 {
		return controlRefusal(c)
	}
	m := bytes.IndexByte(line, ' ')
	if m < 0 {
		return lineSpaces
	}
	method, rest := line[:m], line[m+1:]
	t := bytes.IndexByte(rest, ' ')
	if t < 0 {
		return otherProtocol(method, rest, protocolHTTP09)
	}
	target, version := rest[:t], rest[t+1:]
	if len(method) > methodBytesMax || !IsToken(method) {
		return lineMethod
	}
	if t == 0 {
		return lineSpaces
	}
	switch string(version) {
	case "HTTP/1.1":
	case "HTTP/1.0":
		h.found |= version10
	default:
		return otherProtocol(method, target, versionRefusal(version))
	}
	switch string(method) {
	case "GET", "HEAD", "TRACE":
		h.found |= bodiless
	case "CONNECT":
		return methodConnect
	}
	return h.target(target, m+1, string(method) == "OPTIONS", o)
}

// versionRefusal refuses a version other than HTTP/1.0 and HTTP/1.1.
func versionRefusal(v []byte) *Refusal {
	isDigit := func(c byte) bool { return '0' <= c && c <= '9' }
	switch {
	case bytes.IndexByte(v, ' ') >= 0:
		return lineSpaces
	case len(v) != len("HTTP/1.1") || string(v[:5]) != "HTTP/" || !isDigit(v[5]) || v[6] != '.' || !isDigit(v[7]):
		return lineVersion
	case v[5] == '0':
		return protocolHTTP09
	}
	return protocolVersion
}

// otherProtocol names protocols that are recognized by their first line; others get the refusal
// that the line deserves.
func otherProtocol(method, target []byte, otherwise *Refusal) *Refusal {
	switch string(method) {
	case "PRI": // RFC 9113, section 3.4
		if string(target) == "*" && otherwise == protocolVersion {
			return protocolH2
		}
	case "PROXY":
		if bytes.HasPrefix(target, []byte("TCP")) || bytes.HasPrefix(target, []byte("UNKNOWN")) {
			return protocolProxy
		}
	}
	return otherwise
}

// finish checks what can be said when all fields are known.
func (h *head) finish(b []byte, o *Options) *Refusal {
	host, authority := b[h.host.from:h.host.to], b[h.authority.from:h.authority.to]
	switch {
	case h.found&isAnswer != 0:
	case h.found&(hostField|version10) == 0:
		return hostMissing
	case len(authority) > 0 && h.found&hostField != 0 && !equalFold(authority, host):
		return targetHostMismatch // RFC 9112, section 3.2.2: the client sends the same in both
	case h.found&bodiless != 0 && (h.found&chunked != 0 || h.length > 0):
		return framingUnexpected
	case h.length > o.BodyBytes:
		return bodySize
	}
	return nil
}
