package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/certtest"
)

// operate runs "rtbwire ctl" and returns its output, what it says besides, and its exit status.
func operate(t *testing.T, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	command := exec.Command("rtbwire", append([]string{"ctl"}, args...)...)
	var out, problems strings.Builder
	command.Stdout, command.Stderr = &out, &problems
	err := command.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), problems.String(), command.ProcessState.ExitCode()
}

// TestCtl operates a running gateway: blocks, drains, observes, reloads and restarts.
func TestCtl(t *testing.T) {
	upstream := echo(t)
	folder := t.TempDir()
	file, tokens := filepath.Join(folder, "rtbwire.yaml"), filepath.Join(folder, "tokens")
	state := filepath.Join(folder, "state")
	write := func(rules string) {
		t.Helper()
		replace(t, file, fmt.Sprintf("version: 1\ngateway: {upstreams: [%q], no_bid: 400-json, operators: {token_files: [tokens], state_file: state}}\n"+
			"rules: [%s]\npartners: {exchange-a: {match: {path: /a}}}\n", upstream.URL, rules))
	}
	const noB = `{name: no-b, when: site.domain == "b.example", severity: refuse}`
	write(noB)
	replace(t, tokens, "alice 0123456789abcdef\n")
	for _, server := range []string{"fast", "std"} {
		t.Run(server, func(t *testing.T) {
			p := startServe(t, true, "--config", file, "--admin", "127.0.0.1:0", "--http", server)
			to := func(args ...string) []string {
				return append(args, "--admin", p.admin, "--token-file", tokens)
			}
			run := func(want int, says string, args ...string) {
				t.Helper()
				stdout, stderr, status := operate(t, to(args...)...)
				if status != want || !strings.Contains(stdout+stderr, says) {
					t.Errorf("ctl %q: status %d, want %d with %q\n%s%s", args, status, want, says, stdout, stderr)
				}
			}
			url := func(path string) string { return "http://" + p.address + path }
			sent := func(what, path, body string, want int) {
				t.Helper()
				if status, answer, err := send(url(path), body); err != nil || status != want {
					t.Errorf("%s: %d %s, %v; want %d", what, status, answer, err, want)
				}
			}
			b := strings.Replace(goodRequest, "a.example", "b.example", 1)

			run(0, "ready", "status")
			run(0, "nothing is changed", "list")
			sent("before", "/openrtb2/auction", goodRequest, 200)
			run(0, "block domain a.example: until ", "block", "domain", "A.example", "--for", "30m", "--note", "INC-1")
			sent("blocked", "/openrtb2/auction", goodRequest, 400)
			run(0, "drain partner exchange-a: until ", "drain", "partner", "exchange-a")
			sent("drained", "/a", goodRequest, 204)
			sent("refused", "/openrtb2/auction", b, 400)
			run(0, "observe rule policy.no-b: until ", "observe", "rule", "policy.no-b")
			sent("observed", "/openrtb2/auction", b, 200)

			stdout, _, _ := operate(t, to("list", "--format", "json")...)
			var list struct {
				Overrides []struct{ Action, Kind, Name, By, Note string }
				State     struct{ File string }
			}
			if err := json.Unmarshal([]byte(stdout), &list); err != nil || len(list.Overrides) != 3 || list.Overrides[0].By != "alice" || list.Overrides[0].Note != "INC-1" || list.State.File != state {
				t.Errorf("%s, %v", stdout, err)
			}
			run(0, "policy.blocked-now", "rejects", "--limit", "5")
			run(0, "none", "rejects", "--partner", "nobody")

			run(1, `no rule "no-b" (did you mean "policy.no-b"?)`, "observe", "rule", "no-b")
			run(1, `no partner "exchange-b" (did you mean "exchange-a"?)`, "drain", "partner", "exchange-b")
			run(1, "is the only upstream that is not drained", "drain", "upstream", upstream.URL)
			run(1, "policy.scrub can't be observed", "observe", "rule", "policy.scrub")
			run(1, "json.syntax can't be observed", "observe", "rule", "json.syntax")
			run(1, "is about responses", "observe", "rule", "response.Bid.price.floor")
			run(1, "block domain x.example is not in effect", "release", "block", "domain", "x.example")
			run(2, "block takes domain, bundle or address", "block", "site", "x.example")
			run(2, "(want ACTION KIND NAME)", "release", "block", "domain")

			write(noB + ", {name: x, wen: true}")
			run(1, `unknown key "wen" (did you mean "when"?)`, "reload")
			sent("observed, after a reload that failed", "/openrtb2/auction", b, 200)
			write(noB)
			run(0, "loaded: configuration ", "reload")
			sent("blocked, after a reload", "/openrtb2/auction", goodRequest, 400)
			p.Stop(t)

			p = startServe(t, true, "--config", file, "--admin", "127.0.0.1:0", "--http", server)
			sent("blocked, after a restart", "/openrtb2/auction", goodRequest, 400)
			run(0, "block domain a.example: released; it would have ended at ", "release", "block", "domain", "a.example")
			run(0, "released", "release", "drain", "partner", "exchange-a")
			run(0, "released", "release", "observe", "rule", "policy.no-b")
			sent("released", "/openrtb2/auction", goodRequest, 200)
			sent("released", "/a", goodRequest, 200)
			for _, want := range []string{
				`msg="operators' changes"`, `in_effect=3`, `msg="operator release" action=block kind=domain name=a.example`, `by=alice from=127.0.0.1:`, `note=INC-1`,
			} {
				if !strings.Contains(p.Text(), want) {
					t.Errorf("the log has no %s:\n%s", want, p.Text())
				}
			}
			if _, stderr, status := operate(t, "list", "--admin", "ftp://127.0.0.1"); status != 2 || !strings.Contains(stderr, "want host:port, https://host:port or unix:/path") {
				t.Errorf("by FTP: %d %s", status, stderr)
			}
			if _, stderr, status := operate(t, "list", "--admin", p.admin); status != 2 || !strings.Contains(stderr, "a token is missing or wrong") {
				t.Errorf("without a token: %d %s", status, stderr)
			}
			address := p.admin
			p.Stop(t)
			if _, stderr, status := operate(t, "status", "--admin", address); status != 2 || !strings.Contains(stderr, "no answer from http://"+address) {
				t.Errorf("without a gateway: %d %s", status, stderr)
			}
		})
	}
	replace(t, state, "{}\n")
	for _, args := range [][]string{{}, {"--check"}} {
		out, err := exec.Command("rtbwire", append([]string{"serve", "--config", file, "--listen", "127.0.0.1:0"}, args...)...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), state+":1: expected a line with") {
			t.Errorf("a broken file of state, %q: %v\n%s", args, err, out)
		}
	}
}

// TestCtlTransports reaches a gateway through a Unix socket, whose mode says who may, and by TLS
// with a certificate.
func TestCtlTransports(t *testing.T) {
	folder := t.TempDir()
	socket := "unix:" + filepath.Join(folder, "admin.sock")
	p := startServe(t, true, "--upstream", echo(t).URL, "--admin", socket)
	stdout, stderr, status := operate(t, "block", "address", "192.0.2.0/24", "--admin", socket)
	if status != 0 || !strings.Contains(stdout, "block address 192.0.2.0/24: until ") || !strings.Contains(stderr, "there is no file of state") {
		t.Errorf("%d %s%s", status, stdout, stderr)
	}
	p.Stop(t)
	if !strings.Contains(p.Text(), `by="unix socket"`) {
		t.Errorf("the log is\n%s", p.Text())
	}

	servers, operators := certtest.New(t, "servers"), certtest.New(t, "operators")
	cert, key := servers.Sign(t, []string{"127.0.0.1"}).Write(t, folder, "server")
	ca := servers.Write(t, filepath.Join(folder, "servers.pem"))
	own, ownKey := operators.Sign(t, []string{"ops.example"}).Write(t, folder, "operator")
	p = startServe(t, true, "--upstream", echo(t).URL, "--admin", "https://127.0.0.1:0", "--tls-cert", cert, "--tls-key", key,
		"--admin-client-ca", operators.Write(t, filepath.Join(folder, "operators.pem")))
	secure := []string{"--admin", "https://" + p.admin, "--ca", ca}
	if stdout, stderr, status := operate(t, append([]string{"block", "bundle", "com.bad", "--cert", own, "--key", ownKey}, secure...)...); status != 0 {
		t.Errorf("%d %s%s", status, stdout, stderr)
	}
	if _, stderr, status := operate(t, append([]string{"list"}, secure...)...); status != 2 || !strings.Contains(stderr, "a token is missing or wrong") {
		t.Errorf("without a certificate: %d %s", status, stderr)
	}
	p.Stop(t)
	if !strings.Contains(p.Text(), `by="certificate ops.example"`) {
		t.Errorf("the log is\n%s", p.Text())
	}

	p = startServe(t, true, "--upstream", echo(t).URL, "--admin", "127.0.0.1:0")
	if _, stderr, status := operate(t, "block", "bundle", "com.bad", "--admin", p.admin); status != 2 || !strings.Contains(stderr, "changes take a token") {
		t.Errorf("without tokens: %d %s", status, stderr)
	}
	if _, stderr, status := operate(t, "reload", "--admin", p.admin); status != 2 {
		t.Errorf("a reload without tokens: %d %s", status, stderr)
	}
}

// TestJudgeLive judges by the configuration in use, with what operators have changed.
func TestJudgeLive(t *testing.T) {
	folder := t.TempDir()
	file, socket := filepath.Join(folder, "rtbwire.yaml"), filepath.Join(folder, "admin.sock")
	replace(t, file, fmt.Sprintf("version: 1\ngateway: {upstreams: [%q]}\nrules: [{name: no-b, when: site.domain == \"b.example\", severity: refuse}]\npartners: {a: {match: {path: /a}}}\n", echo(t).URL))
	p := startServe(t, true, "--config", file, "--admin", "127.0.0.1:0", "--log-level", "debug")
	judge := func(query, body string) string {
		t.Helper()
		r, err := http.Post("http://"+p.admin+"/judge"+query, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		text, err := io.ReadAll(r.Body)
		if err != nil || r.StatusCode != http.StatusOK && r.StatusCode != http.StatusTooManyRequests {
			t.Fatalf("%d %s, %v", r.StatusCode, text, err)
		}
		return string(text)
	}
	b := strings.Replace(goodRequest, "a.example", "b.example", 1)
	name := filepath.Join(folder, "request.json")
	if err := os.WriteFile(name, []byte(b), 0o600); err != nil {
		t.Fatal(err)
	}
	explained, err := exec.Command("rtbwire", "explain", "--format", "json", "--config", file, "--partner", "a", name).Output()
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Fatal(err)
	}
	if got, want := judge("?partner=a", b), strings.Replace(string(explained), fmt.Sprintf("%q", name), `"request"`, 1); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	replace(t, file, strings.Replace(read(t, file), "b.example", "c.example", 1))
	waitFor(t, "the changed file", func() bool { return strings.Contains(judge("?partner=a", b), `"action": "forward"`) })
	p.Stop(t)
	if strings.Contains(p.Text(), "b.example") {
		t.Errorf("the log has the request:\n%s", p.Text())
	}

	p = startServe(t, true, "--config", file, "--admin", "unix:"+socket)
	if _, stderr, status := operate(t, "block", "domain", "b.example", "--admin", "unix:"+socket); status != 0 {
		t.Fatal(stderr)
	}
	r, err := unixClient(socket).Post("http://localhost/judge", "application/json", strings.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if text, err := io.ReadAll(r.Body); err != nil || !strings.Contains(string(text), `"reason": "policy.blocked-now"`) {
		t.Errorf("%s, %v", text, err)
	}
}

// unixClient returns a client of a socket in the file system.
func unixClient(socket string) *http.Client {
	dialer := net.Dialer{}
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return dialer.DialContext(ctx, "unix", socket)
	}}}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestPlayground serves the page with a configuration that changes.
func TestPlayground(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rtbwire.yaml")
	const text = "version: 1\nrules: [{name: no-a, when: site.domain == \"a.example\", severity: refuse, nbr: 7}]\n"
	replace(t, file, text)
	command := exec.Command("rtbwire", "playground", "--listen", "127.0.0.1:0", "--config", file)
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p := startProgram(t, command)
	line := make([]byte, 200)
	n, err := out.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	_, address, _ := strings.Cut(string(line[:n]), "http://")
	address, _, _ = strings.Cut(address, "/")
	ask := func() (int, string) {
		status, answer, err := send("http://"+address+"/judge", goodRequest)
		if err != nil {
			t.Fatal(err)
		}
		return status, answer
	}
	if status, answer := ask(); status != 200 || !strings.Contains(answer, `"reason": "policy.no-a"`) {
		t.Errorf("%d %s", status, answer)
	}
	replace(t, file, strings.Replace(text, "when", "wen", 1))
	waitFor(t, "the problem", func() bool {
		status, answer := ask()
		return status == 400 && strings.Contains(answer, `rtbwire.yaml:2:22: unknown key`)
	})
	replace(t, file, strings.Replace(text, "a.example", "z.example", 1))
	waitFor(t, "the changed file", func() bool { _, answer := ask(); return strings.Contains(answer, `"action": "forward"`) })
	p.Stop(t)
	if strings.Contains(p.Text(), "a.example") {
		t.Errorf("the log has the request:\n%s", p.Text())
	}
}
