package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/internal/traffic/core"
	"github.com/rtbwire/rtbwire/internal/traffic/replay"
)

// startCore runs a core and returns its URL.
func startCore(t *testing.T, c core.Config) string {
	t.Helper()
	s, err := core.New(c)
	if err != nil {
		t.Fatal(err)
	}
	l, err := core.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = s.Shutdown(ctx) // connections that are still open are closed with the process
		<-done
	})
	return "http://" + l.Addr().String()
}

// requests writes n requests to a file.
func requests(t *testing.T, n int) string {
	t.Helper()
	var b bytes.Buffer
	for i := range n {
		b.WriteString(`{"id":"r` + grouped(int64(i)) + `","imp":[{"id":"1","banner":{"w":300,"h":250}}]}` + "\n")
	}
	name := filepath.Join(t.TempDir(), "bids.ndjson")
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// call runs the verb as on a terminal.
func call(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	env := &cli.Env{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, StderrTerminal: true}
	status = cli.Main(env, []cli.Command{Command}, append([]string{"replay", "--max-lag", "1m", "--timeout", "10s"}, args...))
	return status, out.String(), errs.String()
}

// TestOutcome prints the outcome of a run with answers of every kind, in every form.
func TestOutcome(t *testing.T) {
	url := startCore(t, core.Config{BidShare: 0.4, ErrorShare: 0.3, GarbageShare: 0.3})
	other := startCore(t, core.Config{BidShare: 0.7, ErrorShare: 0.3, Seed: 1})
	page := filepath.Join(t.TempDir(), "page.html")
	args := []string{"--url", url, "--against", other, "--check", "--once", "--rate", "500.5", "--threads", "2", "--html", page, requests(t, 700)}
	status, stdout, stderr := call(t, args...)
	if status != cli.StatusRefused {
		t.Errorf("status %d", status)
	}
	for _, want := range []string{"500.5 requests a second for 1.", ", 2 threads", "answered  700", " with 500", "\nchecked ", "  wrong: request ", "  different: request ", "json.syntax", "no-body", "\ncompared 700, different "} {
		if !strings.Contains(stdout, want) {
			t.Errorf("the text lacks %q:\n%s", want, stdout)
		}
	}
	for _, want := range []string{"% of the requests have no answer", "answers are wrong\n", "answers are different\n", cli.EraseLine + "  1s ", " in flight, p50 ", cli.EraseLine + "rtbwire"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("standard error lacks %q: %q", want, stderr)
		}
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<h2>Answers</h2>", url + "/openrtb2/auction</h2>", other + "/openrtb2/auction</h2>", "<code>json.syntax</code>", `<path class="main"`} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if bytes.Contains(text, []byte("NaN")) || bytes.Contains(text, []byte("Inf")) {
		t.Error("the page has a NaN")
	}

	_, stdout, _ = call(t, append(args, "--json", "--rate", "5000.5")...)
	var out jsonResult
	if err := json.Unmarshal([]byte(stdout), &out); err != nil {
		t.Fatalf("%v: %s", err, stdout)
	}
	if out.Target.Answered != 700 || out.Against == nil || out.Answers.Checked == 0 || out.Answers.Wrong == 0 || len(out.Answers.Rules) == 0 || len(out.Answers.Examples) == 0 || *out.Rate != 5000.5 {
		t.Errorf("%+v", out)
	}
}

// TestFailures prints failures, and a target that is gone, in every form.
func TestFailures(t *testing.T) {
	latency, err := core.ParseLatency("200ms")
	if err != nil {
		t.Fatal(err)
	}
	page := filepath.Join(t.TempDir(), "page.html")
	url := startCore(t, core.Config{Latency: latency})
	status, stdout, stderr := call(t, "-u", url, "-r", "200", "-d", "100ms", "-c", "1", "--timeout", "60ms", "--html", page, requests(t, 3))
	if status != cli.StatusRefused || !strings.Contains(stdout, "  failed    20: ") || !strings.Contains(stdout, " timeout, ") || !strings.Contains(stdout, " unsent") ||
		!strings.Contains(stdout, "reconnected ") || !strings.Contains(stderr, "100% of the requests") {
		t.Errorf("status %d\n%s%s", status, stdout, stderr)
	}
	text, err := os.ReadFile(page)
	if err != nil || !bytes.Contains(text, []byte(`<path class="bad"`)) || !bytes.Contains(text, []byte(" timeout, ")) {
		t.Errorf("%v\n%s", err, text)
	}
	_, stdout, _ = call(t, "-u", url, "-r", "200", "-d", "100ms", "-c", "1", "--timeout", "60ms", "--json", requests(t, 3))
	var out jsonResult
	if err := json.Unmarshal([]byte(stdout), &out); err != nil || out.Target.Failed != 20 || out.Target.Failures["timeout"] == 0 || out.Target.ErrorShare != 1 {
		t.Errorf("%v\n%s", err, stdout)
	}
}

// TestLimit prints a search in every form.
func TestLimit(t *testing.T) {
	latency, err := core.ParseLatency("20ms")
	if err != nil {
		t.Fatal(err)
	}
	page := filepath.Join(t.TempDir(), "page.html")
	url := startCore(t, core.Config{Latency: latency})
	args := []string{"-u", url, "--find-limit", "p50<100ms", "-r", "40", "-d", "100ms", "-c", "2", "--timeout", "200ms", "--html", page, requests(t, 3)}
	status, stdout, stderr := call(t, args...)
	if status != cli.StatusOK || !strings.Contains(stdout, "highest rate with p50<100ms: ") || !strings.Contains(stdout, "held\n") || !strings.Contains(stdout, " requests failed\n") && !strings.Contains(stdout, "were answered\n") {
		t.Errorf("status %d\n%s%s", status, stdout, stderr)
	}
	text, err := os.ReadFile(page)
	if err != nil || !bytes.Contains(text, []byte("<h3>Steps</h3>")) || bytes.Contains(text, []byte("NaN")) {
		t.Errorf("%v\n%s", err, text)
	}
	_, stdout, _ = call(t, append([]string{"--json"}, args...)...)
	var out jsonLimitResult
	if err := json.Unmarshal([]byte(stdout), &out); err != nil || out.Rate < 40 || len(out.Steps) < 3 || out.Best == nil || out.Steps[0].LatencyMs["p50"] < 20 {
		t.Errorf("%v\n%s", err, stdout)
	}
}

// TestUsage refuses what makes no sense, before anything is sent.
func TestUsage(t *testing.T) {
	file := requests(t, 1)
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"--url", "http://x"}, "no files given"},
		{[]string{file}, "no server given"},
		{[]string{"--url", "x", file}, "want a URL"},
		{[]string{"--url", "http://x", "--against", "x", file}, "--against: "},
		{[]string{"--url", "http://x", "--rate", "0", file}, "want a number of requests"},
		{[]string{"--url", "http://x", "--rate", "max", "--poisson", file}, "--poisson needs a rate"},
		{[]string{"--url", "http://x", "--once", "-n", "5", file}, "--once sends"},
		{[]string{"--url", "http://x", "--find-limit", "p", file}, "want a quantile"},
		{[]string{"--url", "http://x", "--find-limit", "p99<1s", "--once", file}, "--find-limit sends for a time"},
		{[]string{"--url", "http://x", "--find-limit", "p99<1s", "--check", file}, "--find-limit measures only"},
		{[]string{"--url", "http://x", "--find-limit", "p99<1s", "--rate", "max", file}, "--rate max has none"},
		{[]string{"--url", "http://x", "-d", "-1s", file}, "--duration -1s"},
		{[]string{"--url", "http://x", "--timeout", "1h", file}, "--timeout 1h"},
		{[]string{"--url", "http://x", "-c", "0", file}, "--connections 0"},
		{[]string{"--url", "http://x", "--threads", "65", file}, "--threads 65"},
		{[]string{"--url", "http://x", "-n", "-1", file}, "--requests -1"},
		{[]string{"--url", "http://x", "--memory", "0", file}, "--memory 0"},
		{[]string{"--url", "http://x", "--memory", "5", file}, "--memory 5 is less"},
		{[]string{"--url", "http://x", "--max-lag", "-1s", file}, "--max-lag -1s"},
		{[]string{"--url", "http://x", "-H", "x", file}, "want a field"},
		{[]string{"--url", "http://x", "-", "-"}, "only once"},
		{[]string{"--url", "http://x", "-"}, "no requests found"},
		{[]string{"--url", "http://x", file + "x"}, "cannot read the requests"},
		{[]string{"--url", "http://x", "--expect", file + "x", file}, "cannot read the expected answers"},
		{[]string{"--url", "http://x", "--record", file, file}, "would overwrite an input"},
		{[]string{"--url", "http://x", "--html", file + "/x", file}, "cannot write --html"},
		{[]string{"--unix", file, "-H", "content-type: text/plain", file}, "cannot connect to http://unix:"},
	} {
		status, stdout, stderr := call(t, tt.args...)
		if status != cli.StatusFailed || stdout != "" || !strings.Contains(stderr, tt.want) || !strings.HasPrefix(stderr, "rtbwire replay: ") {
			t.Errorf("%v: status %d, %s%s, expected %q", tt.args[:len(tt.args)-1], status, stdout, stderr, tt.want)
		}
	}
}

// TestSkipped is about unchecked answers: some are fine in a run for a time, but not in one for all
// requests.
func TestSkipped(t *testing.T) {
	for _, tt := range []struct {
		once    bool
		skipped int64
		want    string
	}{{false, 10, ""}, {false, 100, "more than half"}, {true, 1, "--once is for all"}, {true, 0, ""}} {
		var stderr strings.Builder
		r := &run{flags: &flags{once: tt.once, maxErrors: 1}, env: &cli.Env{Stderr: &stderr}}
		refused := r.refused(&replay.Result{Judgement: &replay.Judgement{Checked: 50, Skipped: tt.skipped}})
		if refused != (tt.want != "") || !strings.Contains(stderr.String(), tt.want) {
			t.Errorf("%+v: refused %v, %s", tt, refused, stderr.String())
		}
	}
}

// TestInterruptedReading ends although standard input gives nothing.
func TestInterruptedReading(t *testing.T) {
	stdin, silent := io.Pipe()
	defer silent.Close()
	set := pflag.NewFlagSet("replay", pflag.ContinueOnError)
	run := Command.Setup(set)
	if err := set.Parse([]string{"--url", "http://127.0.0.1:1"}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := run(ctx, &cli.Env{Stdin: stdin, Stdout: io.Discard, Stderr: io.Discard}, []string{"-"})
	if err == nil || !strings.HasPrefix(err.Error(), "interrupted") {
		t.Errorf("%v, expected that it was interrupted", err)
	}
}

// TestNumbers writes numbers for people.
func TestNumbers(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0", 1500: "0.002ms", 1234567: "1.235ms", 12345678: "12.35ms", 123456789: "123.5ms", 1234567890: "1.235s",
	} {
		if got := ms(d); got != want {
			t.Errorf("%d is written as %s, expected %s", d, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1234: "-1,234"} {
		if got := grouped(n); got != want {
			t.Errorf("%d is written as %s, expected %s", n, got, want)
		}
	}
	for text, want := range map[string]string{"max": "max", "500": "500", "20k": "20000", "0.5": "0.5"} {
		var r rate
		if err := r.Set(text); err != nil || r.String() != want || r.Type() != "R" {
			t.Errorf("%s is read as %s, %v", text, r.String(), err)
		}
	}
	if size(999) != "1.0 kB" || size(12_345_678) != "12.3 MB" || countAre(1) != "request is" || countAre(1000) != "1,000 requests are" {
		t.Error("sizes and counts")
	}
}

// TestLiveLine fits a terminal of 80 columns.
func TestLiveLine(t *testing.T) {
	line := liveLine(replay.Snapshot{
		Elapsed: 86400 * time.Second, Failed: 1_000_000,
		Recent: replay.Interval{Length: time.Second, Answered: 1_000_000, InFlight: 20_000, P50: 10 * time.Second, P99: 600 * time.Second},
	})
	if len(line) > 80 || line != "86400s 1,000,000/s, 20000 in flight, p50 10.000s, p99 600.000s, 1,000,000 failed" {
		t.Errorf("%d: %s", len(line), line)
	}
}

// TestPictures draws pictures of nothing, and points without lines.
func TestPictures(t *testing.T) {
	empty := &replay.TargetResult{}
	for _, p := range []picture{coursePlot(empty), latencyPlot(empty)} {
		if len(p.Lines) < 2 || len(p.YTicks) < 2 {
			t.Errorf("%+v", p)
		}
	}
	if dots("") != "" || dots("M1 2L3 4") != "M1 2h0M3 4h0" {
		t.Error("dots")
	}
}
