package urlhost

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/canonical"
	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

// slowHost is the reference for Host: the steps of the basic URL parser (WHATWG URL, section 4.4)
// up to the host. It reports false where that is a failure. What differs: other schemes with two
// slashes are read as the special ones, and without them are none; a text without scheme is a URL
// without "https:", and without slashes if it does not begin with one; a port may be any number.
func slowHost(input string) (host string, ok bool) {
	input = strings.TrimFunc(input, func(r rune) bool { return r <= ' ' })
	input = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(input)
	specialForm := regexp.MustCompile(`^(?i:https?|wss?|ftp):`)
	if outer := regexp.MustCompile(`^[A-Za-z0-9+.-]+:`).FindString(input); !specialForm.MatchString(input) && specialForm.MatchString(input[len(outer):]) {
		input = input[len(outer):] // the origin of a blob
	}
	special := specialForm.FindString(input)
	slashes := regexp.MustCompile(`^[/\\]*`)
	other := regexp.MustCompile(`^[A-Za-z0-9+.-]+:[/\\]{2,}`).FindString(input)
	var rest string
	switch {
	case special != "": // "special authority ignore slashes state"
		rest = input[len(special):]
		rest = rest[len(slashes.FindString(rest)):]
	case len(slashes.FindString(input)) > 1: // "relative slash state", of a special base
		rest = input[len(slashes.FindString(input)):]
	case other != "":
		rest = strings.TrimLeft(input[len(other):], `/\`)
	default:
		rest = input
	}
	// "authority state"
	atSign, buffer := "", ""
	for _, c := range []byte(rest) {
		if strings.IndexByte(`/?#\`, c) >= 0 {
			break
		}
		if buffer += string([]byte{c}); c == '@' {
			atSign, buffer = atSign+buffer, ""
		}
	}
	// "host state" and "port state"
	host, port, _ := strings.Cut(buffer, ":")
	if host == "" || strings.Trim(port, "0123456789") != "" {
		return "", false
	}
	// the host parser
	var decoded bytes.Buffer
	for i := 0; i < len(host); i++ {
		if escaped := regexp.MustCompile(`^%[0-9A-Fa-f]{2}`).FindString(host[i:]); escaped != "" {
			v := strings.Index("0123456789abcdef", strings.ToLower(escaped[1:2]))<<4 + strings.Index("0123456789abcdef", strings.ToLower(escaped[2:]))
			decoded.WriteByte(byte(v))
			i += 2
			continue
		}
		decoded.WriteByte(host[i])
	}
	return decoded.String(), true
}

// checkHost compares the domain in a text with that of the reference.
func checkHost(t *testing.T, text string) (is bool) {
	t.Helper()
	host, valid := slowHost(text)
	want, is := canonical.AppendDomain(nil, host)
	is = is && valid
	got, ok := canonical.AppendDomain(nil, Host(text))
	if ok != is || ok && string(got) != string(want) {
		t.Fatalf("Host(%q) = %q, a domain %v; want %q, %v", text, Host(text), ok, host, is)
	}
	return is
}

func TestHost(t *testing.T) {
	for in, want := range map[string]string{
		"example.com": "example.com", "https://example.com/a?b": "example.com", "//u@example.com:80": "example.com", "example.com:80": "example.com",
		"a://b://c": "b", "://x": "", "": "", "example.com#x": "example.com", `a\b`: "a",
		`http:\\evil.example/`: "evil.example", `https:/\evil.example/`: "evil.example", `https:\/evil.example/`: "evil.example", "https:///evil.example/": "evil.example",
		"http:/evil.example": "evil.example", "https:evil.example/": "evil.example", "HTTPS:evil.example": "evil.example", "https://evil%2Eexample/": "evil.example",
		"https://%65vil.example/": "evil.example", "https://\t/evil.example/": "evil.example", "https://evil.example\n/": "evil.example", "ht\ntp:evil.example": "evil.example",
		"http://ev\til.example/": "evil.example", "evil%2\te%65xample:4\r43": "evil.example", `\\evil.example`: "evil.example", `/\evil.example`: "evil.example",
		"\x01 https://evil.example\x1f": "evil.example", "https://good.example\\@evil.example": "good.example", "https://a@b@evil.example": "evil.example",
		"evil%252Eexample": "", "a%2": "", "a%zz": "", "a%": "", "a%09b": "", "%2a.evil.example": "*.evil.example", "blob:https://evil.example/1": "evil.example", "/evil.example": "", "https:": "", "httpss:evil.example": "httpss:evil.example",
		"http:8080": "8080", "example.com:8\t0": "example.com", "%61" + strings.Repeat("a", decodedMax): "", "svn+ssh://evil.example": "evil.example",
	} {
		if got := Host(in); got != want {
			t.Errorf("Host(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzHost(f *testing.F) {
	for _, text := range []string{`ht	tp:\\\/u:p@ev%69l.example:80/x`, "//evil.example", "svn+ssh://evil.example#", "example.com:80", `\/a%2525`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { checkHost(t, text) })
}

// TestHostRandom compares Host with the reference.
func TestHostRandom(t *testing.T) {
	parts := []string{
		"http", "https:", "wss:", "HTTP:", "ftp", "file:", "svn+ssh:", "blob:", ":", "//", "/", `\`, "\t", "\n", "\r", " ", "@", ":80", "%", "%2", "%2E", "%65", "e", ".", "example", "evil.",
		"?", "#", "\x00", "\x1f", "\u00fc", "%C3%BC", "_", "-", "[", "]", "\u3002", "\xff",
	}
	r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // test data
	domains := 0
	for range testkit.Scale(t, 20_000, 100_000, 3_000_000) {
		text := ""
		for range 1 + r.IntN(8) {
			text += parts[r.IntN(len(parts))]
		}
		if checkHost(t, text) {
			domains++
		}
	}
	if domains < 1000 {
		t.Errorf("only %d texts have a domain", domains)
	}
}

func TestHostAllocatesNothing(t *testing.T) {
	if !mem.ZeroCopy {
		t.Skip("this build copies bytes to make strings")
	}
	for _, text := range []string{"https://www.example.com/page?q=a%20b", `http:\\u@example.com:80/`, "//example.com", "example.com:80", "svn+ssh://example.com"} {
		if n := testing.AllocsPerRun(10, func() { Host(text) }); n != 0 {
			t.Errorf("Host(%q) allocates %v times", text, n)
		}
	}
}
