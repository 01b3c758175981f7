package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// action is what the tests read of the GitHub Action.
type action struct {
	Inputs map[string]struct{ Default string }
	Runs   struct {
		Using string
		Steps []struct {
			Uses, Shell, Run string
			Env              map[string]string
		}
	}
}

var inputForm = regexp.MustCompile(`^\$\{\{ inputs\.([a-z-]+) \}\}$`)

// runAction runs the steps of the action that are scripts, in a folder, and returns the status and
// the output. Steps that use other actions are left out; so is the one that builds the program,
// without build.
func runAction(t *testing.T, folder string, build bool, inputs map[string]string) (status int, output string) {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("there is no bash")
	}
	var a action
	if err := yaml.Unmarshal([]byte(deployFile(t, "action/action.yml")), &a); err != nil {
		t.Fatal(err)
	}
	for name := range inputs {
		if _, ok := a.Inputs[name]; !ok {
			t.Fatalf("the action has no input %s", name)
		}
	}
	place, err := filepath.Abs(filepath.Join(deployFolder, "action"))
	if err != nil {
		t.Fatal(err)
	}
	temporary := t.TempDir()
	search := filepath.Join(temporary, "path")
	scripts := 0
	for _, step := range a.Runs.Steps {
		if step.Uses != "" || strings.Contains(step.Run, "go -C") && !build {
			continue
		}
		scripts++
		// As GitHub runs a step with "shell: bash".
		cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step.Run)
		cmd.Dir = folder
		own := slices.DeleteFunc(os.Environ(), func(entry string) bool { return strings.HasPrefix(entry, "RTBWIRE_") }) // they are for the tests
		cmd.Env = append(own, "GITHUB_ACTION_PATH="+place, "RUNNER_TEMP="+temporary, "GITHUB_PATH="+search)
		if added, err := os.ReadFile(search); err == nil {
			cmd.Env = append(cmd.Env, "PATH="+strings.TrimSpace(string(added))+string(os.PathListSeparator)+os.Getenv("PATH"))
		}
		for name, value := range step.Env {
			if m := inputForm.FindStringSubmatch(value); m != nil {
				input, known := a.Inputs[m[1]]
				if !known {
					t.Errorf("%s is an input that is not declared", value)
				}
				value = input.Default
				if given, ok := inputs[m[1]]; ok {
					value = given
				}
			}
			cmd.Env = append(cmd.Env, name+"="+value)
		}
		out, err := cmd.CombinedOutput()
		output += string(out)
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			return exit.ExitCode(), output
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if a.Runs.Using != "composite" || scripts == 0 {
		t.Fatal("the action is not one of steps")
	}
	return 0, output
}

// actionFolder has a policy, cases and requests, some of them good.
func actionFolder(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.MkdirAll(filepath.Join(folder, "data", "a b"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"rtbwire.yaml":       "version: 1\nrules: [{name: blocked, when: site.domain == \"blocked.example\", severity: refuse}]\n",
		"good.cases.yaml":    "cases: [{name: blocked, request: {id: \"1\", imp: [{id: \"1\", banner: {w: 300, h: 250}}], site: {id: s, domain: blocked.example}}, expect: {action: refuse, reason: policy.blocked}}]\n",
		"bad.cases.yaml":     "cases: [{name: forwarded, request: {id: \"1\", imp: [{id: \"1\", banner: {w: 300, h: 250}}], site: {id: s, domain: blocked.example}}, expect: {action: forward}}]\n",
		"data/a b/good.json": goodRequest,
		"data/bad.json":      `{"id":"1","imp":[]}`,
	} {
		replace(t, filepath.Join(folder, filepath.FromSlash(name)), text)
	}
	return folder
}

// TestDeployAction runs the action's scripts as GitHub would.
func TestDeployAction(t *testing.T) {
	folder := actionFolder(t)
	for _, tt := range []struct {
		name   string
		inputs map[string]string
		status int
		output string // a part of it
	}{
		{"nothing", nil, 2, "::error::nothing to do"},
		{"cases alone", map[string]string{"cases": "x", "check": "data/bad.json"}, 2, "::error::config and cases go together"},
		{"no match", map[string]string{"config": "rtbwire.yaml", "cases": "*.case.yaml"}, 2, "::error::cases: no file matches *.case.yaml"},
		{"good cases", map[string]string{"config": "rtbwire.yaml", "cases": "good*.yaml\n"}, 0, "1 passed, 0 failed"},
		{"bad cases", map[string]string{"config": "rtbwire.yaml", "cases": "good*.yaml\nbad*.yaml"}, 1, "1 passed, 1 failed"},
		{"good files", map[string]string{"check": "data/**/good.json"}, 0, "data/a b/good.json"},
		{"bad files", map[string]string{"check": "data/**/*.json"}, 1, "data/bad.json"},
		{"flags", map[string]string{"check": "data/*.json", "check-flags": "--preset  exchange --fail-on never"}, 0, "data/bad.json"},
		{"the worse status", map[string]string{"config": "rtbwire.yaml", "cases": "bad.cases.yaml", "check": "data/**/good.json"}, 1, "data/a b/good.json"},
		{"no file", map[string]string{"config": "rtbwire.yaml", "cases": "missing.yaml"}, 2, "missing.yaml"},
		{"not run", map[string]string{"config": "$(touch ran)", "cases": "$(touch ran)`touch ran`"}, 2, ""},
		{"reports", map[string]string{"config": "rtbwire.yaml", "cases": "*.cases.yaml", "junit": "policy.xml", "check": "data/*.json", "sarif": "check.sarif"}, 1, "1 passed, 1 failed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if status, output := runAction(t, folder, false, tt.inputs); status != tt.status || !strings.Contains(output, tt.output) {
				t.Errorf("status %d, want %d; output %s", status, tt.status, output)
			}
		})
	}
	if _, err := os.Stat(filepath.Join(folder, "ran")); err == nil {
		t.Error("an input was run as a command")
	}
	for name, want := range map[string]string{"policy.xml": "<testsuite", "check.sarif": `"$schema"`} {
		if text, err := os.ReadFile(filepath.Join(folder, name)); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %v, %.100s", name, err, text)
		}
	}
}

// TestDeployActionBuilds runs the step too that builds the program; the leg deploy asks for it.
func TestDeployActionBuilds(t *testing.T) {
	if os.Getenv("RTBWIRE_ACTION") == "" {
		t.Skip("RTBWIRE_ACTION is not set")
	}
	status, output := runAction(t, actionFolder(t), true, map[string]string{"config": "rtbwire.yaml", "cases": "good.cases.yaml"})
	if status != 0 || !strings.Contains(output, "1 passed, 0 failed") {
		t.Errorf("status %d: %s", status, output)
	}
}
