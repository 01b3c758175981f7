package main

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/rtbwire/rtbwire/internal/testkit/scripts"
)

func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"rtbwire-gen": main}) }

// TestScript runs the command lines in testdata/script. Besides the usual commands there is
// "status N COMMAND...", which runs a command that has to exit with status N.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Cmds:                map[string]func(ts *testscript.TestScript, neg bool, args []string){"status": scripts.Status},
	})
}

// TestFullDisk: a text that could not be printed is a failure.
func TestFullDisk(t *testing.T) {
	var stderr bytes.Buffer
	if status := run(fullDisk{}, &stderr, []string{"--help"}); status != statusFailed || !strings.Contains(stderr.String(), "no space") {
		t.Errorf("status %d, %q", status, stderr.String())
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// TestHelp: the help text names every flag, and its examples the program.
func TestHelp(t *testing.T) {
	var stdout bytes.Buffer
	if status := run(&stdout, os.Stderr, []string{"--help"}); status != statusOK {
		t.Fatalf("status %d", status)
	}
	for _, want := range []string{"rtbwire-gen [flags] TYPE...", "--dir", "-o, --output", "--version", "cmd/rtbwire-gen Event Click"} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("the help text lacks %q:\n%s", want, stdout.String())
		}
	}
}

// TestPage: the manual page has what the help text has.
func TestPage(t *testing.T) {
	var stdout bytes.Buffer
	if status := run(&stdout, os.Stderr, []string{"--man"}); status != statusOK {
		t.Fatalf("status %d", status)
	}
	for _, want := range []string{".TH \"RTBWIRE\\-GEN\"", "\\-\\-output\\fR \\fIFILE", "ParseEventFast(data)", "\nrtbwire\\-gen Event\n", ".SH SEE ALSO\n\\fBrtbwire\\fR(1)"} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("the page lacks %q:\n%s", want, stdout.String())
		}
	}
}
