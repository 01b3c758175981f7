package lists

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"github.com/rtbwire/rtbwire/internal/canonical"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/internal/urlhost"
)

// The references are slow and clear, and share nothing with the tables but urlhost.Host.

type reference interface{ match(value string) bool }

// refOf returns the reference for a list with the entries.
func refOf(kind Kind, entries []string) reference {
	switch kind {
	case Prefix:
		var t prefixRef
		for _, e := range entries {
			if !strings.Contains(e, "/") {
				a := netip.MustParseAddr(e)
				e = fmt.Sprintf("%s/%d", a, a.BitLen())
			}
			t = append(t, netip.MustParsePrefix(e))
		}
		return t
	case Domain:
		t := domainRef{}
		for _, e := range entries {
			if e, err := refASCII(refName(e)); err == nil {
				t[strings.ToLower(strings.TrimRight(e, "."))] = true
			}
		}
		return t
	case Bundle:
		t := stringRef{}
		for _, e := range entries {
			t[refBundle(e)] = true
		}
		return bundleRef{t}
	default:
		t := stringRef{}
		for _, e := range entries {
			t[e] = true
		}
		return t
	}
}

type domainRef map[string]bool

// refName is a name before it is brought into canonical form, without what means subdomains.
func refName(s string) string {
	s = strings.Trim(s, " \t\r\n\v\f")
	return strings.TrimPrefix(strings.TrimPrefix(s, "*."), ".")
}

func refASCII(s string) (string, error) {
	if canonical.IsASCII(s) {
		return s, nil
	}
	labels := strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(".\u3002\uff0e\uff61", r) })
	tooLong := slices.ContainsFunc(labels, func(l string) bool { return utf8.RuneCountInString(l) > 63 })
	if tooLong || len(s) > 4*253 || !utf8.ValidString(s) {
		return "", errDomain
	}
	return idna.New(idna.MapForLookup(), idna.Transitional(false), idna.StrictDomainName(false), idna.CheckHyphens(false)).ToASCII(s)
}

// refText is what a reader in C sees of a value.
func refText(value string) string { return strings.Split(value, "\x00")[0] }

func (t domainRef) match(value string) bool {
	value = refText(strings.TrimFunc(value, func(r rune) bool { return r <= ' ' }))
	host, err := refASCII(refName(urlhost.Host(value)))
	if err != nil || len(strings.TrimRight(host, ".")) > 253 {
		return false
	}
	labels := strings.Split(strings.ToLower(strings.TrimRight(host, ".")), ".")
	for _, l := range labels {
		if l == "" || len(l) > 63 || strings.Trim(l, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return false
		}
	}
	for i := range labels {
		if t[strings.Join(labels[i:], ".")] {
			return true
		}
	}
	return false
}

type stringRef map[string]bool

func (t stringRef) match(value string) bool { return t[refText(value)] }

type bundleRef struct{ stringRef }

func (t bundleRef) match(value string) bool { return t.stringRef[refBundle(value)] }

func refBundle(s string) string {
	s = strings.TrimSpace(refText(s)) // the values have no other white space
	for c := 'A'; c <= 'Z'; c++ {
		s = strings.ReplaceAll(s, string(c), string(c+'a'-'A'))
	}
	if rest, found := strings.CutPrefix(strings.ToLower(s), "id"); found && rest != "" && strings.Trim(rest, "0123456789") == "" {
		return rest
	}
	return s
}

type prefixRef []netip.Prefix

func (t prefixRef) match(value string) bool {
	a, err := netip.ParseAddr(value)
	if err != nil {
		return false
	}
	for _, p := range t {
		if p.Contains(a.Unmap()) {
			return true
		}
	}
	return false
}

// words makes entries and values of few parts, so that they often meet.
type words struct{ *rand.Rand }

func (w words) pick(from ...string) string { return from[w.IntN(len(from))] }

func (w words) domain() string {
	var labels []string
	for range 1 + w.IntN(4) {
		labels = append(labels, w.pick("a", "b", "WWW", "example", "b\u00fccher", "xn--bcher-kva", "com", "x_y", fmt.Sprint(w.IntN(9))))
	}
	return strings.Join(labels, ".") + w.pick("", "", "", ".")
}

func (w words) address() string {
	if w.IntN(2) == 0 {
		return fmt.Sprintf("%s192.0.%d.%d", w.pick("", "", "::ffff:"), w.IntN(4), w.IntN(256))
	}
	return fmt.Sprintf("2001:db8:%x:%x::%x", w.IntN(4), w.IntN(16), w.IntN(64))
}

// prefix returns a prefix around an address, seldom a short one: those would have all addresses.
func (w words) prefix() string {
	a := netip.MustParseAddr(w.address()).Unmap()
	bits := a.BitLen() - w.IntN(1+w.IntN(10))
	if a.Is6() && w.IntN(4) == 0 {
		bits = 65 - w.IntN(1+w.IntN(18))
	}
	return fmt.Sprintf("%s/%d", a, bits)
}

func (w words) bundle() string {
	return w.pick(fmt.Sprintf("com.Example.app%d", w.IntN(40)), fmt.Sprintf("id%d", w.IntN(40)), fmt.Sprint(w.IntN(40)), "ID7", " x ")
}

// TestReference holds every kind to its reference, for lists of all sizes at which buckets fill and
// overflow.
func TestReference(t *testing.T) {
	w := words{rand.New(rand.NewPCG(3, 4))} //nolint:gosec // test data
	values := map[Kind][2]func() string{    // entry, value
		Domain: {w.domain, func() string {
			return w.pick("", "", "", "https://", "*.", ".", " ") + w.domain() + w.pick("", "", ":80", "/x", "..")
		}},
		Bundle: {w.bundle, w.bundle},
		Prefix: {w.prefix, w.address},
		String: {func() string { return fmt.Sprint(w.IntN(200)) }, func() string { return fmt.Sprint(w.IntN(200)) }},
	}
	for kind, random := range values {
		met, missed := 0, 0
		for range testkit.Scale(t, 20, 100, 1000) {
			entries := make([]string, 1+w.IntN(1+w.IntN(200)))
			for i := range entries {
				entries[i] = random[0]()
			}
			list, slow := table(t, kind, entries...), refOf(kind, entries)
			for range 200 {
				v := random[1]()
				want := slow.match(v)
				if got := list.Match(v); got != want {
					t.Fatalf("%s %q: Match(%q) = %v, want %v", kind, entries, v, got, want)
				}
				if want {
					met++
				} else {
					missed++
				}
			}
		}
		if met < 300 || missed < 300 {
			t.Errorf("%s: %d values met an entry, %d did not: the test shows too little", kind, met, missed)
		}
	}
}

// TestManyStrings fills many buckets and more than one chunk, with entries that come twice.
func TestManyStrings(t *testing.T) {
	size := testkit.Scale(t, 50_000, 200_000, 1_000_000)
	entries := make([]string, 0, size+size/10)
	for n := range size {
		entries = append(entries, stringAt(n))
	}
	entries = append(entries, entries[:size/10]...)
	list := table(t, String, entries...)
	if list.Len() != size {
		t.Errorf("%d entries, want %d", list.Len(), size)
	}
	if len(list.set.chunks) < 2 {
		t.Errorf("%d chunks: the test shows too little", len(list.set.chunks))
	}
	for n := range size {
		if !list.Match(stringAt(n)) {
			t.Fatalf("entry %d is missing", n)
		}
		if list.Match(stringAt(n + size)) {
			t.Fatalf("entry %d is too much", n+size)
		}
	}
}
