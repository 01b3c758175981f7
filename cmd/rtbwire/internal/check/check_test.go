package check

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/rtbwire/rtbwire/batch"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
)

// The command line as a whole is tested by the scripts in cmd/rtbwire/testdata; here is what
// takes a terminal, an interrupt or a full disk.

// newRun is a run with the given flags, in an environment without terminals.
func newRun(t *testing.T, args ...string) *run {
	t.Helper()
	set := pflag.NewFlagSet("check", pflag.ContinueOnError)
	f := newFlags(set)
	if err := set.Parse(args); err != nil {
		t.Fatal(err)
	}
	engine, err := f.engine(nil)
	if err != nil {
		t.Fatal(err)
	}
	env := &cli.Env{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard, Getenv: func(string) string { return "" }}
	return &run{flags: f, env: env, engine: engine}
}

func TestColor(t *testing.T) {
	for _, tt := range []struct {
		name     string
		args     []string
		env      string
		terminal bool
		want     bool
	}{
		{"a terminal", nil, "", true, true},
		{"a pipe", nil, "", false, false},
		{"NO_COLOR", nil, "NO_COLOR", true, false},
		{"a dumb terminal", nil, "TERM", true, false},
		{"into a file", []string{"-o", "x"}, "", true, false},
		{"always", []string{"--color", "always"}, "NO_COLOR", false, true},
		{"never", []string{"--color", "never"}, "", true, false},
	} {
		r := newRun(t, tt.args...)
		r.env.StdoutTerminal = tt.terminal
		r.env.Getenv = func(name string) string {
			if name == tt.env {
				return "dumb"
			}
			return ""
		}
		if got := r.color(); got != tt.want {
			t.Errorf("%s: colors %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestStdinTerminal(t *testing.T) {
	r := newRun(t)
	r.env.StdinTerminal = true
	if err := r.check(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "standard input is a terminal") {
		t.Errorf("got %v", err)
	}
}

// TestBar checks when there is a progress bar.
func TestBar(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.json")
	if err := os.WriteFile(file, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name           string
		args           []string
		stdout, stderr bool
		files          []string
		want           bool
	}{
		{"a person waits", nil, false, true, []string{file}, true},
		{"no terminal", nil, false, false, []string{file}, false},
		{"findings on the same terminal", nil, true, true, []string{file}, false},
		{"quiet on the same terminal", []string{"-q"}, true, true, []string{file}, true},
		{"standard input", nil, false, true, []string{file, "-"}, false},
		{"a directory", nil, false, true, []string{"."}, false},
	} {
		r := newRun(t, tt.args...)
		r.env.StdoutTerminal, r.env.StderrTerminal = tt.stdout, tt.stderr
		if got := r.barTotal(tt.files) > 0; got != tt.want {
			t.Errorf("%s: bar %v, want %v", tt.name, got, tt.want)
		}
		r.startBar(tt.files, new(batch.Progress))() // starts and stops at once
	}
}

func TestBarLine(t *testing.T) {
	for _, tt := range []struct {
		read, total int64
		elapsed     time.Duration
		want        string
	}{
		{0, 2e9, time.Second, "checking   0% [                        ] 0.0 of 2000.0 MB, 0 MB/s, ? left"},
		{5e8, 2e9, 2 * time.Second, "checking  25% [======                  ] 500.0 of 2000.0 MB, 250 MB/s, 6s left"},
		{3e6, 2e6, 2 * time.Second, "checking 100% [========================] 2.0 of 2.0 MB, 1 MB/s, 0s left"},
		{1e9, 9e12, time.Minute, "checking   0% [                        ] 1000.0 of 9000000.0 MB, 17 MB/s, 149h59m0s left"},
	} {
		if got := barLine(tt.read, tt.total, tt.elapsed); got != tt.want {
			t.Errorf("got  %q\nwant %q", got, tt.want)
		}
	}
}

// TestInterrupt completes the report about what was checked, and says so.
func TestInterrupt(t *testing.T) {
	var out bytes.Buffer
	r := newRun(t, "--format", "json")
	r.env.Stdout = &out
	pr, pw := io.Pipe()
	defer pw.Close()
	r.env.Stdin = pr
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for range 2 { // the second is taken when the first has been read
			if _, err := io.WriteString(pw, "{\"imp\":[]}\n"); err != nil {
				t.Error(err)
			}
		}
		cancel()
	}()
	err := r.check(ctx, []string{"-"})
	if err == nil || !strings.Contains(err.Error(), "interrupted after") || !strings.HasSuffix(out.String(), "}\n") {
		t.Errorf("error %v, report %q", err, out.String())
	}
}

// fullDisk accepts some bytes.
type fullDisk int

var errFull = errors.New("no space left on device")

func (d *fullDisk) Write(p []byte) (int, error) {
	if *d -= fullDisk(len(p)); *d < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestFullDisk(t *testing.T) {
	input := strings.Repeat("{\"imp\":[]}\n", 5000)
	for _, format := range []string{"text", "json", "ndjson", "sarif", "junit", "html"} {
		for _, room := range []fullDisk{0, 70_000} {
			r := newRun(t, "--format", format)
			r.env.Stdin, r.env.Stdout = strings.NewReader(input), &room
			err := r.check(t.Context(), []string{"-"})
			small := room >= 0 // the report fits
			if !small && (!errors.Is(err, errFull) || !strings.Contains(err.Error(), "cannot write the report")) {
				t.Errorf("%s: got %v", format, err)
			}
		}
	}
}
