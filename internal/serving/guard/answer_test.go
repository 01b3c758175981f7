package guard

import (
	"errors"
	"strings"
	"testing"
)

const plainAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"

// takeAll gives an answer to a checker in pieces, and returns how much belongs to it.
func takeAll(a *Answer, text string, size int, o *Options) (n int, err error) {
	for text != "" && err == nil {
		piece := text[:min(size, len(text))]
		took, e := a.Take([]byte(piece), o)
		if errors.Is(e, ErrUnasked) {
			return n, nil // what is beyond the answer
		}
		n, err, text = n+took, e, text[len(piece):]
		if took < len(piece) {
			return n, err
		}
	}
	return n, err
}

// TestAnswer takes good answers in pieces of every size: each ends where it ends, whatever follows.
func TestAnswer(t *testing.T) {
	o := Options{HeadBytes: 1000, BodyBytes: 1000}.withDefaults()
	for _, tt := range []struct {
		text   string
		isHead bool
		open   bool // until the end of the connection
	}{
		{plainAnswer, false, false},
		{"HTTP/1.1 204 No Content\r\n\r\n", false, false},
		{"HTTP/1.1 204 \r\nContent-Length: 5\r\n\r\n", false, false},
		{"HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", false, false},
		{"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", true, false},
		{"HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", false, false},
		{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;a=b\r\n{}\r\nA\r\n0123456789\r\n0\r\nA: b\r\n\r\n", false, false},
		{"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n" + plainAnswer, false, false},
		{"HTTP/1.0 500 Oh\r\nServer: a\r\n\r\nuntil the end", false, true},
		{"HTTP/1.1 200 OK\r\n\r\nuntil the end", false, true},
	} {
		for size := 1; size <= len(tt.text); size++ {
			var a Answer
			for range 2 { // on one connection
				a.Begin(tt.isHead)
				n, err := takeAll(&a, tt.text+plainAnswer, size, &o)
				want := len(tt.text)
				if tt.open {
					want += len(plainAnswer)
				}
				if err != nil || n != want || a.Done() == tt.open {
					t.Errorf("%q in pieces of %d: %d bytes, %v, done %v; want %d", tt.text, size, n, err, a.Done(), want)
				}
			}
		}
	}
	var a Answer
	if _, err := a.Take([]byte("H"), &o); !errors.Is(err, ErrUnasked) {
		t.Errorf("an answer without a request: %v", err)
	}
	a.Begin(false)
	const interim = "HTTP/1.1 103 Early Hints\r\n\r\n"
	if n, err := takeAll(&a, strings.Repeat(interim, interimMax)+plainAnswer, 1000, &o); err != nil || !a.Done() {
		t.Errorf("as many interim answers as may be: %d, %v", n, err)
	}
	a.Begin(false)
	if n, err := takeAll(&a, strings.Repeat(interim, interimMax+1), 1000, &o); !errors.Is(err, manyInterim) {
		t.Errorf("one interim answer more: %d, %v", n, err)
	}
}

// TestCodings joins the fields Content-Encoding of an answer where there are several, in pieces of
// every size. Those of an interim answer are not the answer's.
func TestCodings(t *testing.T) {
	o := Options{HeadBytes: 1000, BodyBytes: 1000}.withDefaults()
	var a Answer
	for fields, want := range map[string]string{
		"": "", "Content-Encoding: gzip\r\n": "", "Content-Encoding: gzip, br\r\n": "",
		"Content-Encoding: gzip\r\nA: b\r\ncontent-encoding:\tbr, x \r\n":                      "gzip, br, x",
		"Content-Encoding: gzip\r\nContent-Encoding:\r\nContent-EncodinG: gzip\r\n":            "gzip, gzip",
		"Content-Encoding:\r\nContent-Encoding: \r\n":                                          "",
		"Accept-Encoding: br\r\nContent-Encoding: gzip\r\nX: Content-Encoding\r\nA: b\r\n":     "",
		"Content_Encoding: br\r\nContent-Encoding: gzip\r\nContent-Language: Content-Encoding": "",
	} {
		text := "HTTP/1.1 200 OK\r\n" + strings.TrimSuffix(fields, "\r\n") + "\r\n\r\n"
		if fields == "" {
			text = "HTTP/1.1 200 OK\r\n\r\n"
		}
		for _, interim := range []string{"", "HTTP/1.1 103 Early Hints\r\nContent-Encoding: a\r\nContent-Encoding: b\r\n\r\n"} {
			for size := 1; size <= len(interim+text); size++ {
				a.Begin(false)
				if _, err := takeAll(&a, interim+text, size, &o); err != nil || string(a.Codings()) != want {
					t.Errorf("%q in pieces of %d: %q, %v, want %q", interim+text, size, a.Codings(), err, want)
				}
			}
		}
	}
}

// TestLeft says how much of a body is still to come, as far as it is declared.
func TestLeft(t *testing.T) {
	o := Options{HeadBytes: 1000, BodyBytes: 1000}.withDefaults()
	for _, tt := range []struct {
		text   string
		isHead bool
		want   int64
	}{
		{"HTTP/1.1 200 OK\r\nContent-Length: 500", false, 0},
		{"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n", false, 500},
		{"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n01", false, 498},
		{"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n01", false, 0},
		{"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n", true, 0},
		{"HTTP/1.1 304 Not Modified\r\nContent-Length: 500\r\n\r\n", false, 0},
		{"HTTP/1.1 200 OK\r\n\r\n01", false, 0},
		{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10", false, 0}, // more digits may come
		{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n0", false, 15},
		{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n0\r\n", false, 0},
	} {
		var a Answer
		a.Begin(tt.isHead)
		if _, err := takeAll(&a, tt.text, len(tt.text), &o); err != nil || a.Left() != tt.want {
			t.Errorf("%q: %d, %v, want %d", tt.text, a.Left(), err, tt.want)
		}
	}
}

// TestAnswerRefused takes what two parsers could read in two ways, in pieces of several sizes.
func TestAnswerRefused(t *testing.T) {
	o := Options{HeadBytes: 1000, BodyBytes: 1000}.withDefaults()
	of := func(fields, body string) string { return "HTTP/1.1 200 OK\r\n" + fields + "\r\n" + body }
	for _, tt := range []struct{ code, text string }{
		{"framing.length-and-encoding", of("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n")},
		{"framing.length-and-encoding", of("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "0\r\n\r\n")},
		{"framing.length-twice", of("Content-Length: 2\r\nContent-Length: 2\r\n", "{}")},
		{"framing.length-sign", of("Content-Length: +2\r\n", "{}")},
		{"framing.encoding", of("Transfer-Encoding: gzip, chunked\r\n", "")},
		{"framing.encoding-http-1.0", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"},
		{"framing.look-alike", of("Content_Length: 2\r\n", "{}")},
		{"head.fold", of("A: b\r\n c\r\n", "")},
		{"head.bare-lf", "HTTP/1.1 200 OK\nContent-Length: 2\n\n{}"},
		{"head.bare-cr", of("A: b\rc\r\n", "")},
		{"head.control", of("A: \x00\r\n", "")},
		{"field.space-before-colon", of("Content-Length : 2\r\n", "{}")},
		{"head.size", of("A: "+strings.Repeat("a", 1000)+"\r\n", "")},
		{"head.fields", of(strings.Repeat("A: b\r\n", 101), "")},
		{"line.status", "HTTP/1.1 20 OK\r\n\r\n"},
		{"line.status", "HTTP/1.1 2000 OK\r\n\r\n"},
		{"line.status", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"},
		{"line.status", "HTTP/1.1 2x0 OK\r\n\r\n"},
		{"line.status", "HTTP/1.1 600 OK\r\n\r\n"},
		{"line.status", "HTTP/1.1 099 OK\r\n\r\n"},
		{"line.status", "HTTP/1.1\r\n\r\n"},
		{"line.version", "200 OK\r\n\r\n"},
		{"protocol.version", "HTTP/3.0 200 OK\r\n\r\n"},
		{"protocol.http-0.9", "HTTP/0.9 200 OK\r\n\r\n"},
		{"protocol.tls", "\x16\x03\x01\r\n"},
		{"chunk.size", of("Transfer-Encoding: chunked\r\n", "0x2\r\n{}\r\n")},
		{"chunk.data-end", of("Transfer-Encoding: chunked\r\n", "2\r\n{}0\r\n")},
		{"body.size", of("Transfer-Encoding: chunked\r\n", "ffffff\r\n")},
	} {
		for _, size := range []int{1, 7, 5000} {
			var a Answer
			a.Begin(false)
			_, err := takeAll(&a, tt.text, size, &o)
			var r *Refusal
			if !errors.As(err, &r) || r.Code != tt.code {
				t.Errorf("%.100q in pieces of %d: %v, want %s", tt.text, size, err, tt.code)
			}
		}
	}
}

// TestExplain answers some refusals with a text.
func TestExplain(t *testing.T) {
	o := limits
	o.BodyBytes = 10
	o.Explain = func(code string, status int) string {
		if code == bodySize.Code && status == bodySize.Status {
			return "too long\n"
		}
		return ""
	}
	for text, want := range map[string]string{
		"POST / HTTP/1.1\r\nHost: a.example\r\nContent-Length: 11\r\n\r\n": "HTTP/1.1 413 Request Entity Too Large\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 9\r\nConnection: close\r\n\r\ntoo long\n",
		"POST / HTTP/9.1\r\nHost: a.example\r\n\r\n":                       "HTTP/1.1 505 HTTP Version Not Supported\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
	} {
		if got := serve(t, o, 4096, []string{text}).written; got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
