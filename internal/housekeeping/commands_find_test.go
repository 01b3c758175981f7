package housekeeping

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// command is what a document tells its reader to type.
type command struct {
	where  string // file:line
	text   string // without the comment after it
	folder string // where it is meant to run, from the root
	inline bool   // in a sentence, where it may be a part of a command
}

// shellPrograms are the first words of commands. A path of the repository is one too.
var shellPrograms = map[string]bool{
	"make": true, "go": true, "cd": true, "rtbwire": true, "rtbwire-gen": true, "rtbwire-scan": true, "rtbwire-packets": true,
	"cmake": true, "ctest": true, "pip": true, "curl": true, "zcat": true, "cat": true, "git": true,
}

// notCommanding are documents about the past, and data.
var notCommanding = regexp.MustCompile(`^(CHANGELOG\.md|docs/decisions/.*|lab/results/.*|.*testdata/.*)$`)

// documentedCommands returns the commands of all documents and of "make help".
func documentedCommands(t *testing.T) (list []command) {
	t.Helper()
	skipVariant(t)
	err := walk(func(name string) error {
		if name != "Makefile" && (!strings.HasSuffix(name, ".md") || notCommanding.MatchString(name)) {
			return nil
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return err
		}
		if name == "Makefile" {
			list = append(list, commandsOfHelp(name, string(text))...)
		} else {
			list = append(list, commandsOf(name, string(text))...)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(list) < 20 {
		t.Fatalf("found only %d commands in the documents", len(list))
	}
	return list
}

var (
	inlineCode = regexp.MustCompile("`([^`\n]+)`")
	comment    = regexp.MustCompile(`(^|\s+)#(\s.*)?$`)
	helpText   = regexp.MustCompile(`^[a-z0-9-]+:.*## (.*)`)
	makeInHelp = regexp.MustCompile(`make [a-z0-9-]+( [A-Z]+=("[^"]*"|[^ ,;)]+))?`)
)

// commandsOf returns the commands in indented and fenced blocks of a document, and those in
// sentences.
func commandsOf(name, text string) (list []command) {
	folder := "." // blocks begin at the root
	language, fenced, code := "", false, false
	for i, line := range strings.Split(text, "\n") {
		where := fmt.Sprintf("%s:%d", name, i+1)
		add := func(text string, inline bool) {
			text = strings.TrimSpace(comment.ReplaceAllString(text, ""))
			word, rest, _ := strings.Cut(text, " ")
			switch {
			case word == "cd" && !strings.Contains(text, "&&") && !inline:
				folder = path.Clean(rest)
			case shellPrograms[word] && (rest != "" || !inline), strings.HasPrefix(word, "scripts/"), strings.HasPrefix(word, "cpp/bench/") && !inline:
				in := folder
				if home := path.Dir(name); word == "cmake" || inline && word == "go" && home == "lab" {
					in = home // "in this folder"
				}
				list = append(list, command{where, text, in, inline})
			}
		}
		trimmed := strings.TrimSpace(line)
		if after, is := strings.CutPrefix(trimmed, "```"); is {
			fenced, language, folder = !fenced, after, "."
			continue
		}
		indented := !fenced && strings.HasPrefix(line, "    ") && (code || i == 0 || strings.TrimSpace(strings.Split(text, "\n")[i-1]) == "")
		if !indented && !fenced && code && trimmed != "" {
			folder = "."
		}
		switch {
		case fenced && strings.HasPrefix(trimmed, "$ "):
			add(trimmed[2:], false)
		case fenced && (language == "sh" || language == "bash"), indented:
			add(trimmed, false)
		case !fenced:
			for _, match := range inlineCode.FindAllStringSubmatch(line, -1) {
				add(match[1], true)
			}
		}
		code = indented || code && trimmed == "" && !fenced
	}
	return list
}

// commandsOfHelp returns what the texts of "make help" show.
func commandsOfHelp(name, text string) (list []command) {
	for i, line := range strings.Split(text, "\n") {
		if match := helpText.FindStringSubmatch(line); match != nil {
			for _, text := range makeInHelp.FindAllString(match[1], -1) {
				list = append(list, command{fmt.Sprintf("%s:%d", name, i+1), text, ".", false})
			}
		}
	}
	return list
}

func TestCommandsAreFound(t *testing.T) {
	const text = "Run `make test` or `scripts/x.sh`, not `make`:\n" +
		"\n    make ci STEPS=\"race tags\"   # some of it\n    cd lab\n    go run . --list\n    bytes -> index\n" +
		"\nText.\n\n```sh\nrtbwire check x # why\n```\n```\n$ rtbwire check y\n1 error\n```\n```go\ngo func() {}()\n```\n" +
		"1. item\n    make not-code\n"
	want := []command{
		{"x.md:1", "make test", ".", true},
		{"x.md:1", "scripts/x.sh", ".", true},
		{"x.md:3", `make ci STEPS="race tags"`, ".", false},
		{"x.md:5", "go run . --list", "lab", false},
		{"x.md:11", "rtbwire check x", ".", false},
		{"x.md:14", "rtbwire check y", ".", false},
	}
	got := commandsOf("x.md", text)
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	got = commandsOfHelp("Makefile", "ci: ## all; some: make ci STEPS=\"race tags\", or make cpp ARGS=asan, tsan\n")
	want = []command{{"Makefile:1", `make ci STEPS="race tags"`, ".", false}, {"Makefile:1", "make cpp ARGS=asan", ".", false}}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
