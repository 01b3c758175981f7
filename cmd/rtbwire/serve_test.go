package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/testkit/running"
)

// process is a running "rtbwire serve", or another program that goes on until it is told to stop.
type process struct {
	scheme string // of its admin port, "" for http
	*running.Program
	address, admin string
}

// patience is how long a program may take for anything.
const patience = time.Minute

var announced = regexp.MustCompile(`msg=(listening|administration) address=(\S+)`)

// startServe starts "rtbwire serve" and waits until it listens.
func startServe(t *testing.T, admin bool, args ...string) *process {
	t.Helper()
	return startProcess(t, admin, exec.Command("rtbwire", append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...))
}

// startProcess starts a command that runs "rtbwire serve" and waits until it listens.
func startProcess(t *testing.T, admin bool, command *exec.Cmd) *process {
	t.Helper()
	p := startProgram(t, command)
	waitFor(t, "its addresses", func() bool {
		for _, m := range announced.FindAllStringSubmatch(p.Text(), -1) {
			if m[1] == "listening" {
				p.address = m[2]
			} else {
				p.admin = m[2]
			}
		}
		return p.address != "" && (!admin || p.admin != "")
	})
	return p
}

// startProgram starts a command and reads its log.
func startProgram(t *testing.T, command *exec.Cmd) *process {
	t.Helper()
	return &process{Program: running.Start(t, command, patience, func(string) {})}
}

// waitFor waits until something holds. A program's log is shown with a test that fails.
func waitFor(t *testing.T, what string, holds func() bool) {
	t.Helper()
	running.WaitFor(t, patience, what, holds)
}

// replace writes a file in one step, so that no reader sees a part of it.
func replace(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file+".new", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(file+".new", file); err != nil {
		t.Fatal(err)
	}
}

const goodRequest = `{"id":"1","imp":[{"id":"1","banner":{"w":300,"h":250}}],"site":{"id":"1","domain":"a.example"},"device":{"ua":"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0","ip":"8.8.8.8"}}`

func send(url, body string) (status int, answer string, err error) {
	r, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	return r.StatusCode, string(text), err
}

// TestServe runs the program with a file, under load: reloads by signal and by the file's change,
// good files and broken ones, and its end. No request fails.
func TestServe(t *testing.T) {
	var forwarded atomic.Int64
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		forwarded.Add(1)
		fmt.Fprintf(w, "%d", len(body))
	}))
	defer upstream.Close()
	file := filepath.Join(t.TempDir(), "rtbwire.yaml")
	write := func(rest string) {
		t.Helper()
		replace(t, file, fmt.Sprintf("version: 1\ngateway: {upstreams: [%q]}\n%s", upstream.URL, rest))
	}
	write("")
	p := startServe(t, true, "--config", file, "--admin", "127.0.0.1:0", "--no-bid", "400-json")
	url := "http://" + p.address + "/openrtb2/auction"
	page := func(path string) string {
		r, err := http.Get("http://" + p.admin + path)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		text, _ := io.ReadAll(r.Body)
		return fmt.Sprint(r.StatusCode, " ", string(text))
	}

	var stop atomic.Bool
	var load sync.WaitGroup
	for range 4 {
		load.Go(func() {
			for !stop.Load() {
				if status, answer, err := send(url, goodRequest); err != nil || status != 200 || answer != fmt.Sprint(len(goodRequest)) {
					t.Errorf("under load: %d %s %v", status, answer, err)
					return
				}
			}
		})
	}
	refused := strings.Replace(goodRequest, "a.example", "b.example", 1)
	if status, _, err := send(url, refused); err != nil || status != 200 {
		t.Errorf("before the rule: %d %v", status, err)
	}
	write("rules: [{name: b, when: site.domain == \"b.example\", severity: refuse, nbr: 7}]\n")
	waitFor(t, "the changed file", func() bool {
		status, answer, _ := send(url, refused)
		return status == 400 && answer == `{"id":"1","nbr":7}`
	})
	write("rules: [{name: b, wen: true}]\n")
	if err := p.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the problem", func() bool { return strings.Contains(p.Text(), "the old one stays in use") })
	if status, _, _ := send(url, refused); status != 400 {
		t.Errorf("after a broken file: %d", status)
	}
	write("")
	if err := p.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the repaired file", func() bool { status, _, _ := send(url, refused); return status == 200 })

	for path, want := range map[string]string{
		"/healthz": "^200 ok", "/readyz": "^200 ready", "/version": "^200 .", "/config": `(?s)^200 .*"upstreams"`, "/rejects": `(?s)^200 .*"reason": "policy.b"`,
		"/metrics":      `(?s)^200 .*rtbwire_gateway_rejected_total\{partner="",reason="policy.b"\} [1-9].*rtbwire_gateway_reloads_total\{result="failed"\} [1-9].*rtbwire_gateway_requests_total\{request_status="forwarded",request_type="openrtb2"\} [1-9]`,
		"/debug/pprof/": "^200 ", "/x": "^404",
	} {
		if got := page(path); !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("%s: %.2000s", path, got)
		}
	}
	r, _ := http.NewRequest(http.MethodGet, "http://"+p.admin+"/metrics", nil)
	r.Host = "evil.example"
	if resp, err := http.DefaultClient.Do(r); err != nil {
		t.Error(err)
	} else if resp.Body.Close(); resp.StatusCode != http.StatusMisdirectedRequest {
		t.Errorf("another Host: %v", resp)
	}

	stop.Store(true)
	load.Wait()
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if status := p.Status(t); status != 0 || !strings.Contains(p.Text(), "everything that was read is answered") {
		t.Errorf("exit status %d: %s", status, p.Text())
	}
	if forwarded.Load() < 10 {
		t.Errorf("only %d requests were forwarded", forwarded.Load())
	}
}

// TestServeStd runs the same core over net/http.
func TestServeStd(t *testing.T) {
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.Copy(w, r.Body) }))
	defer upstream.Close()
	p := startServe(t, false, "--http", "std", "--upstream", upstream.URL)
	url := "http://" + p.address + "/openrtb2/auction"
	for range 3 {
		if status, answer, err := send(url, goodRequest); err != nil || status != 200 || answer != goodRequest {
			t.Errorf("%d %s %v", status, answer, err)
		}
	}
	if status, _, err := send(url, `{"id":"1"}`); err != nil || status != 204 {
		t.Errorf("refused: %d %v", status, err)
	}
	p.Stop(t)
}

// TestServeHealth asks a gateway how it is, by address, by URL and through a socket, and one that
// is not there.
func TestServeHealth(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	tcp := startServe(t, true, "--admin", "127.0.0.1:0", "--upstream", "http://127.0.0.1:9")
	startServe(t, false, "--upstream", "http://127.0.0.1:9", "--listen", "unix:"+socket)
	for address, want := range map[string]string{
		tcp.address: "healthy\n", "http://" + tcp.admin + "/readyz": "healthy\n", "unix:" + socket: "healthy\n",
		"http://" + tcp.admin + "/x": "unhealthy: 404 Not Found\n", "127.0.0.1:1": "unhealthy: ", "unix:/no/such": "unhealthy: ",
	} {
		command := exec.Command("rtbwire", "serve", "--health", address)
		out, err := command.CombinedOutput()
		status := map[bool]int{true: 0, false: 1}[want == "healthy\n"]
		if !strings.HasPrefix(string(out), want) || command.ProcessState.ExitCode() != status {
			t.Errorf("%s: %s, %v, want %s and status %d", address, out, err, want, status)
		}
	}
}

// TestServeAdmin runs the port of administration for others than this machine: with a token, which
// is replaced while it runs.
func TestServeAdmin(t *testing.T) {
	tokens := filepath.Join(t.TempDir(), "tokens")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(tokens, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const first, second = "first-token-0123", "second-token-0123"
	write(first + "\n")
	p := startServe(t, true, "--upstream", "http://127.0.0.1:9", "--admin", "0.0.0.0:0", "--admin-token-file", tokens, "--admin-host", "rtbwire.test")
	_, port, _ := strings.Cut(p.admin, "]:")
	ask := func(path, host, token string) int {
		t.Helper()
		r, err := http.NewRequest(http.MethodGet, "http://127.0.0.1:"+port+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.Host = host; token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp.StatusCode
	}
	for _, tt := range []struct {
		path, host, token string
		status            int
	}{
		{"/metrics", "", "", 401},
		{"/metrics", "", first, 200},
		{"/metrics", "rtbwire.test", first, 200},
		{"/metrics", "evil.test", first, 421},
		{"/healthz", "", "", 200},
		{"/readyz", "", "", 200},
		{"/debug/pprof/", "", "", 401},
	} {
		if got := ask(tt.path, tt.host, tt.token); got != tt.status {
			t.Errorf("%+v: %d", tt, got)
		}
	}
	write(second + "\n")
	waitFor(t, "the new token", func() bool { return ask("/live", "", second) == 200 })
	if got := ask("/live", "", first); got != 401 {
		t.Errorf("the old token: %d", got)
	}
	if strings.Contains(p.Text(), first) || strings.Contains(p.Text(), second) {
		t.Errorf("the log has a token: %s", p.Text())
	}
}
