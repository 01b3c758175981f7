package config_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/stream/kafka"
)

// These tests are about what a configuration names: lists, rates, keys, conditions and scrubs.

// folder writes files and returns the path of the first.
func folder(t *testing.T, files ...string) (first string) {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		name := filepath.Join(dir, files[i])
		write(t, name, files[i+1])
		if first == "" {
			first = name
		}
	}
	return first
}

// write replaces a file as a whole.
func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name+"~", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(name+"~", name); err != nil {
		t.Fatal(err)
	}
}

const whole = `version: 1
lists:
  blocked: {kind: domain, file: lists/blocked.txt}
  cloud: {kind: prefix, entries: [192.0.2.0/24]}
rates: {file: rates.csv}
rules:
  - {name: blocked-site, when: site.domain in lists.blocked, severity: refuse, nbr: 7}
  - {name: floor, when: "imp.exists(i, usd(i.bidfloor, i.bidfloorcur) > 10.0)", severity: refuse}
  - {name: undefined, when: 1 / tmax > 0, severity: refuse, on_error: refuse, nbr: 15}
scrub:
  - {name: coppa, when: regs.coppa == 1, remove: [/device/ifa], hash: {paths: [/user/id], key_env: KEY}}
partners:
  a:
    rules: [{name: cloud, when: device.ip in lists.cloud, severity: refuse, nbr: 5}]
    publishers: {p1: {severities: {policy.cloud: warn}}}
`

func request(domain, more string) []byte {
	return []byte(`{"id":"1","tmax":100,"imp":[{"id":"1","banner":{"w":300,"h":250},"bidfloor":9.0,"bidfloorcur":"EUR"}],"site":{"id":"s","domain":"` + domain + `"}` + more + `}`)
}

// TestOpen asks a configuration that has everything for verdicts.
func TestOpen(t *testing.T) {
	name := folder(t, "c.yaml", whole, "lists/blocked.txt", "bad.example\n", "rates.csv", "EUR,1.08\n")
	s, problems := config.Open(name, config.OpenOptions{Environ: []string{"KEY=0123456789abcdef"}})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	w := s.Engine.NewWorker()
	for _, test := range []struct {
		body   []byte
		facts  inspect.Facts
		reason string
		nbr    int
	}{
		{body: request("good.example", "")},
		{body: request("www.bad.example", ""), reason: "policy.blocked-site", nbr: 7},
		{body: []byte(strings.Replace(string(request("x.example", "")), "9.0", "9.5", 1)), reason: "policy.floor", nbr: 501},
		{body: []byte(strings.Replace(string(request("x.example", "")), `"tmax":100,`, "", 1)), reason: "policy.undefined", nbr: 15},
		{body: request("x.example", `,"device":{"ip":"192.0.2.9"}`)},
		{body: request("x.example", `,"device":{"ip":"192.0.2.9"}`), facts: inspect.Facts{Partner: "b"}},
		{body: request("x.example", `,"device":{"ip":"192.0.2.9"}`), facts: inspect.Facts{Partner: "a"}, reason: "policy.cloud", nbr: 5},
		{body: request("x.example", `,"device":{"ip":"192.0.2.9"}`), facts: inspect.Facts{Partner: "a", Publisher: "p1"}},
	} {
		v := w.Inspect(test.body, test.facts)
		if v.Reason != test.reason || int(v.NBR) != test.nbr {
			t.Errorf("%s with %v: %s, nbr %d; want %q, nbr %d", test.body, test.facts, v.Reason, v.NBR, test.reason, test.nbr)
		}
	}
	body := request("x.example", `,"regs":{"coppa":1},"device":{"ifa":"8F0A"},"user":{"id":"u-1"}`)
	v := w.Inspect(body, inspect.Facts{})
	out, err := v.Apply(nil, body)
	if err != nil || strings.Contains(string(out), "8F0A") || strings.Contains(string(out), "u-1") || !strings.Contains(string(out), `"user":{"id":"`) {
		t.Errorf("%s, %v, scrubs %v", out, err, v.Scrubs)
	}
}

// TestOpenProblems has one mistake of every kind that only opening finds, and each has its place.
func TestOpenProblems(t *testing.T) {
	name := folder(t, "c.yaml", `version: 1
lists:
  missing: {kind: domain, file: lists/missing.txt}
  bad: {kind: prefix, file: lists/bad.txt}
  inline: {kind: domain, entries: ["not a domain"]}
rates: {file: rates.csv}
scrub:
  - {name: a, remove: [/device/ifaa]}
  - {name: b, hash: {paths: [/user/id], key_env: NO_SUCH_KEY}}
  - {name: c, hash: {paths: [/user/id], key_file: short.key}}
  - {name: d, hash: {paths: [/user/id], key_file: missing.key}}
`, "lists/bad.txt", "192.0.2.0/24\nnonsense\n", "rates.csv", "EUR,1.08\nXYZ,1\n", "short.key", "abc")
	_, problems := config.Open(name, config.OpenOptions{})
	for _, want := range []struct {
		line int
		text string
	}{
		{3, "no such file"}, {4, "bad.txt:2:"}, {5, "entries, line 1"}, {6, "rates.csv:2:"}, {8, "ifaa"},
		{9, "NO_SUCH_KEY"}, {10, "3 bytes"}, {11, "missing.key"},
	} {
		if !slices.ContainsFunc(problems, func(p config.Problem) bool { return p.Line == want.line && strings.Contains(p.Message, want.text) }) {
			t.Errorf("no problem in line %d that says %q", want.line, want.text)
		}
	}
	if t.Failed() || len(problems) != 8 {
		t.Errorf("%d problems, want 8:\n%v", len(problems), problems)
	}
	if !slices.ContainsFunc(problems, func(p config.Problem) bool { return p.Suggestion == "/device/ifa" }) {
		t.Error("the nearest pointer is not suggested")
	}
	name = folder(t, "c.yaml", "version: 1\nrules: [{name: x, when: site.domian == tmax, severity: warn}]\n")
	if _, problems = config.Open(name, config.OpenOptions{}); len(problems) == 0 || problems[0].Suggestion != "domain" {
		t.Errorf("problems of a condition: %v", problems)
	}
}

// TestLive changes the files of a configuration while workers judge: they see the old one or the
// new one, and after a mistake the last good one.
func TestLive(t *testing.T) {
	name := folder(t, "c.yaml", whole, "lists/blocked.txt", "bad.example\n", "rates.csv", "EUR,1.08\n")
	dir := filepath.Dir(name)
	var last config.Problems
	live, problems := config.Follow(name, config.OpenOptions{Environ: []string{"KEY=0123456789abcdef"}}, func(_ *config.Setup, p config.Problems) error { last = p; return nil })
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	w := live.Holder().NewWorker()
	expect := func(step, domain, reason string) {
		t.Helper()
		if v := w.Inspect(request(domain, ""), inspect.Facts{}); v.Reason != reason {
			t.Errorf("%s: %s has reason %q, want %q", step, domain, v.Reason, reason)
		}
	}
	expect("at first", "bad.example", "policy.blocked-site")
	write(t, filepath.Join(dir, "lists/blocked.txt"), "worse.example\n")
	live.Refresh()
	expect("new list", "bad.example", "")
	expect("new list", "worse.example", "policy.blocked-site")
	write(t, filepath.Join(dir, "rates.csv"), "EUR,2.0\n")
	live.Refresh()
	expect("new rates", "good.example", "policy.floor")
	write(t, filepath.Join(dir, "rates.csv"), "EUR,1.0\n")
	write(t, name, strings.Replace(whole, "site.domain in", "site.domian in", 1))
	live.Refresh()
	if len(last) != 1 || last[0].Suggestion != "domain" {
		t.Errorf("problems after a mistake: %v", last)
	}
	last = nil
	live.Refresh()
	if last != nil {
		t.Error("a mistake is reported again without a change")
	}
	expect("after a mistake", "good.example", "policy.floor")
	write(t, name, strings.Replace(whole, "nbr: 7", "nbr: 8", 1))
	live.Refresh()
	expect("after it was repaired", "worse.example", "policy.blocked-site")
	expect("after it was repaired", "good.example", "")
	if problems := live.Reload("a test"); len(problems) > 0 || len(live.Paths()) != 3 || len(rule.Configured(&live.Setup().Config.Scope)) != 3 {
		t.Errorf("reload: %v, paths %v", problems, live.Paths())
	}
	if o := live.Origin(); o.By != "a test" || len(o.Files) != 1 || o.Files[0].Path != name {
		t.Errorf("after a reload: %+v", o)
	}
	if _, problems := config.Follow(filepath.Join(dir, "missing.yaml"), config.OpenOptions{}, nil); len(problems) == 0 {
		t.Error("a missing file is followed")
	}
}

// TestLiveOrigin says which file is in use, as sha256sum would, and why it was read.
func TestLiveOrigin(t *testing.T) {
	name := folder(t, "c.yaml", "version: 1\ninclude: part.yaml\n", "part.yaml", "max_findings: 5\n")
	live, problems := config.Follow(name, config.OpenOptions{}, nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	expect := func(by string, texts ...string) {
		t.Helper()
		o := live.Origin()
		if o.By != by || len(o.Files) != len(texts) {
			t.Fatalf("%+v, want %s and %d files", o, by, len(texts))
		}
		for i, text := range texts {
			if want := fmt.Sprintf("%x", sha256.Sum256([]byte(text))); o.Files[i].SHA256 != want {
				t.Errorf("%s: %s, want %s", o.Files[i].Path, o.Files[i].SHA256, want)
			}
		}
	}
	expect("the start", "version: 1\ninclude: part.yaml\n", "max_findings: 5\n")
	write(t, filepath.Join(filepath.Dir(name), "part.yaml"), "max_findings: 6\n")
	live.Refresh()
	expect("a change of the file", "version: 1\ninclude: part.yaml\n", "max_findings: 6\n")
	write(t, name, "version: 2\n")
	live.Reload("SIGHUP") // it stays
	expect("a change of the file", "version: 1\ninclude: part.yaml\n", "max_findings: 6\n")
	write(t, name, "version: 1\n")
	live.Reload("SIGHUP")
	expect("SIGHUP", "version: 1\n")
}

// old makes files look as if nobody had changed them for an hour.
func old(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		if err := os.Chtimes(name, time.Time{}, time.Now().Add(-time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLiveKeepsTheLastGood: an attempt with any mistake changes neither the setup nor the engine.
func TestLiveKeepsTheLastGood(t *testing.T) {
	name := folder(t, "c.yaml", whole, "lists/blocked.txt", "bad.example\n", "rates.csv", "EUR,1.08\n")
	dir := filepath.Dir(name)
	attempts := 0
	live, problems := config.Follow(name, config.OpenOptions{Environ: []string{"KEY=0123456789abcdef"}}, func(s *config.Setup, p config.Problems) error {
		if attempts++; (s == nil) != (len(p) > 0) {
			t.Errorf("news of %v with %v", s, p)
		}
		return nil
	})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	setup, engine := live.Setup(), live.Holder().Engine()
	for i, mistake := range [][3]string{
		{"c.yaml", "version: 2\n", whole},
		{"c.yaml", "", whole},
		{"c.yaml", strings.Replace(whole, "site.domain in", "site.domian in", 1), whole},
		{"c.yaml", strings.Replace(whole, "lists/blocked.txt", "lists/none.txt", 1), whole},
		{"rates.csv", "EUR,-1\n", "EUR,1.08\n"},
		{"lists/blocked.txt", "not a domain\n", "bad.example\n"},
	} {
		write(t, filepath.Join(dir, mistake[0]), mistake[1])
		if problems := live.Reload("a test"); len(problems) == 0 || attempts != i+1 {
			t.Errorf("%s with %q: %v, %d attempts", mistake[0], mistake[1], problems, attempts)
		}
		if live.Setup() != setup || live.Holder().Engine() != engine || len(live.Paths()) != 3 {
			t.Errorf("%s with %q takes effect", mistake[0], mistake[1])
		}
		write(t, filepath.Join(dir, mistake[0]), mistake[2])
	}
	if problems := live.Reload("a test"); len(problems) > 0 || live.Setup() == setup || live.Holder().Engine() == engine {
		t.Errorf("after all: %v", problems)
	}
}

// TestLiveFollowsSecrets: a change of a file with a token or a key is one of the configuration.
func TestLiveFollowsSecrets(t *testing.T) {
	name := folder(t, "c.yaml", `version: 1
scrub: [{name: ids, hash: {paths: [/user/id], key_file: secrets/key}}]
gateway: {upstreams: ["http://127.0.0.1:9"]}
partners: {a: {match: {token_file: secrets/token}}}
`, "secrets/key", "0123456789abcdef\n", "secrets/token", "first-token-0123456789abcdef0123456789\n")
	dir := filepath.Dir(name)
	attempts := 0
	live, problems := config.Follow(name, config.OpenOptions{}, func(*config.Setup, config.Problems) error { attempts++; return nil })
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	live.Refresh()
	for i, secret := range []string{"secrets/key", "secrets/token"} {
		if !slices.Contains(live.Paths(), filepath.Join(dir, secret)) {
			t.Errorf("%s is not among %v", secret, live.Paths())
		}
		before := live.Setup()
		write(t, filepath.Join(dir, secret), "another-secret-0123456789abcdef0123456789\n")
		live.Refresh()
		live.Refresh()
		if attempts != i+1 || live.Setup() == before {
			t.Errorf("after a change of %s: %d attempts", secret, attempts)
		}
	}
}

// TestReloadReadsWhatChanged: a reload loads the lists again whose files have changed, and no
// other.
func TestReloadReadsWhatChanged(t *testing.T) {
	const text = `version: 1
lists:
  a: {kind: domain, file: a.txt}
  b: {kind: domain, file: b.txt}
  c: {kind: domain, file: c.txt}
rules: [{name: x, when: site.domain in lists.a || site.domain in lists.b || site.domain in lists.c, severity: refuse}]
`
	name := folder(t, "c.yaml", text, "a.txt", "a.example\n", "b.txt", "b.example\n", "c.txt", "c.example\n")
	dir := filepath.Dir(name)
	old(t, filepath.Join(dir, "a.txt"), filepath.Join(dir, "b.txt"), filepath.Join(dir, "c.txt"))
	live, problems := config.Follow(name, config.OpenOptions{}, nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	loads := func() (counts []uint64) {
		for _, l := range live.Setup().Lists.Lists() {
			counts = append(counts, l.Status().Loads)
		}
		return counts
	}
	tables := func() (all []any) {
		for _, l := range live.Setup().Lists.Lists() {
			all = append(all, l.Table())
		}
		return all
	}
	w := live.Holder().NewWorker()
	expect := func(step, refused string, want ...uint64) {
		t.Helper()
		if got := loads(); !slices.Equal(got, want) {
			t.Errorf("%s: the lists were loaded %v times, want %v", step, got, want)
		}
		for _, domain := range []string{"a.example", "b.example", "c.example", "d.example"} {
			if v := w.Inspect(request(domain, ""), inspect.Facts{}); (v.Reason != "") != strings.Contains(refused, domain[:1]) {
				t.Errorf("%s: %s has reason %q", step, domain, v.Reason)
			}
		}
	}
	expect("at first", "abc", 1, 1, 1)
	before := tables()
	write(t, filepath.Join(dir, "b.txt"), "d.example\n")
	if problems := live.Reload("a test"); len(problems) > 0 {
		t.Fatal(problems)
	}
	expect("a reload", "acd", 1, 2, 1)
	if after := tables(); after[0] != before[0] || after[1] == before[1] || after[2] != before[2] {
		t.Error("an unchanged list has another table")
	}
	// A reload that fails has loaded a list: the set in use gets it when it looks the next time.
	write(t, filepath.Join(dir, "c.txt"), "b.example\n")
	write(t, name, text+"rates: {values: {XYZ: 1}}\n")
	if problems := live.Reload("a test"); len(problems) == 0 {
		t.Fatal("a mistake is accepted")
	}
	live.Refresh()
	expect("after a mistake", "abd", 1, 2, 2)
	// Another definition is another list.
	write(t, name, strings.Replace(text, "b: {kind: domain, file: b.txt}", "b: {kind: string, file: b.txt}", 1))
	live.Refresh()
	expect("another kind", "abd", 1, 1, 2)
}

// TestLiveUnderLoad reloads while workers judge.
func TestLiveUnderLoad(t *testing.T) {
	name := folder(t, "c.yaml", whole, "lists/blocked.txt", "bad.example\n", "rates.csv", "EUR,1.08\n")
	live, problems := config.Follow(name, config.OpenOptions{Environ: []string{"KEY=0123456789abcdef"}}, nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	stop := make(chan struct{})
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			w := live.Holder().NewWorker()
			for {
				select {
				case <-stop:
					return
				default:
				}
				if v := w.Inspect(request("bad.example", ""), inspect.Facts{}); v.Reason != "policy.blocked-site" {
					t.Errorf("reason %q", v.Reason)
					return
				}
			}
		})
	}
	reloads := 200
	if testing.Short() {
		reloads = 20
	}
	for i := range reloads {
		text := whole
		if i%2 == 0 {
			text = "version: 2\n" // refused
		}
		write(t, name, text)
		live.Refresh()
	}
	close(stop)
	group.Wait()
}

// TestReviewAmbiguity: a scrub with a condition needs the rules about keys that come twice.
func TestReviewAmbiguity(t *testing.T) {
	for preset, want := range map[string]int{"admission": 0, "exchange": 2, "strict": 2} {
		s, problems := config.Open(folder(t, "c.yaml", "version: 1\nschema: {preset: "+preset+"}\nscrub: [{when: regs.coppa == 1, remove: [/device/ifa]}]\n"+
			"partners: {a: {match: {mtls: x}}, b: {match: {mtls: y}}, c: {match: {mtls: x}}}\n"), config.OpenOptions{})
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		scrubs, partners := 0, 0
		for _, w := range s.Review() {
			scrubs += strings.Count(w.Message, "other parsers may read the other one")
			partners += strings.Count(w.Message, "the partners a and c match the same requests")
		}
		if scrubs != want || partners != 1 {
			t.Errorf("%s: %v", preset, s.Review())
		}
	}
}

// TestOpenEnvironment makes a configuration of variables alone, and none without any.
func TestOpenEnvironment(t *testing.T) {
	s, problems := config.OpenEnvironment(config.OpenOptions{Environ: []string{"PATH=/bin", "RTBWIRE_CONFIG=", "RTBWIRE_STREAM_GROUP="}})
	if s != nil || problems != nil {
		t.Errorf("%+v, %v", s, problems)
	}
	s, problems = config.OpenEnvironment(config.OpenOptions{Environ: []string{"RTBWIRE_STREAM_GROUP=edge", "RTBWIRE_SCHEMA_PRESET=strict"}})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if kafka.Configured(&s.Config.Scope).Group != "edge" || inspect.Configured(&s.Config.Scope).Preset != "strict" || s.Engine == nil {
		t.Errorf("%+v", s.Config)
	}
	s, problems = config.OpenEnvironment(config.OpenOptions{Environ: []string{"RTBWIRE_STREAM_GROUP=edge", "RTBWIRE_STREAM_GRUOP=edge"}})
	if want := `RTBWIRE_STREAM_GRUOP: no key has this environment variable (did you mean "RTBWIRE_STREAM_GROUP"?)`; s != nil || problems.Error() != want {
		t.Errorf("%v", problems)
	}
}
