package gateway

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/inspect"
)

// TestExplain tells strangers what is wrong with their requests, and partners nothing: neither
// those whose request it is, nor those whose address or token says who they are.
func TestExplain(t *testing.T) {
	t.Parallel()
	core := newCore(t, nil)
	long := []byte(`{"id":"` + strings.Repeat("x", 5000) + `"}`)
	const size = "the body is longer than 4096 bytes (gateway.max.body)\n"
	cases := []struct {
		name, method, path string
		body               []byte
		header             []string
		status             int
		text               string
	}{
		{"path", "POST", "/none", []byte("{}"), nil, 404, strangerTexts[reasonPath]},
		{"another partner's path", "POST", "/far", []byte("{}"), nil, 404, strangerTexts[reasonPath]},
		{"method", "GET", PathDefault, nil, nil, 405, "this path takes POST only\n"},
		{"HEAD", "HEAD", PathDefault, nil, nil, 405, ""}, // has no body
		{"method of a notice", "POST", "/win", []byte("{}"), nil, 405, "this path takes GET, HEAD only\n"},
		{"form", "POST", PathDefault, []byte("a=b"), []string{"Content-Type", "application/x-www-form-urlencoded"}, 415, strangerTexts[reasonType]},
		{"coding", "POST", PathDefault, []byte("{}"), []string{"Content-Encoding", "br"}, 415, strangerTexts[reasonEncoding]},
		{"long after inflation", "POST", PathDefault, zipped(t, slices.Concat(long, noise(2000))), []string{"Content-Encoding", "gzip"}, 413, size},
		{"malformed", "POST", PathDefault, []byte("{"), nil, 400, ""}, // the verdict's, in the style of refusals
		{"asks first", "POST", PathDefault, []byte("a=b"), []string{"Content-Type", "text/plain", "Expect", "100-continue"}, 415, strangerTexts[reasonType]},
	}
	eachProtocol(t, func(t *testing.T, serve func(Options) (*started, sending)) {
		o := Options{
			Upstreams: At(core.URL), BodyMax: 4 << 10, RatioMax: 10_000,
			Passthrough: []Passthrough{{Path: "/win"}, {Path: "/win", Method: "HEAD"}},
			Partners:    []Partner{{Name: "far", Match: Match{Path: "/far", From: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}}}},
		}
		try := func(who string, o Options, known bool, header ...string) {
			t.Helper()
			_, send := serve(o)
			for _, c := range cases {
				want := c.text
				if known {
					want = ""
				}
				r := send(c.method, c.path, c.body, append(header, c.header...)...)
				if r.status != c.status || r.body != want || want != "" && r.header.Get("Content-Type") != mimeText {
					t.Errorf("%s, %s: %d %q as %q, want %d %q", who, c.name, r.status, r.body, r.header.Get("Content-Type"), c.status, want)
				}
			}
		}
		try("a stranger", o, false)
		by := func(m Match) Options {
			next := o
			next.Partners = append([]Partner{{Name: "p", Match: m}}, o.Partners...)
			return next
		}
		try("a partner by its address", by(Match{From: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}), true)
		try("a partner by its token", by(Match{Token: "token-0123456789abcdef"}), true, "Authorization", "Bearer token-0123456789abcdef")
		try("no token", by(Match{Token: "token-0123456789abcdef"}), false, "Authorization", "Bearer x")
		try("a partner by a header", by(Match{Path: "/p", Headers: []inspect.Header{{Name: "X-P", Value: "1"}}}), false)

		// Nobody has read who sends a body that is too long as it is: if there are partners, it may
		// be one.
		for _, alone := range []bool{true, false} {
			next, want := o, ""
			if alone {
				next.Partners, want = nil, size
			}
			_, send := serve(next)
			if r := send("POST", PathDefault, long); r.status != 413 || r.body != want {
				t.Errorf("%s: %d %q, want %q", fmt.Sprint(len(next.Partners), " partners"), r.status, r.body, want)
			}
		}
	})
}
