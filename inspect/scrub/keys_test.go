package scrub

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/setting"
	"github.com/rtbwire/rtbwire/internal/setting/settingtest"
)

func TestConfigured(t *testing.T) {
	c := settingtest.MustParse(t, `
scrub:
  - {remove: [/device/ifa]}
  - {name: all, when: tmax == 1, truncate: [/device/ip], ipv4_bits: 8, ipv6_bits: 16, decimals: 0, replace: {/user/id: x}, hash: {paths: [/user/buyeruid], key_env: KEY}}
`)
	list := Configured(c)
	two, none := DecimalsDefault, 0
	if want := (Spec{Remove: []string{"/device/ifa"}, IPv4Bits: IPv4BitsDefault, IPv6Bits: IPv6BitsDefault, Decimals: &two}); !reflect.DeepEqual(list[0].Spec, want) {
		t.Errorf("the defaults are %+v", list[0].Spec)
	}
	want := Spec{
		Truncate: []string{"/device/ip"}, IPv4Bits: 8, IPv6Bits: 16, Decimals: &none,
		Replace: []Replacement{{"/user/id", []byte(`"x"`)}}, Hash: []string{"/user/buyeruid"},
	}
	if d := list[1]; !reflect.DeepEqual(d.Spec, want) || d.Source.Text != "tmax == 1" || d.Place.Line != 4 {
		t.Errorf("got %+v", d)
	}
	if a, b := ConfiguredName(list, 0), ConfiguredName(list, 1); a != "1" || b != "all" {
		t.Errorf("names %q, %q", a, b)
	}
	var r setting.Reader
	CompileConfigured(&r, c, []string{"KEY=0123456789abcdef"})
	if problems := r.Problems(); len(problems) > 0 || list[0].Program == nil || list[1].Program == nil {
		t.Errorf("%v, %+v", problems, list)
	}
}

// TestConfiguredFaults: what only compiling finds has the place of the path or of the key.
func TestConfiguredFaults(t *testing.T) {
	short := filepath.Join(t.TempDir(), "short")
	if err := os.WriteFile(short, []byte("abc\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ scrub, want string }{
		{"{remove: [/device/ifa, /device/ifaa]}", `x.yaml:1:32: `},
		{"{replace: {/device/ifaa: x}}", `x.yaml:1:20: `},
		{"{truncate: [/device/ifa]}", `x.yaml:1:21: `},
		{"{hash: {paths: [/user/idd], key_env: KEY}}", `x.yaml:1:25: `},
		{"{hash: {paths: [/user/id], key_env: NONE}}", `x.yaml:1:16: the key of the pseudonyms: the environment variable NONE is empty or not set`},
		{"{hash: {paths: [/user/id], key_file: " + short + "}}", `x.yaml:1:16: the key of the pseudonyms: it has 3 bytes (want at least 16)`},
	} {
		file := settingtest.MustParse(t, "scrub: ["+c.scrub+"]")
		var r setting.Reader
		CompileConfigured(&r, file, []string{"KEY=0123456789abcdef"})
		if p := r.Problems(); len(p) != 1 || !strings.HasPrefix(p[0].Summary(), c.want) || Configured(file)[0].Program != nil {
			t.Errorf("%s: %v, want %s", c.scrub, p, c.want)
		}
	}
	_, problems := settingtest.Parse(t, "scrub: [{name: a, remove: []}, {name: a, remove: []}]")
	if len(problems) != 1 || !strings.Contains(problems[0].Message, `another scrub is called "a"`) {
		t.Errorf("equal names: %v", problems)
	}
}
