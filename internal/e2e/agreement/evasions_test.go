package agreement

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/config"
)

// guarded is a configuration whose rules, lists and scrubs a sender may want to get past.
const guarded = `version: 1
schema: {preset: PRESET, severities: {Device.ip.public: off}}
fraud: {threshold: 100}
lists:
  domains: {kind: domain, entries: [evil.example]}
  apps: {kind: bundle, entries: [com.evil.App]}
  networks: {kind: prefix, entries: [3.5.6.0/24]}
  words: {kind: string, entries: [evil]}
  sellers: {kind: seller, entries: ["evil.example,7"]}
rates: {values: {EUR: 1.1}}
rules:
  - {name: site, when: site.domain in lists.domains, severity: refuse}
  - {name: page, when: site.page in lists.domains, severity: refuse}
  - {name: app, when: app.bundle in lists.apps, severity: refuse}
  - {name: network, when: device.ip in lists.networks, severity: refuse}
  - {name: no-address, when: 'device.ip != "" && !isAddress(device.ip)', severity: refuse}
  - {name: seller, when: 'source.schain.nodes.exists(n, (n.asi + "," + n.sid) in lists.sellers)', severity: refuse}
  - {name: word, when: site.name in lists.words, severity: refuse}
  - {name: floor, when: 'imp.exists(i, i.bidfloor > 0.0 && usd(i.bidfloor, i.bidfloorcur) < 0.1)', severity: refuse, on_error: refuse}
  - {name: consent, when: 'regs.gdpr == 1 && user.consent == "" && user.buyeruid != ""', severity: refuse}
  - {name: gpid, when: 'imp.exists(i, i.ext.gpid == "evil")', severity: refuse}
  - {name: dsa, when: regs.ext.dsa.dsarequired == 3, severity: refuse}
  - {name: amp, when: '"amp" in site.ext && site.ext.amp == 1', severity: refuse}
scrub:
  - {when: regs.coppa == 1, remove: [/user/id, /user/consent], truncate: [/device/ip, /device/ipv6]}
gateway:
  upstreams: ["http://127.0.0.1:9"]
  headers: [X-Region]
  windows: false
partners:
  exchange-a:
    match: {path: /exchange-a, from: [127.0.0.0/8, "::1/128"]}
`

// Outcomes of an evasion besides the reasons of verdicts.
const (
	passes   = ""
	nul      = "schema.any.nul"
	escape   = "schema.any.key-escape"
	twoCases = "schema.any.ext.key-case"
	keyCase  = "schema.any.key-case"
	extType  = "schema.any.ext.type"
)

// tcf is the shortest text that is read as consent.
var tcf = "CO" + strings.Repeat("A", 34)

// evasions are members of a request, by which a sender tries to get past the configuration, and the
// reason that they are refused for: under the preset admission, and under permissive. @ stands for
// a consent string.
var evasions = []struct {
	members               string
	admission, permissive string
	gone                  string // texts that are in no document that goes on, separated by spaces
}{
	// NUL ends a string for a reader in C.
	{`"site":{"id":"1","domain":"evil.example\u0000"}`, nul, "policy.site", ""},
	{`"site":{"id":"1","domain":"evil.example\u0000.good.example"}`, nul, "policy.site", ""},
	{`"site":{"id":"1","name":"evil\u0000x"}`, nul, "policy.word", ""},
	{`"app":{"bundle":"com.evil.App\u0000"}`, nul, "policy.app", ""},
	{`"site":{"id":"1"},"device":{"ip":"3.5.6.7\u0000"}`, nul, "policy.network", ""},
	{`"site":{"id":"1"},"site\u0000":{"domain":"evil.example"}`, nul, passes, ""},
	{`"site":{"id":"1","ext":{"a":[{"domain\u0000":1}]}}`, nul, passes, ""},
	{`"site":{"id":"1","x":{"domain\u0000":1}}`, nul, passes, ""},
	{`"site":{"id":"1"},"regs":{"ext":{"gdpr":1}},"user":{"buyeruid":"b","ext":{"consent":"@\u0000"}}`, nul, passes, ""},
	{`"site":{"id":"1"},"regs":{"coppa":1},"user":{"id\u0000":"secret","ID\u0000x":"secret"}`, nul, passes, "secret"},

	// A reader that compares keys as they are spelled finds none that has an escape.
	{`"site":{"id":"1","\u0064omain":"evil.example"}`, escape, "policy.site", ""},
	{`"\u0073ite":{"id":"1"}`, escape, passes, ""},
	{`"site":{"id":"1"},"regs":{"ext":{"gd\u0070r":1}},"user":{"buyeruid":"b"}`, escape, "policy.consent", ""},
	{`"site":{"id":"1","x":[{"dom\u0061in":1}]}`, escape, passes, ""},
	{`"site":{"id":"1","x":[{"dom\u00e4in\n\"":1}]}`, passes, passes, ""}, // encoders write these
	{`"site":{"id":"1"},"regs":{"coppa":1},"user":{"i\u0064":"secret"}`, escape, passes, "secret"},

	// A reader that ignores letter case takes the last of two.
	{`"site":{"id":"1"},"user":{"ext":{"eids":[{"source":"a.example"}],"Eids":[{"source":"evil.example"}]}}`, twoCases, passes, ""},
	{`"site":{"id":"1"},"source":{"ext":{"SCHAIN":{"x":1},"schain":{"ver":"1.0","complete":1,"nodes":[{"asi":"a.example","sid":"1","hp":1}]}}}`, twoCases, passes, ""},
	{`"site":{"id":"1"},"ext":{"schain":{"ver":"1.0","complete":1,"nodes":[{"asi":"a.example","aſi":"evil.example","sid":"1","hp":1}]}}`, keyCase, passes, ""},
	{`"site":{"id":"1"},"user":{"ext":{"eids":[{"Source":"evil.example","uids":[{"id":"1"}]}]}}`, keyCase, passes, ""},
	{`"site":{"id":"1"},"imp":[{"id":"1","banner":{"w":1,"h":1},"ext":{"siteId":1,"siteid":1}}]`, passes, passes, ""}, // common

	{`"site":{"id":"1"},"imp":[{"id":"1","banner":{"w":1,"h":1},"ext":{"gpid":"a","GPID":"evil"}}]`, twoCases, "policy.gpid", ""},
	{`"site":{"id":"1"},"imp":[{"id":"1","banner":{"w":1,"h":1},"ext":{"GPID":"evil"}}]`, "policy.gpid", "policy.gpid", ""},
	{`"site":{"id":"1"},"regs":{"ext":{"dsa":{"dsarequired":0},"DSA":{"dsarequired":3}}}`, twoCases, "policy.dsa", ""},
	{`"site":{"id":"1"},"regs":{"ext":{"dsa":{"dsarequired":0,"DSArequired":3}}}`, "policy.dsa", "policy.dsa", ""},
	{`"site":{"id":"1"},"regs":{"ext":{"dsa":{"DSArequired":3}}}`, "policy.dsa", "policy.dsa", ""},
	{`"site":{"id":"1","ext":{"amp":0,"AMP":1}}`, "policy.amp", "policy.amp", ""},
	{`"site":{"id":"1","ext":{"AMP":0,"Amp":1}}`, "policy.amp", "policy.amp", ""},
	{`"site":{"id":"1","ext":{"AMP":1}}`, "policy.amp", "policy.amp", ""},
	{`"site":{"id":"1","ext":{"AMP":0,"other":1,"OTHER":2}}`, passes, passes, ""},

	// A reader takes the part of a list that it can read.
	{`"site":{"id":"1"},"user":{"ext":{"eids":[{"source":"evil.example","uids":1}]}}`, extType, passes, ""},

	{`"site":{"id":"1"},"regs":{"ext":{"gdpr":" 1"}},"user":{"buyeruid":"b"}`, extType, passes, ""},
	{`"site":{"id":"1"},"regs":{"ext":{"GDPR":[1]}},"user":{"buyeruid":"b"}`, extType, passes, ""},
	{`"site":{"id":"1"},"regs":{"ext":{"gpp_sid":"6,7"}}`, extType, passes, ""},
	{`"site":{"id":"1"},"regs":{"ext":{"us_privacy":["1YYN"]}}`, extType, passes, ""},
	{`"site":{"id":"1","ext":{"inventorypartnerdomain":["evil.example"]}}`, extType, passes, ""},
	{`"site":{"id":"1"},"user":{"ext":{"consent":5}}`, extType, passes, ""},
	{`"site":{"id":"1"},"imp":[{"id":"1","banner":{"w":1,"h":1},"ext":{"prebid":{"is_rewarded_inventory":"01"}}}]`, extType, passes, ""},

	// A currency in another form, or in none.
	{`"site":{"id":"1"},"imp":[{"id":"1","banner":{"w":1,"h":1},"bidfloor":0.05,"bidfloorcur":"usd"}]`, "policy.floor", "policy.floor", ""},
	{`"site":{"id":"1"},"imp":[{"id":"1","banner":{"w":1,"h":1},"bidfloor":0.05,"bidfloorcur":" USD"}]`, "policy.floor", "policy.floor", ""},
	{`"site":{"id":"1"},"imp":[{"id":"1","banner":{"w":1,"h":1},"bidfloor":0.05,"bidfloorcur":"eur\t"}]`, "policy.floor", "policy.floor", ""},
	{`"site":{"id":"1"},"imp":[{"id":"1","banner":{"w":1,"h":1},"bidfloor":0.05,"bidfloorcur":"ZZZ"}]`, "policy.floor", "policy.floor", ""},
	{`"site":{"id":"1"},"imp":[{"id":"1","banner":{"w":1,"h":1},"bidfloor":0.2,"bidfloorcur":"eur"}]`, passes, passes, ""},

	// An address in another form, or in none.
	{`"site":{"id":"1"},"device":{"ip":"03.5.6.7"}`, "policy.network", "policy.network", ""},
	{`"site":{"id":"1"},"device":{"ip":"3.5.1543"}`, "policy.network", "policy.network", ""},
	{`"site":{"id":"1"},"device":{"ip":"50660871"}`, "policy.network", "policy.network", ""},
	{`"site":{"id":"1"},"device":{"ip":"0x3.5.6.7"}`, "policy.network", "policy.network", ""},
	{`"site":{"id":"1"},"device":{"ip":"3.5.6.7:80"}`, "policy.network", "policy.network", ""},
	{`"site":{"id":"1"},"device":{"ip":"3.5.6.7%eth0"}`, "policy.network", "policy.network", ""},
	{`"site":{"id":"1"},"device":{"ip":"[::ffff:3.5.6.7]:80"}`, "policy.network", "policy.network", ""},
	{`"site":{"id":"1"},"device":{"ip":"64:ff9b::3.5.6.7"}`, "policy.network", "policy.network", ""},
	{`"site":{"id":"1"},"device":{"ip":"2002:305:607::1"}`, "policy.network", "policy.network", ""},
	{`"site":{"id":"1"},"device":{"ip":"2001::fcfa:f9f8"}`, "policy.network", "policy.network", ""},
	{`"site":{"id":"1"},"device":{"ip":"\u00a03.5.6.7"}`, "policy.network", "policy.network", ""},
	{`"site":{"id":"1"},"device":{"ip":"::ffff:03.5.6.7"}`, "policy.network", "policy.network", ""},
	{`"site":{"id":"1"},"device":{"ip":"::ffff:3.5.6.7:80"}`, "policy.network", "policy.network", ""},
	{`"site":{"id":"1"},"device":{"ip":"::3.5.6.7"}`, "policy.network", "policy.network", ""},
	{`"site":{"id":"1"},"device":{"ip":"::ffff:0:3.5.6.7"}`, "policy.network", "policy.network", ""},
	{`"site":{"id":"1"},"device":{"ip":"64:ff9b:1::3.5.6.7"}`, "policy.network", "policy.network", ""},
	{`"site":{"id":"1"},"device":{"ip":"3.5.6.777"}`, "policy.no-address", "policy.no-address", ""},
	{`"site":{"id":"1"},"device":{"ip":"8.8.2056"}`, passes, passes, ""},
	{`"site":{"id":"1"},"regs":{"coppa":1},"device":{"ip":"8.8.8.77:80","ipv6":"2001::fcfa:f988"}`, passes, passes, "8.77 f988"},
	{`"site":{"id":"1"},"regs":{"coppa":1},"device":{"ip":"010.8.8.77","ipv6":"[2600::77]:80"}`, passes, passes, "8.77 ::77"},

	// Consent that says nothing, and legacy names in another letter case.
	{`"site":{"id":"1"},"regs":{"gdpr":1},"user":{"buyeruid":"b","consent":" "}`, "policy.consent", "policy.consent", ""},
	{`"site":{"id":"1"},"regs":{"ext":{"GDPR":1}},"user":{"buyeruid":"b","ext":{"consent":"yes"}}`, "policy.consent", "policy.consent", ""},
	{`"site":{"id":"1"},"regs":{"ext":{"GDPR":1}},"user":{"buyeruid":"b","ext":{"CONSENT":"@"}}`, passes, passes, ""},
	{`"site":{"id":"1"},"regs":{"coppa":1},"user":{"consent":"@","ext":{"CONSENT":"@","x":1}}`, passes, passes, "@"},

	// Names in another form.
	{`"site":{"id":"1","domain":"evil.example.."}`, "policy.site", "policy.site", ""},
	{`"site":{"id":"1","domain":"WWW.Evil.example."}`, "policy.site", "policy.site", ""},
	{`"app":{"bundle":"COM.EVIL.APP"}`, "policy.app", "policy.app", ""},
	{`"app":{"bundle":"\u00a0com.evil.app"}`, "policy.app", "policy.app", ""},
	{`"app":{"bundle":"\ufeffcom.evil.app\u200b"}`, "policy.app", "policy.app", ""},
	{`"site":{"id":"1","domain":"\u00a0evil.example"}`, "policy.site", "policy.site", ""},
	{`"site":{"id":"1","domain":"evil.example\u2028"}`, "policy.site", "policy.site", ""},
	{`"site":{"id":"1","domain":"evil.example\u0085"}`, "policy.site", "policy.site", ""},
	{`"site":{"id":"1"},"source":{"schain":{"ver":"1.0","complete":1,"nodes":[{"asi":"evil.example:443","sid":"7\u00a0","hp":1}]}}`, "policy.seller", "policy.seller", ""},
	{`"site":{"id":"1"},"source":{"ext":{"schain":{"ver":"1.0","complete":1,"nodes":[{"asi":"http://evil.example/","sid":"7","hp":1}]}}}`, "policy.seller", "policy.seller", ""},
	{`"site":{"id":"1"},"source":{"schain":{"ver":"1.0","complete":1,"nodes":[{"asi":"evil.example","sid":"70","hp":1}]}}`, passes, passes, ""},
	{`"site":{"id":"1","domain":"evil.example\u0001"}`, "policy.site", "policy.site", ""},
	{`"site":{"id":"1","domain":"evil\u0001.example"}`, passes, passes, ""}, // no reader resolves it

	// A page's host as browsers read it.
	{`"site":{"id":"1","page":"http:\\\\evil.example/"}`, "policy.page", "policy.page", ""},
	{`"site":{"id":"1","page":"https:/\\evil.example/"}`, "policy.page", "policy.page", ""},
	{`"site":{"id":"1","page":"https:\\/evil.example/"}`, "policy.page", "policy.page", ""},
	{`"site":{"id":"1","page":"https:///evil.example/"}`, "policy.page", "policy.page", ""},
	{`"site":{"id":"1","page":"http:/evil.example"}`, "policy.page", "policy.page", ""},
	{`"site":{"id":"1","page":"https:evil.example/"}`, "policy.page", "policy.page", ""},
	{`"site":{"id":"1","page":"https://evil%2Eexample/"}`, "policy.page", "policy.page", ""},
	{`"site":{"id":"1","page":"https://%65vil.example/"}`, "policy.page", "policy.page", ""},
	{`"site":{"id":"1","page":"https://\tevil.example/"}`, "policy.page", "policy.page", ""},
	{`"site":{"id":"1","page":"https://evil.example\n/"}`, "policy.page", "policy.page", ""},
	{`"site":{"id":"1","page":"ht\ntp://evil.example"}`, "policy.page", "policy.page", ""},
	{`"site":{"id":"1","page":"http://ev\til.example/"}`, "policy.page", "policy.page", ""},
	{`"site":{"id":"1","page":"https://evil.example\\@good.example/"}`, "policy.page", "policy.page", ""},
	{`"site":{"id":"1","domain":"%65vil.example"}`, "policy.site", "policy.site", ""},
	{`"site":{"id":"1","domain":"\\\\evil.example"}`, "policy.site", "policy.site", ""},
	{`"site":{"id":"1","page":"https://good.example\\@evil.example/"}`, passes, passes, ""},
}

// TestEvasions asks all front ends about the evasions: the engine sees through them, and the front
// ends agree with it.
func TestEvasions(t *testing.T) {
	var docs [][]byte
	for _, e := range evasions {
		doc := `{"id":"1",` + strings.ReplaceAll(e.members, "@", tcf)
		if !strings.Contains(doc, `"imp"`) {
			doc += `,"imp":[{"id":"1","banner":{"w":300,"h":250}}]`
		}
		docs = append(docs, []byte(doc+"}"))
	}
	for _, preset := range []string{"admission", "permissive"} {
		load := func(t *testing.T) *config.Setup {
			file := filepath.Join(t.TempDir(), "rtbwire.yaml")
			if err := os.WriteFile(file, []byte(strings.ReplaceAll(guarded, "PRESET", preset)), 0o600); err != nil {
				t.Fatal(err)
			}
			s, problems := config.Open(file, config.OpenOptions{})
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			return s
		}
		want := truth(t, load(t).Engine, docs)
		for i, e := range evasions {
			reason := map[string]string{"admission": e.admission, "permissive": e.permissive}[preset]
			if got := want[i][decision]; !strings.Contains(got, fmt.Sprintf(" %q ", reason)) {
				t.Errorf("%s: %s: %s, want %q", preset, docs[i], got, reason)
			}
			for text := range strings.FieldsSeq(strings.ReplaceAll(e.gone, "@", tcf)) {
				if strings.Contains(want[i][forwarded], text) {
					t.Errorf("%s: %s goes on as %s", preset, docs[i], want[i][forwarded])
				}
			}
		}
		for _, f := range frontEnds {
			t.Run(preset+"/"+f.name, func(t *testing.T) {
				list, compared := differences(docs, want, f.ask(t, load(t), docs))
				for _, d := range list {
					t.Error(d)
				}
				if compared[decision]+compared[forwarded] < len(docs) {
					t.Errorf("only %v was seen of %d documents", compared, len(docs))
				}
			})
		}
	}
}
