package housekeeping

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// notRun are commands that TestCommandsRun does not run, by their beginning, and why. They are
// checked by TestCommandsExist all the same.
var notRun = map[string]string{
	"make test":          "runs this test",
	"make ci":            "runs this test",
	"make verify":        "hours",
	"make setup":         "changes the machine",
	"make generate":      "changes the tree; the leg generate runs it in a copy",
	"make cpp":           "the leg cpp and those of make verify",
	"make bench":         "minutes",
	"make dist":          "minutes; the leg dist runs it",
	"scripts/cpp.sh":     "the legs cpp-*",
	"cmake":              "the leg cpp builds by the same presets",
	"pip install":        "the leg cpp-python",
	"go get":             "needs the published module",
	"go install":         "needs the published module",
	"go run . --preset":  "minutes",
	"go run . --engines": "measures",
	"go run . readme":    "changes the README",
	"go run . gateway":   "measures, and changes documents",
	"go run . stream":    "measures",
	"go run . scale":     "changes documents",
	"go run . ablation":  "minutes",
	"go run . parallel":  "minutes",
	"go run . tail":      "minutes",
	"go run . published": "minutes",
	"go run . targets":   "needs the file of a run",
	"go run ./playbook":  "minutes",
	"go run ./claims":    "measures, and changes documents",
	"go run ./cmd/":      "measures",
	"cd lab && go run .": "measures",
	"cd lab && go test":  "measures",
	"rtbwire-scan --udp": "ends with SIGTERM only",
	"go run . report":    "writes into the tree",

	"rtbwire simulate --url":       "needs a server",
	"rtbwire simulate core":        "ends with an interrupt only",
	"rtbwire replay":               "needs a server; testdata/script/replay.txt has one",
	"rtbwire policy test new.yaml": "needs a capture; a test of cmd/rtbwire makes one",
	"rtbwire policy diff --old rtbwire.yaml --new next.yaml capture": "needs a capture; a script of cmd/rtbwire has one",
	"rtbwire serve":           "ends with SIGTERM only",
	"rtbwire stream":          "needs a broker; tests of cmd/rtbwire have one",
	"curl -o serve.pgo":       "needs a gateway",
	"curl --json":             "TestCurl of cmd/rtbwire runs it",
	"curl -d @request.json":   "TestCurl of cmd/rtbwire runs it",
	"curl http://127.0.0.1":   "TestCurl of cmd/rtbwire runs it",
	"curl --data-binary":      "needs a gateway; tests of the admin port ask the same",
	"go build -pgo=serve.pgo": "needs a profile",
	"rtbwire demo --keep":     "ends with an interrupt only",
	"make demo ARGS=--keep":   "ends with an interrupt only",
	"rtbwire ctl":             "needs a gateway; tests of cmd/rtbwire have one",
	"rtbwire playground":      "ends with an interrupt only",
}

// TestCommandsRun runs the documented commands: those of the program rtbwire always, what takes
// longer or needs the C++ tools with RTBWIRE_RUN_COMMANDS=1 (the leg "docs"). In pipelines, curl
// and jq are stand-ins.
func TestCommandsRun(t *testing.T) {
	commands := documentedCommands(t)
	if runtime.GOOS == "windows" {
		t.Skip("the commands are for a Unix shell")
	}
	all := os.Getenv("RTBWIRE_RUN_COMMANDS") == "1"
	box := sandbox(t, all)
	unused := maps.Clone(notRun)
	ran := 0
	for _, c := range commands {
		if c.inline {
			continue
		}
		if prefix := longestPrefix(c.text); prefix != "" {
			delete(unused, prefix)
			continue
		}
		folder := box
		if !strings.Contains(c.text, "rtbwire ") && !strings.Contains(c.text, "rtbwire-") {
			if !all {
				continue
			}
			folder = filepath.Join(root, c.folder)
		} else if strings.Contains(c.text, "rtbwire-") && !all {
			continue
		}
		ran++
		text := c.text
		if strings.Contains(text, " -bench ") {
			text += " -benchtime 1x" // that it works, not how fast
		}
		t.Log(text)
		if problem := runCommand(folder, box, text); problem != "" {
			t.Errorf("%s: %s: %s", c.where, c.text, problem)
		}
	}
	if ran == 0 {
		t.Error("no command was run")
	}
	for prefix := range unused {
		t.Errorf("no document has a command that begins with %q: take it off the list", prefix)
	}
}

func longestPrefix(text string) (longest string) {
	for prefix := range notRun {
		if strings.HasPrefix(text, prefix) && len(prefix) > len(longest) {
			longest = prefix
		}
	}
	return longest
}

// runCommand runs a command as a shell does. The status 1 of the checkers means findings.
func runCommand(folder, box, text string) (problem string) {
	cmd := exec.Command("bash", "-c", "set -o pipefail; "+text)
	cmd.Dir = folder
	settings := slices.DeleteFunc(os.Environ(), func(variable string) bool {
		return strings.HasPrefix(variable, "RTBWIRE_") // of tests; no configuration has them
	})
	cmd.Env = append(settings, "PATH="+filepath.Join(box, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if err == nil || strings.HasPrefix(text, "rtbwire") && cmd.ProcessState.ExitCode() == 1 ||
		strings.Contains(text, "| rtbwire check") && cmd.ProcessState.ExitCode() == 1 {
		return ""
	}
	return fmt.Sprintf("%v\n%s", err, out)
}

// sandbox is a folder with the programs in bin and the files that the documents name.
func sandbox(t *testing.T, tools bool) string {
	t.Helper()
	box := t.TempDir()
	write := func(name string, data []byte, mode os.FileMode) {
		t.Helper()
		name = filepath.Join(box, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, data, mode); err != nil {
			t.Fatal(err)
		}
	}
	program, err := builtProgram()
	if err != nil {
		t.Fatal(err)
	}
	write("bin/rtbwire", []byte("#!/bin/sh\nexec '"+program+"' \"$@\"\n"), 0o700)
	write("bin/curl", []byte("#!/bin/sh\ncat bid.json\n"), 0o700)
	write("bin/jq", []byte("#!/bin/sh\ncat >/dev/null\n"), 0o700)

	lines := bytes.SplitAfterN([]byte(text("testdata/corpus/requests.ndjson")), []byte("\n"), 51)
	bids := bytes.Join(lines[:50], nil)
	write("bids.ndjson", bids, 0o600)
	write("requests", bids, 0o600)
	write("bid.json", lines[0], 0o600)
	write("request.json", lines[0], 0o600)
	write("bids.ndjson.zst", packed(t, bids, func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) }), 0o600)
	gzipper := func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil }
	gzipped := packed(t, bids, gzipper)
	responses := []byte(text("testdata/corpus/responses.ndjson"))
	write("requests.ndjson", bids, 0o600)
	write("responses.ndjson", responses, 0o600)
	write("requests.ndjson.gz", gzipped, 0o600)
	write("bids.ndjson.gz", gzipped, 0o600)
	write("rtbwire.yaml", []byte("version: 1\n"), 0o600)
	write("next.yaml", []byte("version: 1\nannotate: true\n"), 0o600)
	write("responses.ndjson.gz", packed(t, responses, gzipper), 0o600)
	write("log.gz", gzipped, 0o600)
	write("traffic/a.ndjson.gz", gzipped, 0o600)
	write("own.tsv", []byte("jndi\t\\$\\{\\s*jndi\\s*:\ta look-up by a logging library\n"), 0o600)
	for _, folder := range []string{"testdata", "examples"} {
		absolute, err := filepath.Abs(filepath.Join(root, folder))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(absolute, filepath.Join(box, folder)); err != nil {
			t.Fatal(err)
		}
	}
	if !tools {
		return box
	}
	for _, name := range []string{"rtbwire-scan", "rtbwire-packets"} {
		program := filepath.Join(root, "cpp/build/test/tool", name)
		data, err := os.ReadFile(program)
		if err != nil {
			t.Fatalf("%v: run make ci STEPS=docs, which builds it", err)
		}
		write("bin/"+name, data, 0o700)
	}
	if problem := runCommand(box, box, "rtbwire-packets --count 100 >traffic.pcapng"); problem != "" {
		t.Fatal(problem)
	}
	return box
}

func packed(t *testing.T, data []byte, newWriter func(io.Writer) (io.WriteCloser, error)) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := newWriter(&b)
	if err == nil {
		_, err = w.Write(data)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestCommandsThatFail checks that a command that fails is noticed.
func TestCommandsThatFail(t *testing.T) {
	skipVariant(t)
	if runtime.GOOS == "windows" {
		t.Skip("the commands are for a Unix shell")
	}
	box := sandbox(t, false)
	for _, text := range []string{"rtbwire nothing", "rtbwire check nothing.ndjson", "rtbwire check --nothing bids.ndjson", "false", "cat nothing | rtbwire check -"} {
		if runCommand(box, box, text) == "" {
			t.Errorf("%s succeeds", text)
		}
	}
}
