package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
)

// docs/check.md shows what the command says about the corpus, between these two lines.
const (
	checkPage = "docs/check.md"

	summaryBegin = `<!-- corpus: written by "go test ./cmd/rtbwire -run CheckPage -update" -->` + "\n"
	summaryEnd   = "<!-- /corpus -->"
	// summaryRules is how many lines of the table of rules are shown.
	summaryRules = 15
)

// TestCheckPage holds the summary in docs/check.md and the command together.
func TestCheckPage(t *testing.T) {
	t.Chdir("../..")
	page, err := os.ReadFile(checkPage)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(page), summaryBegin)
	shown, after, ok2 := strings.Cut(rest, summaryEnd)
	if !ok || !ok2 {
		t.Fatalf("docs/check.md has no place for the summary: expected the lines %q and %q", summaryBegin, summaryEnd)
	}
	want := "```\n" + corpusSummary(t) + "```\n"
	if shown == want {
		return
	}
	if !*update {
		t.Fatalf("the summary in docs/check.md is not what the command prints; run go test ./cmd/rtbwire -run CheckPage -update\ngot\n%s\nwant\n%s", shown, want)
	}
	if err := os.WriteFile(checkPage, []byte(before+summaryBegin+want+summaryEnd+after), 0o600); err != nil {
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
			return "$ rtbwire check --quiet --summary testdata/corpus/*.ndjson\n" + strings.Join(lines[:i+summaryRules], "") + "...\n"
		}
	}
	t.Fatalf("expected two tables:\n%s", &out)
	return ""
}
