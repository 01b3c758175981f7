package useragent

import (
	"flag"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/testkit"
)

var update = flag.Bool("update", false, "write what is claimed into testdata/useragent/claims.tsv")

// goldenFile has a line for each user agent: what it claims, a tab, the user agent.
const goldenFile = "testdata/useragent/claims.tsv"

// golden returns the user agents of the file, in its order, and what each claims.
func golden(t testing.TB) (order []string, claims map[string]string) {
	t.Helper()
	text, err := os.ReadFile(testkit.Path(t, goldenFile))
	if err != nil {
		t.Fatal(err)
	}
	claims = map[string]string{}
	for line := range strings.Lines(string(text)) {
		claim, ua, found := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if _, twice := claims[ua]; twice || !found {
			t.Fatalf("%s: twice or without a tab: %q", goldenFile, line)
		}
		claims[ua] = claim
		order = append(order, ua)
	}
	return order, claims
}

// TestGolden wants every user agent of the file to claim what it did when somebody read the line.
func TestGolden(t *testing.T) {
	order, claims := golden(t)
	var lines []string
	for _, ua := range order {
		got := describe(Parse(ua))
		lines = append(lines, got+"\t"+ua+"\n")
		if got != claims[ua] && !*update {
			t.Errorf("%s\n got %s\nwant %s", ua, got, claims[ua])
		}
	}
	if *update {
		if err := os.WriteFile(testkit.Path(t, goldenFile), []byte(strings.Join(lines, "")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if len(order) < 200 {
		t.Errorf("%d user agents", len(order))
	}
}

// TestGoldenHasTheCorpus wants the file to have every user agent of the corpus.
func TestGoldenHasTheCorpus(t *testing.T) {
	_, claims := golden(t)
	missing := map[string]bool{}
	for _, d := range devices(t) {
		if _, found := claims[d.UA]; !found {
			missing[d.UA] = true
		}
	}
	for _, ua := range slices.Sorted(maps.Keys(missing)) {
		t.Errorf("%s lacks %q: add the line, run the test with -update, and read what it claims", goldenFile, ua)
	}
}

// TestGoldenIsWhole wants the file to have an example of everything that can be claimed.
func TestGoldenIsWhole(t *testing.T) {
	order, _ := golden(t)
	seen := map[string]bool{}
	var faults Faults
	for _, ua := range order {
		c := Parse(ua)
		seen["system "+c.OS.String()] = true
		seen["form "+c.Form.String()] = true
		seen["browser "+c.Browser.String()] = true
		seen["client "+c.Client.String()] = true
		faults |= c.Faults
	}
	for kind, names := range map[string][]string{"system": osNames[:], "form": formNames[:], "browser": browserNames[:], "client": clientNames[:]} {
		for _, name := range names {
			if !seen[kind+" "+name] {
				t.Errorf("%s has no example of %s %q", goldenFile, kind, name)
			}
		}
	}
	// The others can't be in a line of a file.
	if want := ImpossibleOS | ImpossibleBrowser | ImpossiblePair | Unbalanced; faults != want {
		t.Errorf("%s has examples of %v, want %v", goldenFile, faults, want)
	}
}
