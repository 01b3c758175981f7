// Package record encodes a judged request as a line of text: the request itself, the facts and the
// verdict. Captures of the gateway are files of such lines.
//
// A line is a case of package internal/policytest, so "rtbwire policy test" runs a capture against
// a configuration, and "rtbwire replay" sends its requests:
//
//	{"capture":1,"name":"...","request":"{\"id\":...}","facts":{...},"expect":{"action":"forward","score":0}}
//
// A request is a string, so that every byte of it is kept, also of one that is not JSON.
// A [Redactor] takes personal data out first.
//
//	record.go    Record, Append, Parse: lines
//	redact.go    Redactor: what is taken out of requests and facts
//	residue.go   values that were taken out, and that occur elsewhere
//	spelling.go  the encodings that they may have there
package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/rtbwire/rtbwire/inspect/rule"
)

// LineMax is the length of the longest line, in bytes, with its end.
const LineMax = 4 << 20

// prefix is how each line begins, with the version of the format; no bid request begins so.
const prefix = `{"capture":1,`

// Record is a judged request.
type Record struct {
	// Name is unique in a capture.
	Name    string
	Request []byte
	Facts   rule.Facts
	// Expect is the verdict on Request and Facts as they are here.
	Expect Decision
	// Verdict is the verdict on what was sent, if that is another one: the request was redacted.
	Verdict *Decision
}

// Decision is what a verdict comes down to.
type Decision struct {
	Action string `json:"action"`           // forward or refuse
	Reason string `json:"reason,omitempty"` // of a refusal
	NBR    int    `json:"nbr,omitempty"`    // of a refusal
	Score  int    `json:"score"`            // for fraud
}

// Errors of [Append].
var (
	// ErrText means that a request is not UTF-8, so that no JSON can hold it.
	ErrText = errors.New("record: the request is not UTF-8")
	// ErrLong means that the line would be longer than [LineMax].
	ErrLong = errors.New("record: the line is too long")
)

// Is reports whether a line is a record.
func Is(line []byte) bool { return bytes.HasPrefix(line, []byte(prefix)) }

// Append appends the line of a record, with its end, to dst. After an error dst is as it was.
func Append(dst []byte, r *Record) ([]byte, error) {
	if !utf8.Valid(r.Request) {
		return dst, ErrText
	}
	b := append(dst, prefix+`"name":`...)
	b = appendText(b, r.Name)
	b = append(b, `,"request":`...)
	b = appendText(b, r.Request)
	b = append(b, `,"facts":{`...)
	b = appendFacts(b, &r.Facts)
	b = append(b, `},"expect":`...)
	b = r.Expect.append(b)
	if r.Verdict != nil {
		b = append(b, `,"verdict":`...)
		b = r.Verdict.append(b)
	}
	b = append(b, "}\n"...)
	if len(b)-len(dst) > LineMax {
		return dst, ErrLong
	}
	return b, nil
}

func (d *Decision) append(b []byte) []byte {
	b = append(b, `{"action":`...)
	b = appendText(b, d.Action)
	if d.Reason != "" {
		b = append(b, `,"reason":`...)
		b = appendText(b, d.Reason)
		b = append(b, `,"nbr":`...)
		b = strconv.AppendInt(b, int64(d.NBR), 10)
	}
	b = append(b, `,"score":`...)
	b = strconv.AppendInt(b, int64(d.Score), 10)
	return append(b, '}')
}

// appendFacts appends the facts that are known. Names are the same as in package
// internal/policytest.
func appendFacts(b []byte, f *rule.Facts) []byte {
	key := func(name string) {
		if b[len(b)-1] != '{' {
			b = append(b, ',')
		}
		b = appendText(b, name)
		b = append(b, ':')
	}
	text := func(name, value string) {
		if value != "" {
			key(name)
			b = appendText(b, value)
		}
	}
	text("partner", f.Partner)
	text("publisher", f.Publisher)
	if f.Peer.IsValid() {
		text("peer", f.Peer.String())
	}
	if len(f.Forwarded) > 0 {
		key("forwarded")
		b = append(b, '[')
		for i, a := range f.Forwarded {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendText(b, a.String())
		}
		b = append(b, ']')
	}
	text("user_agent", f.UserAgent)
	if len(f.Headers) > 0 {
		key("headers")
		b = append(b, '{')
		for i := range f.Headers {
			text(f.Headers[i].Name, f.Headers[i].Value)
		}
		b = append(b, '}')
	}
	if !f.Time.IsZero() {
		text("time", f.Time.UTC().Format(time.RFC3339Nano))
	}
	if f.Seen {
		key("seen")
		b = append(b, "true"...)
	}
	if f.Counts != (rule.Counts{}) {
		key("counts")
		b = append(b, `{"ifa":`...)
		b = strconv.AppendInt(b, int64(f.Counts.IFA), 10)
		b = append(b, `,"address":`...)
		b = strconv.AppendInt(b, int64(f.Counts.Address), 10)
		b = append(b, '}')
	}
	if len(f.Vendor) > 0 {
		key("vendor")
		b = append(b, '{')
		for _, v := range f.Vendor {
			key(v.Name)
			b = append(b, `{"score":`...)
			b = strconv.AppendInt(b, int64(v.Score), 10)
			b = append(b, `,"error":`...)
			b = strconv.AppendBool(b, v.Err)
			b = append(b, '}')
		}
		b = append(b, '}')
	}
	return b
}

// appendText appends a string of JSON. What is not UTF-8 becomes the replacement character.
func appendText[T string | []byte](b []byte, text T) []byte {
	b = append(b, '"')
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '"', c == '\\':
			b = append(b, '\\', c)
		case c == '\n':
			b = append(b, `\n`...)
		case c == '\t':
			b = append(b, `\t`...)
		case c < ' ':
			const digits = "0123456789abcdef"
			b = append(b, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		case c < utf8.RuneSelf:
			b = append(b, c)
		default:
			r, n := utf8.DecodeRuneInString(string(text[i:min(i+utf8.UTFMax, len(text))]))
			b = utf8.AppendRune(b, r)
			i += n
			continue
		}
		i++
	}
	return append(b, '"')
}

// line is a line as encoding/json reads it.
type line struct {
	Capture int       `json:"capture"`
	Name    string    `json:"name"`
	Request *string   `json:"request"`
	Facts   factsJSON `json:"facts"`
	Expect  *Decision `json:"expect"`
	Verdict *Decision `json:"verdict"`
}

type factsJSON struct {
	Partner   string            `json:"partner"`
	Publisher string            `json:"publisher"`
	Peer      netip.Addr        `json:"peer"`
	Forwarded []netip.Addr      `json:"forwarded"`
	UserAgent string            `json:"user_agent"`
	Headers   map[string]string `json:"headers"`
	Time      time.Time         `json:"time"`
	Seen      bool              `json:"seen"`
	Counts    struct {
		IFA     int `json:"ifa"`
		Address int `json:"address"`
	} `json:"counts"`
	Vendor map[string]struct {
		Score int  `json:"score"`
		Error bool `json:"error"`
	} `json:"vendor"`
}

// Parse reads a line. Members that it does not know are ignored.
func Parse(text []byte) (*Record, error) {
	if !Is(text) {
		return nil, fmt.Errorf("record: expected a line that begins with %s", prefix)
	}
	var l line
	switch err := json.Unmarshal(text, &l); {
	case err != nil:
		return nil, fmt.Errorf("record: the line is cut or changed: %w", err)
	case l.Request == nil, l.Expect == nil, l.Expect.Action != "forward" && l.Expect.Action != "refuse":
		return nil, errors.New("record: the line lacks request, expect or its action")
	}
	in := &l.Facts
	r := &Record{Name: l.Name, Request: []byte(*l.Request), Expect: *l.Expect, Verdict: l.Verdict, Facts: rule.Facts{
		Partner: in.Partner, Publisher: in.Publisher, Peer: in.Peer, Forwarded: in.Forwarded, UserAgent: in.UserAgent,
		Time: in.Time, Seen: in.Seen, Counts: rule.Counts{IFA: in.Counts.IFA, Address: in.Counts.Address},
	}}
	for name, value := range in.Headers {
		r.Facts.Headers = append(r.Facts.Headers, rule.Header{Name: name, Value: value})
	}
	for name, v := range in.Vendor {
		r.Facts.Vendor = append(r.Facts.Vendor, rule.VendorAnswer{Name: name, Score: v.Score, Err: v.Error})
	}
	return r, nil
}
