package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
)

// The README shows what the command says about the corpus, between these two lines.
const (
	readmeBegin = `<!-- corpus: written by "go test ./cmd/rtbwire -run README -update" -->` + "\n"
	readmeEnd   = "<!-- /corpus -->"
	// readmeRules is how many lines of the table of rules are shown.
	readmeRules = 15
)

// TestREADME holds the summary in the README and the command together.
func TestREADME(t *testing.T) {
	t.Chdir("../..")
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(readme), readmeBegin)
	shown, after, ok2 := strings.Cut(rest, readmeEnd)
	if !ok || !ok2 {
		t.Fatalf("README.md has no place for the summary: expected the lines %q and %q", readmeBegin, readmeEnd)
	}
	want := "```\n" + corpusSummary(t) + "```\n"
	if shown == want {
		return
	}
	if !*update {
		t.Fatalf("the summary in README.md is not what the command prints; run go test ./cmd/rtbwire -run README -update\ngot\n%s\nwant\n%s", shown, want)
	}
	if err := os.WriteFile("README.md", []byte(before+readmeBegin+want+readmeEnd+after), 0o600); err != nil {
		t.Fatal(err)
	}
}

// corpusSummary is the first table of the summary of the corpus, and the top of the second.
func corpusSummary(t *testing.T) string {
	t.Helper()
	args := []string{
		"check", "--quiet", "--summary", "--no-times", "--color", "never",
		"testdata/corpus/requests.ndjson", "testdata/corpus/responses.ndjson",
	}
	var out, errors bytes.Buffer
	env := &cli.Env{
		Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errors,
		Getenv: func(string) string { return "" },
	}
	if status := cli.Main(env, commands, args); status != 1 {
		t.Fatalf("exit status %d, expected 1 for a corpus with errors\n%s", status, &errors)
	}
	lines := strings.SplitAfter(out.String(), "\n")
	for i, line := range lines {
		if i > 0 && strings.HasPrefix(line, "╭") { // the second table
			return "$ rtbwire check --quiet --summary testdata/corpus/*.ndjson\n" + strings.Join(lines[:i+readmeRules], "") + "...\n"
		}
	}
	t.Fatalf("expected two tables:\n%s", &out)
	return ""
}
