package housekeeping

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// leg is a line of scripts/legs.txt: one part of "make ci" or "make verify".
type leg struct {
	list, name string // the list "named" has the legs of "make verify" that run when named
	command    string // for bash
}

// legs returns the legs in their order.
func legs() (list []leg) {
	for line := range strings.Lines(text("scripts/legs.txt")) {
		if words := strings.Fields(line); len(words) > 0 && words[0] != "#" {
			list = append(list, leg{words[0], words[min(1, len(words)-1)], strings.Join(words[min(2, len(words)):], " ")})
		}
	}
	return list
}

func TestLegs(t *testing.T) {
	skipVariant(t)
	seen := map[string]bool{}
	testing := text("docs/testing.md")
	counts := map[string]int{}
	for _, l := range legs() {
		counts[l.list]++
		if l.list != "ci" && l.list != "verify" && l.list != "named" {
			t.Errorf("scripts/legs.txt: %s is in the list %q, which no make target runs", l.name, l.list)
		}
		if seen[l.name] {
			t.Errorf("scripts/legs.txt: two legs are called %s", l.name)
		}
		seen[l.name] = true
		if l.command == "" {
			t.Errorf("scripts/legs.txt: leg %s has no command", l.name)
			continue
		}
		for _, problem := range (command{text: l.command, folder: "."}).problems() {
			t.Errorf("scripts/legs.txt: leg %s: %s", l.name, problem)
		}
		if !strings.Contains(testing, "\n| `"+l.name+"` |") {
			t.Errorf("docs/testing.md does not say what leg %s would find: add a row that begins with | `%s` |", l.name, l.name)
		}
	}
	if counts["ci"] == 0 || counts["verify"] == 0 {
		t.Errorf("legs by list: %v", counts)
	}
	_, rows, _ := strings.Cut(testing, "\n## The legs\n")
	rows, _, _ = strings.Cut(rows, "\n## ")
	for _, match := range regexp.MustCompile("(?m)^\\| `([a-z0-9-]+)` \\|").FindAllStringSubmatch(rows, -1) {
		if !seen[match[1]] {
			t.Errorf("docs/testing.md has a row for leg %s, which is not in scripts/legs.txt", match[1])
		}
	}
}

// TestLegsAreSetUp wants "make setup" to install what the legs of "make ci" need, and
// "make setup ARGS=verify" what those of "make verify" need.
func TestLegsAreSetUp(t *testing.T) {
	skipVariant(t)
	setup := text("scripts/setup.sh")
	parts := regexp.MustCompile(`(?m)^  ([a-z0-9-]+(?: \| [a-z0-9-]+)*)\)`)
	known := map[string][]string{} // part -> all parts of its branch
	for _, match := range parts.FindAllStringSubmatch(setup, -1) {
		for part := range strings.SplitSeq(match[1], " | ") {
			known[part] = append(known[part], strings.Split(match[1], " | ")...)
		}
	}
	installed := func(list string) (parts []string) {
		match := regexp.MustCompile(`(?m)^  ` + list + `\) missing (.*) ;;`).FindStringSubmatch(setup)
		if match == nil {
			t.Fatalf("scripts/setup.sh has no branch for %s", list)
		}
		return strings.Fields(match[1])
	}
	ci := installed("ci")
	verify := append(installed("verify"), ci...)
	for _, l := range legs() {
		have := ci
		switch l.list {
		case "verify":
			have = verify
		case "named":
			continue // "make setup ARGS=LEG" installs what they need
		}
		if branch := known[l.name]; branch != nil && !slices.ContainsFunc(branch, func(part string) bool { return slices.Contains(have, part) }) {
			t.Errorf("scripts/setup.sh knows what leg %s needs, and does not install it for %s", l.name, l.list)
		}
	}
}

var scriptName = regexp.MustCompile(`scripts/[a-z0-9-]+\.(?:sh|txt)`)

// TestScriptsAreReachable wants every script to be run by a make target, in one or more steps.
func TestScriptsAreReachable(t *testing.T) {
	skipVariant(t)
	reached := map[string]bool{}
	var reach func(text string)
	reach = func(content string) {
		for _, name := range scriptName.FindAllString(content, -1) {
			if reached[name] {
				continue
			}
			reached[name] = true
			if _, err := os.Stat(filepath.Join(root, name)); err != nil {
				t.Errorf("%s is named and does not exist", name)
			}
			var code strings.Builder
			for line := range strings.Lines(text(name)) {
				if !strings.HasPrefix(strings.TrimSpace(line), "#") {
					code.WriteString(line)
				}
			}
			reach(code.String())
		}
	}
	reach(text("Makefile"))
	reached["scripts/lib.sh"] = true // sourced by its place, not by its name
	entries, err := os.ReadDir(filepath.Join(root, "scripts"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !reached["scripts/"+e.Name()] {
			t.Errorf("no make target runs scripts/%s: add one, or a leg to scripts/legs.txt, or remove it", e.Name())
		}
	}
}

// TestMakeHelp wants "make help" to list every target.
func TestMakeHelp(t *testing.T) {
	skipVariant(t)
	makefile := text("Makefile")
	phony := regexp.MustCompile(`(?m)^\.PHONY: ((?:.*\\\n)*.*)`).FindStringSubmatch(makefile)
	if phony == nil {
		t.Fatal("the Makefile has no line .PHONY")
	}
	declared := strings.Fields(strings.ReplaceAll(phony[1], "\\", ""))
	for _, match := range regexp.MustCompile(`(?m)^([a-z0-9-]+):(.*)$`).FindAllStringSubmatch(makefile, -1) {
		if !slices.Contains(declared, match[1]) {
			t.Errorf("Makefile: target %s is not in .PHONY", match[1])
		}
		if !strings.Contains(match[2], "## ") {
			t.Errorf("Makefile: target %s has no text for make help: add ## TEXT", match[1])
		}
	}
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("there is no make")
	}
	help, err := exec.Command("make", "-C", root, "--no-print-directory", "help").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, help)
	}
	for _, name := range declared {
		if !strings.Contains(string(help), fmt.Sprintf("\n  make %s ", name)) && !strings.HasPrefix(string(help), fmt.Sprintf("  make %s ", name)) {
			t.Errorf("make help does not list %s", name)
		}
	}
}

// TestCI wants .ci/run to be what a developer can run: make setup, make test, and the rest of make
// ci.
func TestCI(t *testing.T) {
	skipVariant(t)
	var commands []string
	for line := range strings.Lines(text(".ci/run")) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "make ") || strings.HasPrefix(line, "exec make ") {
			commands = append(commands, line)
		}
	}
	if want := []string{"make setup", "make test", "make ci SKIP=test"}; !slices.Equal(commands, want) {
		t.Errorf(".ci/run runs %q, want %q", commands, want)
	}
	recipe, _ := target("test")
	if !slices.ContainsFunc(legs(), func(l leg) bool {
		return l.list == "ci" && l.name == "test" && strings.Contains(recipe, l.command)
	}) {
		t.Errorf("make test runs %q, which is not the leg test of make ci", recipe)
	}
}

// TestScriptsNamePackages wants the packages that scripts name to exist: a pattern that matches
// nothing is only a warning of the go command.
func TestScriptsNamePackages(t *testing.T) {
	skipVariant(t)
	elsewhere := regexp.MustCompile(`\bgo -C (\S+) `)
	pattern := regexp.MustCompile(`(?:^|[\s(='"])\./([a-z0-9_/]+?)(?:/\.\.\.)?(?:[\s)'";]|$)`)
	found := 0
	entries, err := os.ReadDir(filepath.Join(root, "scripts"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		for line := range strings.Lines(text("scripts/" + e.Name())) {
			if strings.HasPrefix(strings.TrimSpace(line), "#") {
				continue
			}
			in := ""
			if match := elsewhere.FindStringSubmatch(line); match != nil {
				in = match[1]
			}
			for _, match := range pattern.FindAllStringSubmatch(line, -1) {
				found++
				if !isFolder(filepath.Join(in, match[1])) {
					t.Errorf("scripts/%s names ./%s, which is not a folder", e.Name(), match[1])
				}
			}
		}
	}
	if found == 0 {
		t.Error("found no package in any script")
	}
}
