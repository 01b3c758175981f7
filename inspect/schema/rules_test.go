package schema

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/spec"
)

// This file tests that each rule is found where it is broken, and nowhere else. It changes
// documents without findings (testdata/clean): rules with a machine-readable check are broken by a
// mutation that follows from the check, all others by a case of byHandCases. A mutated document
// must have findings of that rule alone; companionsOf lists the exceptions with their reasons.

// bases are the names of the clean documents; site and answer make a pair.
var bases = []string{"site", "app", "dooh", "response"}

// TestCleanDocuments checks that the documents that the other tests change have no findings.
func TestCleanDocuments(t *testing.T) {
	c := strict(t)
	for _, name := range append(bases, "answer") {
		if r := check(c, name, clean(t, name)); len(r.Findings) != 0 {
			t.Errorf("%s:%s", name, describe(r))
		}
	}
	request, response := clean(t, "site"), clean(t, "answer")
	if r := c.Pair(request, response); len(r.Findings) != 0 {
		t.Errorf("pair:%s", describe(r))
	}
	if r := c.RequestValue(mustRequest(t, request), request); len(r.Findings) != 0 {
		t.Errorf("RequestValue:%s", describe(r))
	}
	if r := c.ResponseValue(mustResponse(t, response), response); len(r.Findings) != 0 {
		t.Errorf("ResponseValue:%s", describe(r))
	}
	if r := c.PairValues(mustRequest(t, request), mustResponse(t, response), request, response); len(r.Findings) != 0 {
		t.Errorf("PairValues:%s", describe(r))
	}
}

func check(c *Checker, base string, doc []byte) Report {
	if base == "response" || base == "answer" {
		return c.Response(doc)
	}
	return c.Request(doc)
}

// companion is a rule that may be found together with another one, and why.
type companion struct{ id, why string }

// companions are rules that can't be found alone. Every entry is used.
var companions = map[string][]companion{
	"Geo.regionfips104.format": {{"Geo.regionfips104.withdrawn",
		"the rule is about a field whose standard is withdrawn, which is advised against as such"}},
	"Metric.empty":             {{"Metric.vendor.recommended", "an empty metric has no vendor either"}},
	"Video.w.recommended":      {{"Video.h.recommended", "w alone missing is Video.size"}},
	"Video.h.recommended":      {{"Video.w.recommended", "h alone missing is Video.size"}},
	"Video.placement.pair":     {{"Video.placement.deprecated", deprecatedField}},
	"Video.sequence.both":      {{"Video.sequence.deprecated", deprecatedField}},
	"Audio.sequence.both":      {{"Audio.sequence.deprecated", deprecatedField}},
	"Video.maxseq.recommended": {{"Video.poddur.recommended", "maxseq alone missing is Video.maxseq.dynamic"}},
	"Video.poddur.recommended": {{"Video.maxseq.recommended", "poddur alone missing is Video.poddur.hint"}},
	"Regs.gdpr.conflict":       {{"Regs.legacy", earlierPlace}},
	"Regs.us_privacy.conflict": {{"Regs.legacy", earlierPlace}},
	"User.consent.conflict":    {{"User.legacy", earlierPlace}},
	"User.eids.conflict":       {{"User.legacy", earlierPlace}},
	"Source.schain.conflict":   {{"Source.schain.legacy", earlierPlace}},
	"Native.request.twice":     {{"Native.request.json", "a string is not an object, and the rule about that is more severe"}},
	"Audio.mincpmpersec.pod":   {{"Audio.poddur.recommended", noPod}},
	"Video.mincpmpersec.pod":   {{"Video.poddur.recommended", noPod}, {"Video.maxseq.recommended", noPod}},
}

const earlierPlace = "the earlier place of a field is a finding of its own"

const noPod = "what makes a pod is recommended everywhere"

const deprecatedField = "the rule is about a deprecated field, whose presence is a finding of its own"

// companionsOf adds the companions that follow from the specification's data.
func companionsOf(rule string) (out []companion) {
	out = append(out, companions[rule]...)
	s := spec.OpenRTB()
	r := s.Rule(rule)
	if o := s.Object(r.Object); o != nil && r.Check != nil && r.Check.Op != "deprecated" {
		if f := o.Field(r.Check.Field); f != nil && f.Deprecated {
			out = append(out, companion{o.Name + "." + f.JSON + ".deprecated", deprecatedField})
		}
	}
	for _, c := range s.Silences {
		silent, _ := RuleByID(c.Rule)
		if other, _ := RuleByID(c.YieldsTo); c.YieldsTo == rule && silent.Severity > other.Severity {
			out = append(out, companion{c.Rule, "the rule would yield, but is more severe"})
		}
	}
	return out
}

// alwaysSilent lists the rules that a rule always yields to: it speaks only when they are off.
func alwaysSilent(rule string) (others []string) {
	for _, s := range spec.OpenRTB().Silences {
		if s.Rule == rule && s.When == "" && s.YieldsTo != "" {
			others = append(others, s.YieldsTo)
		}
	}
	return others
}

// ruleCase is one changed document.
type ruleCase struct {
	base    string   // "pair" for site and answer
	changes []string // see edited; in a pair, "request: " in front of changes to the request
	raw     *string  // the document itself, instead of changes; a response if base says so
	broken  bool     // the document breaks the rule and no other; otherwise it keeps the rule
}

func (one ruleCase) String() string {
	if one.raw != nil {
		return fmt.Sprintf("%.200q", *one.raw)
	}
	return one.base + " " + strings.Join(one.changes, "; ")
}

// TestEveryRule checks that each rule of the specification is broken by one document and kept by
// another, or can't be decided by any message.
func TestEveryRule(t *testing.T) {
	cases := generatedCases(t)
	for id, list := range byHandCases(t) {
		cases[id] = append(cases[id], list...)
	}
	used := map[string]bool{}
	tested, undecided, docs := 0, 0, 0
	doc, err := os.ReadFile("../../docs/reference/rules.md")
	if err != nil && !*update {
		t.Fatal(err)
	}
	for _, rule := range Rules() {
		if spec.Native().Rule(rule.ID) != nil {
			continue // TestEveryNativeRule
		}
		list := cases[rule.ID]
		delete(cases, rule.ID)
		if rule.Undecidable != "" {
			if len(list) != 0 {
				t.Errorf("%s has cases, but is never reported", rule.ID)
			}
			if !*update && !strings.Contains(string(doc), "`"+rule.ID+"`") {
				t.Errorf("%s is not in docs/reference/rules.md", rule.ID)
			}
			if rule.Source != "contract" {
				undecided++
			}
			continue
		}
		broken, kept := 0, 0
		t.Run(rule.ID, func(t *testing.T) {
			var on []Option
			if rule.Severity == Off {
				on, rule.Severity = []Option{WithSeverity(rule.ID, Warn)}, Warn
			}
			if rule.ID == "any.later-version" {
				on = append(on, WithVersion("2.5"))
			}
			c := strict(t, on...)
			if others := alwaysSilent(rule.ID); others != nil {
				opts := on
				for _, other := range others {
					opts = append(opts, WithSeverity(other, Off))
				}
				c = strict(t, opts...)
			}
			for _, one := range list {
				docs++
				if rule.ID == "any.integer" && !one.broken && strconv.IntSize == 32 {
					kept++ // integers of 64 bits are too large for this build's int
					continue
				}
				if one.broken {
					broken++
				} else {
					kept++
				}
				one.check(t, c, rule, used)
			}
		})
		if broken == 0 || kept == 0 {
			t.Errorf("%s has %d cases that break it and %d that keep it, expected both", rule.ID, broken, kept)
		}
		if rule.Source != "contract" {
			tested++
		}
	}
	for id := range cases {
		t.Errorf("cases for the unknown rule %q", id)
	}
	for id, list := range companions {
		for _, c := range list {
			if !used[id+" "+c.id] {
				t.Errorf("companion %s of %s is not needed: %s", c.id, id, c.why)
			}
		}
	}
	if want := spec.OpenRTB().Counts.Rules; tested+undecided != want {
		t.Errorf("%d rules tested and %d undecidable, the specification has %d", tested, undecided, want)
	}
	t.Logf("%d rules tested with %d documents, %d that no message decides", tested, docs, undecided)
}

func (one ruleCase) check(t *testing.T, c *Checker, rule Rule, used map[string]bool) {
	t.Helper()
	request, response, r := one.run(t, c)
	got := ids(r)
	if !one.broken {
		if slices.Contains(got, rule.ID) {
			t.Errorf("%v is said to break %s:%s", one, rule.ID, describe(r))
		}
		return
	}
	if !slices.Contains(got, rule.ID) {
		t.Errorf("%v does not break %s:%s", one, rule.ID, describe(r))
		return
	}
	allowed := companionsOf(rule.ID)
	for _, other := range got {
		switch {
		case other == rule.ID:
		case slices.ContainsFunc(allowed, func(c companion) bool { return c.id == other }):
			used[rule.ID+" "+other] = true
		default:
			t.Errorf("%v breaks %s, but not alone:%s", one, rule.ID, describe(r))
			return
		}
	}
	for _, f := range r.Findings {
		if f.ID == rule.ID && f.Severity != rule.Severity {
			t.Errorf("%v: severity %v, the rule has %v", one, f.Severity, rule.Severity)
		}
		if f.ID == rule.ID && rules[f.Number].ID != rule.ID {
			t.Errorf("%v: the finding has the number of %s", one, rules[f.Number].ID)
		}
	}
	checkCounts(t, r)
	if rule.ID == "json.syntax" || rule.ID == "json.depth" {
		return // encoding/json finds no places in what it refuses
	}
	checkPlaces(t, r, request, response)
}

// run checks the document of the case.
func (one ruleCase) run(t *testing.T, c *Checker) (request, response []byte, r Report) {
	t.Helper()
	switch {
	case one.raw != nil && one.base == "response":
		response = []byte(*one.raw)
		return nil, response, c.Response(response)
	case one.raw != nil:
		request = []byte(*one.raw)
		return request, nil, c.Request(request)
	case one.base == "pair":
		var ofRequest, ofResponse []string
		for _, change := range one.changes {
			if rest, ok := strings.CutPrefix(change, "request: "); ok {
				ofRequest = append(ofRequest, rest)
			} else {
				ofResponse = append(ofResponse, change)
			}
		}
		request, response = edited(t, clean(t, "site"), ofRequest...), edited(t, clean(t, "answer"), ofResponse...)
		return request, response, c.Pair(request, response)
	case one.base == "response":
		response = edited(t, clean(t, one.base), one.changes...)
		return nil, response, c.Response(response)
	}
	request = edited(t, clean(t, one.base), one.changes...)
	return request, nil, c.Request(request)
}

// instance is an object in one of the clean documents.
type instance struct {
	base, pointer string
	value         map[string]any
}

// instances lists the objects of each type, in the order of the documents.
func instances(t *testing.T) map[string][]instance {
	t.Helper()
	out := map[string][]instance{}
	s := spec.OpenRTB()
	var visit func(base, pointer, object string, v any)
	visit = func(base, pointer, object string, v any) {
		value := v.(map[string]any)
		out[object] = append(out[object], instance{base, pointer, value})
		o := s.Object(object)
		for _, key := range slices.Sorted(maps.Keys(value)) {
			f := o.Field(key)
			if f == nil {
				t.Fatalf("%s%s has no field %s", base, pointer, key)
			}
			switch {
			case f.ObjectName() == "":
			case f.Array:
				for i, e := range value[key].([]any) {
					visit(base, pointer+"/"+key+"/"+strconv.Itoa(i), f.ObjectName(), e)
				}
			default:
				visit(base, pointer+"/"+key, f.ObjectName(), value[key])
			}
		}
	}
	for _, base := range bases {
		root := "BidRequest"
		if base == "response" {
			root = "BidResponse"
		}
		visit(base, "", root, decodeAny(t, clean(t, base)))
	}
	return out
}

// cleanHasNot are fields that no clean document has, besides the deprecated and removed ones.
var cleanHasNot = map[string]bool{
	"Geo.regionfips104": true,                       // its standard is withdrawn
	"BidResponse.nbr":   true,                       // only without bids
	"Site.kwarray":      true, "App.keywords": true, // the other one is shown
}

// TestCleanDocumentsAreComplete checks that the clean documents show every object and field.
func TestCleanDocumentsAreComplete(t *testing.T) {
	all := instances(t)
	for _, o := range spec.OpenRTB().Objects {
		for _, f := range o.Fields {
			shown := slices.ContainsFunc(all[o.Name], func(i instance) bool { return i.value[f.JSON] != nil })
			if name := o.Name + "." + f.JSON; shown == (f.Deprecated || f.RemovedIn != "" || cleanHasNot[name]) {
				t.Errorf("%s: shown %v, expected %v", name, shown, !shown)
			}
		}
	}
}
