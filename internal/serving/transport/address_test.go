package transport

import (
	"net"
	"strings"
	"testing"
)

func TestParseAddress(t *testing.T) {
	for text, want := range map[string]Address{
		"127.0.0.1:8080":           {"", schemeNone, "tcp", "127.0.0.1:8080"},
		"[::1]:8080":               {"", schemeNone, "tcp", "[::1]:8080"},
		":0":                       {"", schemeNone, "tcp", ":0"},
		"localhost:65535":          {"", schemeNone, "tcp", "localhost:65535"},
		"https://[::]:8443":        {"", schemeTLS, "tcp", "[::]:8443"},
		"http://:8080":             {"", schemePlain, "tcp", ":8080"},
		"unix:/run/a b.sock":       {"", schemeNone, "unix", "/run/a b.sock"},
		"unix:relative":            {"", schemeNone, "unix", "relative"},
		"http://unix:/run/x":       {"", schemePlain, "unix", "/run/x"},
		"systemd:bids":             {"", schemeNone, "systemd", "bids"},
		"https://systemd:bids.tls": {"", schemeTLS, "systemd", "bids.tls"},
	} {
		want.text = text
		if got, err := ParseAddress(text); got != want || err != nil || got.String() != text {
			t.Errorf("%q: %+v, %v, want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "8080", "127.0.0.1", "::1:8080", "[::1]", "127.0.0.1:", "127.0.0.1:http", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:80/path",
		"http://127.0.0.1:80/", "ftp://x:1", "https://", "unix:", "unix:a\x00b", "unix:" + strings.Repeat("x", 200), "systemd:", "user@host:1", " :80",
	} {
		if got, err := ParseAddress(text); err == nil {
			t.Errorf("%q: %+v, want an error", text, got)
		}
	}
}

func TestAddressHost(t *testing.T) {
	for text, want := range map[string]string{"[::1]:80": "::1", ":80": "", "unix:/x": "", "systemd:x": "", "https://a.example:1": "a.example"} {
		a, err := ParseAddress(text)
		if err != nil || a.Host() != want || a.IP() != (a.network == "tcp") {
			t.Errorf("%q: host %q, %v", text, a.Host(), err)
		}
	}
}

// Host returns the host, "" if the address has none or is about all addresses of the machine. Only
// an address of IP has one.
func (a Address) Host() string {
	if a.network != "tcp" {
		return ""
	}
	host, _, _ := net.SplitHostPort(a.at)
	return host
}
