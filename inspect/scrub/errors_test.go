package scrub_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/inspect/scrub"
)

// TestErrors checks what Compile refuses, and what it says.
func TestErrors(t *testing.T) {
	three := 3
	minus := -1
	many := 16
	for _, c := range []struct {
		spec scrub.Spec
		want string // after "scrub: "
	}{
		{one("remove /device/ifaa"), `remove /device/ifaa: device has no field "ifaa" (nearest: /device/ifa)`},
		{one("remove /device/IFA"), `remove /device/IFA: device has no field "IFA" (nearest: /device/ifa)`},
		{one("remove /devise/ifa"), `remove /devise/ifa: request has no field "devise" (nearest: /device)`},
		{one("remove /device/favouritecolour"), `remove /device/favouritecolour: device has no field "favouritecolour"`},
		{one("remove /user/eids/*/uids/*/ids"), `remove /user/eids/*/uids/*/ids: uids has no field "ids" (nearest: /user/eids/*/uids/*/id)`},
		{one("hash /user/eids/uids/id"), `hash /user/eids/uids/id: eids is an array, whose elements are * (nearest: /user/eids/*/uids/id)`},
		{one("remove /imp/0/ext"), `remove /imp/0/ext: imp is an array, whose elements are * (nearest: /imp/*/ext)`},
		{one("remove /imp/*/ext/x/0/y"), `remove /imp/*/ext/x/0/y: every element of an array is *, and there is nothing for a single one (nearest: /imp/*/ext/x/*/y)`},
		{one("remove /user/id/x"), `remove /user/id/x: id is a string and has no members`},
		{one("remove /device/lmt/x"), `remove /device/lmt/x: lmt is a number and has no members`},
		{one("remove"), `remove: the whole request can't be scrubbed`},
		{one("remove device"), `remove device: a JSON Pointer begins with /`},
		{one("remove /ext/~2"), `remove /ext/~2: ~ is followed by 0 or 1 in a JSON Pointer`},
		{one("remove /ext/\xff"), "remove /ext/\xff: is not UTF-8"},
		{one("remove /ext" + strings.Repeat("/x", 1<<10)), "remove /ext" + strings.Repeat("/x", 1<<10) + ": deeper than any request"},
		{one("truncate /user/id"), `truncate /user/id: neither an address nor a coordinate nor a geo`},
		{one("truncate /device/geo/zip"), `truncate /device/geo/zip: neither an address nor a coordinate nor a geo`},
		{one("hash /user/yob"), `hash /user/yob: a pseudonym is a string, and the field's type is number`},
		{one("hash /user/eids"), `hash /user/eids: a pseudonym is a string, and the field's type is array`},
		{one("hash /user"), `hash /user: a pseudonym is a string, and the field's type is object`},
		{one("replace /user/id"), `replace /user/id: the new value is not JSON: empty`},
		{one(`replace /user/id "x" 1`), `replace /user/id: the new value is not JSON: trailing`},
		{one(`replace /user/id 7`), `replace /user/id: the new value is not of the field's type, string`},
		{one(`replace /user/yob "7"`), `replace /user/yob: the new value is not of the field's type, number`},
		{one(`replace /user []`), `replace /user: the new value is not of the field's type, object`},
		{one(`replace /bcat {}`), `replace /bcat: the new value is not of the field's type, array`},
		{scrub.Spec{Hash: []string{"/user/id"}, Key: testKey[:15]}, `key: pseudonyms need a key of 16 bytes or more`},
		{scrub.Spec{IPv4Bits: 33}, `ipv4bits: 33 is not between 1 and 32`},
		{scrub.Spec{IPv6Bits: -1}, `ipv6bits: -1 is not between 1 and 128`},
		{scrub.Spec{Decimals: &minus}, `decimals: -1 is not between 0 and 15`},
		{scrub.Spec{Decimals: &many}, `decimals: 16 is not between 0 and 15`},
	} {
		p, err := scrub.Compile(scrub.Spec{Decimals: &three}, c.spec)
		e := (*scrub.Error)(nil)
		if p != nil || !errors.As(err, &e) || e.Error() != "scrub: "+c.want || e.Spec != 1 {
			t.Errorf("got  %v\nwant scrub: %s", err, c.want)
		}
	}
	s := one("remove /a")
	s.Truncate, s.IPv4Bits = []string{"/b"}, 99
	if _, err := scrub.Compile(s); err == nil || strings.Count(err.Error(), "scrub: ") != 3 {
		t.Errorf("not every fault is reported: %v", err)
	}
}

// TestKeySecret checks that a spec can be printed.
func TestKeySecret(t *testing.T) {
	s := scrub.Spec{Key: testKey}
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		if text := fmt.Sprintf(format, s) + fmt.Sprintf(format, s.Key); strings.Contains(text, "123") || strings.Contains(text, "3132") || strings.Contains(text, "49 50") {
			t.Errorf("%s: %s", format, text)
		}
	}
	if text, err := s.Key.MarshalText(); string(text) != "[key]" || err != nil {
		t.Error(text, err)
	}
}

// TestKeyCopied checks that a program does not depend on the memory of its spec.
func TestKeyCopied(t *testing.T) {
	s := one("hash /user/id")
	s.Key = append(scrub.Key(nil), testKey...)
	s.Replace = []scrub.Replacement{{"/user/gender", []byte(`"O"`)}}
	p := mustCompile(t, s)
	const body = `{"user":{"id":"x","gender":"F"}}`
	clear(s.Key)
	copy(s.Replace[0].Value, "xxx")
	s.Key = testKey
	s.Replace[0].Value = []byte(`"O"`)
	want := treeOf(body)
	want.scrubbed([]scrub.Spec{s}, nil)
	if got := scrubbed(t, p, body, nil); got != want.String() {
		t.Errorf("%s, want %s", got, want)
	}
}
