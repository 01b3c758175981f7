package policytest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/record"
)

// lineOf is the line of a request that is judged by an engine.
func lineOf(tb testing.TB, e *inspect.Engine, name, request string, f inspect.Facts) string {
	tb.Helper()
	v := e.NewWorker().Inspect([]byte(request), f)
	line, err := record.Append(nil, &record.Record{
		Name: name, Request: []byte(request), Facts: f,
		Expect: record.Decision{Action: v.Action.String(), Reason: v.Reason, NBR: int(v.NBR), Score: v.Score},
	})
	if err != nil {
		tb.Fatal(err)
	}
	return string(line)
}

func setupOf(tb testing.TB, text string) *config.Setup {
	tb.Helper()
	c, problems := config.Parse("x.yaml", "version: 1\n"+text, config.Options{})
	if len(problems) > 0 {
		tb.Fatal(problems)
	}
	s, problems := c.Open(config.OpenOptions{})
	if len(problems) > 0 {
		tb.Fatal(problems)
	}
	return s
}

// TestCapture runs a capture: the configuration that it was made with gives the verdicts that it
// has, and another one differs where it should, even in rules and partners that are not there.
func TestCapture(t *testing.T) {
	before := setupOf(t, `
rules: [{name: no-site, when: "!has(site)", severity: refuse, nbr: 7}]
partners: {a: {rules: [{name: slow, when: tmax > 1000, severity: refuse}]}}`)
	text := lineOf(t, before.Engine, "good", `{"id":"1","imp":[{"id":"1","banner":{"w":1,"h":1}}],"site":{"id":"s"},"tmax":2000}`, inspect.Facts{Time: time.Now()}) +
		lineOf(t, before.Engine, "partner", `{"id":"1","imp":[{"id":"1","banner":{"w":1,"h":1}}],"site":{"id":"s"},"tmax":2000}`, inspect.Facts{Partner: "a"}) +
		lineOf(t, before.Engine, "twice", `{"id":"1","id":"2","imp":[{"id":"1","banner":{"w":1,"h":1}}],"site":{"id":"s"}}`, inspect.Facts{}) +
		lineOf(t, before.Engine, "app", `{"id":"1","imp":[{"id":"1","banner":{"w":1,"h":1}}],"app":{"id":"s"}}`, inspect.Facts{}) +
		"\n" + lineOf(t, before.Engine, "not JSON", "{\n", inspect.Facts{})
	file := filepath.Join(t.TempDir(), "x")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	differences := func(s *config.Setup) (list []string) {
		t.Helper()
		all, problems := Load(file, s)
		if len(problems) > 0 || len(all) != 5 {
			t.Fatalf("%d cases, %v", len(all), problems)
		}
		w := s.Engine.NewWorker()
		for i := range all {
			for _, d := range all[i].Run(w) {
				list = append(list, all[i].Name+": "+d.What)
			}
		}
		return list
	}
	write(text)
	if got := differences(before); got != nil {
		t.Errorf("differences %q", got)
	}
	write(text + `{"capture":1,"name":"cut","requ`) // the process was killed
	after := setupOf(t, ``)
	if got := strings.Join(differences(after), "; "); got != "partner: action; partner: reason; partner: nbr; app: action; app: reason; app: nbr" {
		t.Errorf("differences %q", got)
	}

	write(strings.Replace(text, `"request"`, `"reques"`, 2))
	if _, problems := Load(file, before); len(problems) != 2 || problems[0].Line != 1 || problems[1].Line != 2 {
		t.Errorf("problems %v", problems)
	}
	write(strings.Repeat("x", 10) + text) // not a capture, and not a file of cases
	if _, problems := Load(file, before); len(problems) == 0 {
		t.Error("no problem")
	}
	write(`{"capture":1,"name":"` + strings.Repeat("x", record.LineMax) + "\"}\n")
	if _, problems := Load(file, before); len(problems) != 1 || !strings.Contains(problems[0].Message, "bytes") {
		t.Errorf("problems %v", problems)
	}
	write(`{"capture":1,"name":"cut","request":"` + strings.Repeat("x", 100))
	if _, problems := Load(file, before); len(problems) != 1 {
		t.Errorf("problems %v", problems)
	}
}
