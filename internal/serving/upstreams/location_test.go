package upstreams

import "testing"

func TestParse(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]Location{
		"http://a.example":          {"tcp", "a.example:80", "a.example", "", ""},
		"http://a.example:1/":       {"tcp", "a.example:1", "a.example:1", "", ""},
		"https://a.example":         {"tcp", "a.example:443", "a.example", "", "a.example"},
		"https://a.example:1/x%20y": {"tcp", "a.example:1", "a.example:1", "/x%20y", "a.example"},
		"https://[::1]":             {"tcp", "[::1]:443", "[::1]", "", "::1"},
		"http://[::1]:1":            {"tcp", "[::1]:1", "[::1]:1", "", ""},
		"unix:/run/core.sock":       {"unix", "/run/core.sock", "localhost", "", ""},
	} {
		if got, err := Parse(name); got != want || err != nil {
			t.Errorf("%s: %+v, %v, want %+v", name, got, err, want)
		}
	}
	for _, name := range []string{"", "unix:", "a.example:1", "ftp://a", "http://", "https://:1", "http://a?b", "http://a#b", "http://u@a", "h2c://a"} {
		if got, err := Parse(name); err == nil {
			t.Errorf("%q: %+v", name, got)
		}
	}
}
