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
	"github.com/rtbwire/rtbwire/inspect/fraud"
	"github.com/rtbwire/rtbwire/inspect/payload"
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
	for i := range c.Rules {
		names = append(names, c.Rules[i].Name)
	}
	for i := range c.Lists {
		relative, err := filepath.Rel(dir, c.Lists[i].File)
		if err != nil || strings.HasPrefix(relative, "..") {
			relative = c.Lists[i].File
		}
		files = append(files, c.Lists[i].Name+"="+relative)
	}
	if want := []string{"a", "b", "c", "d"}; !reflect.DeepEqual(names, want) {
		t.Errorf("rules %q, want %q", names, want)
	}
	if want := []string{"x=x.txt", "y=partners/y.txt", "z=/etc/z.txt"}; !reflect.DeepEqual(files, want) {
		t.Errorf("lists %q, want %q", files, want)
	}
	if len(c.Partners) != 3 || !slices.Contains(c.paths(), filepath.Join(dir, "partners", "token")) {
		t.Errorf("partners %+v", c.Partners)
	}
	if len(c.Files) != 5 || !c.Annotate || c.MaxFindings != 7 || c.Schema.Preset != "exchange" || len(c.Schema.Severities) != 1 {
		t.Errorf("got %+v", c)
	}
	if got := c.Rules[3].Place; filepath.Base(got.File) != "last.yaml" || got.Line != 1 || got.Column != 9 {
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
	if c.Schema.Preset != "permissive" || !c.Annotate || c.MaxFindings != 7 || c.Sample != 0.125 || c.Shadow || c.Rates.File != "r.csv" {
		t.Errorf("got %+v", c)
	}

	for variable, want := range map[string]string{
		"RTBWIRE_SCHEMA_PRESET=exchnge": "RTBWIRE_SCHEMA_PRESET:1:1: expected a preset (strict, exchange, permissive or admission), found \"exchnge\" (did you mean \"exchange\"?)\n  1 | exchnge\n    | ^^^^^^^",
		"RTBWIRE_ANNOTATE=yes":          "RTBWIRE_ANNOTATE:1:1: expected true or false, found \"yes\" (did you mean \"true\"?)\n  1 | yes\n    | ^^^",
		"RTBWIRE_MAX_FINDINGS=many":     "RTBWIRE_MAX_FINDINGS:1:1: \"many\" is not a number of findings: write a decimal integer\n  1 | many\n    | ^^^^",
		"RTBWIRE_MAX_FINDING=secret":    "RTBWIRE_MAX_FINDING: no key has this environment variable (did you mean \"RTBWIRE_MAX_FINDINGS\"?)",
		"RTBWIRE_WHATEVER_ELSE=secret":  "RTBWIRE_WHATEVER_ELSE: no key has this environment variable",
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

// TestInspect makes an engine's configuration, and an engine of it.
func TestInspect(t *testing.T) {
	c := mustParse(t, `
version: 1
schema: {preset: exchange, severities: {"*.deprecated": off, Imp.id.required: error}}
severities: {json.syntax: refuse}
annotate: true
partners:
  a:
    sample: 50%
    severities: {"Imp.*": observe, "Imp.id.required": warn}
    publishers:
      p1: {shadow: true, severities: {"*": refuse}}
`)
	got := c.Inspect()
	want := inspect.Config{
		Preset: "exchange", Annotate: true, MaxFindings: inspect.MaxFindingsDefault,
		Payload: inspect.Payload{Work: payload.WorkDefault},
		Fraud: inspect.Fraud{Limits: fraud.Limits{
			IFA: fraud.IFADefault, Address: fraud.AddressDefault, Nodes: fraud.NodesDefault, Imps: fraud.ImpsDefault,
			Floor: fraud.FloorDefault, TMaxLeast: fraud.TMaxLeastDefault, TMaxMost: fraud.TMaxMostDefault,
		}},
		Response: inspect.Response{MarkupMax: inspect.MarkupMaxDefault},
		Global: inspect.Layer{Sample: 1, Fraud: inspect.FraudSettings{Threshold: fraud.ThresholdDefault}, Severities: []inspect.Setting{
			{Reasons: "schema.*.deprecated", Severity: inspect.Off}, {Reasons: "schema.Imp.id.required", Severity: inspect.Refuse},
			{Reasons: "json.syntax", Severity: inspect.Refuse},
		}},
		Partners: map[string]inspect.Partner{"a": {
			Layer: inspect.Layer{Sample: 0.5, Severities: []inspect.Setting{
				{Reasons: "Imp.*", Severity: inspect.Observe}, {Reasons: "Imp.id.required", Severity: inspect.Warn},
			}},
			Publishers: map[string]inspect.Layer{"p1": {Sample: 1, Shadow: true, Severities: []inspect.Setting{{Reasons: "*", Severity: inspect.Refuse}}}},
		}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if _, err := inspect.New(got); err != nil {
		t.Error(err)
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
	if l := c.Lists[0]; l.Kind != ListSeller || l.Format != "csv" || l.BadEntriesMax != 3 || len(l.Columns) != 2 {
		t.Errorf("list %+v", l)
	}
	if l := c.Lists[1]; len(l.Entries) != 2 || l.Entries[1].Text != "::1" || l.Entries[1].Place.Line != 6 {
		t.Errorf("list %+v", l)
	}
	if r := c.Rules[0]; r.Severity != inspect.Warn || r.NBR != 500 || r.Message != "no" || r.OnError != OnErrorRefuse || !r.Interpreted || !r.Shadow || r.Sample != 0.005 {
		t.Errorf("rule %+v", r)
	}
	s := c.Scrub[0]
	var replaced []string
	for _, r := range s.Replace {
		replaced = append(replaced, r.Pointer+"="+r.JSON)
	}
	if want := []string{`/a="x"`, "/b=5", "/c=true", `/d=[1,{"e":"f"}]`, `/g="7"`}; !reflect.DeepEqual(replaced, want) {
		t.Errorf("replaced %q", replaced)
	}
	if s.Name != "s" || s.Remove[1].Pointer != "/b~1c" || s.Truncate[0].Place.Line != 12 || s.IPv4Bits != 16 || s.IPv6Bits != 48 || s.Decimals != 0 || s.Hash.KeyFile != "key" || s.Hash.Place.Line != 17 {
		t.Errorf("scrub %+v", s)
	}
	p := c.Partners[0]
	g, err := gateway.Configured(&c.Scope, nil)
	if err != nil {
		t.Fatal(err)
	}
	own := g.Partners[0]
	if m := own.Match; m.Path != "/x" || m.MTLS != "a.example" || m.From[0].String() != "192.0.2.1/32" || m.Headers[0] != (gateway.Header{Name: "X-A", Value: "b"}) || own.NoBid != "400" || own.Limits != (gateway.Limits{Rate: 10, Burst: 20, InFlight: 30}) {
		t.Errorf("partner %+v", own)
	}
	if u := p.Publishers[0]; u.ID != "123" || own.Publishers["123"].Rate != 5 || len(u.Scrub) != 1 || u.Place.Line != 23 {
		t.Errorf("publisher %+v", u)
	}
	if c.Rates.Values[1] != (Rate{"JPY", 0.0066}) {
		t.Errorf("rates %+v", c.Rates)
	}
	if got := p.Place.Problem("", "here").String(); got != "x.yaml:19:3: here\n  19 |   p:\n     |   ^" {
		t.Errorf("got %s", got)
	}
	if got := (Place{File: "y"}).Problem("z", "here").String(); got != `y: here (did you mean "z"?)` {
		t.Errorf("got %s", got)
	}
}
