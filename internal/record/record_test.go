package record

import (
	"bytes"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

// whole has every member.
func whole() *Record {
	return &Record{
		Name: "n", Request: []byte("{\"id\":\"\\u00e9 é \u2028\x7f\",\r\n\t\"x\":\"\x01\"}"),
		Facts: rule.Facts{
			Partner: "a", Publisher: "p", Peer: netip.MustParseAddr("192.0.2.1"),
			Forwarded: []netip.Addr{netip.MustParseAddr("2001:db8::1"), netip.MustParseAddr("192.0.2.2")},
			UserAgent: `Mozilla "5"`, Headers: []rule.Header{{Name: "X-A", Value: "b"}}, Time: time.Date(2026, 11, 22, 1, 2, 3, 4, time.UTC),
			Seen: true, Counts: rule.Counts{IFA: 3, Address: 4}, Vendor: []rule.VendorAnswer{{Name: "ivt", Score: 80, Err: true}},
		},
		Expect:  Decision{Action: "refuse", Reason: "policy.x", NBR: 7, Score: 12},
		Verdict: &Decision{Action: "forward", Score: 1},
	}
}

// TestRoundTrip writes records and reads them.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for _, want := range []*Record{whole(), {Request: []byte{}, Expect: Decision{Action: "forward"}}} {
		text, err := Append([]byte("before\n"), want)
		if err != nil {
			t.Fatal(err)
		}
		text, ok := bytes.CutPrefix(text, []byte("before\n"))
		if !ok || !Is(text) || bytes.IndexByte(text, '\n') != len(text)-1 {
			t.Fatalf("not one line: %q", text)
		}
		got, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got  %+v\nwant %+v", got, want)
		}
		for n := range len(text) - 2 { // a line that is cut is an error, not another record
			if _, err := Parse(text[:n]); err == nil {
				t.Fatalf("%q is read", text[:n])
			}
		}
	}
}

// TestCorpus keeps every byte of real requests.
func TestCorpus(t *testing.T) {
	t.Parallel()
	var line []byte
	for _, body := range testkit.Requests(t) {
		var err error
		if line, err = Append(line[:0], &Record{Request: body, Expect: Decision{Action: "forward"}}); err != nil {
			t.Fatal(err)
		}
		r, err := Parse(line)
		if err != nil || !bytes.Equal(r.Request, body) {
			t.Fatalf("%v: %s became %s", err, body, line)
		}
	}
}

// TestAppendRefuses checks what can't be a line.
func TestAppendRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		request string
		err     error
	}{{"\xff", ErrText}, {strings.Repeat("x", LineMax), ErrLong}} {
		b, err := Append([]byte("before"), &Record{Request: []byte(tt.request)})
		if err != tt.err || string(b) != "before" {
			t.Errorf("%v, %d bytes", err, len(b))
		}
	}
	r := whole()
	r.Facts.UserAgent = "\xff" // a header can be anything
	text, err := Append(nil, r)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Parse(text); err != nil || got.Facts.UserAgent != "\ufffd" {
		t.Errorf("%v, %+v", err, got)
	}
}

// TestParseRefuses checks lines that are not records.
func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		``, `{}`, `{"id":"1"}`, `{"capture":2,"request":"","expect":{"action":"forward"}}`, `{"capture":1,}`,
		`{"capture":1,"expect":{"action":"forward"}}`, `{"capture":1,"request":""}`, `{"capture":1,"request":"","expect":{"action":"drop"}}`,
		`{"capture":1,"request":"","expect":{"action":"forward"}}{}`, `{"capture":1,"request":{},"expect":{"action":"forward"}}`,
	} {
		if r, err := Parse([]byte(text)); err == nil {
			t.Errorf("%s: %+v", text, r)
		}
	}
}

// FuzzParse reads whatever there is: what is read can be written and read again.
func FuzzParse(f *testing.F) {
	text, err := Append(nil, whole())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Append(nil, r)
		if err != nil {
			return // longer than a line may be
		}
		if _, err := Parse(again); err != nil {
			t.Fatalf("%v: %s", err, again)
		}
	})
}
