package lists

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/canonical"
	"github.com/rtbwire/rtbwire/internal/cputime"
	"github.com/rtbwire/rtbwire/internal/mem"
)

// table builds a list of the kind. It fails the test for a bad entry.
func table(t testing.TB, kind Kind, entries ...string) *Table {
	t.Helper()
	d := Definition{Kind: kind, Entries: entries}
	if err := d.validate(); err != nil {
		t.Fatal(err)
	}
	list, err := d.inline()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

var long = strings.Repeat("a", canonical.LabelMax)

// forms are entries, and values that match them or not.
var forms = []struct {
	kind  Kind
	entry string
	match []string
	not   []string
}{
	{
		kind: Domain, entry: "example.com",
		match: []string{
			"example.com", "EXAMPLE.com", "www.example.com", "a.b.c.example.com", "example.com.", "example.com..", " example.com\t", ".example.com", "*.example.com",
			"https://example.com", "http://www.example.com/page?q=//other.org", "//example.com", "example.com:8080", "example.com:", "example.com/path",
			"example.com?x", "example.com#x", `example.com\x`, "https://user:secret@example.com:443/", "\uff45xample\u3002com", "my_site.example.com",
			"exam\u00adple.com", strings.Repeat("a.", 121) + "example.com", "svn+ssh://example.com",
			"example.com/../evil@x.org:1",
		},
		not: []string{
			"", ".", "com", "xexample.com", "example.com.evil.org", "example.org", "example..com", "..example.com", "exam ple.com",
			"[example.com]", "https://evil.org/example.com", "https://example.com@evil.org", "evil.org?u=http://example.com",
			"mailto:example.com", "a_b://example.com", "ex\xffample.com", "\u00e9xample.com", strings.Repeat("a.", 122) + "example.com",
			long + "a.example.com", "evil/.example.com", "example.com:80x", ":", "@", "*", "*example.com", "://example.com/x://",
			strings.Repeat("\u00fc", 64) + ".example.com", strings.Repeat("\u00fc.", 1024) + "example.com",
		},
	},
	{kind: Domain, entry: "*.Example.COM.", match: []string{"example.com", "www.example.com"}, not: []string{"com"}},
	{kind: Domain, entry: ".example.com", match: []string{"example.com", "www.example.com"}},
	{kind: Domain, entry: "zip", match: []string{"zip", "a.zip"}, not: []string{"azip"}},
	{
		kind: Domain, entry: "B\u00fccher.example",
		match: []string{"b\u00fccher.example", "B\u00dcCHER.EXAMPLE", "xn--bcher-kva.example", "XN--BCHER-KVA.example", "www.bu\u0308cher.example", "https://b\u00fccher.example/"},
		not:   []string{"bucher.example"},
	},
	{kind: Domain, entry: "xn--bcher-kva.example", match: []string{"b\u00fccher.example"}},
	{kind: Domain, entry: "fa\u00df.example", match: []string{"xn--fa-hia.example"}, not: []string{"fass.example"}},
	{kind: Domain, entry: strings.Repeat("a.", LabelsMax-1) + "b", match: []string{strings.Repeat("a.", LabelsMax) + "b"}, not: []string{"a.b"}},
	{kind: Domain, entry: "192.0.2.1", match: []string{"192.0.2.1", "http://192.0.2.1:80/"}, not: []string{"192.0.2.10"}},
	{
		kind: Bundle, entry: "com.example.App",
		match: []string{"com.example.App", " com.example.App ", "com.example.app", "COM.EXAMPLE.APP", "com.example.App\x00x", "\u00a0com.example.App", "\ufeffcom.example.App\u2028", "\u200bcom.example.App"},
		not:   []string{"com.example.App.x", "com.example.\x00App", "com.example.App\x01", "", "com.example"},
	},
	{kind: Bundle, entry: "id123456789", match: []string{"123456789", "id123456789", "ID123456789"}, not: []string{"id", "id12345678", "idx123456789"}},
	{kind: Bundle, entry: "123456789", match: []string{"id123456789"}},
	{
		kind: Prefix, entry: "192.0.2.0/24",
		match: []string{
			"192.0.2.0", "192.0.2.255", "::ffff:192.0.2.1", "::FFFF:c000:0201", " 192.0.2.1 ", "0300.0.2.1", "192.0.513", "3221225985", "0xc0.0.2.01", "192.0.2.1:80",
			"192.0.2.1%eth0", "[::ffff:192.0.2.1%1]:80", "64:ff9b::192.0.2.1", "2002:c000:201::1", "2001::3fff:fdfe", "192.0.2.1\x00.example", "192.0.2.1 x",
			"::192.0.2.1", "::ffff:0:192.0.2.1", "64:ff9b:1::192.0.2.1", "::ffff:0300.0.2.1", "::ffff:192.0.2.1:80", "\u00a0192.0.2.1\u0085",
		},
		not: []string{"192.0.3.0", "192.0.2", "192.0.2.1.1", "192.0.2.256", "", "x", "192.0.2.0/24", "192.0.2.09", "192.0.2.1:x", "2002:c000:301::", "2001::c000:201"},
	},
	{kind: Prefix, entry: "192.0.2.77/24", match: []string{"192.0.2.1"}},
	{kind: Prefix, entry: "::ffff:192.0.2.0/120", match: []string{"192.0.2.9", "::ffff:192.0.2.9"}, not: []string{"192.0.3.9"}},
	{kind: Prefix, entry: "::ffff:192.0.2.1", match: []string{"192.0.2.1"}, not: []string{"192.0.2.2"}},
	{kind: Prefix, entry: "2001:DB8::/32", match: []string{"2001:db8::1", "2001:0db8:ffff:0:0:0:0:1"}, not: []string{"2001:db9::1", "192.0.2.1"}},
	{kind: Prefix, entry: "2002::/16", match: []string{"2002:c000:201::1"}, not: []string{"192.0.2.1"}},
	{kind: Prefix, entry: "2001:db8::1", match: []string{"2001:db8:0::1"}, not: []string{"2001:db8::2"}},
	{kind: Prefix, entry: "0.0.0.0/0", match: []string{"203.0.113.9"}, not: []string{"::1"}},
	{kind: Domain, entry: "evil.example.", match: []string{"evil.example", "evil.example..", "Evil.example...:80", "evil.example\x00", "evil.example\x01", "\x00evil.example", `http:\\evil.example/`, "https:evil.example", "https://%65vil.example/", "ht\ntp://ev\til.example", "www.evil.example\x00.good.example", "\u00a0evil.example", "evil.example\u2028", "\ufeffhttps://evil.example/\u0085"}, not: []string{"evil\x01.example", "evil..example", "evil%2500.example", ".."}},
	{kind: String, entry: "Ab c#1", match: []string{"Ab c#1", "Ab c#1\x00x"}, not: []string{"ab c#1", " Ab c#1", "Ab c#1 ", ""}},
	{kind: String, entry: strings.Repeat("x", 300), match: []string{strings.Repeat("x", 300)}, not: []string{strings.Repeat("x", 299)}},
	{
		kind: Seller, entry: "Google.com, pub-1 , DIRECT, f08c47fec0942fa0",
		match: []string{"google.com,pub-1", "GOOGLE.COM, pub-1", "google.com..,pub-1\x00", "google.com:443,pub-1", "http://google.com/,pub-1", "\ufeffhttps://u@Google.com./x?y , pub-1\u00a0"},
		not:   []string{"google.com,PUB-1", "google.com", "www.google.com,pub-1", "google.com,", ",pub-1", "", "google.com,pub-1,DIRECT", "g\xff,pub-1"},
	},
}

func TestCanonicalForms(t *testing.T) {
	for _, f := range forms {
		list := table(t, f.kind, f.entry)
		if list.Len() != 1 || list.Kind() != f.kind {
			t.Errorf("%s %q: %d entries of kind %s", f.kind, f.entry, list.Len(), list.Kind())
		}
		for _, v := range f.match {
			if !list.Match(v) {
				t.Errorf("%s %q does not match %q", f.kind, f.entry, v)
			}
		}
		for _, v := range f.not {
			if list.Match(v) {
				t.Errorf("%s %q matches %q", f.kind, f.entry, v)
			}
		}
	}
}

// badEntries are refused, with what is expected instead.
var badEntries = map[Kind][]string{
	Domain: {
		"https://example.com", "example.com/x", "example.com:80", "a b.com", "a..b", "*", ".", "*example.com", "a.*.com", long + "a.com", "..a",
		strings.Repeat("a.", LabelsMax) + "b", strings.Repeat("a.", 127) + "b", "\xff.com", strings.Repeat("\u00fc", 64), "[::1]", "a\x00b", "xn--\u00fc",
	},
	Bundle: {"com example", "a\x7f", "\xff", "a\tb"},
	Prefix: {"192.0.2.0/33", "192.0.2", "example.com", "192.0.2.0-192.0.2.9", "fe80::1%eth0", "192.0.2.0/", "/24", "2001:db8::/129", "::1::"},
	String: {"a\x01b", "\xff"},
	Seller: {"google.com", "google.com,", ",pub", "google.com,pub,OWNER", "goo gle.com,pub", "google.com,p\x01", "google.com," + strings.Repeat("x", sellerMax+1)},
}

func TestBadEntries(t *testing.T) {
	expected := map[Kind]error{Domain: errDomain, Bundle: errBundle, Prefix: errPrefix, String: errString, Seller: errSeller}
	for kind, entries := range badEntries {
		for _, e := range entries {
			d := Definition{Kind: kind, Entries: []string{e}}
			if err := d.validate(); err != nil {
				t.Fatal(err)
			}
			_, err := d.inline()
			if err == nil || err.Error() != "entries, line 1: "+expected[kind].Error() {
				t.Errorf("%s %q: %v, want %v", kind, e, err, expected[kind])
			}
		}
	}
}

func TestMatchAddr(t *testing.T) {
	list := table(t, Prefix, "192.0.2.0/24", "fe80::/10")
	for text, want := range map[string]bool{"192.0.2.1": true, "::ffff:192.0.2.1": true, "fe80::1%eth0": true, "192.0.3.1": false, "::": false} {
		if got := list.MatchAddr(netip.MustParseAddr(text)); got != want {
			t.Errorf("MatchAddr(%s) = %v, want %v", text, got, want)
		}
	}
	if list.MatchAddr(netip.Addr{}) {
		t.Error("the zero address matches")
	}
	if table(t, String, "192.0.2.1").MatchAddr(netip.MustParseAddr("192.0.2.1")) {
		t.Error("a list of strings has an address")
	}
}

func TestSeller(t *testing.T) {
	list := table(t, Seller, "a.com, 1, direct", "a.com, 2, RESELLER", "a.com, 3", "a.com, 4, DIRECT", "A.com, 4, RESELLER", "a.com, 1, DIRECT", "a.com, 5, ")
	for id, want := range map[string]Relationship{"1": Direct, "2": Reseller, "3": 0, "4": Direct | Reseller, "5": 0} {
		if got, found := list.Seller("A.COM.", " "+id); got != want || !found {
			t.Errorf("Seller(%s) = %d, %v, want %d", id, got, found, want)
		}
	}
	if _, found := list.Seller("a.com", "6"); found {
		t.Error("found a seller that is not in the list")
	}
	if _, found := table(t, String, "a.com,1").Seller("a.com", "1"); found {
		t.Error("a list of strings has a seller")
	}
	if list.Len() != 5 {
		t.Errorf("%d entries, want 5", list.Len())
	}
}

func TestMatchAllocatesNothing(t *testing.T) {
	if !mem.ZeroCopy {
		t.Skip("this build copies bytes to make strings")
	}
	for _, f := range forms {
		list := table(t, f.kind, f.entry)
		for _, v := range append(append([]string(nil), f.match...), f.not...) {
			if !canonical.IsASCII(v) || strings.ContainsAny(v, "%\t\n") {
				continue // IDNA and decoding allocate
			}
			if n := testing.AllocsPerRun(10, func() { list.Match(v) }); n != 0 {
				t.Errorf("%s: Match(%q) allocates %v times", f.kind, v, n)
			}
		}
	}
}

// TestHostileNames holds the time for names that are expensive to encode: IDNA takes milliseconds
// for the first one, where one code point stands for 18.
func TestHostileNames(t *testing.T) {
	han := ""
	for r := rune(0x4e00); r < 0x4e00+62*300; r += 300 {
		han += string(r)
	}
	list := table(t, Domain, "example.com")
	for name, value := range map[string]string{
		"expanding": strings.Repeat(strings.Repeat("\ufdfa", canonical.LabelMax)+".", 5) + "example.com",
		"encoded":   strings.Repeat(han+".", 4) + "example.com",
		"combining": strings.Repeat("a"+strings.Repeat("\u0301\u0316", 31)+".", 8) + "example.com",
		"ignored":   strings.Repeat("a"+strings.Repeat("\u00ad", 62)+".", 7) + "example.com",
	} {
		best := time.Hour
		for range 10 {
			best = min(best, cputime.Of(func() { list.Match(value) }))
		}
		t.Logf("%s: %v", name, best)
		if best > time.Millisecond {
			t.Errorf("%s: a lookup takes %v", name, best)
		}
	}
}

// TestCanonicalEntries compares the form of an entry with what a list of that entry matches.
func TestCanonicalEntries(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		kind        Kind
		entry, want string // "" if it is none
	}{
		{Domain, " *.Example.COM. ", "example.com"},
		{Domain, "b\u00fccher.example", "xn--bcher-kva.example"},
		{Domain, "http://example.com", ""},
		{Domain, strings.Repeat("a.", LabelsMax) + "b", ""},
		{Domain, "", ""},
		{Bundle, " Com.Example ", "com.example"},
		{Bundle, "id123", "123"},
		{Bundle, "com example", ""},
		{Bundle, "", ""},
		{Prefix, "192.0.2.7/24", "192.0.2.0/24"},
		{Prefix, " 192.0.2.7 ", "192.0.2.7"},
		{Prefix, "::ffff:192.0.2.7", "192.0.2.7"},
		{Prefix, "2001:DB8::/32", "2001:db8::/32"},
		{Prefix, "192.0.2.7/33", ""},
		{String, "x", ""},
	} {
		got, err := Canonical(tt.kind, tt.entry)
		if got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%s %q: %q, %v", tt.kind, tt.entry, got, err)
		}
		_, listed := Open(map[string]Definition{"l": {Kind: tt.kind, Entries: []string{tt.entry}}}, nil)
		if tt.kind != String && (listed == nil) != (err == nil) {
			t.Errorf("%s %q: %v, as an entry of a list: %v", tt.kind, tt.entry, err, listed)
		}
	}
}
