package main

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// composeService is what the tests read of a service of the Compose file.
type composeService struct {
	Image    string
	Command  []string
	Volumes  []string
	Secrets  []struct{ Source, Target string }
	Networks map[string]struct{ Aliases []string }
}

func composeServices(t *testing.T) map[string]composeService {
	t.Helper()
	var c struct{ Services map[string]composeService }
	if err := yaml.Unmarshal([]byte(deployFile(t, "compose/compose.yaml")), &c); err != nil {
		t.Fatal(err)
	}
	return c.Services
}

// swap replaces a text that has to be there.
func swap(t *testing.T, text, old, replacement string) string {
	t.Helper()
	if !strings.Contains(text, old) {
		t.Fatalf("%q is not in %q", old, text)
	}
	return strings.ReplaceAll(text, old, replacement)
}

// swapArgs replaces a text in one of the arguments.
func swapArgs(t *testing.T, args []string, old, replacement string) []string {
	t.Helper()
	return strings.Split(swap(t, strings.Join(args, "\x00"), old, replacement), "\x00")
}

// composeToken opens the port of administration in tests.
const composeToken = "0123456789abcdef0123456789abcdef"

// startCompose runs the commands of the Compose file without containers: the core, the gateway and
// the traffic, with addresses of this machine. It returns the gateway, and the file with the token.
func startCompose(t *testing.T) (gatewayProcess *process, token string) {
	t.Helper()
	services := composeServices(t)
	core := startProgram(t, exec.Command("rtbwire", swapArgs(t, services["core"].Command, ":9000", "127.0.0.1:0")...))
	coreURL := ""
	waitFor(t, "the core", func() bool {
		if m := regexp.MustCompile(`listening at (http://\S+)`).FindStringSubmatch(core.Text()); m != nil {
			coreURL = m[1]
		}
		return coreURL != ""
	})

	gateway := services["gateway"]
	folder := t.TempDir()
	file, token := filepath.Join(folder, "rtbwire.yaml"), filepath.Join(folder, "token")
	config := swap(t, deployFile(t, "compose/rtbwire.yaml"), "http://core:9000", coreURL)
	config = swap(t, config, `":8080"`, `"127.0.0.1:0"`)
	config = swap(t, config, `":8081"`, `"127.0.0.1:0"`)
	config = swap(t, config, gateway.Secrets[0].Target, token)
	replace(t, file, config)
	replace(t, token, composeToken+"\n")
	p := startProcess(t, true, exec.Command("rtbwire", swapArgs(t, gateway.Command, "/etc/rtbwire/rtbwire.yaml", file)...))

	traffic := swapArgs(t, services["traffic"].Command, "gateway:8080", p.address)
	traffic = swapArgs(t, traffic, "--count\x000", "--count\x00200")
	if out, err := exec.Command("rtbwire", traffic...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return p, token
}

// TestDeployCompose asks for metrics as Prometheus does.
func TestDeployCompose(t *testing.T) {
	p, _ := startCompose(t)
	ask := func(token string) (int, string) {
		r, err := http.NewRequest(http.MethodGet, "http://"+p.admin+"/metrics", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, _ := io.ReadAll(answer.Body)
		return answer.StatusCode, string(text)
	}
	if status, _ := ask("another"); status != http.StatusUnauthorized {
		t.Errorf("metrics with a wrong token: status %d, want 401", status)
	}
	status, text := ask(composeToken)
	if forwarded := regexp.MustCompile(`(?m)requests_total\{.*request_status="forwarded".*\} [1-9]`); status != http.StatusOK || !forwarded.MatchString(text) {
		t.Errorf("status %d, nothing was forwarded: %s", status, text)
	}
}

// TestDeployComposeFiles: what is mounted exists, and Prometheus finds the gateway and the token.
func TestDeployComposeFiles(t *testing.T) {
	services := composeServices(t)
	for name, s := range services {
		for _, v := range s.Volumes {
			source, _, _ := strings.Cut(v, ":")
			if !strings.HasPrefix(source, ".") { // a volume
				continue
			}
			if _, err := os.Stat(filepath.Join(deployFolder, "compose", source)); err != nil {
				t.Errorf("%s mounts %s: %v", name, source, err)
			}
		}
	}
	prometheus := deployFile(t, "prometheus/prometheus.yaml")
	for _, alias := range services["gateway"].Networks["default"].Aliases {
		swap(t, prometheus, "names: ["+alias+"]", "")
	}
	for _, s := range services["prometheus"].Secrets {
		swap(t, prometheus, "credentials_file: "+s.Target, "")
	}
	if len(services["gateway"].Networks["default"].Aliases) != 1 || len(services["prometheus"].Secrets) != 1 {
		t.Errorf("want an alias for the gateway and a secret for Prometheus, found %v and %v", services["gateway"].Networks, services["prometheus"].Secrets)
	}
}

// TestDeployPrometheus runs Prometheus with the files of deploy/prometheus: it gets the metrics of
// the gateway, and evaluates every alert and every expression of the dashboard. RTBWIRE_PROMETHEUS
// names the program: the leg deploy of "make verify" builds it.
func TestDeployPrometheus(t *testing.T) {
	program := os.Getenv("RTBWIRE_PROMETHEUS")
	if program == "" {
		t.Skip("RTBWIRE_PROMETHEUS names no prometheus")
	}
	p, token := startCompose(t)
	folder := t.TempDir()
	config := deployFile(t, "prometheus/prometheus.yaml")
	config = swap(t, config, "scrape_interval: 15s, evaluation_interval: 15s", "scrape_interval: 1s, evaluation_interval: 1s")
	config = swap(t, config, "/run/secrets/rtbwire-admin/token", token)
	config = swap(t, config, "dns_sd_configs:\n      - {names: [rtbwire-admin], type: A, port: 8081}", "static_configs:\n      - {targets: ["+strconv.Quote(p.admin)+"]}")
	replace(t, filepath.Join(folder, "prometheus.yaml"), config)
	replace(t, filepath.Join(folder, "rules.yaml"), deployFile(t, "prometheus/rules.yaml"))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	startProgram(t, exec.Command(program, "--config.file="+filepath.Join(folder, "prometheus.yaml"), "--storage.tsdb.path="+filepath.Join(folder, "data"), "--web.listen-address="+address))

	query := func(expression string) (answer struct {
		Status, Error string
		Data          struct{ Result []any }
	}) {
		get(t, "http://"+address+"/api/v1/query?query="+url.QueryEscape(expression), &answer)
		return answer
	}
	waitFor(t, "metrics of the gateway", func() bool { return len(query(`up{job="rtbwire"} == 1`).Data.Result) == 1 })
	waitFor(t, "every alert", func() bool {
		var answer struct {
			Data struct {
				Groups []struct {
					Rules []struct{ Name, Health, LastError string }
				}
			}
		}
		get(t, "http://"+address+"/api/v1/rules", &answer)
		evaluated := 0
		for _, g := range answer.Data.Groups {
			for _, r := range g.Rules {
				if r.Health == "err" {
					t.Fatalf("the alert %s: %s", r.Name, r.LastError)
				} else if r.Health == "ok" {
					evaluated++
				}
			}
		}
		return evaluated > 0 && evaluated == strings.Count(deployFile(t, "prometheus/rules.yaml"), "- alert: ")
	})
	variables := strings.NewReplacer("$job", "rtbwire", "$instance", ".*", "$streams", "rtbwire-stream", "$__rate_interval", "1m", "$__range", "1m", "$__interval", "1m")
	for _, e := range expressions(t) {
		if answer := query(variables.Replace(e.text)); answer.Status != "success" {
			t.Errorf("%s: %s", e.place, answer.Error)
		}
	}
}

// get reads an answer in JSON; a server that does not answer leaves it empty.
func get(t *testing.T, address string, answer any) {
	t.Helper()
	resp, err := http.Get(address)
	if err != nil {
		return
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(answer); err != nil {
		t.Logf("%s: %v", address, err) // it starts
	}
}
