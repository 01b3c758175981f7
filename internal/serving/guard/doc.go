// Package guard validates HTTP/1.1 requests before a server reads them. A [Conn] stands between a
// connection and the server, and its Read hands on only bytes of messages whose head and framing
// are unambiguous, for the whole life of the connection: the head of a message is checked before
// its first byte is handed on, and of a body exactly as many bytes as its framing says. A server
// that is more tolerant, such as fasthttp or net/http, therefore never sees a message that two
// parsers could read in two ways, which is what request smuggling needs.
//
// Everything else is refused. The guard answers by itself, with a status, Content-Length: 0 and
// Connection: close, lingers until the client has read that, and reports the code to
// [Options.OnRefuse].
//
// # What is refused
//
// The grammar follows RFC 9112, without its allowances for old software.
//
//	code                          status  refused because
//	head.blank-line               400     an empty line before the request line: some servers skip it
//	head.bare-lf                  400     a line ends with LF alone: some parsers see a line end, some do not
//	head.bare-cr                  400     CR without LF: some parsers see a line end, or a space
//	head.control                  400     NUL or another control character
//	head.fold                     400     a folded field (obs-fold), deprecated by RFC 9112, section 5.2
//	head.size                     431     the head is longer than Options.HeadBytes
//	head.fields                   431     more fields than Options.Fields
//	head.truncated                400     the client stopped sending in the middle of a head
//	head.timeout                  408     the head was not complete after Options.HeadTimeout
//	line.method                   400     the method is not a token, or longer than 32 bytes
//	line.spaces                   400     not exactly one space between the three parts of the request line
//	line.version                  400     the version is not of the form HTTP/D.D
//	protocol.http-0.9             400     a request line without a version, or with HTTP/0.x
//	protocol.version              505     a version other than 1.0 and 1.1
//	protocol.h2                   400     the preface of HTTP/2 without TLS
//	protocol.tls                  400     a TLS handshake on a plain port
//	protocol.proxy                400     a PROXY protocol header where none is expected
//	method.connect                405     CONNECT asks for a tunnel
//	target.size                   414     the target is longer than Options.TargetBytes
//	target.form                   400     not a path, an http URI, or * with OPTIONS
//	target.character              400     a character that URIs do not have; # and \ are read differently
//	target.escape                 400     a % in the path without two hexadecimal digits
//	target.double-slash           400     a path that begins with //: some servers take a host from it
//	target.host-mismatch          400     the authority of the target is not that of Host
//	field.name                    400     a field name that is not a token
//	field.no-colon                400     a line of the head without a colon
//	field.space-before-colon      400     white space between a field's name and the colon
//	host.missing                  400     HTTP/1.1 without Host
//	host.twice                    400     two Host fields
//	host.invalid                  400     Host is empty, or not a host with an optional port
//	framing.length-and-encoding   400     Content-Length with Transfer-Encoding
//	framing.length-twice          400     two Content-Length fields, even with equal values
//	framing.length-empty          400     Content-Length without a value
//	framing.length-sign           400     Content-Length with a sign
//	framing.length-list           400     Content-Length with a comma
//	framing.length-zeros          400     Content-Length with a leading zero, which some read as octal
//	framing.length-invalid        400     Content-Length with anything else that is not a digit
//	framing.length-overflow       400     Content-Length with more than 18 digits
//	framing.encoding              400     Transfer-Encoding other than a single chunked
//	framing.encoding-twice        400     two Transfer-Encoding fields
//	framing.encoding-http-1.0     400     Transfer-Encoding in HTTP/1.0
//	framing.look-alike            400     content_length or transfer_encoding, which CGI can't tell apart
//	framing.unexpected-body       400     a body of GET, HEAD or TRACE, which many servers do not read
//	framing.trailer               400     Trailer announces a field that must not be in a trailer
//	expect.unknown                417     Expect other than 100-continue
//	body.size                     413     the body is longer than Options.BodyBytes
//	body.truncated                400     the client stopped sending in the middle of a body
//	body.timeout                  408     the body was not complete after Options.BodyTimeout
//	chunk.size                    400     a chunk size that is not 1 to 8 hexadecimal digits alone
//	chunk.overflow                400     a chunk size of more than 8 digits
//	chunk.line-end                400     a chunk size or extension that does not end in CRLF
//	chunk.control                 400     a control character in a chunk extension
//	chunk.extensions              400     the extensions of a body are longer than 1 KiB
//	chunk.data-end                400     no CRLF after the data of a chunk
//	chunk.trailer                 400     a trailer field that is not well-formed
//	chunk.trailer-name            400     a trailer field about framing, routing or authentication
//	chunk.trailer-size            400     trailer fields longer than 1 KiB
//
// Expect: 100-continue passes: the server writes 100, and the guard never waits for a body before
// it hands on the head. Upgrade fields pass as plain fields: whatever the server answers, the next
// bytes must be a head again.
//
// # What the server must do
//
// The server must parse messages as RFC 9112 says, and must read each body to its end or close. The
// guard helps with the second part: once a final answer has been written, it hands on no more of
// that message's body, and Read returns [ErrUnread]. Bytes that were handed on before, and wait in
// the server's own buffer, are the server's: fasthttp with StreamRequestBody must close after a
// handler that left a part of the body. [Conn.Unread] tells what the guard knows.
//
// Nothing is answered out of order: a message that follows another one on the connection is looked
// at when the server asks for it. net/http asks while its handler still runs, to notice clients
// that leave; a refusal then waits until the answer is out.
//
// The server needs no deadlines of its own for reading, and its read buffer must have room for
// Options.HeadBytes if it needs whole headers in it, as fasthttp does.
//
// # Where PROXY protocol and TLS go
//
// The guard wraps what delivers the bytes of HTTP. A listener of the PROXY protocol goes between
// the socket and TLS, and TLS between that and the guard:
//
//	socket -> PROXY protocol, from named prefixes -> TLS -> guard -> server
//
// A TLS handshake is best made, with a deadline, before [Guard.Conn] is called: then the protocol
// that was negotiated decides whether the connection is one of HTTP/1.1.
package guard
