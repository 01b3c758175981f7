package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const root = "../../../.."

// TestFresh compares the committed file with what the data says.
func TestFresh(t *testing.T) {
	agents, versions := read(t, "agents.json"), read(t, "versions.json")
	want, err := generate(agents, versions)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(root, output))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is stale: run 'make generate' and commit what changes", output)
	}
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, folder, name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Data without a fault, and what is replaced in it for each case of TestFaults.
const (
	soundAgents   = `[{"token": "Abot", "kind": "crawler", "vendor": "A", "source": "https://a.example/"}]`
	soundVersions = `{"limits": [{"of": "chrome", "newest": 100, "on": "2026-01-02", "perYear": 13, "source": "https://b.example/"}],
"gaps": [{"of": "chrome", "from": 82, "to": 82, "source": "https://b.example/"}],
"needs": [{"chrome": 90, "of": "android", "least": 5, "source": "https://c.example/"}, {"chrome": 95, "of": "android", "least": 6, "source": "https://c.example/"}]}`
)

func TestGenerate(t *testing.T) {
	out, err := generate([]byte(soundAgents), []byte(soundVersions))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`{"Abot", crawler, false},`, "Chrome: {165, 82, 82}, // 100 on 2026-01-02", "\t{95, 6},\n\t{90, 5},\n",
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the output lacks %q:\n%s", want, out)
		}
	}
}

// TestFaults checks that each fault is reported with the row and the reason.
func TestFaults(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"Abot", "Abo", `agent 0, "Abo": a token has 4 to 32 bytes`},
		{"Abot", "Ab\u00f6t", "a token has letters"},
		{`"crawler"`, `"browser"`, `unknown kind "browser"`},
		{`"vendor": "A"`, `"vendor": ""`, "no vendor"},
		{"https://a.example/", "a.example", "agent 0, \"Abot\": the source is not a web address"},
		{`"kind"`, `"Art"`, `agents.json: json: unknown field "Art"`},
		{`/"}]`, `/"}] []`, "agents.json: more than one value"},
		{`[{"token"`, `[{"token": "ABOT", "kind": "crawler", "vendor": "A", "source": "https://a.example/"}, {"token"`, `agent 1, "Abot": an earlier agent`},
		{soundAgents, "[]", "0 agents"},
		{`"of": "chrome", "newest"`, `"of": "lynx", "newest"`, `limits 0: unknown name "lynx"`},
		{`{"limits": [`, `{"limits": [{"of": "chrome", "newest": 1, "on": "2026-01-02", "perYear": 1, "source": "https://b.example/"}, `, "limits 1: an earlier row"},
		{"100", "0", "limits 0: newest or perYear is out of range"},
		{"2026-01-02", "2026", "limits 0: on is not a date"},
		{`13, "source": "https`, `13, "source": "ftp`, "limits 0: the source is not"},
		{`"of": "chrome", "from"`, `"of": "safari", "from"`, `gaps 0: there is no limit of "safari"`},
		{`"to": 82`, `"to": 81`, "gaps 0: from and to"},
		{`82, "source": "https`, `82, "source": "`, "gaps 0: the source is not"},
		{`"of": "android", "least": 5`, `"of": "ios", "least": 5`, `needs 0: unknown name "ios"`},
		{`"least": 5`, `"least": 0`, "needs 0: chrome or least"},
		{`"chrome": 95`, `"chrome": 90`, "needs 1: chrome does not rise"},
		{`5, "source": "https`, `5, "source": "`, "needs 0: the source is not"},
		{`"needs"`, `"need"`, `versions.json: json: unknown field "need"`},
	} {
		agents, versions := strings.Replace(soundAgents, c.old, c.new, 1), strings.Replace(soundVersions, c.old, c.new, 1)
		if agents == soundAgents && versions == soundVersions {
			t.Fatalf("%s occurs nowhere", c.old)
		}
		_, err := generate([]byte(agents), []byte(versions))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s for %s: %v, want %q", c.new, c.old, err, c.want)
		}
	}
}
