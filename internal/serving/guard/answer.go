package guard

import (
	"bytes"
	"errors"
)

// Answer reads what a server answers, as [Conn] checks what a client sends: the grammar is as
// strict, so that a client library that is more tolerant never reads an answer that two parsers
// could read in two ways. It also knows where an answer ends, so that nothing beyond it is taken
// for the answer to the next request.
//
// Begin comes before each request. After each read comes Take, or Next as long as there are bytes
// if the body is wanted; when the connection ends, End. The zero Answer is ready for Begin.
type Answer struct {
	head  head
	body  body
	state answerState
	alone bool   // the answer has no body whatever it says, since the request was HEAD
	part  []byte // of a head that came in parts
	n     int    // how many interim answers there were

	untilEnd bool   // of the connection is where the body ends
	codings  []byte // if there are several fields of them
}

type answerState uint8

const (
	answerNone answerState = iota // nothing is expected
	answerHead
	answerBody
	answerUntilEnd // of the connection
)

// lineStatus is the refusal of a status that is not 100 to 599, or that switches protocols. Only
// answers have one, so it is not in the package's table.
var lineStatus = &Refusal{Code: "line.status"}

// interimMax is how many answers with a status below 200 may come before the final one, and
// manyInterim the refusal of one more.
const interimMax = 16

var manyInterim = &Refusal{Code: "line.interim"}

// ErrUnasked is the error of an unsolicited answer.
var ErrUnasked = errors.New("guard: an answer without a request")

// Begin says that a request is sent, and whether its method is HEAD.
func (a *Answer) Begin(isHead bool) {
	part := a.part[:0]
	*a = Answer{state: answerHead, alone: isHead, part: part}
	a.head.found = isAnswer
}

// Done reports whether the answer was taken to its end.
func (a *Answer) Done() bool { return a.state == answerNone }

// Status returns the status of the answer whose head was taken last, which may be an interim one.
func (a *Answer) Status() int { return a.head.code }

// Length returns the length of the body that the head declares, 0 if it declares none.
func (a *Answer) Length() int64 { return a.head.length }

// Codings returns the values of Content-Encoding as one list, which means the same (RFC 9110,
// section 5.3), if the head that was taken last has several such fields, and nil otherwise.
func (a *Answer) Codings() []byte { return a.codings }

// Left returns how many bytes of the body have been declared, and not come yet: of all of it, or of
// the chunk that was begun.
func (a *Answer) Left() int64 {
	if a.state == answerBody && (a.body.part == counted || a.body.part == chunkData) {
		return a.body.left
	}
	return 0
}

// Closes reports whether the connection ends after the answer (RFC 9112, section 9.3).
func (a *Answer) Closes() bool {
	f := a.head.found
	return f&closes != 0 || f&version10 != 0 && f&keeps == 0 || a.untilEnd
}

// End says that the connection has ended, and reports whether that was the end of the answer.
func (a *Answer) End() bool {
	if a.state != answerUntilEnd {
		return false
	}
	a.state = answerNone
	return true
}

// Take checks bytes that were read, and returns how many of them belong to the answer. The rest
// belongs to no request. Of the options HeadBytes, Fields and BodyBytes count, the last for chunked
// bodies; all must be set.
func (a *Answer) Take(p []byte, o *Options) (n int, err error) {
	for n < len(p) {
		if a.state == answerNone && n > 0 {
			return n, nil
		}
		took, _, err := a.Next(p[n:], o)
		if err != nil {
			return 0, err
		}
		n += took
	}
	return n, nil
}

// Next is [Answer.Take] up to the end of the first part of the body in p, if there is any: data is
// the last of the n bytes, and a part of p.
func (a *Answer) Next(p []byte, o *Options) (n int, data []byte, err error) {
	switch a.state {
	case answerNone:
		return 0, nil, ErrUnasked
	case answerUntilEnd:
		return len(p), p, nil
	case answerHead:
		n, err = a.takeHead(p, o)
		return n, nil, err
	}
	n, size, r := a.body.next(p, o)
	if r != nil {
		return 0, nil, r
	}
	if a.body.part == atEnd {
		a.state = answerNone
	}
	return n, p[n-size : n], nil
}

// takeHead takes bytes of a head.
func (a *Answer) takeHead(p []byte, o *Options) (int, error) {
	before := len(a.part)
	b := p
	if before > 0 {
		a.part = append(a.part, p[:min(len(p), o.HeadBytes+1-before)]...)
		b = a.part
	}
	n, r := a.head.parse(b, o)
	switch {
	case r != nil:
		return 0, r
	case n > o.HeadBytes:
		return 0, headSize
	case n == 0 && before == 0:
		a.part = append(a.part, p...)
		return len(p), nil
	case n == 0:
		return len(a.part) - before, nil
	}
	a.codings = nil
	if a.head.codings > 1 {
		a.codings = codingsOf(b[:n])
	}
	a.part = a.part[:0]
	if r := a.next(); r != nil {
		return 0, r
	}
	return n - before, nil
}

// next finds out what comes after a head (RFC 9112, section 6.3).
func (a *Answer) next() *Refusal {
	code := a.head.code
	switch {
	case code < 200:
		if a.n++; a.n > interimMax {
			return manyInterim
		}
		a.head = head{found: isAnswer}
	case a.alone, code == 204, code == 304:
		a.state = answerNone
	case a.head.found&(lengthField|chunked) == 0:
		a.state, a.untilEnd = answerUntilEnd, true
	default:
		a.body.begin(&a.head)
		if a.state = answerBody; a.body.part == atEnd {
			a.state = answerNone
		}
	}
	return nil
}

// statusLine checks a line by RFC 9112, section 4. The space before an empty reason may be missing,
// as many servers send it.
func (h *head) statusLine(line []byte) *Refusal {
	if c := control(line); c >= 0 {
		return controlRefusal(c)
	}
	version, rest, _ := bytes.Cut(line, []byte{' '})
	switch string(version) {
	case "HTTP/1.1":
	case "HTTP/1.0":
		h.found |= version10
	default:
		return versionRefusal(version)
	}
	if len(rest) < 3 || len(rest) > 3 && rest[3] != ' ' {
		return lineStatus
	}
	for _, c := range rest[:3] {
		if c < '0' || c > '9' {
			return lineStatus
		}
		h.code = h.code*10 + int(c-'0')
	}
	if h.code < 100 || h.code > 599 || h.code == 101 { // no request asks for another protocol
		return lineStatus
	}
	return nil
}
