package judge

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/internal/explanation"
	"github.com/rtbwire/rtbwire/internal/serving/admin"
)

// TestExplain judges by a configuration, for a partner: the document is the one of "rtbwire
// explain", and the result has the edits.
func TestExplain(t *testing.T) {
	t.Parallel()
	c, problems := config.Parse("", `version: 1
rules: [{name: tagged, when: facts.peer == "192.0.2.1" || facts.publisher == "pub", severity: warn}]
scrub: [{name: ifa, remove: [/device/ifa]}]
partners: {exchange-a: {rules: [{name: never, when: "true", severity: refuse, nbr: 7}]}}`, config.Options{Conditions: &config.CEL{}})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	s, problems := c.Open(config.OpenOptions{})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	by := &By{Engine: s.Engine, Preset: "admission", Partners: s.Config.Scope.Names()}
	body := []byte(`{"id":"1","imp":[{"id":"1","banner":{"w":300,"h":250}}],"app":{"id":"a","bundle":"com.example"},"device":{"ifa":"6f1a2b3c","ua":"x"}}`)
	got, err := Explain(by, body, admin.Sender{Peer: "192.0.2.1"})
	if err != nil {
		t.Fatal(err)
	}
	if got.Action != "forward" || got.Result != strings.Replace(string(body), `"ifa":"6f1a2b3c",`, "", 1) || len(got.Edits) != 1 || got.Edits[0] != (explanation.Edit{Action: "remove", Path: "/device/ifa"}) ||
		got.Findings[len(got.Findings)-1].Inspector != "fraud" && !strings.Contains(string(mustJSON(t, got)), "policy.tagged") {
		t.Errorf("%s", mustJSON(t, got))
	}
	if got, err = Explain(by, body, admin.Sender{Partner: "exchange-a"}); err != nil || got.Reason != "policy.never" || *got.NBR != 7 || got.Result != "" {
		t.Errorf("%s, %v", mustJSON(t, got), err)
	}
	for sender, want := range map[admin.Sender]string{
		{Partner: "exchange-b"}: `no partner "exchange-b" (did you mean "exchange-a"?)`,
		{Peer: "x"}:             `the peer "x" is not an address`,
	} {
		if _, err := Explain(by, body, sender); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", sender, err)
		}
	}
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
