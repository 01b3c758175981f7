package policytest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/internal/strictyaml"
)

// setup opens a small configuration.
func setup(t *testing.T) *config.Setup {
	t.Helper()
	c, problems := config.Parse("x.yaml", `{version: 1, severities: {"schema.*": off},
rules: [
  {name: blocked-site, when: 'site.domain == "blocked.example"', severity: refuse, nbr: 7},
  {name: trial, when: "tmax > 0", severity: refuse, nbr: 500, shadow: true},
  {name: noted, when: 'id == "noted"', severity: observe},
  {name: divided, when: "1 / at == 1", severity: observe},
  {name: told, when: 'facts.publisher == "p" && facts.peer == "192.0.2.1" && facts.forwarded == ["2001:db8::1"] && facts.user_agent == "ua"
    && facts.headers["x-a"] == "b" && facts.time == timestamp("2026-11-22T16:30:00Z") && facts.seen && facts.counts.ifa == 3 && facts.counts.address == 4
    && facts.vendor.ivt.score == 80 && facts.vendor.late.error', severity: refuse}],
fraud: {weights: {economics.tmax: 33}},
scrub: [{name: kids, when: regs.coppa == 1, remove: [/device/ifa], truncate: [/device/ip]}],
partners: {exchange-a: {match: {from: [192.0.2.0/24]}, rules: [{name: own, when: "true", severity: warn}]},
  watching: {match: {from: [192.0.2.0/24]}, enforce: 0%, publishers: {unscrubbed: {observe_scrubs: true}}}}}`, config.Options{})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	s, problems := c.Open(config.OpenOptions{})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return s
}

// TestDifferences runs cases. Each expects one thing; the differences are those after the arrow.
func TestDifferences(t *testing.T) {
	s := setup(t)
	worker := s.Engine.NewWorker()
	const (
		fine    = `request: {id: "1", at: 1}`
		blocked = `request: {id: "1", at: 1, site: {id: s, domain: blocked.example}}`
		child   = `request: '{"id":"1", "at":1,"regs":{"coppa":1},"device":{"IFA":"a","ifa":"b","ip":"192.0.2.9","ext":{"a/b":[{"c":1}]}}}'`
		watched = blocked + `, facts: {partner: watching}`
		// A child's request, whose scrub is observed.
		unscrubbed = child + `, facts: {partner: watching, publisher: unscrubbed}`
		told       = `facts: {partner: exchange-a, publisher: p, peer: 192.0.2.1, forwarded: ["2001:db8::1"], user_agent: ua, headers: {X-A: b}, time: "2026-11-22T17:30:00+01:00", seen: true, counts: {ifa: 3, address: 4}, vendor: {ivt: {score: 80}, late: {error: true}}}`
	)
	for _, c := range []struct{ of, expect, want string }{
		{fine, `{action: forward, findings: [policy.divided]}`, ""},
		{fine, `{action: refuse}`, "action refuse forward"},
		{fine, `{nbr: 0}`, "nbr 0 (none)"},
		{fine, `{findings: []}`, "findings (none) policy.divided"},
		{fine, `{findings: [policy.noted, "policy.d*", policy.told]}`, "findings policy.noted, policy.told policy.divided"},
		{fine, `{not_findings: ["policy.d*", policy.noted]}`, "not_findings no policy.d* policy.divided"},
		{fine, `{errors: [], scrubs: []}`, ""},
		{fine, `{shadow: {action: forward, errors: []}}`, ""},
		{fine, `{result: '{"id":"1","at":1}'}`, ""},
		{fine, `{result: {at: 1, id: "1"}}`, ""},
		{fine, `{result: {id: "1", at: 1.0}}`, `result {"id":"1","at":1.0} {"id":"1","at":1}`},
		{`request: {id: "1", at: 0}`, `{errors: [policy.divided]}`, ""},
		{`request: {id: "1", at: 0}`, `{errors: []}`, "errors (none) policy.divided"},
		{`request: {id: "1", tmax: 5}`, `{action: forward, shadow: {action: refuse, reason: policy.trial, nbr: 500}}`, ""},
		{`request: {id: "1", tmax: 5}`, `{shadow: {action: forward, not_findings: [policy.trial]}}`, "shadow.action forward refuse (policy.trial); shadow.not_findings no policy.trial policy.trial"},
		{watched, `{action: forward, observed: {action: refuse, reason: policy.blocked-site, nbr: 7, scrubs: []}}`, ""},
		{watched, `{observed: {reason: policy.told}}`, "observed.reason policy.told policy.blocked-site"},
		{fine, `{observed: {action: refuse}}`, "observed.action refuse forward"},
		{unscrubbed, `{action: forward, present: [/device/ifa], scrubs: [], observed: {action: forward, scrubs: [kids]}}`, ""},
		{blocked, `{action: refuse, reason: policy.blocked-site, nbr: 7}`, ""},
		{blocked, `{action: forward}`, "action forward refuse (policy.blocked-site)"},
		{blocked, `{reason: policy.told, nbr: 8}`, "reason policy.told policy.blocked-site; nbr 8 7"},
		{blocked, `{absent: [/x]}`, "result a request that goes on refuse (policy.blocked-site)"},
		{child, `{scrubs: [kids], absent: [/device/ifa, /device/*/d], present: [/device/ip, "/device/ext/a~1b/0/c", /device/ext/*/*/C]}`, ""},
		{child, `{scrubs: []}`, "scrubs (none) kids"},
		{child, `{result: '{"id":"1", "at":1,"regs":{"coppa":1},"device":{"ip":"192.0.2.0","ext":{"a/b":[{"c":1}]}}}'}`, ""},
		{child, `{absent: [/device/IP], present: [/device/ifa]}`, "absent /device/IP is absent it is there; present /device/ifa is there it is absent"},
		{fine + ", " + told, `{reason: policy.told, findings: [policy.own]}`, ""},
		{`request: {at: 1, bcat: [a, true, null, 1.50, "1"], ext: {"<": {}}}`, `{result: '{"at":1,"bcat":["a",true,null,1.50,"1"],"ext":{"<":{}}}'}`, "result a request that goes on refuse (json.type)"},
		{`request: {id: "1", at: 1, ext: {"<": [a, true, null, 1.50, "1"]}}`, `{result: '{"id":"1","at":1,"ext":{"<":["a",true,null,1.50,"1"]}}'}`, ""},
		{`request: '{'`, `{reason: json.truncated}`, ""},
		{`request: {id: "1", tmax: 5, at: 1}`, `{score: 33, findings: [fraud.economics.tmax], shadow: {score: ">=33"}}`, ""},
		{`request: {id: "1", tmax: 5, at: 1}`, `{score: "<33"}`, "score <33 33 (economics.tmax 33)"},
		{`request: {id: "1", tmax: 5, at: 1}`, `{score: ">33", shadow: {score: 34}}`, "score >33 33 (economics.tmax 33); shadow.score 34 33 (economics.tmax 33)"},
		{`request: {id: "1", tmax: 5, at: 1}`, `{score: "<=32"}`, "score <=32 33 (economics.tmax 33)"},
		{fine, `{score: "<1"}`, ""},
		{fine, `{score: ">= 1"}`, "score >= 1 0"},
		{fine + `, facts: {vendor: {late: {error: true, score: 100}}}`, `{score: 100, findings: [fraud.vendor.absent, fraud.score]}`, ""},
		{fine + `, facts: {vendor: {late: {error: true}, early: {score: 10}}}`, `{score: 10}`, ""},
	} {
		text := fmt.Sprintf("cases: [{name: x, %s, expect: %s}]", c.of, c.expect)
		list, problems := Parse("x.yaml", text, s)
		if len(problems) > 0 {
			t.Errorf("%s\n%v", text, problems)
			continue
		}
		var got []string
		for _, d := range list[0].Run(worker) {
			got = append(got, d.What+" "+d.Expected+" "+d.Found)
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%s, %s:\ngot  %s\nwant %s", c.of, c.expect, strings.Join(got, "; "), c.want)
		}
	}
}

// TestMistakes wants one problem for each mistake, at the place that « marks.
func TestMistakes(t *testing.T) {
	s := setup(t)
	for _, c := range []struct{ text, message, suggestion string }{
		{`«[]`, "expected a mapping with cases", ""},
		{`«{}`, `missing required key "cases"`, ""},
		{`cases: «[]`, "there is no case", ""},
		{`cases: [«{request: "{}", expect: {action: forward}}]`, `missing required key "name"`, ""},
		{`cases: [«{name: x, expect: {action: forward}}]`, `missing "request" or "request_file"`, ""},
		{`cases: [{name: x, «requst: "{}", expect: {action: forward}}]`, "unknown key", "request"},
		{`cases: [{name: x, request: "{}", «request_file: f, expect: {action: forward}}]`, "one of them has to go", ""},
		{`cases: [{name: x, request: «7, expect: {action: forward}}]`, "expected a request: text, or a mapping, found the number 7", `"7"`},
		{`cases: [{name: x, request: {a: «.inf}, expect: {action: forward}}]`, "JSON has no such value", ""},
		{`cases: [{name: x, request: {a: 1, «a: 2}, expect: {action: forward}}]`, "duplicate key", ""},
		{`cases: [{name: x, request_file: «none.json, expect: {action: forward}}]`, "cannot read the request: no such file", ""},
		{`cases: [{name: x, request: "{}", expect: «{}}]`, "nothing is expected", ""},
		{`cases: [{name: x, request: "{}", expect: {shadow: «{}}}]`, "nothing is expected", ""},
		{`cases: [{name: x, request: "{}", expect: {action: «refused}}]`, "expected an action", "refuse"},
		{`cases: [{name: x, request: "{}", expect: {action: forward, «nbr: 7}}]`, "nbr of a request that is forwarded", ""},
		{`cases: [{name: x, request: "{}", expect: {action: refuse, «absent: [/x]}}]`, "absent of a request that is refused", ""},
		{`cases: [{name: x, request: "{}", expect: {reason: «policy.blocked-sit}}]`, "no reason", "policy.blocked-site"},
		{`cases: [{name: x, request: "{}", expect: {reason: «blocked-site}}]`, "no reason", "policy.blocked-site"},
		{`cases: [{name: x, request: "{}", expect: {reason: «bloked-site}}]`, "no reason", "policy.blocked-site"},
		{`cases: [{name: x, request: "{}", expect: {findings: [policy.own, «Imp.id.requird]}}]`, "no reason", "schema.Imp.id.required"},
		{`cases: [{name: x, request: "{}", expect: {not_findings: [«"policy.x*"]}}]`, "no reason", "policy.own"},
		{`cases: [{name: x, request: "{}", expect: {not_findings: [«"*x*"]}}]`, "a pattern has one * only", ""},
		{`cases: [{name: x, request: "{}", expect: {shadow: {errors: [«policy.divide]}}}]`, "no condition with the id", "policy.divided"},
		{`cases: [{name: x, request: "{}", expect: {errors: [«kids]}}]`, "no condition with the id", "scrub.kids"},
		{`cases: [{name: x, request: "{}", expect: {scrubs: [«kid]}}]`, "no scrub", "kids"},
		{`cases: [{name: x, request: "{}", expect: {score: «">>60"}}]`, `expected a score such as 60, or a comparison such as ">=60"`, ""},
		{`cases: [{name: x, request: "{}", expect: {score: «[60]}}]`, `expected a score such as 60, or a comparison such as ">=60"`, ""},
		{`cases: [{name: x, request: "{}", expect: {score: «">100"}}]`, "no score is >100: they are from 0 to 100", ""},
		{`cases: [{name: x, request: "{}", expect: {score: «"<0"}}]`, "no score is <0", ""},
		{`cases: [{name: x, request: "{}", expect: {score: «101}}]`, "no score is 101", ""},
		{`cases: [{name: x, request: "{}", expect: {findings: [«economics.tmax]}}]`, "no reason", "fraud.economics.tmax"},
		{`cases: [{name: x, request: "{}", expect: {absent: [«device]}}]`, "a path begins with /", "/device"},
		{`cases: [{name: x, request: "{}", expect: {present: [«/a~b]}}]`, "~ is written as ~0", ""},
		{`cases: [{name: x, request: "{}", facts: {partner: «exchange-b}, expect: {nbr: 0}}]`, "no partner", "exchange-a"},
		{`cases: [{name: x, request: "{}", facts: {peer: «a.example}, expect: {nbr: 0}}]`, "write an IPv4 or IPv6 address", ""},
		{`cases: [{name: x, request: "{}", facts: {time: «yesterday}, expect: {nbr: 0}}]`, "2026-11-22T16:30:00Z", ""},
		{`cases: [{name: x, request: "{}", expect: {nbr: 0}}, {name: «x, request: "{}", expect: {nbr: 0}}]`, "another case has the name", ""},
	} {
		at := strings.Index(c.text, "«")
		list, problems := Parse("x.yaml", strings.Replace(c.text, "«", "", 1), s)
		if list != nil || len(problems) != 1 || problems[0].Offset != at || !strings.Contains(problems[0].Message, c.message) || problems[0].Suggestion != c.suggestion {
			t.Errorf("%s\ngot %v\nwant %s (%s) at %d", c.text, problems, c.message, c.suggestion, at)
		}
	}
}

// TestLoad reads requests from files, relative to the file that names them.
func TestLoad(t *testing.T) {
	s := setup(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "x.json")
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("request.json", `{"id":"noted"}`)
	write("x.json", `{"cases": [
	  {"name": "noted", "request_file": "request.json", "expect": {"findings": ["policy.noted"]}},
	  {"name": "folder", "request": {"id": "2"}, "expect": {"not_findings": ["policy.noted"]}}]}`)
	list, problems := Load(file, s)
	if len(problems) > 0 || len(list) != 2 || list[1].Line != 3 || list[1].File != file {
		t.Fatalf("%v, %v", list, problems)
	}
	for i := range list {
		if d := list[i].Run(s.Engine.NewWorker()); d != nil {
			t.Error(d)
		}
	}
	write("large", strings.Repeat(" ", RequestMax+1))
	for name, want := range map[string]string{"large": "more than", ".": "cannot read"} {
		write("x.json", `{"cases": [{"name": "x", "request_file": "`+name+`", "expect": {"nbr": 0}}]}`)
		if _, problems := Load(file, s); len(problems) != 1 || !strings.Contains(problems[0].Message, want) {
			t.Errorf("%s: %v", name, problems)
		}
	}
}

// Parse is [Load] for a text. The name is for messages, and files are relative to it.
func Parse(name, text string, s *config.Setup) ([]Case, config.Problems) {
	node, problems := strictyaml.Parse(name, text)
	return read(node, problems, s)
}
