package replay

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
)

// responseCases are answers: the status and body that they have, or the error.
var responseCases = []struct {
	text   string
	status int
	body   string
	closed bool // the connection can't be used afterwards
	err    error
}{
	{text: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", status: 200, body: "{}"},
	{text: "HTTP/1.1 200 \r\ncontent-length:2\r\n\r\n{}", status: 200, body: "{}"},
	{text: "HTTP/1.1 200\r\nCONTENT-LENGTH:  2 \r\n\r\n{}", status: 200, body: "{}"},
	{text: "HTTP/1.1 204 No Content\r\n\r\n", status: 204},
	{text: "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", status: 204},
	{text: "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", status: 304},
	{text: "HTTP/1.1 500 Oh\r\nContent-Length: 0\r\nConnection: Keep-Alive\r\n\r\n", status: 500},
	{text: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: x , close\r\n\r\n{}", status: 200, body: "{}", closed: true},
	{text: "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n{}", status: 200, body: "{}", closed: true},
	{text: "HTTP/1.0 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\n{}", status: 200, body: "{}"},
	{text: "HTTP/1.1 200 OK\r\n\r\nuntil the end", status: 200, body: "until the end", closed: true},
	{text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA;x=\"y\"\r\n0123456789\r\n0\r\n\r\n", status: 200, body: "abc0123456789"},
	{text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n1\r\n{\r\n001\r\n}\r\n0\r\nX: y\r\n\r\n", status: 200, body: "{}"},
	{text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", status: 200},
	{text: "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx", status: 200, body: "x"},

	{text: "HTTP/1.1 200 OK\nContent-Length: 2\n\n{}", err: errHTTP},
	{text: "HTTP/1.1 200 OK\r\nContent-Length: 2\n\r\n{}", err: errHTTP},
	{text: "HTTP/1.1 200 OK\r\nX: a\rb\r\nContent-Length: 2\r\n\r\n{}", err: errHTTP},
	{text: "HTTP/1.1 200 OK\r\nX: a\x00b\r\nContent-Length: 2\r\n\r\n{}", err: errHTTP},
	{text: "HTTP/2.0 200 OK\r\nContent-Length: 2\r\n\r\n{}", err: errHTTP},
	{text: "HTTP/1.1 20 OK\r\nContent-Length: 2\r\n\r\n{}", err: errHTTP},
	{text: "HTTP/1.1 2000 OK\r\nContent-Length: 2\r\n\r\n{}", err: errHTTP},
	{text: "HTTP/1.1 600 OK\r\nContent-Length: 2\r\n\r\n{}", err: errHTTP},
	{text: "HTTP/1.1  200 OK\r\nContent-Length: 2\r\n\r\n{}", err: errHTTP},
	{text: "HTTP/1.1 200 O\x01K\r\nContent-Length: 2\r\n\r\n{}", err: errHTTP},
	{text: "HTTP/1.1 101 Switching Protocols\r\n\r\n", err: errHTTP},
	{text: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}", err: errHTTP},
	{text: "HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\n{}", err: errHTTP},
	{text: "HTTP/1.1 200 OK\r\nContent-Length: +2\r\n\r\n{}", err: errHTTP},
	{text: "HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\n{}", err: errHTTP},
	{text: "HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\n{}", err: errHTTP},
	{text: "HTTP/1.1 200 OK\r\nContent-Length: 1000000000000000\r\n\r\n{}", err: errSize},
	{text: "HTTP/1.1 200 OK\r\nContent-Length: 1000000000000000000\r\n\r\n{}", err: errHTTP},
	{text: "HTTP/1.1 200 OK\r\nContent-Length: 02\r\n\r\n{}", err: errHTTP},
	{text: "HTTP/1.1 200 OK\r\nContent-Length: \t2\r\n\r\n{}", err: errHTTP},
	{text: "HTTP/1.1 200 OK\r\nContent_Length: 2\r\n\r\n{}", err: errHTTP},
	{text: "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", err: errHTTP},
	{text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1 \r\n{\r\n0\r\n\r\n", err: errHTTP},
	{text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nContent-Length: 1\r\n\r\n", err: errHTTP},
	{text: strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 17), err: errHTTP},
	{text: "HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n{}", err: errSize},
	{text: "HTTP/1.1 200 OK\r\n\r\n" + strings.Repeat("x", 1001), err: errSize},
	{text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n" + strings.Repeat("x", 1001) + "\r\n0\r\n\r\n", err: errSize},
	{text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", err: errHTTP},
	{text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", err: errHTTP},
	{text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n", err: errHTTP},
	{text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0x3\r\nabc\r\n0\r\n\r\n", err: errHTTP},
	{text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n+3\r\nabc\r\n0\r\n\r\n", err: errHTTP},
	{text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\nabc\r\n0\r\n\r\n", err: errHTTP},
	{text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n100000003\r\nabc\r\n0\r\n\r\n", err: errHTTP},
	{text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n0\r\n\r\n", err: errHTTP},
	{text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\nabc\r\n0\r\n\r\n", err: errHTTP},
	{text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;\x01\r\nabc\r\n0\r\n\r\n", err: errHTTP},
	{text: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nno colon\r\n\r\n", err: errHTTP},
	{text: "HTTP/1.1 200 OK\r\nX : y\r\nContent-Length: 2\r\n\r\n{}", err: errHTTP},
	{text: "HTTP/1.1 200 OK\r\n: y\r\nContent-Length: 2\r\n\r\n{}", err: errHTTP},
	{text: "HTTP/1.1 200 OK\r\nX: y\r\n folded\r\nContent-Length: 2\r\n\r\n{}", err: errHTTP},
	{text: "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("y", HeadMax) + "\r\n\r\n", err: errHTTP},
	{text: strings.Repeat("x", HeadMax+1), err: errHTTP},
	{text: "SSH-2.0-OpenSSH\r\n", err: errHTTP},
}

// readAnswer reads an answer that arrives in pieces of a size, after which the connection ends.
func readAnswer(text []byte, piece int) (r *response, rest []byte, err error) {
	r = &response{limits: responseLimits(1000)}
	r.reset()
	for len(text) > 0 {
		used, done, err := r.feed(text[:min(piece, len(text))])
		if err != nil {
			return r, nil, err
		}
		if text = text[used:]; done {
			return r, text, nil
		}
	}
	if !r.finish() {
		return r, nil, io.ErrUnexpectedEOF
	}
	return r, nil, nil
}

// TestResponse reads every case in pieces of every size.
func TestResponse(t *testing.T) {
	for _, tt := range responseCases {
		for piece := 1; piece <= len(tt.text); piece++ {
			if len(tt.text) > 1000 && piece%997 != 1 && piece != len(tt.text) || len(tt.text) > HeadMax && piece < 1000 {
				continue
			}
			r, rest, err := readAnswer([]byte(tt.text), piece)
			if !errors.Is(err, tt.err) {
				t.Errorf("%.200q in pieces of %d: error %v, expected %v", tt.text, piece, err, tt.err)
				break
			}
			if err == nil && (r.status() != tt.status || string(r.body) != tt.body || r.closes() != tt.closed || len(rest) > 0) {
				t.Errorf("%q in pieces of %d: status %d, body %q, close %v, rest %q", tt.text, piece, r.status(), r.body, r.closes(), rest)
				break
			}
		}
	}
}

// TestResponseCut wants every beginning of a complete answer to be incomplete.
func TestResponseCut(t *testing.T) {
	for _, tt := range responseCases {
		if tt.err != nil || tt.closed {
			continue
		}
		for n := range len(tt.text) {
			if _, _, err := readAnswer([]byte(tt.text[:n]), n+1); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%q: %v", tt.text[:n], err)
			}
		}
	}
}

// FuzzResponse compares with net/http, which accepts more: what is accepted here has the same
// status and body there.
func FuzzResponse(f *testing.F) {
	for _, tt := range responseCases {
		f.Add([]byte(tt.text), 7)
	}
	f.Fuzz(func(t *testing.T, text []byte, piece int) {
		whole, rest, err := readAnswer(text, len(text)+1)
		piece = 1 + int(uint(piece)%64)
		parts, restOfParts, errOfParts := readAnswer(text, piece)
		if (err == nil) != (errOfParts == nil) || err == nil && (whole.status() != parts.status() || !bytes.Equal(whole.body, parts.body) || !bytes.Equal(rest, restOfParts)) {
			t.Fatalf("%q: %v %+v, in pieces of %d %v %+v", text, err, whole, piece, errOfParts, parts)
		}
		if err != nil {
			return
		}
		in := bufio.NewReader(bytes.NewReader(text))
		for {
			theirs, err := http.ReadResponse(in, nil)
			if err != nil {
				t.Fatalf("%q: net/http refuses it: %v", text, err)
			}
			body, err := io.ReadAll(theirs.Body)
			if err != nil {
				t.Fatalf("%q: net/http can't read the body: %v", text, err)
			}
			theirs.Body.Close()
			if theirs.StatusCode < 200 {
				continue
			}
			if theirs.StatusCode != whole.status() || whole.status() != 304 && !bytes.Equal(body, whole.body) {
				t.Fatalf("%q: status %d, body %q; net/http has %d, %q", text, whole.status(), whole.body, theirs.StatusCode, body)
			}
			return
		}
	})
}
