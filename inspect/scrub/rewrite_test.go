package scrub_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/inspect/scrub"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

const gone = "removed"

// rewriteCases are values before and after an operation with the defaults. An empty result means
// that the value stays.
var rewriteCases = []struct {
	name         testkit.CaseName
	do           string
	value, after string
}{
	{testkit.Name("IPv4"), "truncate /device/ip", `"192.0.2.129"`, `"192.0.2.0"`},
	{testkit.Name("IPv4, short enough"), "truncate /device/ip", `"192.0.2.0"`, ``},
	{testkit.Name("IPv4 with an escape"), "truncate /device/ip", `"192.0.2\u002e129"`, `"192.0.2.0"`},
	{testkit.Name("IPv6"), "truncate /device/ipv6", `"2001:DB8:1:2ff:3:4:5:6"`, `"2001:db8:1:200::"`},
	{testkit.Name("IPv6, short enough, not canonical"), "truncate /device/ipv6", `"2001:DB8:0001:200:0:0:0:0"`, ``},
	{testkit.Name("IPv6 in the field of IPv4"), "truncate /device/ip", `"2001:db8:1:2ff::1"`, `"2001:db8:1:200::"`},
	{testkit.Name("IPv4 in the field of IPv6"), "truncate /device/ipv6", `"192.0.2.129"`, `"192.0.2.0"`},
	{testkit.Name("mapped"), "truncate /device/ipv6", `"::ffff:192.0.2.129"`, `"::ffff:192.0.2.0"`},
	{testkit.Name("mapped, in hexadecimal digits"), "truncate /device/ipv6", `"::ffff:c000:281"`, `"::ffff:192.0.2.0"`},
	{testkit.Name("6to4"), "truncate /device/ipv6", `"2002:c000:281::1"`, `"2002:c000:200::"`},
	{testkit.Name("NAT64"), "truncate /device/ipv6", `"64:ff9b::192.0.2.129"`, `"64:ff9b::"`},
	{testkit.Name("Teredo"), "truncate /device/ipv6", `"2001::f7f7:f8f7"`, `"2001::"`},
	{testkit.Name("hexadecimal"), "truncate /device/ip", `"0xc0.0.2.1"`, gone},
	{testkit.Name("one number"), "truncate /device/ip", `"3221225985"`, gone},
	{testkit.Name("brackets"), "truncate /device/ipv6", `"[2001:db8::1]:80"`, gone},
	{testkit.Name("NUL after an address"), "truncate /device/ip", `"192.0.2.1\u0000"`, gone},
	{testkit.Name("NUL after an id"), "hash /user/id", `"alice\u0000x"`, `"433deb45467e4e53dbaba594c88bc3a2"`},
	{testkit.Name("NUL after a zero"), "hash /user/id", `"0\u00001"`, ``},
	{testkit.Name("zone"), "truncate /device/ipv6", `"fe80::1%eth0"`, gone},
	{testkit.Name("port"), "truncate /device/ip", `"192.0.2.1:80"`, gone},
	{testkit.Name("space"), "truncate /device/ip", `" 192.0.2.1"`, gone},
	{testkit.Name("octal"), "truncate /device/ip", `"192.0.2.01"`, gone},
	{testkit.Name("prefix"), "truncate /device/ip", `"192.0.2.0/24"`, gone},
	{testkit.Name("three bytes"), "truncate /device/ip", `"192.0.2"`, gone},
	{testkit.Name("no address"), "truncate /device/ip", `"Jane Doe"`, gone},
	{testkit.Name("empty"), "truncate /device/ip", `""`, ``},
	{testkit.Name("null"), "truncate /device/ip", `null`, ``},
	{testkit.Name("a number for an address"), "truncate /device/ip", `3221225985`, gone},
	{testkit.Name("an array for an address"), "truncate /device/ip", `["192.0.2.1"]`, gone},
	{testkit.Name("an object for an address"), "truncate /device/ip", `{"a":"192.0.2.1"}`, gone},
	{testkit.Name("true for an address"), "truncate /device/ip", `true`, gone},

	{testkit.Name("latitude"), "truncate /device/geo/lat", `52.37916`, `52.37`},
	{testkit.Name("not rounded"), "truncate /device/geo/lat", `52.37999`, `52.37`},
	{testkit.Name("south"), "truncate /user/geo/lat", `-33.86785`, `-33.86`},
	{testkit.Name("two decimals"), "truncate /device/geo/lat", `52.37`, ``},
	{testkit.Name("one decimal"), "truncate /device/geo/lat", `52.3`, ``},
	{testkit.Name("whole"), "truncate /device/geo/lat", `52`, ``},
	{testkit.Name("zeros stay"), "truncate /device/geo/lat", `52.3000`, `52.30`},
	{testkit.Name("minus zero"), "truncate /device/geo/lon", `-0.0049`, `0`},
	{testkit.Name("zero"), "truncate /device/geo/lon", `0.0049`, `0`},
	{testkit.Name("minus zero, two decimals"), "truncate /device/geo/lon", `-0.00`, ``},
	{testkit.Name("exponent"), "truncate /device/geo/lat", `5.237916e1`, `52.37`},
	{testkit.Name("small exponent"), "truncate /device/geo/lat", `5237916E-5`, `52.37`},
	{testkit.Name("tiny"), "truncate /device/geo/lat", `1e-300`, `0`},
	{testkit.Name("exponent, whole"), "truncate /device/geo/lat", `5.2e1`, `52`},
	{testkit.Name("digits that a float has no room for"), "truncate /device/geo/lat", `52.37000000000000000000000001`, `52.37`},
	{testkit.Name("the same with an exponent"), "truncate /device/geo/lat", `5.200000000000000000000001e1`, `52`},
	{testkit.Name("the pole"), "truncate /device/geo/lat", `90.000`, `90.00`},
	{testkit.Name("beyond the pole"), "truncate /device/geo/lat", `90.001`, gone},
	{testkit.Name("microdegrees"), "truncate /device/geo/lat", `52379160`, gone},
	{testkit.Name("far east"), "truncate /device/geo/lon", `179.999`, `179.99`},
	{testkit.Name("beyond"), "truncate /device/geo/lon", `-180.5`, gone},
	{testkit.Name("huge"), "truncate /device/geo/lon", `1e999`, gone},
	{testkit.Name("quoted"), "truncate /device/geo/lon", `"4.89707"`, gone},
	{testkit.Name("an empty coordinate"), "truncate /device/geo/lon", `""`, gone},
	{testkit.Name("an array for a coordinate"), "truncate /device/geo/lon", `[4.89707]`, gone},

	{testkit.Name("geo"), "truncate /device/geo", `{"lat":52.37916,"lon":4.89707,"zip":"1012 AB","accuracy":5}`, `{"lat":52.37,"lon":4.89,"zip":"1012 AB","accuracy":5}`},
	{testkit.Name("geo of a person"), "truncate /user/geo", `{"lat":"x","lon":null}`, `{"lon":null}`},
	{testkit.Name("an array for a geo"), "truncate /user/geo", `[52.37916,4.89707]`, gone},
	{testkit.Name("a string for a geo"), "truncate /user/geo", `"52.37916,4.89707"`, gone},
	{testkit.Name("null for a geo"), "truncate /user/geo", `null`, ``},

	{testkit.Name("an address in ext"), "truncate /device/ext/x", `"192.0.2.129"`, `"192.0.2.0"`},
	{testkit.Name("a longitude in ext"), "truncate /device/ext/x", `120.123`, `120.12`},
	{testkit.Name("an object in ext"), "truncate /device/ext/x", `{"lat":1.234,"lng":5.678}`, gone},
	{testkit.Name("a word in ext"), "truncate /device/ext/x", `"Amsterdam"`, gone},

	{testkit.Name("all zeros"), "hash /device/ifa", `"00000000-0000-0000-0000-000000000000"`, ``},
	{testkit.Name("zero"), "hash /user/id", `"0"`, ``},
	{testkit.Name("empty id"), "hash /user/id", `""`, ``},
	{testkit.Name("no id"), "hash /user/id", `null`, ``},
	{testkit.Name("the number zero"), "hash /user/ext/x", `0`, `"` + pseudonymOf0 + `"`},
	{testkit.Name("an id that is true"), "hash /user/ext/x", `true`, gone},
	{testkit.Name("ids in an array"), "hash /user/ext/x", `["a"]`, gone},
	// printf %s VALUE | openssl dgst -sha256 -hmac 0123456789abcdef0123456789abcdef
	{testkit.Name("id"), "hash /user/id", `"alice"`, `"433deb45467e4e53dbaba594c88bc3a2"`},
	{testkit.Name("id with an escape"), "hash /user/id", `"\u0061lice"`, `"433deb45467e4e53dbaba594c88bc3a2"`},
	{testkit.Name("id in ext"), "hash /user/ext/id", `"alice"`, `"433deb45467e4e53dbaba594c88bc3a2"`},
	{testkit.Name("a number in ext"), "hash /user/ext/id", `12345`, `"35186ad4e0c9a34ac0fbfbc6d10fd09b"`},
	{testkit.Name("the same as a string"), "hash /user/ext/id", `"12345"`, `"35186ad4e0c9a34ac0fbfbc6d10fd09b"`},
}

// pseudonymOf0 is what openssl prints for 0.
const pseudonymOf0 = "adb18d2a79fb97e5f5af13a942fab107"

func TestRewrite(t *testing.T) {
	for _, c := range rewriteCases {
		_, path, _ := strings.Cut(c.do, " ")
		if c.after == "" {
			c.after = c.value
		}
		before, after := around(path, c.value), around(path, c.after)
		if c.after == gone {
			at := strings.LastIndexByte(path, '/')
			after = around(path[:at], "{}")
		}
		if got := scrubbed(t, mustCompile(t, one(c.do)), before, nil); got != after {
			t.Errorf("%s: %s\n got %s\nwant %s", c.name, c.do, got, after)
		}
		checkOracle(t, []scrub.Spec{one(c.do)}, nil, before)
	}
}

// around returns a document with a value at a path.
func around(path, value string) string {
	list := names(path)
	for _, l := range slices.Backward(list) {
		value = fmt.Sprintf(`{%q:%s}`, l, value)
	}
	return value
}

// TestSizes checks how much truncation leaves.
func TestSizes(t *testing.T) {
	zero, one, fifteen := 0, 1, 15
	for _, c := range []struct {
		specs []scrub.Spec
		want  string
	}{
		{[]scrub.Spec{{IPv4Bits: 8, IPv6Bits: 20, Decimals: &zero}}, `{"device":{"ip":"255.0.0.0","ipv6":"ffff:f000::","geo":{"lat":89}}}`},
		{[]scrub.Spec{{IPv4Bits: 31, IPv6Bits: 127, Decimals: &fifteen}}, `{"device":{"ip":"255.255.255.254","ipv6":"ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe","geo":{"lat":89.999999}}}`},
		{[]scrub.Spec{{IPv4Bits: 32, IPv6Bits: 128}, {IPv4Bits: 20, IPv6Bits: 64}, {IPv4Bits: 28, IPv6Bits: 60, Decimals: &one}}, `{"device":{"ip":"255.255.240.0","ipv6":"ffff:ffff:ffff:fff0::","geo":{"lat":89.9}}}`},
	} {
		for i := range c.specs {
			c.specs[i].Truncate = []string{"/device/ip", "/device/ipv6", "/device/geo"}
		}
		const body = `{"device":{"ip":"255.255.255.255","ipv6":"ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff","geo":{"lat":89.999999}}}`
		if got := scrubbed(t, mustCompile(t, c.specs...), body, nil); got != c.want {
			t.Errorf("%+v\n got %s\nwant %s", c.specs, got, c.want)
		}
		checkOracle(t, c.specs, nil, body)
	}
	specs := []scrub.Spec{{Truncate: []string{"/device/ip"}}, {Truncate: []string{"/device/ip"}, IPv4Bits: 16}}
	if got, want := scrubbed(t, mustCompile(t, specs...), `{"device":{"ip":"192.0.2.1"}}`, []bool{true, false}), `{"device":{"ip":"192.0.2.0"}}`; got != want {
		t.Errorf("a spec that is off counts: %s", got)
	}
}

// TestInside truncates addresses with an IPv4 address inside by the smaller of both sizes.
func TestInside(t *testing.T) {
	for before, after := range map[string]string{
		"64:ff9b::192.0.2.129": "64:ff9b::c000:200", "2001::1234:5678:3fff:fd7e": "2001::1234:5678:3fff:fd00", "2002:c000:281:1::1": "2002:c000:200::", "::ffff:192.0.2.129": "::ffff:192.0.2.0",
	} {
		spec := scrub.Spec{Truncate: []string{"/device/ipv6"}, IPv4Bits: 24, IPv6Bits: 128}
		body := around("/device/ipv6", `"`+before+`"`)
		if got, want := scrubbed(t, mustCompile(t, spec), body, nil), around("/device/ipv6", `"`+after+`"`); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		checkOracle(t, []scrub.Spec{spec}, nil, body)
	}
}
