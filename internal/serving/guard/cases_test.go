package guard

import "strings"

// get and post are requests with further fields, complete with Host.
func get(fields string) string { return "GET / HTTP/1.1\r\nHost: a.example\r\n" + fields + "\r\n" }

func post(fields, body string) string {
	return "POST /bid HTTP/1.1\r\nHost: a.example\r\n" + fields + "\r\n" + body
}

// chunks is a request with a chunked body.
func chunks(body string) string { return post("Transfer-Encoding: chunked\r\n", body) }

// refusedCases has each code with several spellings.
var refusedCases = []struct {
	refusal   *Refusal
	spellings []string
}{
	{headBlankLine, []string{"\r\n" + get(""), "\n" + get(""), "\r\n\r\n" + post("Content-Length: 1\r\n", "x"), "\r\n\r\n\x00\r\nQUIT\n\x21\x11\x00\x0c"}},
	{headBareLF, []string{
		"GET / HTTP/1.1\nHost: a.example\r\n\r\n", "GET / HTTP/1.1\r\nHost: a.example\n\r\n", "GET / HTTP/1.1\r\nHost: a.example\r\n\n",
		get("A: b\nContent-Length: 5\r\n"), get("A: b\n\n"), "GET / HTTP/1.1\r\n\nHost: a.example\r\n\r\n",
	}},
	{headBareCR, []string{
		get("A: b\rContent-Length: 5\r\n"), get("A: b\r\r\n"), get("A\r: b\r\n"), get("A:\rb\r\n"), "GET /\r HTTP/1.1\r\nHost: a.example\r\n\r\n",
		"GET / HTTP/1.1\r\r\nHost: a.example\r\n\r\n", get("\r\r\n"), "GET / HTTP/1.1\r\nHost: a.example\r\n\r\r\n",
	}},
	{headControl, []string{
		get("A: b\x00c\r\n"), get("A: \x01\r\n"), get("A: b\x7f\r\n"), get("A\x00: b\r\n"), "GET /\x00 HTTP/1.1\r\nHost: a.example\r\n\r\n",
		"\x00GET / HTTP/1.1\r\nHost: a.example\r\n\r\n", get("Content-Length: 1\x0b\r\n"), get("Transfer-Encoding: \x0bchunked\r\n"),
		get("A: a long value with the control character\x1fin the middle\r\n"), get("\x00\r\n"),
	}},
	{headFold, []string{get("A: b\r\n c\r\n"), get("A: b\r\n\tc: d\r\n"), "GET / HTTP/1.1\r\n Host: a.example\r\n\r\n", get(" \r\n")}},
	{headSize, []string{get("A: " + strings.Repeat("b", 2000) + "\r\n"), get(strings.Repeat("A: "+strings.Repeat("b", 100)+"\r\n", 12)), get("A" + strings.Repeat("b", 1000))}},
	{headFields, []string{get(strings.Repeat("A: b\r\n", 20)), get(strings.Repeat("Cookie:\r\n", 30))}},

	{lineMethod, []string{
		"(GET) / HTTP/1.1\r\nHost: a\r\n\r\n", "GE{T / HTTP/1.1\r\nHost: a\r\n\r\n", "G\u00c9T / HTTP/1.1\r\nHost: a\r\n\r\n", " GET / HTTP/1.1\r\nHost: a\r\n\r\n",
		strings.Repeat("M", 33) + " / HTTP/1.1\r\nHost: a\r\n\r\n", "GET\t/ HTTP/1.1 \r\nHost: a\r\n\r\n", "\"GET / HTTP/1.1\r\nHost: a\r\n\r\n",
	}},
	{lineSpaces, []string{
		"GET  / HTTP/1.1\r\nHost: a\r\n\r\n", "GET /  HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1 \r\nHost: a\r\n\r\n", "GET\r\n\r\n",
		"GET /a b HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1 HTTP/1.1\r\nHost: a\r\n\r\n", "GET\t/\tHTTP/1.1\r\nHost: a\r\n\r\n",
	}},
	{lineVersion, []string{
		"GET / HTTP/1\r\nHost: a\r\n\r\n", "GET / http/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.10\r\nHost: a\r\n\r\n", "GET / HTTP/11\r\nHost: a\r\n\r\n",
		"GET / HTTP/1,1\r\nHost: a\r\n\r\n", "GET / HTTP/1.x\r\nHost: a\r\n\r\n", "GET / HTTP/-1.1\r\nHost: a\r\n\r\n", "GET / \r\n\r\n", "GET / HTTP/01.1\r\nHost: a\r\n\r\n",
		"GET / HTTP/1.1\t\r\nHost: a\r\n\r\n",
	}},
	{protocolHTTP09, []string{"GET /\r\n", "GET /index.html\r\n\r\n", "GET / HTTP/0.9\r\nHost: a\r\n\r\n", "GET / HTTP/0.0\r\nHost: a\r\n\r\n"}},
	{protocolVersion, []string{
		"GET / HTTP/1.2\r\nHost: a\r\n\r\n", "GET / HTTP/2.0\r\nHost: a\r\n\r\n", "GET / HTTP/3.0\r\n\r\n", "GET / HTTP/9.9\r\nHost: a\r\n\r\n",
		"PRI / HTTP/2.0\r\n\r\n",
	}},
	{protocolH2, []string{"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "PRI * HTTP/2.0\r\n"}},
	{protocolTLS, []string{"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "\x16\x03\x01\n\r\n\r\n"}},
	{protocolProxy, []string{"PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n" + get(""), "PROXY UNKNOWN\r\n" + get(""), "PROXY TCP6 ::1 ::1 1 2\r\n"}},
	{methodConnect, []string{"CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n", "CONNECT / HTTP/1.0\r\n\r\n"}},

	{targetSize, []string{
		"GET /" + strings.Repeat("a", 600) + " HTTP/1.1\r\nHost: a\r\n\r\n", "GET /?" + strings.Repeat("a=b&", 400) + " HTTP/1.1\r\nHost: a\r\n\r\n",
		strings.Repeat("G", 2000),
	}},
	{targetForm, []string{
		"GET a HTTP/1.1\r\nHost: a\r\n\r\n", "GET * HTTP/1.1\r\nHost: a\r\n\r\n", "OPTIONS *a HTTP/1.1\r\nHost: a\r\n\r\n", "GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n",
		"GET http:/a HTTP/1.1\r\nHost: a\r\n\r\n", "GET http:///a HTTP/1.1\r\nHost: a\r\n\r\n", "GET http://u@a/ HTTP/1.1\r\nHost: a\r\n\r\n", "GET a:80 HTTP/1.1\r\nHost: a\r\n\r\n",
		"GET ?a HTTP/1.1\r\nHost: a\r\n\r\n", "GET http://a:/ HTTP/1.1\r\nHost: a\r\n\r\n", "GET http://a\\b/ HTTP/1.1\r\nHost: a\r\n\r\n", "GET http://a#b/ HTTP/1.1\r\nHost: a\r\n\r\n",
		"GET http://[::1/ HTTP/1.1\r\nHost: a\r\n\r\n",
	}},
	{targetCharacter, []string{
		"GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n", "GET /a\\b HTTP/1.1\r\nHost: a\r\n\r\n", "GET /\u00e9 HTTP/1.1\r\nHost: a\r\n\r\n", "GET /\tHTTP/1.1 HTTP/1.1\r\nHost: a\r\n\r\n",
		"GET /?\xff HTTP/1.1\r\nHost: a\r\n\r\n", "GET http://a/#b HTTP/1.1\r\nHost: a\r\n\r\n",
	}},
	{targetEscape, []string{"GET /% HTTP/1.1\r\nHost: a\r\n\r\n", "GET /%0 HTTP/1.1\r\nHost: a\r\n\r\n", "GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n", "GET /a%2?b HTTP/1.1\r\nHost: a\r\n\r\n"}},
	{targetDoubleSlash, []string{"GET //evil.example/a HTTP/1.1\r\nHost: a\r\n\r\n", "GET //a?u=http://b HTTP/1.0\r\n\r\n", "GET http://a//b HTTP/1.1\r\nHost: a\r\n\r\n"}},
	{targetHostMismatch, []string{
		"GET http://a/ HTTP/1.1\r\nHost: b\r\n\r\n", "GET http://a:80/ HTTP/1.1\r\nHost: a\r\n\r\n", "GET http://a HTTP/1.0\r\nHost: aa\r\n\r\n",
		"GET https://[::1]/ HTTP/1.1\r\nHost: [::2]\r\n\r\n", "GET http://a?b HTTP/1.1\r\nHost: b\r\n\r\n",
	}},

	{fieldName, []string{get(": b\r\n"), get("A b: c\r\n"), get("A(: b\r\n"), get("\u00c9: b\r\n"), get("A\tB: c\r\n"), get("\"A\": b\r\n"), get("A b :c\r\n")}},
	{fieldNoColon, []string{get("A\r\n"), get("A b\r\n"), get("GET / HTTP/1.1\r\n"), get("Content-Length\r\n")}},
	{fieldSpaceColon, []string{get("A : b\r\n"), get("Content-Length : 5\r\n"), get("Transfer-Encoding\t: chunked\r\n"), get("A \t : b\r\n")}},
	{hostMissing, []string{"GET / HTTP/1.1\r\n\r\n", "POST / HTTP/1.1\r\nContent-Length: 5\r\nHos: a\r\n\r\nabcde", "GET http://a/ HTTP/1.1\r\n\r\n"}},
	{hostTwice, []string{get("Host: a.example\r\n"), get("HOST: b\r\n"), "GET / HTTP/1.0\r\nhost: a\r\nhost: a\r\n\r\n"}},
	{hostInvalid, []string{
		"GET / HTTP/1.1\r\nHost:\r\n\r\n", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", "GET / HTTP/1.1\r\nHost: u@a\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: a:\r\n\r\n", "GET / HTTP/1.1\r\nHost: a:x\r\n\r\n", "GET / HTTP/1.1\r\nHost: a:65536\r\n\r\n", "GET / HTTP/1.1\r\nHost: ::1\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: [::1\r\n\r\n", "GET / HTTP/1.1\r\nHost: [::g]\r\n\r\n", "GET / HTTP/1.1\r\nHost: [::1]a\r\n\r\n", "GET / HTTP/1.0\r\nHost: a,b\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: :80\r\n\r\n", "GET / HTTP/1.1\r\nHost: " + strings.Repeat("a", 256) + "\r\n\r\n", "GET / HTTP/1.1\r\nHost: a:000080\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: [fe80::1%25eth0]\r\n\r\n",
	}},

	{framingBoth, []string{
		post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"), post("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "0\r\n\r\n"),
		post("transfer-encoding:chunked\r\ncontent-length:0\r\n", ""), post("Content-Length: 5\r\nTransfer-Encoding: identity\r\n", "abcde"),
		post("TRANSFER-ENCODING: CHUNKED\r\nA: b\r\nCONTENT-LENGTH: x\r\n", ""),
	}},
	{framingLengthTwice, []string{
		post("Content-Length: 5\r\nContent-Length: 5\r\n", "abcde"), post("Content-Length: 5\r\ncontent-length: 6\r\n", "abcdef"), post("Content-Length: 0\r\nA: b\r\nContent-Length: 44\r\n", ""),
		get("Content-Length: 0\r\nContent-Length:\r\n"),
	}},
	{framingLengthEmpty, []string{post("Content-Length:\r\n", "abcde"), post("Content-Length:   \r\n", "abcde")}},
	{framingLengthSign, []string{post("Content-Length: +5\r\n", "abcde"), post("Content-Length: -5\r\n", "abcde"), post("Content-Length:-0\r\n", ""), post("Content-Length: +\r\n", "")}},
	{framingLengthList, []string{post("Content-Length: 5, 5\r\n", "abcde"), post("Content-Length: 5,6\r\n", "abcde"), post("Content-Length: ,5\r\n", "abcde"), post("Content-Length: 5,\r\n", "abcde")}},
	{framingLengthZeros, []string{post("Content-Length: 05\r\n", "abcde"), post("Content-Length: 00\r\n", ""), post("Content-Length: 010\r\n", "abcdefgh")}},
	{framingLengthInvalid, []string{
		post("Content-Length: 0x5\r\n", "abcde"), post("Content-Length: 5.0\r\n", "abcde"), post("Content-Length: 5 5\r\n", "abcde"), post("Content-Length: five\r\n", "abcde"),
		post("Content-Length: 5;\r\n", "abcde"), post("Content-Length:\t5\r\n", "abcde"), post("Content-Length: 5\t\r\n", "abcde"), post("Content-Length: \"5\"\r\n", "abcde"),
		post("Content-Length: 5\u0660\r\n", "abcde"), post("Content-Length: 1e3\r\n", "abcde"), post("Content-Length: 1_000\r\n", "abcde"),
	}},
	{framingLengthOverflow, []string{
		post("Content-Length: 18446744073709551621\r\n", "abcde"), post("Content-Length: 9223372036854775808\r\n", "abcde"), post("Content-Length: 0000000000000000005\r\n", "abcde"),
		post("Content-Length: "+strings.Repeat("9", 300)+"\r\n", "abcde"), post("Content-Length: 1000000000000000000\r\n", "abcde"),
	}},
	{framingEncoding, []string{
		post("Transfer-Encoding: identity\r\n", "abcde"), post("Transfer-Encoding: x, chunked\r\n", "0\r\n\r\n"), post("Transfer-Encoding: chunked, chunked\r\n", "0\r\n\r\n"),
		post("Transfer-Encoding: chunked,\r\n", "0\r\n\r\n"), post("Transfer-Encoding: chunked, identity\r\n", "0\r\n\r\n"), post("Transfer-Encoding:\r\n", "0\r\n\r\n"),
		post("Transfer-Encoding: xchunked\r\n", "0\r\n\r\n"), post("Transfer-Encoding: chunked;q=1\r\n", "0\r\n\r\n"), post("Transfer-Encoding: \"chunked\"\r\n", "0\r\n\r\n"),
		post("Transfer-Encoding:\tchunked\r\n", "0\r\n\r\n"), post("Transfer-Encoding: chunked\t\r\n", "0\r\n\r\n"), post("Transfer-Encoding: gzip\r\n", "0\r\n\r\n"),
		post("Transfer-Encoding: chunk\r\n", "0\r\n\r\n"), post("Transfer-Encoding:\r\n chunked\r\n", "0\r\n\r\n"), post("Transfer-Encoding: c hunked\r\n", "0\r\n\r\n"), post("Transfer-Encoding: chun\u212aed\r\n", "0\r\n\r\n"),
	}},
	{framingEncodingTwice, []string{
		post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"), post("Transfer-Encoding: chunked\r\ntransfer-encoding: identity\r\n", "0\r\n\r\n"),
		post("Transfer-Encoding: chunked\r\nA: b\r\nTransfer-Encoding:\r\n", "0\r\n\r\n"),
	}},
	{framingEncoding10, []string{
		"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "POST / HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\nTransfer-Encoding: identity\r\n\r\n",
	}},
	{framingLookAlike, []string{post("Content_Length: 5\r\n", "abcde"), post("transfer_encoding: chunked\r\n", "0\r\n\r\n"), post("Content-Length: 0\r\nCONTENT_LENGTH: 5\r\n", "abcde")}},
	{framingUnexpected, []string{get("Content-Length: 5\r\n") + "abcde", get("Transfer-Encoding: chunked\r\n") + "0\r\n\r\n", "HEAD / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx", "TRACE / HTTP/1.0\r\nContent-Length: 1\r\n\r\nx"}},
	{framingTrailer, []string{
		post("Trailer: Content-Length\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"), get("Trailer: A, Host\r\n"), get("Trailer:\r\n"), get("Trailer: A,,B\r\n"), get("Trailer: A B\r\n"),
		get("trailer: transfer_encoding\r\n"), get("Trailer: A,\r\n"),
	}},
	{expectUnknown, []string{get("Expect: 200-ok\r\n"), get("Expect:\r\n"), get("expect: 100-continue, x\r\n"), get("Expect: 100 continue\r\n")}},
	{bodySize, []string{
		post("Content-Length: 1001\r\n", strings.Repeat("a", 1001)), post("Content-Length: 999999999999999999\r\n", "abcde"), chunks("3e9\r\n"), chunks("ffffffff\r\n"),
		chunks("3e8\r\n" + strings.Repeat("a", 1000) + "\r\n1\r\n"), chunks("1\r\na\r\n3e8;a=b\r\n"),
	}},

	{chunkSize, []string{
		chunks("+5\r\nabcde\r\n0\r\n\r\n"), chunks("-5\r\nabcde\r\n0\r\n\r\n"), chunks("0x5\r\nabcde\r\n0\r\n\r\n"), chunks(" 5\r\nabcde\r\n0\r\n\r\n"), chunks("5 \r\nabcde\r\n0\r\n\r\n"),
		chunks("5\t\r\nabcde\r\n0\r\n\r\n"), chunks("5 ;a\r\nabcde\r\n0\r\n\r\n"), chunks("\r\nabcde\r\n0\r\n\r\n"), chunks(";a\r\nabcde\r\n0\r\n\r\n"), chunks("5_0\r\n"), chunks("g\r\n"),
		chunks("\n"), chunks("5\x00\r\n"), chunks("5,5\r\n"), chunks("1\r\na\r\n\r\n"), chunks("1\r\na\r\n 0\r\n\r\n"),
	}},
	{chunkOverflow, []string{chunks("100000005\r\nabcde\r\n0\r\n\r\n"), chunks("10000000000000005\r\nabcde\r\n0\r\n\r\n"), chunks("fffffffffffffffff\r\n"), chunks("000000005\r\nabcde\r\n0\r\n\r\n")}},
	{chunkLineEnd, []string{
		chunks("5\nabcde\r\n0\r\n\r\n"), chunks("5;a\nabcde\r\n0\r\n\r\n"), chunks("5\rabcde\r\n0\r\n\r\n"), chunks("5;a\rb\r\nabcde\r\n"), chunks("5\r\r\nabcde\r\n"), chunks("5;\n\r\nabcde\r\n"),
		chunks("0\n\r\n"), chunks("0\n\n"),
	}},
	{chunkControl, []string{chunks("5;a\x00\r\nabcde\r\n0\r\n\r\n"), chunks("5;\x7f\r\nabcde\r\n"), chunks("0;a=\"\x0b\"\r\n\r\n")}},
	{chunkExtensions, []string{
		chunks("5;" + strings.Repeat("a", 1024) + "\r\nabcde\r\n0\r\n\r\n"), chunks("1;" + strings.Repeat("a", 600) + "\r\na\r\n1;" + strings.Repeat("a", 600) + "\r\na\r\n"),
		chunks("1;" + strings.Repeat("a", 1023) + "\r\na\r\n1;\r\n"),
	}},
	{chunkDataEnd, []string{
		chunks("5\r\nabcdef\r\n0\r\n\r\n"), chunks("5\r\nabcde\n0\r\n\r\n"), chunks("5\r\nabcde\r0\r\n\r\n"), chunks("5\r\nabcde0\r\n\r\n"), chunks("5\r\nabcde\r\r\n0\r\n\r\n"), chunks("4\r\nabcde\r\n0\r\n\r\n"),
	}},
	{chunkTrailer, []string{
		chunks("0\r\nA\r\n\r\n"), chunks("0\r\nA: b\n\r\n"), chunks("0\r\nA : b\r\n\r\n"), chunks("0\r\n A: b\r\n\r\n"), chunks("0\r\n: b\r\n\r\n"), chunks("0\r\nA: b\x00\r\n\r\n"),
		chunks("0\r\nA: b\r\n c\r\n\r\n"), chunks("0\r\n\n"), chunks("0\r\n\r\r\n"), chunks("0\r\nA: b\rc\r\n\r\n"), chunks("0\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"), chunks("0\r\nA: b\r\r\n\r\n"),
	}},
	{chunkTrailerName, []string{
		chunks("0\r\nContent-Length: 5\r\n\r\n"), chunks("0\r\nA: b\r\ntransfer-encoding: chunked\r\n\r\n"), chunks("0\r\nHost: b\r\n\r\n"), chunks("0\r\nX-Forwarded-For: 1.1.1.1\r\n\r\n"),
		chunks("0\r\ncontent_length: 5\r\n\r\n"), chunks("0\r\nIf-None-Match-And-A-Name-That-Is-Rather-Long: *\r\n\r\n"), chunks("0\r\nAuthorization: x\r\n\r\n"),
	}},
	{chunkTrailerSize, []string{chunks("0\r\nA: " + strings.Repeat("b", 1100) + "\r\n\r\n"), chunks("0\r\n" + strings.Repeat("A: b\r\n", 200) + "\r\n"), chunks("0\r\n" + strings.Repeat("n", 1100) + ": b\r\n\r\n")}},
}

// truncated are what a client leaves behind that stops in the middle.
var truncatedCases = []struct {
	refusal *Refusal
	inputs  []string
}{
	{headTruncated, []string{"G", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: a\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\r"}},
	{bodyTruncated, []string{post("Content-Length: 5\r\n", "abcd"), post("Content-Length: 5\r\n", ""), chunks(""), chunks("5\r\nabcde\r\n"), chunks("5\r\nabcde\r\n0\r\n"), chunks("0\r\nA: b")}},
}

// acceptedCases are messages that pass.
var acceptedCases = []string{
	get(""),
	get("Content-Length: 0\r\n"),
	get("A:\r\nB:b\r\nC: \t c\t \r\nCookie: a=\"b\", c=d; e\r\n"),
	get("User-Agent: \u00e9\xff\r\n"),
	get("Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n"),
	get("Upgrade: websocket\r\nConnection: Upgrade\r\n"),
	get("Trailer: A, B\r\n"),
	get("!#$%&'*+-.^_`|~09azAZ: every byte of a token\r\n"),
	get(strings.Repeat("A: b\r\n", 19)),
	get("Content-Length2: 5\r\nXContent-Length: 5\r\nContent.Length: 5\r\nHostX: b\r\nTransfer-Encodings: chunked\r\n"),
	"GET / HTTP/1.0\r\n\r\n",
	"GET / HTTP/1.0\r\nConnection: keep-alive\r\nHost: a\r\n\r\n",
	"get /a/b.c;d=e,f:g@h!$&'()*+~-_ HTTP/1.1\r\nHost: A_b.C-d.example.:8080\r\n\r\n",
	"GET /a%2Fb%20?q=%%MACRO%%&u=http://b//c&x={}|\"<>^`[] HTTP/1.1\r\nHost: 192.0.2.1:1\r\n\r\n",
	"GET http://a.example/b?c HTTP/1.1\r\nHost: A.example\r\n\r\n",
	"GET HTTPS://[2001:DB8::1]:443 HTTP/1.1\r\nHost: [2001:db8::1]:443\r\n\r\n",
	"GET http://a?b/c HTTP/1.0\r\n\r\n",
	"OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n",
	"DELETE /a HTTP/1.1\r\nHost: [::ffff:192.0.2.1]\r\nContent-Length: 1\r\n\r\nx",
	post("Content-Length: 5\r\n", "abcde"),
	post("content-length:5   \r\nExpect: 100-Continue\r\n", "\r\n\r\n\x00"),
	post("Content-Length: 1000\r\n", strings.Repeat("a", 1000)),
	post("", ""),
	post("Trailer: X-Checksum\r\nTransfer-Encoding:   ChUnKeD  \r\n", "5\r\nabcde\r\n0\r\nX-Checksum: 1\r\nEmpty:\r\n\r\n"),
	chunks("0\r\n\r\n"),
	chunks("00000005\r\nabcde\r\n00\r\n\r\n"),
	chunks("a\r\n0123456789\r\nB;a=\"b c\";d\r\n0123456789a\r\n0;last\r\n\r\n"),
	chunks(strings.Repeat("1\r\n\n\r\n", 200) + "0\r\n\r\n"),
	chunks("3e8\r\n" + strings.Repeat("\r", 1000) + "\r\n0\r\n\r\n"),
	chunks("1;" + strings.Repeat("a", 1023) + "\r\na\r\n0\r\n\r\n"),
}
