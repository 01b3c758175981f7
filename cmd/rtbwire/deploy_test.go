package main

import (
	"cmp"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/rtbwire/rtbwire/internal/certtest"
)

// deployFolder has what installs and watches gateways. Tools that know these files check them in
// the leg deploy of "make verify"; here they are held to the program.
const deployFolder = "../../deploy"

func deployFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(deployFolder, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// expression is something that Prometheus is asked, and where that is written.
type expression struct{ place, text string }

// expressions come from the alerts and the dashboard.
func expressions(t *testing.T) (list []expression) {
	var rules struct {
		Groups []struct {
			Rules []struct{ Alert, Expr string }
		}
	}
	if err := yaml.Unmarshal([]byte(deployFile(t, "prometheus/rules.yaml")), &rules); err != nil {
		t.Fatal(err)
	}
	for _, g := range rules.Groups {
		for _, r := range g.Rules {
			list = append(list, expression{"the alert " + r.Alert, r.Expr})
		}
	}
	for _, p := range dashboard(t).Panels {
		for _, own := range p.Targets {
			list = append(list, expression{"the panel " + p.Title, own.Expr})
		}
	}
	return list
}

type panel struct {
	ID                       int
	Type, Title, Description string
	GridPos                  struct{ H, W, X, Y int }
	Targets                  []struct{ Expr string }
}

func dashboard(t *testing.T) (d struct{ Panels []panel }) {
	t.Helper()
	if err := json.Unmarshal([]byte(deployFile(t, "grafana/dashboard.json")), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// ofStreams reports whether an expression is about streams: its job is theirs.
func (e *expression) ofStreams() bool {
	return strings.Contains(e.text, `job="rtbwire-stream"`) || strings.Contains(e.text, `job=~"$streams"`)
}

// selector is a metric with what its labels have to be.
type selector struct {
	metric string
	labels map[string][]string // the values that are asked for; none: any
}

var (
	selectorForm = regexp.MustCompile(`([a-zA-Z_:][a-zA-Z0-9_:]*)\s*\{([^}]*)\}`)
	matcherForm  = regexp.MustCompile(`(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"`)
	groupingForm = regexp.MustCompile(`\b(by|without|on|ignoring)\s*\(([^)]*)\)`)
	nameForm     = regexp.MustCompile(`[a-zA-Z_:][a-zA-Z0-9_:]*`)
)

// selectors takes an expression apart. Every metric in it has braces; the labels of groups count
// for all of its metrics.
func selectors(text string) (list []selector, err error) {
	grouped := map[string][]string{}
	for _, m := range groupingForm.FindAllStringSubmatch(text, -1) {
		for _, label := range nameForm.FindAllString(m[2], -1) {
			grouped[label] = nil
		}
	}
	for _, m := range selectorForm.FindAllStringSubmatch(text, -1) {
		s := selector{m[1], maps.Clone(grouped)}
		for _, label := range matcherForm.FindAllStringSubmatch(m[2], -1) {
			s.labels[label[1]] = nil
			if label[2] == "=" || label[2] == "=~" && !strings.Contains(label[3], "$") {
				s.labels[label[1]] = strings.Split(label[3], "|")
			}
		}
		list = append(list, s)
	}
	rest := groupingForm.ReplaceAllString(selectorForm.ReplaceAllString(text, "1"), "")
	rest = regexp.MustCompile(`\[[^\]]*\]|\b\d[\d.]*(e\d+|[a-z]+)?|\w+\(`).ReplaceAllString(rest, "")
	for _, name := range nameForm.FindAllString(rest, -1) {
		if !slices.Contains([]string{"and", "or", "unless", "offset", "group_left", "sum", "max", "min", "count"}, name) {
			err = errors.Join(err, fmt.Errorf("%s has no braces with a job", name))
		}
	}
	return list, err
}

// TestDeployMetrics asks a running gateway and a running stream for everything that alerts and
// dashboard ask for.
func TestDeployMetrics(t *testing.T) {
	gateway, stream := liveMetrics(t), liveStreamMetrics(t)
	for _, e := range expressions(t) {
		have := gateway
		if e.ofStreams() {
			have = stream
		}
		list, err := selectors(e.text)
		if err != nil || len(list) == 0 {
			t.Errorf("%s: %s: %v", e.place, e.text, err)
		}
		for _, s := range list {
			if _, ok := s.labels["job"]; !ok {
				t.Errorf("%s asks for the %s of every program: it wants a job", e.place, s.metric)
			}
			delete(s.labels, "job") // Prometheus adds them
			delete(s.labels, "instance")
			if s.metric == "up" {
				continue
			}
			values, ok := have[s.metric]
			if !ok {
				t.Errorf("%s: there is no metric %s", e.place, s.metric)
				continue
			}
			for label, wanted := range s.labels {
				if values[label] == nil {
					t.Errorf("%s: %s has no label %s; it has %v", e.place, s.metric, label, slices.Sorted(maps.Keys(values)))
				}
				for _, v := range wanted {
					if label == "reason" && strings.HasPrefix(v, "gateway.") { // not every one happens here
						continue
					}
					if !values[label][v] {
						t.Errorf("%s: no %s has %s %q", e.place, s.metric, label, v)
					}
				}
			}
		}
	}
}

// TestDeploySelectors holds selectors, without which TestDeployMetrics would find nothing.
func TestDeploySelectors(t *testing.T) {
	list, err := selectors(`histogram_quantile(0.99, sum by (le) (rate(a_bucket{job="x", s=~"p|q", t!="z"}[5m] offset 1h))) > 0.5 and b{} < 1e15`)
	if want := "[{a_bucket map[job:[x] le:[] s:[p q] t:[]]} {b map[le:[]]}]"; err != nil || fmt.Sprint(list) != want {
		t.Errorf("%v %v, want %s", list, err, want)
	}
	if _, err := selectors(`rate(a{}[1m]) / b`); err == nil {
		t.Error("a metric without braces is not noticed")
	}
}

// liveMetrics returns the values of every label of every metric of a gateway that was used.
func liveMetrics(t *testing.T) metricLabels {
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.Copy(w, r.Body) }))
	defer upstream.Close()
	file := withList(t)
	text := "version: 1\n" + listText + "gateway: {upstreams: [\"" + upstream.URL + "\", {name: copies, url: \"" + upstream.URL + "\", mirror: 100%}]}\n" + `
rules: [{name: odd, when: id == "2", severity: refuse}]
partners:
  p: {match: {path: /p}, shadow: true, rules: [{name: all, when: 'true', severity: refuse}, {name: undecided, when: 1 / tmax > 0, severity: warn}]}
  observed: {match: {path: /observed}, enforce: 0%}
`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	candidate := strings.Replace(file, ".yaml", "-next.yaml", 1)
	if err := os.WriteFile(candidate, []byte(strings.Replace(text, `id == "2"`, `id == "1"`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	p := startServe(t, true, "--admin", "127.0.0.1:0", "--config", file, "--candidate", candidate)
	for _, body := range []string{goodRequest, `{"id":"1"}`, `{`} {
		for _, path := range []string{"/openrtb2/auction", "/p", "/observed"} {
			if _, _, err := send("http://"+p.address+path, body); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.WriteFile(file, []byte(text+"x: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	have := p.metricsWith(t, "a failed reload, and a candidate that differs", func(have metricLabels) bool {
		return have["rtbwire_gateway_reloads_total"]["result"]["failed"] && have["rtbwire_gateway_candidate_changes_total"] != nil
	})
	return withRarer(t, have, upstream.URL)
}

// unwatched are a log of verdicts and a collector for a configuration.
const unwatched = `verdict_log: {to: files, folder: verdicts}, telemetry: {endpoint: "http://127.0.0.1:1"}`

// withRarer adds the metrics of a gateway with what not every gateway has: certificates, captures,
// a log of verdicts, a collector, a service that is asked, a candidate.
func withRarer(t *testing.T, have metricLabels, upstream string) metricLabels {
	t.Helper()
	folder := t.TempDir()
	certificate, key, candidate := rarer(t, folder)
	file := filepath.Join(folder, "rtbwire.yaml")
	replace(t, file, "version: 1\ngateway: {upstreams: [\""+upstream+"\"], capture: {folder: capture}, "+unwatched+", vendors: {ivt: {url: \"http://127.0.0.1:1/score\", fields: [ip]}}}\n")
	p := startServe(t, true, "--admin", "127.0.0.1:0", "--config", file, "--tls-cert", certificate, "--tls-key", key, "--candidate", candidate)
	resp, err := asks.Post("https://"+p.address+"/openrtb2/auction", "application/json", strings.NewReader(goodRequest))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	more := p.metricsWith(t, "a difference of the candidate", func(have metricLabels) bool { return have["rtbwire_gateway_candidate_changes_total"] != nil })
	maps.Copy(more, have)
	return more
}

// rarer writes a certificate and a candidate.
func rarer(t *testing.T, folder string) (certificate, key, candidate string) {
	t.Helper()
	certificate, key = certtest.New(t, "a").Sign(t, []string{"127.0.0.1"}).Write(t, folder, "a")
	candidate = filepath.Join(folder, "next.yaml")
	replace(t, candidate, "version: 1\nrules: [{name: all, when: 'true', severity: refuse}]\n")
	return certificate, key, candidate
}

// listText is a list for a configuration, whose file [withList] writes.
const listText = "lists: {blocked: {kind: domain, file: blocked.txt, max_age: 36h}}\n"

// withList returns where a configuration may be written that has the list.
func withList(t *testing.T) (file string) {
	t.Helper()
	folder := t.TempDir()
	replace(t, filepath.Join(folder, "blocked.txt"), "blocked.example\n")
	return filepath.Join(folder, "rtbwire.yaml")
}

// metricLabels are the values of every label of every metric.
type metricLabels map[string]map[string]map[string]bool

// asks trusts the certificates of tests.
var asks = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}} //nolint:gosec // a test's own

// metricsWith returns the metrics of a process as soon as they show something.
func (p *process) metricsWith(t *testing.T, what string, shown func(metricLabels) bool) metricLabels {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		resp, err := asks.Get(cmp.Or(p.scheme, "http") + "://" + p.admin + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		parser := expfmt.NewTextParser(model.UTF8Validation)
		families, err := parser.TextToMetricFamilies(resp.Body)
		resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if have := labelsOf(families); shown(have) {
			return have
		}
		if time.Now().After(end) {
			t.Fatalf("no %s: %s", what, p.Text())
		}
	}
}

// labelsOf returns the values of labels. Histograms and summaries have their other names too.
func labelsOf(families map[string]*dto.MetricFamily) metricLabels {
	have := metricLabels{}
	for name, f := range families {
		names := []string{name}
		if f.GetType() == dto.MetricType_HISTOGRAM || f.GetType() == dto.MetricType_SUMMARY {
			names = append(names, name+"_sum", name+"_count")
		}
		if f.GetType() == dto.MetricType_HISTOGRAM {
			names = append(names, name+"_bucket")
		}
		for _, n := range names {
			own := map[string]map[string]bool{}
			for _, m := range f.GetMetric() {
				for _, l := range m.GetLabel() {
					if own[l.GetName()] == nil {
						own[l.GetName()] = map[string]bool{}
					}
					own[l.GetName()][l.GetValue()] = true
				}
			}
			if strings.HasSuffix(n, "_bucket") {
				own["le"] = map[string]bool{}
			}
			have[n] = own
		}
	}
	return have
}

// TestDeployDashboard wants panels that say what they show and do not overlap.
func TestDeployDashboard(t *testing.T) {
	taken, ids := map[[2]int]string{}, map[int]bool{}
	panels := dashboard(t).Panels
	if len(panels) < 10 {
		t.Fatalf("only %d panels", len(panels))
	}
	for _, p := range panels {
		if ids[p.ID] || p.Title == "" || p.Type != "row" && (p.Description == "" || len(p.Targets) == 0) {
			t.Errorf("the panel %d %q: want an id of its own, a title, a description and something to show", p.ID, p.Title)
		}
		ids[p.ID] = true
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				if other := taken[[2]int{x, y}]; other != "" || x >= 24 {
					t.Fatalf("the panel %q overlaps %q, or is too wide", p.Title, other)
				}
				taken[[2]int{x, y}] = p.Title
			}
		}
	}
}

// TestDeployAlerts wants an example for each alert (promtool runs them in the leg deploy).
func TestDeployAlerts(t *testing.T) {
	examples := deployFile(t, "prometheus/rules_test.yaml")
	for _, e := range expressions(t) {
		if name, ok := strings.CutPrefix(e.place, "the alert "); ok && strings.Count(examples, "alertname: "+name+"\n") < 2 {
			t.Errorf("prometheus/rules_test.yaml has no example in which %s is raised, and one in which it is not", name)
		}
	}
}

// kubernetes returns the documents of the manifests.
func kubernetes(t *testing.T) (list []map[string]any) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(deployFolder, "kubernetes", "*.yaml"))
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		for text := range strings.SplitSeq(deployFile(t, "kubernetes/"+filepath.Base(name)), "\n---\n") {
			var document map[string]any
			if err := yaml.UnmarshalWithOptions([]byte(text), &document, yaml.Strict()); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			list = append(list, document)
		}
	}
	return list
}

// at returns what is at a path of names and numbers.
func at(t *testing.T, v any, path ...any) any {
	t.Helper()
	for _, step := range path {
		switch s := step.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[s]
		case int:
			l, _ := v.([]any)
			if s >= len(l) {
				t.Fatalf("nothing at %v", path)
			}
			v = l[s]
		}
	}
	return v
}

// TestDeployKubernetes holds the manifests to the program, and to each other.
func TestDeployKubernetes(t *testing.T) {
	documents := map[string]map[string]any{}
	for _, d := range kubernetes(t) {
		documents[fmt.Sprint(d["kind"], "/", at(t, d, "metadata", "name"))] = d
	}
	pod := at(t, documents["Deployment/rtbwire"], "spec", "template", "spec")
	container := at(t, pod, "containers", 0)

	// The configuration is one that the program takes, with the arguments of the container.
	folder := t.TempDir()
	file := filepath.Join(folder, "rtbwire.yaml")
	text, _ := at(t, documents["ConfigMap/rtbwire"], "data", "rtbwire.yaml").(string)
	token := filepath.Join(folder, "token")
	if err := errors.Join(os.WriteFile(file, []byte(strings.ReplaceAll(text, "/run/secrets/rtbwire-admin/token", token)), 0o600),
		os.WriteFile(token, []byte("0123456789abcdef0123456789abcdef\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	args := []string{"--check"}
	for _, a := range at(t, container, "args").([]any) {
		args = append(args, strings.ReplaceAll(a.(string), "/etc/rtbwire", folder))
	}
	if out, err := exec.Command("rtbwire", slices.Concat(args[1:], args[:1])...).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}

	// The pod lives longer than its gateway takes to stop.
	var config struct {
		Gateway struct {
			Listen, Admin string
			Timeouts      struct {
				DrainDelay time.Duration `yaml:"drain_delay"`
				Drain      time.Duration
			}
		}
	}
	if err := yaml.Unmarshal([]byte(text), &config); err != nil {
		t.Fatal(err)
	}
	stop := config.Gateway.Timeouts.DrainDelay + config.Gateway.Timeouts.Drain
	grace := seconds(at(t, pod, "terminationGracePeriodSeconds").(uint64))
	if stop <= 0 || grace < stop+5*time.Second {
		t.Errorf("the pod is killed after %v; the gateway may take %v to stop", grace, stop)
	}
	// Readiness fails long before the delay is over.
	probe := at(t, container, "readinessProbe")
	noticed := seconds(at(t, probe, "periodSeconds").(uint64) * at(t, probe, "failureThreshold").(uint64))
	if config.Gateway.Timeouts.DrainDelay < noticed+time.Second {
		t.Errorf("a pod that stops is noticed after %v; the drain delay is %v", noticed, config.Gateway.Timeouts.DrainDelay)
	}

	// The ports match the configuration, and probes and services name them.
	ports := map[string]string{}
	for _, p := range at(t, container, "ports").([]any) {
		ports[at(t, p, "name").(string)] = fmt.Sprint(":", at(t, p, "containerPort"))
	}
	if ports["http"] != config.Gateway.Listen || ports["admin"] != config.Gateway.Admin {
		t.Errorf("the ports are %v, the configuration has %s and %s", ports, config.Gateway.Listen, config.Gateway.Admin)
	}
	for name, d := range documents {
		if target := at(t, d, "spec", "ports"); d["kind"] == "Service" && ports[at(t, target, 0, "targetPort").(string)] == "" {
			t.Errorf("%s leads to no port", name)
		}
		if selector := at(t, d, "spec", "selector"); d["kind"] == "Service" && fmt.Sprint(selector) != fmt.Sprint(at(t, documents["Deployment/rtbwire"], "spec", "selector", "matchLabels")) {
			t.Errorf("%s selects %v", name, selector)
		}
	}
	var listed []string
	for _, r := range at(t, findKind(documents, "Kustomization"), "resources").([]any) {
		listed = append(listed, r.(string))
	}
	names, _ := filepath.Glob(filepath.Join(deployFolder, "kubernetes", "*.yaml"))
	for _, name := range names {
		if base := filepath.Base(name); base != "kustomization.yaml" && !slices.Contains(listed, base) {
			t.Errorf("kustomization.yaml does not list %s", base)
		}
	}
}

func findKind(documents map[string]map[string]any, kind string) map[string]any {
	for _, d := range documents {
		if d["kind"] == kind {
			return d
		}
	}
	return nil
}

// TestDeployCommands runs the commands of the unit and of the image as checks.
func TestDeployCommands(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rtbwire.yaml")
	if err := os.WriteFile(file, []byte("version: 1\ngateway: {upstreams: [\"http://127.0.0.1:9\"]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var commands [][]string
	for _, m := range regexp.MustCompile(`(?m)^ExecStart(?:Pre)?=/usr/local/bin/rtbwire (.*)$`).FindAllStringSubmatch(deployFile(t, "systemd/rtbwire.service"), -1) {
		commands = append(commands, strings.Fields(m[1]))
	}
	var image []string
	if m := regexp.MustCompile(`(?m)^CMD (\[.*\])$`).FindStringSubmatch(deployFile(t, "Dockerfile")); m == nil {
		t.Error("the Dockerfile has no CMD")
	} else if err := json.Unmarshal([]byte(m[1]), &image); err != nil {
		t.Error(err)
	}
	commands = append(commands, image)
	if len(commands) != 3 {
		t.Fatalf("commands: %v", commands)
	}
	for _, c := range commands {
		for i := range c {
			c[i] = strings.ReplaceAll(c[i], "/etc/rtbwire/rtbwire.yaml", file)
		}
		if out, err := exec.Command("rtbwire", append(c, "--check")...).CombinedOutput(); err != nil {
			t.Errorf("%v: %v: %s", c, err, out)
		}
	}
}

// seconds is a number of seconds as a duration.
func seconds(n uint64) time.Duration { return time.Duration(n) * time.Second }
