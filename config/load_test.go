package config

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/gateway"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/lists"
	"github.com/rtbwire/rtbwire/inspect/rates"
	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/inspect/scrub"
	"github.com/rtbwire/rtbwire/internal/setting"
)

// TestInclude joins files: sequences in order (of a file before those of what it includes), names
// of all, settings of an object that only one file has.
func TestInclude(t *testing.T) {
	dir := write(t, `
-- main.yaml --
version: 1
include: [partners/*.yaml, more.yaml, none/*.yaml]
schema: {preset: exchange}
rules: [{name: a, when: "true", severity: off}]
lists: {x: {kind: domain, file: x.txt}}
partners: {p0: {}}
-- partners/one.yaml --
partners: {p1: {match: {token_file: token}}}
lists: {y: {kind: string, file: y.txt}}
-- partners/two.yaml --
version: 1
partners: {p2: {}}
rules: [{name: b, when: "true", severity: off}]
-- more.yaml --
include: deeper/last.yaml
schema: {severities: {Imp.id.required: warn}}
annotate: true
rules: [{name: c, when: "true", severity: off}]
-- deeper/last.yaml --
rules: [{name: d, when: "true", severity: off}]
max_findings: 7
lists: {z: {kind: domain, file: /etc/z.txt}}
`)
	c, problems := Load(filepath.Join(dir, "main.yaml"), Options{})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var names, files []string
	rules := rule.Configured(&c.Scope)
	for i := range rules {
		names = append(names, rules[i].Name)
	}
	for _, l := range lists.Configured(&c.Scope) {
		relative, err := filepath.Rel(dir, l.File)
		if err != nil || strings.HasPrefix(relative, "..") {
			relative = l.File
		}
		files = append(files, l.Name+"="+relative)
	}
	if want := []string{"a", "b", "c", "d"}; !reflect.DeepEqual(names, want) {
		t.Errorf("rules %q, want %q", names, want)
	}
	if want := []string{"x=x.txt", "y=partners/y.txt", "z=/etc/z.txt"}; !reflect.DeepEqual(files, want) {
		t.Errorf("lists %q, want %q", files, want)
	}
	if len(c.Scope.Inner) != 3 || !slices.Contains(c.paths(), filepath.Join(dir, "partners", "token")) {
		t.Errorf("partners %q", c.Scope.Names())
	}
	own := inspect.Configured(&c.Scope)
	if len(c.Files) != 5 || !own.Annotate || own.MaxFindings != 7 || own.Preset != "exchange" || len(own.Global.Severities) != 1 {
		t.Errorf("got %+v", own)
	}
	if got := rules[3].Place; filepath.Base(got.File) != "last.yaml" || got.Line != 1 || got.Column != 9 {
		t.Errorf("rule d is at %+v", got)
	}
}

// TestGolden reads folders of files in testdata and compares what is printed. The file "main.yaml"
// or "main.json" of each is loaded.
func TestGolden(t *testing.T) {
	goldens, err := filepath.Glob("testdata/*/problems.txt")
	if err != nil || len(goldens) < 4 {
		t.Fatalf("found %v, %v", goldens, err)
	}
	for _, golden := range goldens {
		mains, err := filepath.Glob(filepath.Join(filepath.Dir(golden), "main.*"))
		if err != nil || len(mains) != 1 {
			t.Fatalf("%s: %v, %v", golden, mains, err)
		}
		_, problems := Load(mains[0], Options{})
		got := filepath.ToSlash(problems.Error()) + "\n"
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil || got != string(want) {
			t.Errorf("%s: got\n%s\nwant\n%s (%v)", golden, got, want, err)
		}
	}
}

// TestIncludeLimits checks the bounds on files.
func TestIncludeLimits(t *testing.T) {
	var chain strings.Builder
	for i := range IncludeDepthMax + 2 {
		fmt.Fprintf(&chain, "\n-- %d.yaml --\nversion: 1\ninclude: %d.yaml", i, i+1)
	}
	dir := write(t, chain.String())
	_, problems := Load(filepath.Join(dir, "0.yaml"), Options{})
	if len(problems) != 1 || !strings.Contains(problems[0].Message, "more than 8 deep") || filepath.Base(problems[0].File) != "8.yaml" {
		t.Errorf("a long chain: %v", problems)
	}

	dir = t.TempDir()
	for i := range FilesMax + 1 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.yaml", i)), []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, problems = Parse(filepath.Join(dir, "main"), "version: 1\ninclude: \"*.yaml\"", Options{})
	if len(problems) != 1 || !strings.Contains(problems[0].Message, "more than 1000 files") { // the repetition was dropped
		t.Errorf("many files: %v", problems)
	}
}

func TestEnvironment(t *testing.T) {
	text := "version: 1\nschema: {preset: strict}\nscrub: [{hash: {paths: [/user/id], key_env: RTBWIRE_HASH_KEY}}]\n" +
		"partners: {p: {match: {token_env: RTBWIRE_P_TOKEN}}}"
	c, problems := Parse("x.yaml", text, Options{Environ: []string{
		"RTBWIRE_SCHEMA_PRESET=permissive", "RTBWIRE_ANNOTATE=true", "RTBWIRE_MAX_FINDINGS=7", "RTBWIRE_SAMPLE=12.5%",
		"RTBWIRE_SHADOW=", "RTBWIRE_RATES_FILE=r.csv", "PATH=/bin", "RTBWIRE_CONFIG=x.yaml",
		"RTBWIRE_HASH_KEY=secret", "RTBWIRE_P_TOKEN=secret", "RTBWIRE_SERVICE_HOST=10.0.0.1", "RTBWIRE_PORT=tcp://10.0.0.1:80",
		"RTBWIRE_PORT_8080_TCP_ADDR=10.0.0.1", "RTBWIRE_ADMIN_SERVICE_PORT_HTTP=80",
	}})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	own := inspect.Configured(&c.Scope)
	if file, _ := rates.Configured(&c.Scope); own.Preset != "permissive" || !own.Annotate || own.MaxFindings != 7 || own.Global.Sample != 0.125 || own.Global.Shadow || file != "r.csv" {
		t.Errorf("got %+v, %s", own, file)
	}

	for variable, want := range map[string]string{
		"RTBWIRE_SCHEMA_PRESET=exchnge": "RTBWIRE_SCHEMA_PRESET:1:1: expected a preset (strict, exchange, permissive or admission), found \"exchnge\" (did you mean \"exchange\"?)\n  1 | exchnge\n    | ^^^^^^^",
		"RTBWIRE_ANNOTATE=yes":          "RTBWIRE_ANNOTATE:1:1: expected true or false, found \"yes\" (did you mean \"true\"?)\n  1 | yes\n    | ^^^",
		"RTBWIRE_MAX_FINDINGS=many":     "RTBWIRE_MAX_FINDINGS:1:1: \"many\" is not a number of findings: write a decimal integer\n  1 | many\n    | ^^^^",
		"RTBWIRE_MAX_FINDING=secret":    "RTBWIRE_MAX_FINDING: no key has this environment variable (did you mean \"RTBWIRE_MAX_FINDINGS\"?)",
		"RTBWIRE_WHATEVER_ELSE=secret":  "RTBWIRE_WHATEVER_ELSE: no key has this environment variable",
		"RTBWIRE_GATEWAY_MAX_BODY=8MB":  "RTBWIRE_GATEWAY_MAX_BODY:1:1: expected a size such as 64KiB, 16MiB or 65536, found \"8MB\" (did you mean \"8MiB\"?)\n  1 | 8MB\n    | ^^^",
		"RTBWIRE_VERSION=1":             "RTBWIRE_VERSION: no key has this environment variable",
	} {
		_, problems := Parse("x.yaml", "version: 1", Options{Environ: []string{variable}})
		if problems.Error() != want {
			t.Errorf("%s:\ngot  %s\nwant %s", variable, problems.Error(), want)
		}
	}
	// A section of a wrong type stays one problem.
	_, problems = Parse("x.yaml", "version: 1\nschema: strict", Options{Environ: []string{"RTBWIRE_SCHEMA_PRESET=strict"}})
	if len(problems) != 1 || problems[0].Line != 2 {
		t.Errorf("got %v", problems)
	}
}

// TestSizes: every size of a file and its variable reads a number of bytes and a unit, as flags do.
func TestSizes(t *testing.T) {
	found := 0
	for name, path := range environmentKeys() {
		shape := root().Shape
		var key setting.Key
		for _, part := range path {
			key = shape.Keys[slices.IndexFunc(shape.Keys, func(k setting.Key) bool { return k.Name == part })]
			shape = key.Shape
		}
		if shape.Kind != setting.ASize {
			if strings.Contains(shape.What, "bytes") || strings.Contains(shape.What, "size") {
				t.Errorf("%s: %q is not read as a size", name, shape.What)
			}
			continue
		}
		found++
		for _, value := range []string{"64MiB", "67108864", "1TB"} {
			text := "version: 1\n" + strings.Join(path, ": {") + ": " + value + strings.Repeat("}", len(path)-1)
			_, fromFile := Parse("x.yaml", text, Options{})
			_, fromVariable := Parse("x.yaml", "version: 1", Options{Environ: []string{name + "=" + value}})
			for _, problems := range []Problems{fromFile, fromVariable} {
				refused := slices.ContainsFunc(problems, func(p Problem) bool { return strings.Contains(p.Message, "expected a size such as 64KiB") })
				if refused != (value == "1TB") {
					t.Errorf("%s: %s: %v", strings.Join(path, "."), value, problems)
				}
			}
		}
	}
	if found < 10 {
		t.Errorf("%d keys are sizes", found)
	}
}

// TestFileOfAllParts reads the values that other tests do not look at.
func TestFileOfAllParts(t *testing.T) {
	c := mustParse(t, `
version: 1
rates: {values: {EUR: 1.08, JPY: 6.6e-3}}
lists:
  a: {kind: seller, file: a.csv, format: csv, columns: [domain, id], bad_entries_max: 3}
  b: {kind: prefix, entries: [192.0.2.0/24, "::1"]}
rules:
  - {name: r, when: a.b, severity: warn, nbr: 500, message: no, on_error: refuse, interpreted: true, shadow: true, sample: 0.5%}
scrub:
  - name: s
    remove: [/a, /b~1c]
    truncate: [/device/ip]
    ipv4_bits: 16
    ipv6_bits: 48
    decimals: 0
    replace: {/a: x, /b: 5, /c: true, /d: [1, {e: f}], /g: "7"}
    hash: {paths: [/user/id], key_file: key}
partners:
  p:
    match: {path: /x, mtls: a.example, from: [192.0.2.1, 10.0.0.0/8], header: {X-A: b}}
    no_bid: 400
    limits: {rate: 10, burst: 20, in_flight: 30}
    publishers: {123: {limits: {rate: 5}, scrub: [{remove: [/x]}]}}
`)
	all := lists.Configured(&c.Scope)
	if l := all[0]; l.Kind != lists.Seller || l.Format != lists.CSV || l.BadEntriesMax != 3 || len(l.Columns) != 2 {
		t.Errorf("list %+v", l)
	}
	if l := all[1]; !slices.Equal(l.Entries, []string{"192.0.2.0/24", "::1"}) || l.Place.Line != 6 {
		t.Errorf("list %+v", l)
	}
	if r := rule.Configured(&c.Scope)[0]; *r.Severity != inspect.Warn || r.NBR != 500 || r.Message != "no" || r.OnError != rule.ObjectOnError || !r.Source.Interpreted || !r.Shadow || r.Sample != 0.005 {
		t.Errorf("rule %+v", r)
	}
	s := scrub.Configured(&c.Scope)[0]
	var replaced []string
	for _, r := range s.Spec.Replace {
		replaced = append(replaced, r.Path+"="+string(r.Value))
	}
	if want := []string{`/a="x"`, "/b=5", "/c=true", `/d=[1,{"e":"f"}]`, `/g="7"`}; !reflect.DeepEqual(replaced, want) {
		t.Errorf("replaced %q", replaced)
	}
	if d := s.Spec; s.Name != "s" || d.Remove[1] != "/b~1c" || d.Truncate[0] != "/device/ip" || d.IPv4Bits != 16 || d.IPv6Bits != 48 || *d.Decimals != 0 || d.Hash[0] != "/user/id" || s.Place.Member("hash").Line != 17 {
		t.Errorf("scrub %+v", s)
	}
	p := c.Scope.Inner[0]
	g, err := gateway.Configured(&c.Scope, nil)
	if err != nil {
		t.Fatal(err)
	}
	own := g.Partners[0]
	if m := own.Match; m.Path != "/x" || m.MTLS != "a.example" || m.From[0].String() != "192.0.2.1/32" || m.Headers[0] != (inspect.Header{Name: "X-A", Value: "b"}) || own.NoBid != "400" || own.Limits != (gateway.Limits{Rate: 10, Burst: 20, InFlight: 30}) {
		t.Errorf("partner %+v", own)
	}
	if u := p.Inner[0]; u.Name != "123" || own.Publishers["123"].Rate != 5 || len(scrub.Configured(u)) != 1 || u.Place.Line != 23 {
		t.Errorf("publisher %+v", u)
	}
	var r setting.Reader
	table, _ := rates.OpenConfigured(&r, &c.Scope, nil)
	if usd, known := table.USD(1, "JPY"); usd != 0.0066 || !known {
		t.Errorf("a yen is worth %v", usd)
	}
	if got := p.Place.Problem("", "here").String(); got != "x.yaml:19:3: here\n  19 |   p:\n     |   ^" {
		t.Errorf("got %s", got)
	}
	if got := (Place{File: "y"}).Problem("z", "here").String(); got != `y: here (did you mean "z"?)` {
		t.Errorf("got %s", got)
	}
}

// TestNoSecretsOfURLs: problems of URLs have a place, and neither users nor queries in their
// messages and excerpts.
func TestNoSecretsOfURLs(t *testing.T) {
	const secret = "hunter2secret"
	for _, name := range []string{
		"http://user:" + secret + "@127.0.0.1:9000", "http://127.0.0.1:9000/x?key=" + secret, "http://user:" + secret + "@[::1", "user:" + secret + "@127.0.0.1:9000",
	} {
		for _, text := range []string{"version: 1\ngateway: {upstreams: [\"" + name + "\"]}", "version: 1\nstream: {upstream: \"" + name + "\"}"} {
			_, problems := Parse("x.yaml", text, Options{})
			if got := problems.Error(); len(problems) != 1 || problems[0].Line != 2 || strings.Contains(got, secret) || !strings.Contains(got, "no user, query or fragment") {
				t.Errorf("%s: %s", text, got)
			}
		}
	}
	_, problems := Parse("x.yaml", "version: 1\nvendors: {a: {url: \"http://h/?key="+secret+"\", fields: [ip], x: 1}}", Options{})
	if got := problems.Error(); len(problems) != 1 || strings.Contains(got, secret) || problems[0].Excerpt == "" {
		t.Errorf("the excerpt of another problem: %s", got)
	}
}
