package inspect

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/inspect/schema"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/wire"
)

var update = flag.Bool("update", false, "rewrite docs/reference/reasons.md")

// TestReasons holds what is true of every reason.
func TestReasons(t *testing.T) {
	id := regexp.MustCompile(`^[a-z]+\.[A-Za-z0-9._-]+$`) // nothing that JSON or a metric's label escapes
	seen := map[string]bool{}
	for n, r := range Reasons() {
		if !id.MatchString(r.ID) || seen[r.ID] {
			t.Errorf("the id %q is malformed, or there twice", r.ID)
		}
		seen[r.ID] = true
		if got, ok := ReasonByID(r.ID); !ok || got != r || registry().numbers[r.ID] != n {
			t.Errorf("ReasonByID(%s) = %+v, %v", r.ID, got, ok)
		}
		own := false
		for _, o := range OwnNoBidReasons() {
			own = own || o.NBR == r.NBR
		}
		if r.NBR == 0 || !r.NBR.Valid() || r.NBR >= ownNBRMin && !own {
			t.Errorf("%s has the no-bid reason %d, which is in no table", r.ID, r.NBR)
		}
		if r.Text == "" || r.Severity > Refuse {
			t.Errorf("%+v is not complete", r)
		}
	}
	if _, ok := ReasonByID("nothing"); ok {
		t.Error("there is a reason called nothing")
	}
	for i, o := range OwnNoBidReasons() {
		if o.NBR < ownNBRMin || i > 0 && o.NBR <= OwnNoBidReasons()[i-1].NBR || NoBidReasonText(o.NBR) != o.Text {
			t.Errorf("%+v is out of order or taken", o)
		}
	}
	if got := NoBidReasonText(adcom.NoBidReasonInvalidRequest); got != adcom.NoBidReasonInvalidRequest.String() {
		t.Errorf("no-bid reason 2 is %q", got)
	}
}

// TestDecodeCodes checks that every code of a decoder is a reason.
func TestDecodeCodes(t *testing.T) {
	notOfDecoders := map[wire.Code]bool{wire.CodeFinite: true, wire.CodePath: true, wire.CodeConflict: true}
	listed := map[wire.Code]bool{}
	for _, c := range decodeCodes {
		listed[c] = true
	}
	count := 0
	for c := wire.Code(1); !strings.HasPrefix(c.String(), "Code("); c++ {
		count++
		if listed[c] == notOfDecoders[c] {
			t.Errorf("code %v: a reason %v, of decoders %v", c, listed[c], !notOfDecoders[c])
		}
	}
	if count != len(listed)+len(notOfDecoders) {
		t.Errorf("%d codes", count)
	}
}

// TestEveryRuleOfRequests checks that no rule is forgotten.
func TestEveryRuleOfRequests(t *testing.T) {
	for _, r := range schema.Rules() {
		_, isReason := ReasonByID(schemaPrefix + r.ID)
		onlyRefused := decodersOwn[r.ID] || strings.HasPrefix(r.ID, "json.")
		if want := r.Undecidable == "" && r.Scope != "response" && r.Scope != "pair" && !onlyRefused; isReason != want {
			t.Errorf("rule %s: a reason %v, want %v", r.ID, isReason, want)
		}
		_, isReason = ReasonByID(responsePrefix + r.ID)
		if want := r.Undecidable == "" && r.Scope != "request" && !onlyRefused; isReason != want && !strings.HasPrefix(r.ID, "json.") {
			t.Errorf("rule %s: a reason of responses %v, want %v", r.ID, isReason, want)
		}
	}
}

func TestWords(t *testing.T) {
	for text, want := range map[string]Severity{
		"off": Off, "observe": Observe, "info": Observe, "warn": Warn, "warning": Warn, "refuse": Refuse, "error": Refuse,
	} {
		if got, err := ParseSeverity(text); got != want || err != nil {
			t.Errorf("ParseSeverity(%q) = %v, %v", text, got, err)
		}
	}
	for s := Off; s <= Refuse; s++ {
		if got, err := ParseSeverity(s.String()); got != s || err != nil {
			t.Errorf("ParseSeverity(%v) = %v, %v", s, got, err)
		}
	}
	if _, err := ParseSeverity("Refuse"); err == nil || err.Error() != `inspect: unknown severity "Refuse" (want off, observe, warn, refuse)` {
		t.Errorf("got %v", err)
	}
	if got := fmt.Sprint(Severity(9), ActionForward, ActionRefuse, Action(9)); got != "Severity(9) forward refuse Action(9)" {
		t.Error(got)
	}
}

// ownNBRMin is the first code that OpenRTB leaves to the parties.
const ownNBRMin = 500

const reasonsIntro = `# The reasons

<!-- Written by go test ./inspect -run TestReasonsDocument -update. Do not edit. -->

A [verdict](../verdict.md) names the reason that decided, and each finding has one. The ids are stable. The answer to a refused
request has the reason's no-bid reason (` + "`nbr`" + `). The severities are those of the preset *%s*; each can be configured.
Dead letters can have three more reasons, which are [the stream's](../stream.md#what-becomes-of-each-record).

## No-bid reasons

OpenRTB has the codes up to %d, and leaves those from 500 to the parties. The codes in use:

| nbr | meaning | reasons |
| --- | --- | --- |
%s
## What can't be decoded

Such a request has one finding. [errors.md](errors.md) has an example of each.

%s
## Rules of OpenRTB

The part after ` + "`schema.`" + ` is the rule; [rules.md](rules.md) says where it comes from. A wrong JSON type has one of the
reasons ` + "`json.type`, `json.integer`, `json.utf8`" + `.

%s
## Policy

The rules of a configuration bring reasons of their own: ` + "`policy.`" + ` and the name of the rule. Their severity is refuse and
their no-bid reason %d, unless the rule says otherwise. A request that asks a rule for more work than the
[limits](../policy.md#conditions) allow has ` + "`limit.rule`" + `, with the severity of that rule; the finding names it.

%s
## Payloads

The part after ` + "`payload.`" + ` is the pattern; [payload.md](../payload.md) says how they are looked for. The patterns of a
configuration bring reasons of their own: ` + "`payload.`" + ` and the id, with severity refuse unless the pattern says otherwise.

%s
## Fraud

The part after ` + "`fraud.`" + ` is the signal; [fraud.md](../fraud.md) explains each. Only ` + "`fraud.score`" + ` can refuse: a signal with the
severity refuse is reported as a warning. A refused request gets the no-bid reason of its heaviest signal.

%s
## Responses

[Responses](../verdict.md#responses) have reasons of their own: codes of the decoder, rules about responses and about pairs of request
and response, and payloads. The part after ` + "`response.`" + ` is the code, the rule or the pattern. The no-bid reason is for an answer
without any bid left. Other presets than *%s* set the severities of rules as they do for requests.
Each pattern of [payloads](#payloads) is also a reason ` + "`response.payload.`" + ` and its id, with severity %v and nbr %d; those that say
something else are in the table.

%s`

// TestReasonsDocument keeps docs/reference/reasons.md up to date.
func TestReasonsDocument(t *testing.T) {
	name := testkit.Path(t, "docs/reference/reasons.md")
	got := reasonsDocument()
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil || string(want) != got {
		t.Fatalf("docs/reference/reasons.md is not up to date (%v); go test ./inspect -run TestReasonsDocument -update writes it", err)
	}
}

func reasonsDocument() string {
	const header = "| reason | severity | nbr | says |\n| --- | --- | --- | --- |\n"
	tables := map[string]*strings.Builder{"decode": {}, "schema": {}, "payload": {}, "fraud": {}, "scrub": {}, "response": {}}
	tables["policy"] = tables["scrub"] // one table, in their order
	used := map[adcom.NoBidReason]int{}
	for _, r := range Reasons() {
		used[r.NBR]++
		if patternAgain(r) {
			continue
		}
		fmt.Fprintf(tables[r.Inspector.String()], "| `%s` | %v | %d | %s |\n", r.ID, r.Severity, r.NBR, cell(r.Text))
	}
	var codes strings.Builder
	last := 0
	for n := range adcom.NoBidReason(1000) {
		if n.Valid() && n < ownNBRMin {
			last = int(n)
		}
		switch {
		case used[n] > 0:
			fmt.Fprintf(&codes, "| %d | %s | %d |\n", n, NoBidReasonText(n), used[n])
		case n >= ownNBRMin && NoBidReasonText(n) != n.String():
			fmt.Fprintf(&codes, "| %d | %s | those of the configuration |\n", n, NoBidReasonText(n))
		}
	}
	return fmt.Sprintf(reasonsIntro, PresetDefault, last, &codes, header+tables["decode"].String(), header+tables["schema"].String(), NBRPolicy, header+tables["scrub"].String(),
		header+tables["payload"].String(), header+tables["fraud"].String(), PresetDefault, Refuse, NBRResponse, header+tables["response"].String())
}

// patternAgain reports whether r is the reason of responses for a pattern, and says what the reason
// of requests says. One sentence of the page is about all of these.
func patternAgain(r Reason) bool {
	id, found := strings.CutPrefix(r.ID, responsePrefix+"payload.")
	if !found {
		return false
	}
	own, _ := ReasonByID("payload." + id)
	return r.Text == own.Text && r.Severity == Refuse && r.NBR == NBRResponse
}

// cell makes text fit for a cell of a Markdown table.
func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "*", `\*`, "_", `\_`).Replace(s)
}
