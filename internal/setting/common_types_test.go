package setting_test

import (
	"fmt"
	"net/netip"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/setting"
	"github.com/rtbwire/rtbwire/internal/strictyaml"
)

// TestCommonTypes reads right and wrong values with the types that several packages need.
func TestCommonTypes(t *testing.T) {
	size := setting.Size(1<<20, setting.SizeMax)
	for _, c := range []struct{ typ, in, want string }{
		{"pointer", "/device/ifa", "/device/ifa"},
		{"pointer", "/ext/a~1b~0", "/ext/a~1b~0"},
		{"pointer", "device.ifa", `"device.ifa" is not a path such as /device/ifa: a path begins with / (did you mean "/device/ifa"?)`},
		{"pointer", "/a~2", `"/a~2" is not a path such as /device/ifa: ~ is written as ~0, and / as ~1`},
		{"pointer", "/a//b", `"/a//b" is not a path such as /device/ifa: a name is missing between two /, or at the end`},
		{"pointer", "/a/", `"/a/" is not a path such as /device/ifa: a name is missing between two /, or at the end`},
		{"pointer", "5", `expected a path such as /device/ifa, found the number 5 (did you mean "5"?)`},

		{"size", "1MiB", "1048576"},
		{"size", "2GiB", "2147483648"},
		{"size", "1048576", "1048576"},
		{"size", "'1048576'", "1048576"},
		{"size", "'1024kib'", "1048576"},
		{"size", "1M", "1048576"},
		{"size", "1048576B", "1048576"},
		{"size", "16384GiB", fmt.Sprint(setting.SizeMax)},
		{"size", "16385GiB", "expected a size such as 64KiB, 16MiB or 65536, from 1MiB to 16384GiB, found 16385GiB"},
		{"size", "1023KiB", "expected a size such as 64KiB, 16MiB or 65536, from 1MiB to 16384GiB, found 1023KiB"},
		{"size", "0MiB", "expected a size such as 64KiB, 16MiB or 65536, from 1MiB to 16384GiB, found 0MiB"},
		{"size", "9999999999999GiB", `expected a size such as 64KiB, 16MiB or 65536, found "9999999999999GiB"`},
		{"size", "99999999999999999999", "expected a size such as 64KiB, 16MiB or 65536, found the number 99999999999999999999"},
		{"size", "1 MiB", `expected a size such as 64KiB, 16MiB or 65536, found "1 MiB" (did you mean "1MiB"?)`},
		{"size", "8mb", `expected a size such as 64KiB, 16MiB or 65536, found "8mb" (did you mean "8MiB"?)`},
		{"size", "1_048_576", `expected a size such as 64KiB, 16MiB or 65536, found "1_048_576" (did you mean "1MiB"?)`},
		{"size", "1.5MiB", `expected a size such as 64KiB, 16MiB or 65536, found "1.5MiB"`},
		{"size", "-1", "expected a size such as 64KiB, 16MiB or 65536, found the number -1"},
		{"size", "1e6", "expected a size such as 64KiB, 16MiB or 65536, found the number 1e6"},
		{"size", "[1]", "expected a size such as 64KiB, 16MiB or 65536, found a sequence"},
		{"size", "null", "expected a size such as 64KiB, 16MiB or 65536, found null"},

		{"small", "5", "5"},
		{"small", "11", "expected a size such as 64KiB, 16MiB or 65536, from 1 to 10, found 11"},
		{"small", "5KiB", "expected a size such as 64KiB, 16MiB or 65536, from 1 to 10, found 5KiB"},

		{"share", "0%", "0"},
		{"share", "100%", "1"},
		{"share", "2.5%", "0.025"},
		{"share", "101%", `"101%" is not a share such as 5%, or 0%: expected more than 0%, at most 100%`},
		{"share", "0.5", `"0.5" is not a share such as 5%, or 0% (did you mean "50%"?)`},

		{"network", "192.0.2.0/24", "192.0.2.0/24"},
		{"network", "192.0.2.1", "192.0.2.1/32"},
		{"network", `"::ffff:192.0.2.1"`, "192.0.2.1/32"},
		{"network", "192.0.2.1/24", `"192.0.2.1/24" is not a range of addresses such as 192.0.2.0/24: bits after the first 24 are set (did you mean "192.0.2.0/24"?)`},
		{"network", "192.0.2", `"192.0.2" is not a range of addresses such as 192.0.2.0/24: write an address, or an address and a length`},
		{"network", "192.0.2.0/33", `"192.0.2.0/33" is not a range of addresses such as 192.0.2.0/24: write an address and a length`},

		{"not", "true", "false"},
		{"not", "false", "true"},
		{"not", "no", `expected true or false, found "no" (did you mean "false"?)`},

		{"option", "b", "b"},
		{"option", "c", `expected a letter (a or b), found "c"`},

		{"header", "X-Region", "X-Region"},
		{"header", `"X Region"`, `"X Region" is not the name of a header`},
		{"header", `"X:"`, `"X:" is not the name of a header`},
		{"header", strings.Repeat("a", 128), strings.Repeat("a", 128)},
		{"header", `""`, `"" is not the name of a header`},

		{"urlpath", "/exchange-a", "/exchange-a"},
		{"urlpath", "exchange-a", `"exchange-a" is not a path of a URL such as /exchange-a (did you mean "/exchange-a"?)`},
		{"urlpath", "/a?b=c", `"/a?b=c" is not a path of a URL such as /exchange-a`},

		{"identifier", "a.b_c-1", "a.b_c-1"},
		{"identifier", "Exchange One", `"Exchange One" is not a name of lower case letters, digits, hyphens and dots (did you mean "exchange-one"?)`},
		{"identifier", strings.Repeat("a", 65), `is not a name of lower case letters, digits, hyphens and dots`},

		{"variable", "A_1", "A_1"},
		{"variable", "$TOKEN", `"$TOKEN" is not the name of an environment variable (did you mean "TOKEN"?)`},
		{"variable", "1A", `"1A" is not the name of an environment variable`},

		{"regexp", "a+", "a+"},
		{"regexp", `"a("`, "\"a(\" is not a pattern: missing closing ): `a(`"},

		{"either", "x", "[x]"},
		{"either", "[x, y]", "[x y]"},
		{"either", "{x: y}", "expected a sequence or a text, found a mapping"},
	} {
		got := ""
		switch c.typ {
		case "pointer":
			got = read(t, setting.Pointer(), c.in)
		case "size":
			got = read(t, size, c.in)
		case "small":
			got = read(t, setting.Size(1, 10), c.in)
		case "share":
			got = read(t, setting.ShareOrNone(), c.in)
		case "network":
			got = read(t, setting.Network(), c.in)
		case "not":
			got = read(t, setting.Not(), c.in)
		case "option":
			got = read(t, setting.Option("a letter", "a", "b"), c.in)
		case "header":
			got = read(t, setting.HeaderName(), c.in)
		case "urlpath":
			got = read(t, setting.URLPath(), c.in)
		case "identifier":
			got = read(t, setting.Identifier(), c.in)
		case "variable":
			got = read(t, setting.Variable(), c.in)
		case "regexp":
			got = read(t, setting.Regexp("a pattern"), c.in)
		case "either":
			got = read(t, setting.OneOrMore(setting.Text("a text", 9)), c.in)
		}
		if got != c.want && !(strings.HasPrefix(c.want, "is not") && strings.HasSuffix(got, c.want)) {
			t.Errorf("%s %s: got  %s\nwant %s", c.typ, c.in, got, c.want)
		}
	}
}

// TestOutside: Go code leaves a value at zero for the default, and gets the range of a wrong one.
func TestOutside(t *testing.T) {
	size, number, wait := setting.Size(2<<20, setting.SizeMax), setting.Int("a number", 3, 9), setting.Duration("a time", time.Second, time.Hour)
	for _, c := range []struct{ got, want string }{
		{size.Outside(2<<20, false), ""}, {size.Outside(2<<20-1, false), "2MiB to 16384GiB"},
		{size.Outside(1, true), ""}, {size.Outside(-1, true), "more"}, {number.Outside(3, false), ""}, {number.Outside(9, false), ""}, {number.Outside(2, false), "3 to 9"},
		{number.Outside(10, false), "3 to 9"}, {number.Outside(10, true), ""}, {number.Outside(-1, true), "more"},
		{wait.Outside(time.Second, false), ""}, {wait.Outside(1, false), "1s to 1h0m0s"}, {wait.Outside(1, true), ""},
		{wait.Outside(-1, true), "more"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

// TestFiles: names of files are relative to the file that has them, and a reader remembers those of
// secrets, and their variables.
func TestFiles(t *testing.T) {
	root, problems := strictyaml.Parse(filepath.Join("dir", "x.yaml"), "{a: sub/f, b: /f, c: KEY}")
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var r setting.Reader
	relative, _ := setting.FileName().Read(&r, root.Get("a"))
	absolute, _ := setting.SecretFile().Read(&r, root.Get("b"))
	named, _ := setting.NamedFile().Read(&r, root.Get("a"))
	variable, _ := setting.Variable().Read(&r, root.Get("c"))
	if want := filepath.Join("dir", "sub", "f"); relative != want || named.Name != want || named.Place.Column != 5 {
		t.Errorf("a relative name is %q, %+v", relative, named)
	}
	if absolute != "/f" || variable != "KEY" || !slices.Equal(r.Files, []string{"/f"}) || !slices.Equal(r.Variables, []string{"KEY"}) {
		t.Errorf("%q, %q, %q, %q", absolute, variable, r.Files, r.Variables)
	}
	list, _ := setting.ListOf(setting.NameOf("a name")).Read(&r, &setting.Node{Kind: setting.Sequence, Items: []*setting.Node{root.Get("c")}})
	if len(list) != 1 || list[0].Name != "KEY" || list[0].Place.Column != 22 {
		t.Errorf("names %+v", list)
	}
}

// TestShown: pages show values as a file has them.
func TestShown(t *testing.T) {
	five := 5
	for _, c := range []struct{ got, want any }{
		{setting.Not().Show(true), false},
		{setting.PointerTo(setting.Int("a number", 0, 9)).Show(&five), 5},
		{setting.PointerTo(setting.Int("a number", 0, 9)).Show(nil), nil},
		{setting.PointerTo(setting.Duration("a time", 0, time.Hour)).Show(new(time.Duration)), "0s"},
		{setting.Duration("a time", 0, time.Hour).Show(90 * time.Second), "1m30s"},
		{setting.ListOf(setting.Network()).Show([]netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}), []any{"10.0.0.0/8"}},
		{setting.ListOf(setting.Bool()).Show([]bool{true}), []any{true}},
		{setting.ListOf(setting.Bool()).Show(nil), []any{}},
	} {
		if !reflect.DeepEqual(c.got, c.want) {
			t.Errorf("got %v, want %v", c.got, c.want)
		}
	}
}

// TestNetworkFlag: a flag may have bits beyond the length, and one address.
func TestNetworkFlag(t *testing.T) {
	from := setting.Network().Flag.From
	for in, want := range map[string]string{"192.0.2.9/24": "192.0.2.0/24", "192.0.2.9": "192.0.2.9/32", "::1": "::1/128", "x": ""} {
		p, err := from(in)
		if (err == nil) != (want != "") || err == nil && p.String() != want {
			t.Errorf("%s: %v, %v", in, p, err)
		}
	}
}

// TestOneOf reports mappings that have none or both of two keys.
func TestOneOf(t *testing.T) {
	type any struct{}
	number := setting.F("a", setting.Int("a number", 0, 9), func(*any) *int { return new(int) }, "A.")
	other := setting.F("beta", setting.Int("a number", 0, 9), func(*any) *int { return new(int) }, "A.")
	check := func(one func(*setting.Reader, *setting.Node, string, string)) setting.Type[any] {
		o := &setting.Object[any]{Name: "o", Fields: []setting.Field[any]{number, other}, Check: func(r *setting.Reader, n *setting.Node, _ *any) { one(r, n, "a", "beta") }}
		return o.Type()
	}
	for _, c := range []struct {
		text string
		want []string // of exactly one
		most []string // of at most one
	}{
		{"{}", []string{`x.yaml:1:1: missing "a" or "beta"`}, nil},
		{"{a: 1}", nil, nil},
		{"{beta: 1}", nil, nil},
		{"{a: 1, beta: 1}", []string{`x.yaml:1:8: both "a" and "beta" are given; remove one`}, []string{`x.yaml:1:8: both "a" and "beta" are given; remove one`}},
		{"{betta: 1}", []string{`x.yaml:1:2: unknown key "betta" (did you mean "beta"?)`}, []string{`x.yaml:1:2: unknown key "betta" (did you mean "beta"?)`}},
	} {
		if _, got := parse(t, check(setting.ExactlyOne), c.text); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: exactly one: %q, want %q", c.text, got, c.want)
		}
		if _, got := parse(t, check(setting.AtMostOne), c.text); !reflect.DeepEqual(got, c.most) {
			t.Errorf("%s: at most one: %q, want %q", c.text, got, c.most)
		}
	}
}

func TestDashed(t *testing.T) {
	for in, want := range map[string]string{"Blocked Site": "blocked-site", "a.b": "a.b", "--x--": "x", "ÄÖ": "", "a_1": "a-1", ".": ""} {
		if got := setting.Dashed(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}
