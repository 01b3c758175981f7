package canonical

import (
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/mem"
)

var long = strings.Repeat("a", LabelMax)

// names are domain names and their canonical forms; other texts have none.
var names = []struct{ in, want string }{
	{"example.com", "example.com"},
	{"Example.COM.", "example.com"},
	{"b\u00fccher.example", "xn--bcher-kva.example"},
	{"x_y-z.example", "x_y-z.example"},
	{long + ".com", long + ".com"},
	{strings.Repeat("a.", 126) + "b", strings.Repeat("a.", 126) + "b"},
	{"", ""}, {".", ""}, {"..", ""}, {".com", ""}, {"*.example.com", ""}, {"a..b", ""}, {"a b", ""}, {"a/b", ""},
	{long + "a.com", ""}, {strings.Repeat("a.", 127) + "b", ""}, {"\xff.com", ""}, {"example.com:80", ""}, {"a.b..", "a.b"}, {"A.b...", "a.b"}, {"a.b\x00", ""}, {"a\x01.b", ""},
}

func TestDomain(t *testing.T) {
	for _, n := range names {
		var buf [DomainMax]byte
		got, ok := Domain(&buf, n.in)
		if ok != (n.want != "") || ok && got != n.want {
			t.Errorf("Domain(%q) = %q, %v, want %q", n.in, got, ok, n.want)
		}
		for _, s := range []string{n.in, got} {
			var l Labels
			if got, want := IsDomain(s), l.Split(s); got != want {
				t.Errorf("IsDomain(%q) = %v, Split: %v", s, got, want)
			}
		}
		if allocs := testing.AllocsPerRun(10, func() { Domain(&buf, n.in) }); IsASCII(n.in) && mem.ZeroCopy && allocs != 0 {
			t.Errorf("Domain(%q) allocates %v times", n.in, allocs)
		}
	}
}

func TestFoldBundle(t *testing.T) {
	long := strings.Repeat("A", BundleMax)
	for in, want := range map[string]string{" com.Example ": "com.example", "ID123": "123", "com.example": "com.example", "\u00c4B": "\u00c4b", long: strings.ToLower(long), long + "a": "", "": ""} {
		var buf [BundleMax]byte
		if got, ok := FoldBundle(&buf, in); got != want || ok != (len(in) <= BundleMax) {
			t.Errorf("FoldBundle(%q) = %q, %v, want %q", in, got, ok, want)
		}
	}
}

func TestBundle(t *testing.T) {
	for in, want := range map[string]string{" com.Example ": "com.Example", "id123": "123", "ID1": "1", "id": "id", "idx1": "idx1", "\t1\r\n": "1"} {
		if got := Bundle(in); got != want {
			t.Errorf("Bundle(%q) = %q, want %q", in, got, want)
		}
	}
}
