package simulate

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/internal/traffic/simulate"
)

// The command line as a whole is tested by a script in cmd/rtbwire/testdata; here is what takes a
// terminal, a server, an interrupt or a full disk.

// newRun is a run with the given flags, in an environment without terminals.
func newRun(t *testing.T, args ...string) (r *run, stdout, stderr *bytes.Buffer) {
	t.Helper()
	set := pflag.NewFlagSet("simulate", pflag.ContinueOnError)
	f := newFlags(set)
	if err := set.Parse(args); err != nil {
		t.Fatal(err)
	}
	if err := f.validate(set.Args()); err != nil {
		t.Fatal(err)
	}
	g, err := f.generator()
	if err != nil {
		t.Fatal(err)
	}
	stdout, stderr = new(bytes.Buffer), new(bytes.Buffer)
	return &run{flags: f, env: &cli.Env{Stdin: strings.NewReader(""), Stdout: stdout, Stderr: stderr}, generator: g}, stdout, stderr
}

func TestSend(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	defer server.Close()
	labels := filepath.Join(t.TempDir(), "labels.ndjson")
	r, stdout, stderr := newRun(t, "--url", server.URL, "--count", "50", "--connections", "3", "--labels", labels)
	if err := r.send(t.Context()); err != nil {
		t.Fatal(err)
	}
	if text := stdout.String(); !strings.HasPrefix(text, "50 requests, ") || !strings.HasSuffix(text, "        50  204 No Content\n") || stderr.Len() > 0 {
		t.Errorf("%s%s", text, stderr)
	}
	text, err := os.ReadFile(labels)
	if err != nil || bytes.Count(text, []byte("\n")) != 50 {
		t.Errorf("%v, labels:\n%s", err, text)
	}
}

// TestSendFails counts what had no answer, and fails for it.
func TestSendFails(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	defer server.Close()
	r, stdout, _ := newRun(t, "--url", server.URL, "--count", "3")
	if err := r.send(t.Context()); err == nil || err.Error() != "3 of 3 requests had no answer" || !strings.Contains(stdout.String(), "3  no answer: connection closed") {
		t.Errorf("%v: %s", err, stdout)
	}
	r, _, _ = newRun(t, "--url", server.URL, "--count", "3", "--labels", "no/such/folder/x")
	if err := r.send(t.Context()); err == nil {
		t.Error("labels that can't be written are no error")
	}
}

// TestInterrupt ends a run after what is written, and says so.
func TestInterrupt(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	for _, tt := range []struct {
		name string
		args []string
		run  func(r *run, ctx context.Context) error
		err  string // in the error; otherwise standard error says it
	}{
		{"write", []string{"--count", "1000000000"}, (*run).write, "interrupted after"},
		{"write without an end", []string{"--count", "0"}, (*run).write, ""},
		{"send", []string{"--url", server.URL, "--count", "1000000000"}, (*run).send, "of 1000000000 requests"},
		{"send without an end", []string{"--url", server.URL, "--count", "0"}, (*run).send, ""},
		{"judge", []string{"--judge", "--count", "1000000000"}, (*run).judge, "interrupted after"},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		ctx2, cancel2 := context.WithCancel(context.WithoutCancel(ctx))
		context.AfterFunc(ctx, cancel2) // the cause is an interrupt, not a deadline
		r, _, stderr := newRun(t, tt.args...)
		r.env.Stdout = io.Discard
		err := tt.run(r, ctx2)
		if tt.err == "" && (err != nil || !strings.HasPrefix(stderr.String(), "interrupted after")) ||
			tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
			t.Errorf("%s: %v, %q", tt.name, err, stderr)
		}
		cancel()
		cancel2()
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
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	for _, tt := range []struct {
		args []string
		run  func(r *run, ctx context.Context) error
	}{
		{[]string{"--count", "10000"}, (*run).write},
		{[]string{"--url", server.URL, "--count", "3"}, (*run).send},
		{[]string{"--judge", "--count", "3"}, (*run).judge},
	} {
		r, _, _ := newRun(t, tt.args...)
		room := fullDisk(10)
		r.env.Stdout = &room
		if err := tt.run(r, t.Context()); !errors.Is(err, errFull) {
			t.Errorf("%v: %v", tt.args, err)
		}
	}
	room := fullDisk(100)
	if err := listKinds(&cli.Env{Stdout: &room}); !errors.Is(err, errFull) {
		t.Errorf("list: %v", err)
	}
}

// TestBar checks when there is a line, and what it says.
func TestBar(t *testing.T) {
	r, _, stderr := newRun(t)
	for _, tt := range []struct {
		terminal, elsewhere, want bool
	}{{true, true, true}, {false, true, false}, {true, false, false}} {
		r.env.StderrTerminal = tt.terminal
		if got := r.hasBar(tt.elsewhere); got != tt.want {
			t.Errorf("%+v: %v", tt, got)
		}
		b := r.startBar(tt.elsewhere, 10)
		b.set(5)
		b.stop() // at once
	}
	if stderr.Len() > 0 {
		t.Errorf("a run that is over at once leaves %q", stderr)
	}
	for _, tt := range []struct {
		done, total uint64
		want        string
	}{
		{0, 100, "  0%, 0 requests, 0/s, ? left"},
		{50, 200, " 25%, 50 requests, 25/s, 6s left"},
		{200, 200, "100%, 200 requests, 100/s, 0s left"},
		{7, simulate.Endless, "7 requests, 4/s"},
	} {
		if got := barLine(tt.done, tt.total, 2*time.Second); got != tt.want {
			t.Errorf("got  %q\nwant %q", got, tt.want)
		}
	}
}

func TestTerminal(t *testing.T) {
	r, _, _ := newRun(t, "--count", "3")
	r.env.StdoutTerminal = true
	if !r.toTerminal() {
		t.Error("requests do not go to the terminal")
	}
	r.flags.output = "x"
	if r.toTerminal() {
		t.Error("requests go to a file")
	}
}
