package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/record"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/internal/testkit/parent"
	"github.com/rtbwire/rtbwire/wire"
	"github.com/rtbwire/rtbwire/wire/splice"
)

// rtbwire runs the program, and returns its output and exit status.
func rtbwire(t *testing.T, args ...string) (out string, status int) {
	t.Helper()
	c := exec.Command("rtbwire", args...)
	text, err := c.CombinedOutput()
	if c.ProcessState == nil {
		t.Fatal(err)
	}
	return string(text), c.ProcessState.ExitCode()
}

// sink is an upstream that keeps what it gets.
func sink(t *testing.T) (url string, take func() []string) {
	var mu sync.Mutex
	var bodies []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		bodies = append(bodies, string(body))
		mu.Unlock()
		fmt.Fprint(w, "{}")
	}))
	t.Cleanup(s.Close)
	return s.URL, func() []string {
		mu.Lock()
		defer mu.Unlock()
		list := bodies
		bodies = nil
		return list
	}
}

// TestServeCapture captures the corpus with the program, replays the capture with the program
// against the program, and runs it as cases.
func TestServeCapture(t *testing.T) {
	upstream, take := sink(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "rtbwire.yaml")
	write := func(rules string) {
		t.Helper()
		text := fmt.Sprintf("version: 1\ngateway: {upstreams: [%q], timeouts: {upstream: 20s}, capture: {folder: capture, share: 100%%, refused: 100%%, max_rate: 100000}}\n%s", upstream, rules)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const rules = "rules: [{name: video, when: 'imp.exists(i, has(i.video))', severity: refuse}]\n"
	write(rules)
	p := startServe(t, false, "--config", file)
	url := "http://" + p.address + "/openrtb2/auction"
	requests := testkit.Requests(t)
	sent := 0
	for i := 0; i < len(requests); i += 25 {
		body, err := splice.Apply(nil, requests[i], wire.Remove("/tmax")) // whose time ends is not judged
		if err != nil {
			continue
		}
		if _, _, err := send(url, string(body)); err != nil {
			t.Fatal(err)
		}
		sent++
	}
	forwarded := len(take())
	p.Stop(t)

	names, _ := filepath.Glob(filepath.Join(dir, "capture", "capture-*.ndjson"))
	if len(names) != 1 {
		t.Fatalf("the files are %q", names)
	}
	text, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	var captured []string
	for line := range bytes.Lines(text) {
		r, err := record.Parse(line)
		if err != nil {
			t.Fatal(err)
		}
		captured = append(captured, string(r.Request))
		var request struct {
			Device struct{ IFA, IP string }
			User   struct{ ID, BuyerUID string }
		}
		if err := json.Unmarshal(r.Request, &request); err != nil {
			t.Fatal(err)
		}
		if request.Device.IFA+request.User.ID+request.User.BuyerUID != "" || request.Device.IP != "" && !strings.HasSuffix(request.Device.IP, ".0") {
			t.Errorf("a captured request has %+v", request)
		}
	}
	if len(captured) < sent*9/10 || forwarded < sent/10 || forwarded == sent {
		t.Fatalf("%d were sent, %d forwarded, %d captured", sent, forwarded, len(captured))
	}

	// The configuration that made it says the same about it; another one does not.
	if out, status := rtbwire(t, "policy", "test", file, names[0]); status != 0 || !strings.Contains(out, fmt.Sprintf("%d passed, 0 failed", len(captured))) {
		t.Errorf("policy test: exit status %d: %.2000s", status, out)
	}
	write("")
	out, status := rtbwire(t, "policy", "test", file, names[0])
	if status != 1 || !strings.Contains(out, "expected  refuse") {
		t.Errorf("policy test without the rule: exit status %d: %.2000s", status, out)
	}

	// Replayed, each request arrives as it was captured.
	replayed := startServe(t, false, "--shadow", "--capture", filepath.Join(dir, "again"), "--capture-share", "0%", "--capture-refused", "0%", "--upstream", upstream)
	out, status = rtbwire(t, "replay", "--url", "http://"+replayed.address+"/openrtb2/auction", "--once", "--rate", "max", "--connections", "1", names[0])
	if status != 0 {
		t.Fatalf("replay: exit status %d: %s", status, out)
	}
	if got := take(); strings.Join(got, "\n") != strings.Join(captured, "\n") {
		t.Errorf("%d requests arrived, %d were captured", len(got), len(captured))
	}
	replayed.Stop(t)
	if names, _ := filepath.Glob(filepath.Join(dir, "again", "*")); len(names) != 0 {
		t.Errorf("a share of 0%% has made %q", names)
	}
}

// TestServeCaptureReload moves captures to another folder while requests come. Each of them is in
// one of the folders.
func TestServeCaptureReload(t *testing.T) {
	upstream, _ := sink(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "rtbwire.yaml")
	write := func(folder string) {
		t.Helper()
		replace(t, file, fmt.Sprintf("version: 1\ngateway: {upstreams: [%q], capture: {folder: %s, share: 100%%, max_rate: 1000000}}\n", upstream, folder))
	}
	write("a")
	p := startServe(t, false, "--config", file)
	url := "http://" + p.address + "/openrtb2/auction"
	var stop atomic.Bool
	var load sync.WaitGroup
	var sent atomic.Int64
	for range 3 {
		load.Go(func() {
			for !stop.Load() {
				if status, _, err := send(url, goodRequest); err != nil || status != 200 {
					t.Errorf("under load: %d %v", status, err)
					return
				}
				sent.Add(1)
			}
		})
	}
	more := func() {
		for before := sent.Load(); sent.Load() < before+20 && !t.Failed(); {
			time.Sleep(time.Millisecond)
		}
	}
	more() // so that there is something in a
	for i, folder := range []string{"b", "c"} {
		write(folder)
		if err := p.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		waitFor(t, "the reload", func() bool { return strings.Count(p.Text(), "the configuration was loaded again") > i })
		more()
	}
	stop.Store(true)
	load.Wait()
	p.Stop(t)
	lines := 0
	for _, folder := range []string{"a", "b", "c"} {
		names, _ := filepath.Glob(filepath.Join(dir, folder, "*.ndjson"))
		if len(names) == 0 {
			t.Errorf("there is nothing in %s", folder)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			lines += bytes.Count(text, []byte("\n"))
		}
	}
	// A request that was judged while the folder changed may be left out.
	if lost := int(sent.Load()) - lines; lost < 0 || lost > 20 {
		t.Errorf("%d were sent, %d captured", sent.Load(), lines)
	}
}

// startVendor builds and runs examples/vendor.
func startVendor(t *testing.T) (url string, p *exec.Cmd) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "vendor")
	build := exec.Command("go", "build", "-o", program, "github.com/rtbwire/rtbwire/examples/vendor")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	p = exec.Command(program, "-serve", "127.0.0.1:0")
	stderr, err := p.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	parent.EndWith(p)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Process.Kill(); _ = p.Wait() })
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if _, url, found := strings.Cut(lines.Text(), "listening at "); found {
			go func() { _, _ = io.Copy(io.Discard, stderr) }()
			return url, p
		}
	}
	t.Fatal("the service does not listen")
	return "", nil
}

// TestServeVendors runs the program with a scoring service in another process, which is good, slow,
// broken, talks nonsense, and dies. Requests are judged by its answers, and never wait for more.
func TestServeVendors(t *testing.T) {
	upstream, take := sink(t)
	service, vendor := startVendor(t)
	file := filepath.Join(t.TempDir(), "rtbwire.yaml")
	text := fmt.Sprintf(`version: 1
severities: {"fraud.*": off}
gateway:
  upstreams: [%q]
  no_bid: "400-json"
  timeouts: {upstream: 20s}
  vendors:
    good: {url: "%[2]s/secret", fields: [ip, ua], deadline: 10s, token_env: VENDOR_KEY}
    nobody: {url: "%[2]s/secret", fields: [ip, ua], deadline: 10s, failures: 0}
    slow: {url: "%[2]s/slow", fields: [ip, ua], deadline: 10ms, fail: closed, failures: 3, pause: 1h}
    broken: {url: "%[2]s/fail", fields: [ua], deadline: 10s, fail: closed}
    nonsense: {url: "%[2]s/nonsense", fields: [ua], deadline: 10s, fail: open}
rules:
  - {name: bot, when: 'facts.vendor["good"].score >= 80', severity: refuse, nbr: 4}
  - {name: anonymous, when: 'facts.vendor["nobody"].score > 0', severity: refuse}
  - {name: slow, when: 'facts.vendor["slow"].score == 100', severity: refuse, nbr: 5}
  - {name: broken, when: 'facts.vendor["broken"].score == 100', severity: refuse, nbr: 6}
  - {name: nonsense, when: 'facts.vendor["nonsense"].score > 0', severity: refuse, nbr: 8}
partners:
  good: {match: {path: /good}, vendors: [good, nonsense, nobody], no_bid: "400-json"}
  slow: {match: {path: /slow}, vendors: [slow], no_bid: "400-json"}
  broken: {match: {path: /broken}, vendors: [broken], no_bid: "400-json"}
  none: {match: {path: /none}, vendors: []}
`, upstream, service)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("VENDOR_KEY", "example")
	if out, status := rtbwire(t, "serve", "--rules", file, "--check"); status != 0 {
		t.Fatalf("--check: %s", out)
	}
	p := startServe(t, true, "--rules", file, "--admin", "127.0.0.1:0")
	url := "http://" + p.address
	person := goodRequest
	bot := strings.Replace(goodRequest, "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Examplebot/1.0", 1)
	expect := func(name, path, body string, status int, answer string) {
		t.Helper()
		got, text, err := send(url+path, body)
		if err != nil || got != status || answer != "" && text != answer {
			t.Errorf("%s: %d %s %v, want %d %s", name, got, text, err, status, answer)
		}
		if n := len(take()); (n == 1) != (status == 200) {
			t.Errorf("%s: the core got %d requests", name, n)
		}
	}
	expect("a person", "/good", person, 200, "")
	expect("a bot", "/good", bot, 400, `{"id":"1","nbr":4}`)
	for range 5 { // the third failure opens the breaker: from then on the service is not asked
		expect("slow", "/slow", person, 400, `{"id":"1","nbr":5}`)
	}
	expect("broken", "/broken", person, 400, `{"id":"1","nbr":6}`)
	expect("no vendor is asked", "/none", bot, 200, "")
	expect("all of them", "/openrtb2/auction", person, 400, `{"id":"1","nbr":5}`)

	page, err := http.Get("http://" + p.admin + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	metrics, _ := io.ReadAll(page.Body)
	page.Body.Close()
	for _, want := range []string{
		`rtbwire_gateway_vendor_questions_total{result="answered",vendor="good"} 3`, `rtbwire_gateway_vendor_questions_total{result="failed",vendor="nonsense"} 3`,
		`rtbwire_gateway_vendor_questions_total{result="late",vendor="slow"} 3`, `rtbwire_gateway_vendor_questions_total{result="skipped",vendor="slow"} 3`, `rtbwire_gateway_vendor_open{vendor="slow"} 1`, `rtbwire_gateway_vendor_open{vendor="good"} 0`,
	} {
		if !strings.Contains(string(metrics), want+"\n") {
			t.Errorf("no metric %s", want)
		}
	}
	config, err := http.Get("http://" + p.admin + "/config")
	if err != nil {
		t.Fatal(err)
	}
	shown, _ := io.ReadAll(config.Body)
	config.Body.Close()
	if strings.Contains(string(shown), service) || strings.Contains(string(shown), "example\"") || !strings.Contains(string(shown), "nonsense") {
		t.Errorf("/config: %s", shown)
	}

	if err := vendor.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = vendor.Wait()
	expect("a bot, and the service is gone", "/good", bot, 200, "")
	p.Stop(t)
}
