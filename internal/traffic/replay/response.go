package replay

import (
	"bytes"
	"errors"
)

// This file reads answers: RFC 9112, as strictly as it can be read. What servers and proxies could
// read differently is an error, not a guess.

// The errors of answers. They are counted, so each is one value.
var (
	errHTTP  = errors.New("not an HTTP/1.1 response")
	errSize  = errors.New("larger than MaxResponse")
	errExtra = errors.New("more bytes than the answer")
)

// framing says where the body of an answer ends.
type framing uint8

const (
	framingHead  framing = iota // the head is not complete
	framingSize                 // after a number of bytes
	framingChunk                // in chunks: before the size of one
	framingData                 // in chunks: in one, or before the line end after it
	framingTail                 // in chunks: in the trailer
	framingClose                // when the connection is closed
)

// response is an answer that is being read. It is ready for the next after [response.reset].
type response struct {
	limit  int // of the body
	status int
	close  bool // the connection can't be used afterwards
	body   []byte
	owned  []byte // memory for bodies that come in pieces

	framing framing
	left    int64 // of the body or of the chunk
	v10     bool
}

// keptMax is how much memory a connection keeps for the next answer, in bytes.
const keptMax = 64 << 10

func (r *response) reset() {
	owned := r.owned[:0]
	if cap(owned) > keptMax {
		owned = nil
	}
	*r = response{limit: r.limit, owned: owned}
}

// feed reads more of the answer from text, which begins where the last call stopped. It returns how
// much it has used and whether the answer is complete. If it is, body may be part of text.
func (r *response) feed(text []byte) (used int, done bool, err error) {
	for {
		n, more, err := r.step(text[used:])
		used += n
		if err != nil || !more {
			return used, err == nil && r.complete(), err
		}
	}
}

// complete reports whether the last byte of the answer was read.
func (r *response) complete() bool { return r.framing == framingSize && r.left == 0 }

// finish completes the answer at the end of the connection. It reports whether it could.
func (r *response) finish() bool {
	if r.framing != framingClose {
		return false
	}
	r.framing, r.left, r.body = framingSize, 0, r.owned
	return true
}

// step reads one part of the answer. It reports whether there may be more to read in text.
func (r *response) step(text []byte) (n int, more bool, err error) {
	switch r.framing {
	case framingHead:
		return r.head(text)
	case framingSize:
		if len(r.owned) == 0 && int64(len(text)) >= r.left {
			r.body = text[:r.left] // the usual case: nothing is copied
			n, r.left = int(r.left), 0
			return n, false, nil
		}
		n = r.keep(text)
		r.body = r.owned
		return n, false, nil
	case framingChunk:
		return r.chunkSize(text)
	case framingData:
		return r.chunkData(text)
	case framingTail:
		return r.trailer(text)
	}
	if len(r.owned)+len(text) > r.limit {
		return 0, false, errSize
	}
	r.owned = append(r.owned, text...)
	return len(text), false, nil
}

// keep copies text of the body, up to what is left of it.
func (r *response) keep(text []byte) int {
	n := int(min(r.left, int64(len(text))))
	r.owned = append(r.owned, text[:n]...)
	r.left -= int64(n)
	return n
}

// line returns the first line of text without its CRLF, and whether it is complete.
func line(text []byte) ([]byte, bool, error) {
	i := bytes.IndexByte(text, '\n')
	switch {
	case i > 0 && text[i-1] == '\r' && i <= HeadMax:
		return text[:i-1], true, nil
	case i >= 0 || len(text) > HeadMax:
		return nil, false, errHTTP
	}
	return nil, false, nil
}

// head reads the status line and the header fields.
func (r *response) head(text []byte) (int, bool, error) {
	f := fields{size: -1}
	for at := 0; ; {
		b, complete, err := line(text[at:])
		switch {
		case err != nil || at+len(b) > HeadMax:
			return 0, false, errHTTP
		case !complete:
			return 0, false, nil // it is read again when there is more
		case at == 0 && !r.statusLine(b) || at > 0 && len(b) > 0 && !f.add(b):
			return 0, false, errHTTP
		}
		if at += len(b) + 2; len(b) == 0 {
			err := r.frame(&f)
			return at, !r.complete(), err
		}
	}
}

// statusLine reads "HTTP/1.1 200 OK".
func (r *response) statusLine(b []byte) bool {
	const start = "HTTP/1.x 200"
	if len(b) < len(start) || string(b[:7]) != "HTTP/1." || b[7] != '1' && b[7] != '0' || b[8] != ' ' || len(b) > len(start) && b[len(start)] != ' ' {
		return false
	}
	r.status, r.v10 = 0, b[7] == '0'
	for _, c := range b[9:12] {
		if c < '0' || c > '9' {
			return false
		}
		r.status = 10*r.status + int(c-'0')
	}
	return r.status >= 100 && r.status <= 599 && !bytes.ContainsFunc(b, isControl)
}

func isControl(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }

// frame decides where the body ends (RFC 9112, section 6.3).
func (r *response) frame(f *fields) error {
	r.close = r.close || f.close || r.v10 && !f.keep
	switch {
	case r.status < 200: // an interim answer, which another head follows
		if r.status == 101 {
			return errHTTP
		}
		r.framing = framingHead
	case f.chunked && f.size >= 0:
		return errHTTP
	case r.status == 204 || r.status == 304:
		r.framing, r.left = framingSize, 0
	case f.chunked:
		r.framing = framingChunk
	case f.size > int64(r.limit):
		return errSize
	case f.size >= 0:
		r.framing, r.left = framingSize, f.size
	default:
		r.framing, r.close = framingClose, true
	}
	return nil
}

// fields are the header fields that matter here.
type fields struct {
	size                 int64 // of the body, -1 if it is not given
	chunked, close, keep bool
}

// tokenByte are the bytes of names (RFC 9110, section 5.6.2).
var tokenByte = func() (table [256]bool) {
	for c := range table {
		table[c] = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || bytes.IndexByte([]byte("!#$%&'*+-.^_`|~"), byte(c)) >= 0
	}
	return table
}()

// add reads one field line. It returns false if the line is not one, or contradicts another.
func (f *fields) add(b []byte) bool {
	colon := 0
	for colon < len(b) && tokenByte[b[colon]] {
		colon++
	}
	if colon == 0 || colon == len(b) || b[colon] != ':' {
		return false
	}
	name, value := b[:colon], bytes.Trim(b[colon+1:], " \t")
	for _, c := range value {
		if c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	switch {
	case equalFold(name, "content-length"):
		if f.size >= 0 {
			return false
		}
		f.size = number(value)
		return f.size >= 0
	case equalFold(name, "transfer-encoding"):
		if f.chunked || !equalFold(value, "chunked") {
			return false
		}
		f.chunked = true
	case equalFold(name, "connection"):
		for option := range bytes.SplitSeq(value, []byte{','}) {
			option = bytes.Trim(option, " \t")
			f.close = f.close || equalFold(option, "close")
			f.keep = f.keep || equalFold(option, "keep-alive")
		}
	}
	return true
}

// equalFold compares with a text in lower case.
func equalFold(b []byte, lower string) bool {
	if len(b) != len(lower) {
		return false
	}
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

// number reads digits, -1 if there is something else or too many of them.
func number(b []byte) (n int64) {
	const digitsMax = 15
	if len(b) == 0 || len(b) > digitsMax {
		return -1
	}
	for _, c := range b {
		if c < '0' || c > '9' {
			return -1
		}
		n = 10*n + int64(c-'0')
	}
	return n
}

// chunkSize reads the line before a chunk. Extensions are ignored.
func (r *response) chunkSize(text []byte) (int, bool, error) {
	b, complete, err := line(text)
	if err != nil || !complete {
		return 0, false, err
	}
	n := len(b) + 2
	size, rest, _ := bytes.Cut(b, []byte{';'})
	size = bytes.TrimRight(size, " \t")
	const digitsMax = 8
	if len(size) == 0 || len(size) > digitsMax || bytes.ContainsFunc(rest, isControl) {
		return 0, false, errHTTP
	}
	r.left = 0
	for _, c := range size {
		digit := bytes.IndexByte([]byte("0123456789abcdef"), c|0x20)
		if digit < 0 || c < '0' {
			return 0, false, errHTTP
		}
		r.left = r.left<<4 | int64(digit)
	}
	switch {
	case r.left == 0:
		r.framing = framingTail
	case int64(len(r.owned))+r.left > int64(r.limit):
		return 0, false, errSize
	default:
		r.framing = framingData
	}
	return n, true, nil
}

// chunkData reads a chunk and the line end after it.
func (r *response) chunkData(text []byte) (int, bool, error) {
	n := r.keep(text)
	switch rest := text[n:]; {
	case r.left > 0 || len(rest) == 0 || len(rest) == 1 && rest[0] == '\r':
		return n, false, nil
	case rest[0] != '\r' || rest[1] != '\n':
		return n, false, errHTTP
	}
	r.framing = framingChunk
	return n + 2, true, nil
}

// trailer reads the fields after the last chunk, which are ignored.
func (r *response) trailer(text []byte) (int, bool, error) {
	b, complete, err := line(text)
	if err != nil || !complete {
		return 0, false, err
	}
	if len(b) > 0 {
		if f := (fields{size: -1}); !f.add(b) {
			return 0, false, errHTTP
		}
		return len(b) + 2, true, nil
	}
	r.framing, r.left, r.body = framingSize, 0, r.owned
	return 2, false, nil
}
