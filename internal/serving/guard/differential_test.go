package guard

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/textproto"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/testkit"
)

// compare reads an input with the guard and with the reference, and what passes with net/http.
func compare(input string, size int, out outcome) error {
	o := limits.withDefaults()
	want := reference(input, o)
	code := strings.Join(out.codes, ",")
	if code != want.code {
		return fmt.Errorf("code %q, the reference has %q", code, want.code)
	}
	if len(out.handed) < want.from || len(out.handed) > want.bad || !strings.HasPrefix(input, out.handed) {
		return fmt.Errorf("%q is handed on, want %d to %d bytes of the input", out.handed, want.from, want.bad)
	}
	if out.answers != len(want.messages) {
		return fmt.Errorf("%d messages, the reference has %d", out.answers, len(want.messages))
	}
	return compareHTTP(out.handed, want.messages, size)
}

// compareHTTP wants net/http to read the same messages.
func compareHTTP(handed string, messages []message, size int) error {
	source := strings.NewReader(handed)
	r := bufio.NewReaderSize(source, max(size, 4096))
	for i, want := range messages {
		req, err := http.ReadRequest(r)
		if err != nil {
			return fmt.Errorf("message %d: net/http: %w", i, err)
		}
		got, err := ofRequest(req, want.all("host"))
		if err != nil {
			return fmt.Errorf("message %d: net/http: %w", i, err)
		}
		got.from, got.end = want.from, len(handed)-source.Len()-r.Buffered()
		if got, want := fmt.Sprintf("%#v", got), fmt.Sprintf("%#v", canonical(want)); got != want {
			return fmt.Errorf("message %d:\nnet/http %s\ntwin     %s", i, got, want)
		}
	}
	return nil
}

// ofRequest is what net/http has read. It keeps Host apart.
func ofRequest(req *http.Request, hosts []string) (m message, err error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return m, err
	}
	m = message{method: req.Method, target: req.RequestURI, version: req.Proto, body: string(body)}
	if len(hosts) > 0 {
		req.Header["Host"] = hosts
		if !strings.EqualFold(req.Host, hosts[0]) {
			return m, fmt.Errorf("Host is %q", req.Host)
		}
	}
	m.fields, m.trailers = sorted(req.Header), sorted(req.Trailer)
	return m, nil
}

func sorted(header http.Header) (fields [][2]string) {
	for _, name := range slices.Sorted(maps.Keys(header)) {
		for _, value := range header[name] {
			fields = append(fields, [2]string{name, value})
		}
	}
	return fields
}

// canonical writes a message as net/http does: names in canonical form and order, without the
// fields that it takes out of the head.
func canonical(m message) message {
	chunked := len(m.all("transfer-encoding")) > 0
	header, trailer := http.Header{}, http.Header{}
	for _, f := range m.fields {
		if name := textproto.CanonicalMIMEHeaderKey(f[0]); name != "Transfer-Encoding" && (name != "Trailer" || !chunked) {
			header[name] = append(header[name], f[1])
		} else if name == "Trailer" {
			for announced := range strings.SplitSeq(f[1], ",") {
				trailer[textproto.CanonicalMIMEHeaderKey(strings.Trim(announced, " \t"))] = nil
			}
		}
	}
	if header.Get("Pragma") == "no-cache" && header["Cache-Control"] == nil {
		header["Cache-Control"] = []string{"no-cache"} // so does net/http
	}
	for _, f := range m.trailers {
		name := textproto.CanonicalMIMEHeaderKey(f[0])
		trailer[name] = append(trailer[name], f[1])
	}
	m.fields, m.trailers = sorted(header), sorted(trailer)
	return m
}

// mutants of requests: tokens that matter for framing, in places where they may.
var fragments = []string{
	"\r\n", "\n", "\r", " ", "\t", ":", ",", ";", "0", "5", "a", "\x00", "\x7f", "/", "?", "%", "//", "*", "+", "-", "_", "0x", "\r\n\r\n", "0\r\n\r\n", "5\r\nabcde\r\n",
	"GET", "HEAD", "POST", "OPTIONS", "HTTP/1.1", "HTTP/1.0", "HTTP/2.0", "http://", "a.example", "[::1]", ":80", "Host: a.example\r\n", "Content-Length: 5\r\n",
	"Transfer-Encoding: chunked\r\n", "chunked", "Trailer: A\r\n", "Expect: 100-continue\r\n", "A: b\r\n", "Content-Length:", "Transfer-Encoding:", "X-Forwarded-For", "\u00e9", "\xff",
}

// mutate changes a text at random places.
func mutate(s string, r *rand.Rand) string {
	for range r.IntN(4) {
		i := r.IntN(len(s) + 1)
		j := min(len(s), i+r.IntN(4))
		switch r.IntN(5) {
		case 0:
			s = s[:i] + fragments[r.IntN(len(fragments))] + s[i:]
		case 1:
			s = s[:i] + fragments[r.IntN(len(fragments))] + s[j:]
		case 2:
			s = s[:i] + s[j:]
		case 3:
			s = s[:i] + string(rune(r.IntN(256))) + s[j:]
		case 4:
			s = s[:j] + s[i:]
		}
	}
	return s
}

// randomInput is up to three requests, most of them changed a little, half of them from good ones.
func randomInput(r *rand.Rand) (input string) {
	for range 1 + r.IntN(3) {
		text := acceptedCases[r.IntN(len(acceptedCases))]
		if r.IntN(2) == 0 {
			spellings := refusedCases[r.IntN(len(refusedCases))].spellings
			text = spellings[r.IntN(len(spellings))]
		}
		input += mutate(text, r)
	}
	return input
}

func TestDifferential(t *testing.T) {
	seed := testkit.Seed(t)
	r := testkit.Rand(seed)
	passed, inputs := 0, testkit.Scale(t, 3000, 15000, 2000000)
	for i := range inputs {
		input := randomInput(r)
		size := sizes[r.IntN(len(sizes))]
		out := serve(t, limits, size, split(input, r.IntN(ways), r))
		if err := compare(input, size, out); err != nil {
			t.Fatalf("seed %d, input %d: %q: %v", seed, i, input, err)
		}
		passed += out.answers
	}
	if passed < inputs/4 {
		t.Errorf("only %d messages of %d inputs pass", passed, inputs)
	}
}

func FuzzGuard(f *testing.F) {
	for _, text := range acceptedCases {
		f.Add(text+text, uint64(1))
	}
	for _, tc := range refusedCases {
		for _, text := range tc.spellings {
			f.Add(before+text, uint64(0))
		}
	}
	f.Fuzz(func(t *testing.T, input string, seed uint64) {
		r := testkit.Rand(seed)
		size := sizes[r.IntN(len(sizes))]
		if err := compare(input, size, serve(t, limits, size, split(input, r.IntN(ways), r))); err != nil {
			t.Errorf("%v", err)
		}
	})
}
