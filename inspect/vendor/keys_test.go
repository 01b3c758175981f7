package vendor

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/setting"
	"github.com/rtbwire/rtbwire/internal/strictyaml"
)

// declare reads services as a configuration has them, and the list of each partner.
func declare(t *testing.T, text string, partners ...string) (*setting.Scope, setting.Problems) {
	t.Helper()
	r, c := new(setting.Reader), new(setting.Scope)
	root, problems := strictyaml.Parse("x.yaml", text)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	*configured.In(c), _ = services.Read(r, root)
	named := setting.ListOf(setting.NameOf("the name of a vendor"))
	for _, own := range partners {
		root, problems := strictyaml.Parse("partner.yaml", own)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		p := new(setting.Scope)
		*configuredPartner.In(p), _ = named.Read(r, root)
		c.Inner = append(c.Inner, p)
	}
	check(r, c)
	return c, r.Problems()
}

func TestConfigured(t *testing.T) {
	c, problems := declare(t, `
ivt: {url: "http://127.0.0.1:9090/score?key=5", fields: [ip, ua], deadline: 7ms, fail: closed, failures: 0, header: {X-Client: a}, token_env: KEY}
other: {url: "https://b.example/", fields: [ip], token_env: KEY, token_header: X-Key}
plain: {url: "https://c.example/", fields: [ip]}
`, "[ivt]", "[]")
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	list, err := Configured(c, []string{"KEY=secret"})
	if err != nil || len(list) != 3 {
		t.Fatalf("%d services, %v", len(list), err)
	}
	ivt, other, plain := list[0], list[1], list[2]
	if m := ivt.Member; m.Deadline != 7*time.Millisecond || m.Fail != Closed || m.Breaker.Failures != -1 {
		t.Errorf("%+v", m)
	}
	if h := ivt.HTTP.Header; h.Get("Authorization") != "Bearer secret" || h.Get("X-Client") != "a" {
		t.Errorf("headers %v", h)
	}
	if h := other.HTTP.Header; h.Get("X-Key") != "secret" || h.Get("Authorization") != "" {
		t.Errorf("headers %v", h)
	}
	if m := plain.Member; m.Deadline != DeadlineDefault || m.Fail != Open || m.Concurrent != ConcurrentDefault || m.Breaker.Failures != FailuresDefault || len(plain.HTTP.Header) != 0 {
		t.Errorf("the defaults are %+v, %v", m, plain.HTTP.Header)
	}
	if names := ConfiguredNames(c); !slices.Equal(names, []string{"ivt", "other", "plain"}) {
		t.Errorf("names %v", names)
	}
	if one, none, all := ConfiguredPartner(c.Inner[0]), ConfiguredPartner(c.Inner[1]), ConfiguredPartner(new(setting.Scope)); !slices.Equal(one, []string{"ivt"}) || none == nil || len(none) > 0 || all != nil {
		t.Errorf("of partners: %v, %v, %v", one, none, all)
	}
	if _, err := Configured(c, nil); err == nil || !strings.Contains(err.Error(), "the key of the vendor ivt: the environment variable KEY is empty or not set") {
		t.Errorf("without the variable: %v", err)
	}
	shown, _ := services.Show(*configured.In(c)).(map[string]any)
	if len(shown) != 3 || strings.Contains(fmt.Sprint(shown), "key=5") {
		t.Errorf("shown as %v", shown)
	}
}

func TestConfiguredMistakes(t *testing.T) {
	const good = `url: "http://a.example/", fields: [ip]`
	for _, tt := range []struct{ text, partner, want string }{
		{`a: {url: "ftp://a.example/?key=5", fields: [ip]}`, "[]", "expected a URL such as"},
		{`a: {url: [1], fields: [ip]}`, "[]", "a URL such as"},
		{`a: {url: "http://a.example/", fields: []}`, "[]", "the service is told nothing"},
		{`a: {fields: [ip]}`, "[]", "url"},
		{`a: {` + good + `, token_header: X-Key}`, "[]", "token_header without token_env or token_file"},
		{`a: {` + good + `, token_env: A, token_file: b}`, "[]", "token_file"},
		{`a: {` + good + `, header: {X-A: "a\u0001"}}`, "[]", "a header has no control characters"},
		{`a: {` + good + `, fail: ajar}`, "[]", "open"},
		{`ivt: {` + good + `}`, "[itv]", "no vendor has the name"},
		{`ivt: {` + good + `}`, "[ivt, ivt]", "is named twice"},
	} {
		_, problems := declare(t, tt.text, tt.partner)
		if len(problems) == 0 || !strings.Contains(problems.Error(), tt.want) || strings.Contains(problems[0].Message, "key=5") {
			t.Errorf("%s, %s: %v, want %q", tt.text, tt.partner, problems, tt.want)
		}
	}
}
