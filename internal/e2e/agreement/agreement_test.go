package agreement

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/internal/traffic/simulate"
	"github.com/rtbwire/rtbwire/wire"
	"github.com/rtbwire/rtbwire/wire/splice"
)

// configuration has something of every kind: severities, lists, rules that ask for facts, payloads,
// the score, scrubs, a partner with a publisher, layers in shadow and with a sample.
const configuration = `version: 1
annotate: true
severities: {fraud.score: refuse, "*.deprecated": observe}
fraud: {threshold: 55, weights: {identifier.missing: 10}}
lists:
  domains: {kind: domain, entries: [site-1.example, foobar.com]}
  networks: {kind: prefix, entries: [127.0.0.0/8]}
rules:
  - {name: listed, when: site.domain in lists.domains, severity: refuse, nbr: 7}
  - {name: hurry, when: 'at == 1 && size(imp) > 2', severity: warn}
  - {name: here, when: 'facts.peer in lists.networks && facts.headers["x-region"] == "eu" && device.devicetype == 4', severity: observe}
  - {name: cheap, when: 'imp.exists(i, i.bidfloor > 0.0 && i.bidfloor < 0.1)', severity: SEVERITY, sample: 50%}
  - {name: agent, when: 'facts.user_agent != "agreement/1"', severity: refuse}
  - {name: pairs, when: 'imp.exists(i, imp.exists(j, i.id != j.id && i.tagid == "pair" && j.tagid == "pair"))', severity: refuse, on_error: pass}
  - {name: watched, when: 'imp.exists(i, imp.exists(j, i.id != j.id && i.tagid == "watched" && j.tagid == "watched"))', severity: observe}
  - {name: unrated, when: 'imp.exists(i, i.tagid == "rate" && usd(i.bidfloor, i.bidfloorcur) > 1.0)', severity: refuse}
  - {name: open, when: 'imp.exists(i, i.tagid == "open" && 1 / at == 2)', severity: refuse}
  - {name: closed, when: 'imp.exists(i, i.tagid == "closed" && 1 / at == 2)', severity: refuse, on_error: refuse}
scrub:
  - {when: 'regs.gdpr == 1 || device.lmt == 1', remove: [/device/ifa, /user/id, /user/buyeruid], truncate: [/device/ip, /device/geo]}
gateway:
  upstreams: ["http://127.0.0.1:9"]
  headers: [X-Region]
  windows: false
partners:
  exchange-a:
    match: {path: /exchange-a, from: [127.0.0.0/8, "::1/128"]}
    rules:
      - {name: video-only, when: 'imp.all(i, has(i.native))', severity: refuse, nbr: 500}
      - {name: trial, when: 'user.buyeruid == ""', severity: refuse, shadow: true}
`

// partly is the configuration with a part of the partner's requests enforced.
var partly = strings.Replace(configuration, "\n  exchange-a:\n", "\n  exchange-a:\n    enforce: 60%\n", 1)

// known is what every front end is told about every request.
var known = inspect.Facts{
	Partner: "exchange-a", Peer: netip.MustParseAddr("127.0.0.1"), UserAgent: "agreement/1", Headers: []inspect.Header{{Name: "X-Region", Value: "eu"}},
}

// open loads the configuration. severity is a rule's severity.
func open(t *testing.T, severity string) *config.Setup {
	t.Helper()
	return load(t, strings.ReplaceAll(configuration, "SEVERITY", severity))
}

func load(t *testing.T, text string) *config.Setup {
	t.Helper()
	file := filepath.Join(t.TempDir(), "rtbwire.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, problems := config.Open(file, config.OpenOptions{})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return s
}

// withoutValue are requests that rules have no value for, and one that two impressions are refused
// for, with the reason. Work beyond the limit refuses, and so does data that is not loaded.
func withoutValue() (docs [][]byte, reasons []string) {
	for _, c := range []struct {
		imps        int
		tag, reason string
	}{
		{2, "pair", "policy.pairs"}, {1, "rate", "policy.unrated"}, {1, "open", ""}, {1, "closed", "policy.closed"}, {1100, "x", "limit.rule"},
	} {
		var imps []string
		for i := range c.imps {
			imps = append(imps, fmt.Sprintf(`{"id":"%d","tagid":%q,"bidfloor":2.0,"bidfloorcur":"EUR","banner":{"w":300,"h":250}}`, i, c.tag))
		}
		docs = append(docs, fmt.Appendf(nil, `{"id":"%s","imp":[%s],"site":{"id":"s","page":"https://a.example/"}}`, c.tag, strings.Join(imps, ",")))
		reasons = append(reasons, c.reason)
	}
	return docs, reasons
}

// documents are requests of the corpus and of simulated traffic with faults, and texts that are not
// requests. Each of them is a line. They have no tmax: a gateway ends when it is over, and tests
// share their processors.
func documents(t *testing.T, corpus, simulated int) (docs [][]byte) {
	t.Helper()
	add := func(text []byte) {
		if text, err := splice.Apply(nil, text, wire.Remove("/tmax")); err == nil {
			docs = append(docs, text)
			return
		}
		docs = append(docs, text)
	}
	all := testkit.Requests(t)
	for i := 0; i < len(all); i += max(1, len(all)/corpus) {
		if bytes.ContainsRune(all[i], '\n') {
			var b bytes.Buffer
			if err := json.Compact(&b, all[i]); err != nil {
				t.Fatal(err)
			}
			add(b.Bytes())
			continue
		}
		add(all[i])
	}
	g, err := simulate.New(simulate.Config{Seed: 21, Shape: simulate.Mixed, Defects: simulate.Percent(20), Payloads: simulate.Percent(10), Fraud: simulate.Percent(10)})
	if err != nil {
		t.Fatal(err)
	}
	for n := range simulated {
		text, _ := g.AppendRequest(nil, uint64(n))
		if !bytes.ContainsRune(text, '\n') {
			add(text)
		}
	}
	for _, text := range []string{"x", "{", `[]`, `"text"`, `{"id":"1"} {"id":"2"}`, `{"id":1}`, `{"id":"1","imp":[{"id":"1"}],"imp":[]}`, strings.Repeat("[", 20000)} {
		docs = append(docs, []byte(text))
	}
	more, _ := withoutValue()
	return append(docs, more...)
}

// The aspects of a verdict. Not every front end shows all of them.
const (
	decision  = "decision"  // action, reason, no-bid reason
	would     = "would"     // the reason that would refuse a request that is only observed
	score     = "score"     // of fraud
	findings  = "findings"  // ids, severities, paths, offsets
	place     = "place"     // path and offset of what refuses
	forwarded = "forwarded" // the document that goes on, "" if it is refused
)

// aspects are what is seen of the verdict on a document.
type aspects map[string]string

func decisionOf(action, reason string, nbr int) string {
	return fmt.Sprintf("%s %q %d", action, reason, nbr)
}

func findingOf(id, severity, path string, offset int) string {
	return fmt.Sprintf("%s %s at %q, %d\n", id, severity, path, offset)
}

// truth are the verdicts of the engine itself.
func truth(t *testing.T, e *inspect.Engine, docs [][]byte) (all []aspects) {
	t.Helper()
	w := e.NewWorker()
	for _, doc := range docs {
		v := w.Inspect(doc, known)
		a := aspects{
			decision: decisionOf(v.Action.String(), v.Reason, int(v.NBR)), score: fmt.Sprint(v.Score), findings: "", forwarded: "",
			would: v.WouldRefuse().Reason,
		}
		for i := range v.Findings {
			f := &v.Findings[i]
			a[findings] += findingOf(f.ID, f.Severity.String(), f.Path, f.Offset)
			if _, ok := a[place]; !ok && f.ID == v.Reason {
				a[place] = fmt.Sprintf("%q, %d", f.Path, f.Offset)
			}
		}
		if v.Action == inspect.ActionForward {
			out, err := v.Apply(nil, doc)
			if err != nil {
				t.Fatal(err)
			}
			a[forwarded] = string(out)
		}
		all = append(all, a)
	}
	return all
}

// frontEnd returns what it shows of the verdict on each document.
type frontEnd struct {
	name  string
	shows []string // of at least half of the documents, or of those that are refused
	ask   func(t *testing.T, s *config.Setup, docs [][]byte) []aspects
}

var frontEnds = []frontEnd{
	{"gateway", []string{decision, score, forwarded}, askGateway},
	{"gateway with net/http", []string{decision, score, forwarded}, askGatewayStd},
	{"stream", []string{decision, place, forwarded}, askStream},
	{"filter", []string{decision, score, findings}, askFilter},
	{"filter --emit accepted", []string{forwarded}, askAccepted},
	{"check", []string{decision, score, findings}, askCheck},
}

// differences compares what was seen with the truth, and counts by aspect what was compared.
func differences(docs [][]byte, want, got []aspects) (list []string, compared map[string]int) {
	compared = map[string]int{}
	for i := range want {
		for _, name := range slices.Sorted(maps.Keys(got[i])) {
			compared[name]++
			if got[i][name] != want[i][name] {
				list = append(list, fmt.Sprintf("document %d, %s: %s\nwant %s\nof %.200s", i, name, got[i][name], want[i][name], docs[i]))
			}
		}
	}
	return list, compared
}

// TestAgreement asks all front ends about the same documents, with the same configuration and the
// same facts.
func TestAgreement(t *testing.T) {
	docs := documents(t, testkit.Scale(t, 60, 1000, 1<<20), testkit.Scale(t, 60, 600, 20000))
	want := truth(t, open(t, "refuse").Engine, docs)
	_, reasons := withoutValue()
	for i, reason := range reasons {
		at := len(docs) - len(reasons) + i
		if got := want[at][decision]; !strings.Contains(got, fmt.Sprintf(" %q ", reason)) {
			t.Errorf("%.100s: %s, want the reason %q", docs[at], got, reason)
		}
	}
	refused := 0
	for _, a := range want {
		if a[forwarded] == "" {
			refused++
		}
	}
	if refused < len(docs)/20 || refused > len(docs)/2 {
		t.Fatalf("%d of %d documents are refused: that shows little", refused, len(docs))
	}
	for _, f := range frontEnds {
		t.Run(f.name, func(t *testing.T) {
			list, compared := differences(docs, want, f.ask(t, open(t, "refuse"), docs))
			for _, d := range list[:min(len(list), 5)] {
				t.Error(d)
			}
			for _, name := range f.shows {
				least := len(docs) * 9 / 10
				if name == place {
					least = refused / 2
				}
				if compared[name] < least {
					t.Errorf("%s was seen of %d documents only, of %d", name, compared[name], len(docs))
				}
			}
			t.Log(len(docs), "documents,", refused, "refused; compared:", compared)
		})
	}
}

// TestEnforced asks them with a configuration that enforces a part: all choose the same requests.
func TestEnforced(t *testing.T) {
	docs := documents(t, testkit.Scale(t, 60, 300, 1<<20), testkit.Scale(t, 60, 300, 20000))
	full, want := truth(t, open(t, "refuse").Engine, docs), truth(t, load(t, strings.ReplaceAll(partly, "SEVERITY", "refuse")).Engine, docs)
	spared := 0
	for i := range want {
		if want[i][would] != "" {
			spared++
			if got := decisionOf(inspect.ActionForward.String(), "", 0); want[i][decision] != got || !strings.Contains(full[i][decision], want[i][would]) {
				t.Fatalf("%s, would be refused for %s; if everything is enforced %s", want[i][decision], want[i][would], full[i][decision])
			}
		}
	}
	if spared < len(docs)/50 {
		t.Fatalf("only %d of %d documents are observed", spared, len(docs))
	}
	for _, f := range frontEnds {
		t.Run(f.name, func(t *testing.T) {
			list, compared := differences(docs, want, f.ask(t, load(t, strings.ReplaceAll(partly, "SEVERITY", "refuse")), docs))
			for _, d := range list[:min(len(list), 5)] {
				t.Error(d)
			}
			t.Log(len(docs), "documents,", spared, "observed; compared:", compared)
			if compared[decision]+compared[forwarded] < len(docs)*9/10 {
				t.Errorf("only %v was seen of %d documents", compared, len(docs))
			}
		})
	}
}

// TestPlanted asks them with a configuration in which one rule is different: every one shows it.
func TestPlanted(t *testing.T) {
	docs := documents(t, testkit.Scale(t, 120, 200, 200), testkit.Scale(t, 120, 200, 200))
	want := truth(t, open(t, "refuse").Engine, docs)
	for _, f := range frontEnds {
		t.Run(f.name, func(t *testing.T) {
			if list, _ := differences(docs, want, f.ask(t, open(t, "warn"), docs)); len(list) == 0 {
				t.Error("a rule that warns in place of refusing makes no difference")
			}
		})
	}
}
