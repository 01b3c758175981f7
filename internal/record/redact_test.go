package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
)

// personal is a request with a value of each kind at its places and elsewhere.
const personal = `{"id":"1","imp":[{"id":"1","banner":{"w":300,"h":250},"ext":{"ids":["6F1A2B3C-0000-4000-8000-00000000ABCD"]}}],
"site":{"id":"1","page":"https://a.example/?u=buyer-4711&ip=203.0.113.77&at=48.858370","ref":"https://b.example/uid2-token-99"},
"device":{"ifa":"6f1a2b3c-0000-4000-8000-00000000abcd","ip":"203.0.113.77","ipv6":"2001:db8:1:2:3:4:5:6","ua":"Mozilla/5.0",
 "didsha1":"d1d5a1aaaa","dpidmd5":"d41d8cd98f","macsha1":"aa1b2c3d4e","geo":{"lat":48.858370,"lon":2.294481,"country":"FRA","zip":"75007"},"ext":{"idfv":"vendor-id-31"}},
"user":{"id":"user-0815","buyeruid":"buyer-4711","yob":1980,"gender":"F","customdata":"custom-data-17","keywords":"diabetes",
 "geo":{"lat":48.858371,"lon":2.294482},"eids":[{"source":"x.example","uids":[{"id":"uid2-token-99"}]}],"data":[{"segment":[{"id":"segment-55"}]}],
 "ext":{"consent":"CPXxRfAPXxRfAAfKABENB-CgAAAAAAAAAAYgAAAAAAAA","eids":[{"source":"y.example","uids":[{"id":"old-uid-2222"}]}],"sessionid":"sess-3333"}},
"ext":{"seen":"old-uid-2222","ip":"2001:DB8:1:2:3:4:5:6","page":"https://c.example/ext-uid-4444/ext-ifa-5555/ext-user-6666",
 "eids":[{"source":"z.example","uids":[{"id":"ext-uid-4444"}]}],"device":{"ifa":"ext-ifa-5555","x":"y77"},"user":{"id":"ext-user-6666","x":"y88"}},"regs":{"gdpr":1}}`

// secrets are what must not be left, in lower case.
var secrets = []string{
	"6f1a2b3c", "203.0.113.77", "2001:db8:1:2", "d1d5a1aaaa", "d41d8cd98f", "aa1b2c3d4e", "48.858", "2.29448", "75007", "vendor-id-31",
	"user-0815", "buyer-4711", "1980", "custom-data-17", "diabetes", "uid2-token-99", "segment-55", "old-uid-2222", "sess-3333",
	"ext-uid-4444", "ext-ifa-5555", "ext-user-6666", "y77", "y88",
}

func redacted(tb testing.TB, r *Redactor, body []byte) []byte {
	tb.Helper()
	req, err := openrtb.Parse(body)
	if err != nil {
		tb.Fatal(err)
	}
	out, err := r.Request(nil, body, req)
	if err != nil {
		tb.Fatal(err)
	}
	return out
}

// TestRedact looks for personal data that are left.
func TestRedact(t *testing.T) {
	t.Parallel()
	var r Redactor
	for name, body := range map[string]string{
		"as it is":     personal,
		"spelled":      strings.NewReplacer(`"ifa"`, `"\u0069fa"`, `"buyeruid"`, `"buyer\u0075id"`, `"lat"`, `"\u006cat"`).Replace(personal),
		"other case":   strings.NewReplacer(`"ifa"`, `"IFA"`, `"eids"`, `"EIDs"`).Replace(personal),
		"device twice": strings.Replace(personal, `"user":`, `"device":{"ifa":"6f1a2b3c-second","ip":"203.0.113.77"},"user":`, 1),
	} {
		out := redacted(t, &r, []byte(body))
		lower := strings.ToLower(string(out))
		for _, secret := range secrets {
			if strings.Contains(lower, secret) {
				t.Errorf("%s: %q is left in %s", name, secret, out)
			}
		}
		if !json.Valid(out) || name != "device twice" && !strings.Contains(lower, `"ip":"203.0.113.0"`) || !strings.Contains(string(out), `"ext":{"consent":"CPXxRfAPXxRfAAfKABENB-CgAAAAAAAAAAYgAAAAAAAA"}`) ||
			!strings.Contains(lower, `"country":"fra"`) || !strings.Contains(lower, `"ua":"mozilla/5.0"`) {
			t.Errorf("%s: too much is gone: %s", name, out)
		}
	}
}

// TestRedactCorpus takes the values out of real requests: none of those that the model has is left
// anywhere, and what is left can be decoded.
func TestRedactCorpus(t *testing.T) {
	t.Parallel()
	var r Redactor
	broken, all := 0, 0
	for _, body := range testkit.Requests(t) {
		req, err := openrtb.Parse(body)
		if err != nil {
			continue
		}
		all++
		out, err := r.Request(nil, body, req)
		if err != nil {
			t.Fatal(err)
		}
		again, err := openrtb.Parse(out)
		if err != nil {
			broken++ // a number was overwritten
			continue
		}
		if d := again.Device; d != nil && (d.IFA != "" || d.Ext != nil || d.Geo != nil && d.Geo.Lat != nil) {
			t.Fatalf("the device has %s", out)
		}
		if u := again.User; u != nil && (u.ID+u.BuyerUID != "" || u.EIDs != nil || u.Geo != nil) {
			t.Fatalf("the user has %s", out)
		}
		if d := req.Device; d != nil {
			for _, v := range []string{d.IFA, d.IP, d.IPv6} {
				a, err := netip.ParseAddr(v)
				if len(v) >= residueMin && (err != nil || truncated(a) != a) && bytes.Contains(bytes.ToLower(out), bytes.ToLower([]byte(v))) {
					t.Fatalf("%q is left in %s", v, out)
				}
			}
		}
	}
	if all < 1000 || broken*100 > all {
		t.Errorf("%d of %d requests can't be decoded afterwards", broken, all)
	}
}

// TestConsent keeps no text in place of a consent string.
func TestConsent(t *testing.T) {
	t.Parallel()
	var r Redactor
	for ext, want := range map[string]string{
		`{"consent":"CPXx","a":1}`:           `{"id":"1","user":{"ext":{"consent":"CPXx"}}}`,
		`{"consent":"C\"P"}`:                 `{"id":"1","user":{}}`,
		`{"consent":"mail@a.example","b":2}`: `{"id":"1","user":{}}`,
		`[]`:                                 `{"id":"1","user":{}}`,
	} {
		if out := redacted(t, &r, fmt.Appendf(nil, `{"id":"1","user":{"ext":%s}}`, ext)); string(out) != want {
			t.Errorf("%s: got %s, want %s", ext, out, want)
		}
	}
}

// TestFacts truncates addresses, and omits headers.
func TestFacts(t *testing.T) {
	t.Parallel()
	var r Redactor
	in := rule.Facts{
		Partner: "a", Peer: netip.MustParseAddr("::ffff:192.0.2.99"), Forwarded: []netip.Addr{netip.MustParseAddr("2001:db8:1:2:3::4"), {}},
		Headers: []rule.Header{{Name: "X-User", Value: "me"}}, Seen: true,
	}
	got := r.Facts(in)
	if fmt.Sprintf("%v %v %v %s %v", got.Peer, got.Forwarded, got.Headers, got.Partner, got.Seen) != "192.0.2.0 [2001:db8:1:: invalid IP] [] a true" {
		t.Errorf("%+v", got)
	}
	if in.Forwarded[0] != netip.MustParseAddr("2001:db8:1:2:3::4") {
		t.Error("the facts that came in are changed")
	}
}

// FuzzRedact takes personal data out of whatever can be decoded: none is left at its place, and no
// identifier anywhere.
func FuzzRedact(f *testing.F) {
	f.Add([]byte(personal))
	for _, body := range testkit.Requests(f)[:20] {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		req, err := openrtb.Parse(body)
		if err != nil {
			return
		}
		var r Redactor
		out, err := r.Request(nil, body, req)
		if err != nil {
			return // and nothing is kept
		}
		if d := req.Device; d != nil && len(d.IFA) >= residueMin && strings.Trim(d.IFA, "xX") != "" && bytes.Contains(appendLower(nil, out), appendLower(nil, d.IFA)) {
			t.Fatalf("the identifier is left: %s became %s", body, out)
		}
		again, err := openrtb.Parse(out)
		if err != nil {
			return // nor is this
		}
		if d := again.Device; d != nil && (d.IFA != "" || d.Ext != nil) {
			t.Fatalf("%s became %s", body, out)
		}
		if u := again.User; u != nil && (u.ID != "" || u.BuyerUID != "" || u.Geo != nil || u.EIDs != nil) {
			t.Fatalf("%s became %s", body, out)
		}
	})
}
