package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

// liveStreamMetrics returns the values of every label of every metric of a stream that was used: it
// has accepted a record, refused one, and could not load its configuration again.
func liveStreamMetrics(t *testing.T) metricLabels {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "bids", "bids-ok", "bids-refused"))
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	client, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...), kgo.DefaultProduceTopic("bids"))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if err := client.ProduceSync(t.Context(), kgo.StringRecord(goodRequest), kgo.StringRecord(`{"id":"1"}`), kgo.StringRecord("{")).FirstErr(); err != nil {
		t.Fatal(err)
	}
	file := withList(t)
	text := fmt.Sprintf("version: 1\n"+listText+"stream: {brokers: [%q], topics: bids, group: edge, accepted: bids-ok, dead_letters: bids-refused, admin: \"127.0.0.1:0\"}\nrules: [{name: undecided, when: 1 / tmax > 0, severity: warn}, {name: odd, when: 'true', severity: warn}]\n", cluster.ListenAddrs()[0])
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p := startStream(t, "msg=consuming", "--config", file)
	p.admin = announced.FindStringSubmatch(p.Text())[2]
	p.metricsWith(t, "dead letters and lag", func(have metricLabels) bool {
		return len(have["rtbwire_stream_dead_letters_total"]["reason"]) == 2 && have["rtbwire_stream_lag_records"] != nil
	})
	if err := os.WriteFile(file, []byte(text+"x: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	have := p.metricsWith(t, "failed reload", func(have metricLabels) bool { return have["rtbwire_stream_reloads_total"]["result"]["failed"] })
	return withRarerStream(t, have)
}

// withRarerStream adds the metrics of a stream of files with certificates, a log of verdicts, a
// collector and a candidate.
func withRarerStream(t *testing.T, have metricLabels) metricLabels {
	t.Helper()
	folder := t.TempDir()
	certificate, key, candidate := rarer(t, folder)
	file := filepath.Join(folder, "rtbwire.yaml")
	replace(t, file, fmt.Sprintf("version: 1\ngateway: {tls: {certificates: [{cert: %q, key: %q}]}, "+unwatched+"}\n", certificate, key))
	if err := os.Mkdir(filepath.Join(folder, "in"), 0o700); err != nil {
		t.Fatal(err)
	}
	p := startStream(t, "msg=following", "--config", file, "--candidate", candidate, "--admin", "https://127.0.0.1:0", "--source-dir", filepath.Join(folder, "in"),
		"--positions", filepath.Join(folder, "positions.json"), "--accepted-file", filepath.Join(folder, "ok.ndjson"), "--dead-letters-file", filepath.Join(folder, "refused.ndjson"))
	p.scheme, p.admin = "https", announced.FindStringSubmatch(p.Text())[2]
	more := p.metricsWith(t, "certificates", func(have metricLabels) bool {
		return have["rtbwire_stream_followed_file_expires_timestamp_seconds"] != nil
	})
	maps.Copy(more, have)
	return more
}

// TestDeployKubernetesStream holds the manifests of the stream to the program, and to each other.
func TestDeployKubernetesStream(t *testing.T) {
	documents := map[string]map[string]any{}
	names, err := filepath.Glob(filepath.Join(deployFolder, "kubernetes", "stream", "*.yaml"))
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	kustomization := deployFile(t, "kubernetes/stream/kustomization.yaml")
	for _, name := range names {
		base := filepath.Base(name)
		if base != "kustomization.yaml" && !strings.Contains(kustomization, "  - "+base+"\n") {
			t.Errorf("kustomization.yaml does not list %s", base)
		}
		var d map[string]any
		if err := yaml.UnmarshalWithOptions([]byte(deployFile(t, "kubernetes/stream/"+base)), &d, yaml.Strict()); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		documents[fmt.Sprint(d["kind"])] = d
	}
	pod := at(t, documents["Deployment"], "spec", "template", "spec")
	container := at(t, pod, "containers", 0)

	// The configuration is one that the program takes, with the arguments of the container.
	folder := t.TempDir()
	file, token := filepath.Join(folder, "rtbwire.yaml"), filepath.Join(folder, "token")
	text, _ := at(t, documents["ConfigMap"], "data", "rtbwire.yaml").(string)
	if err := errors.Join(os.WriteFile(file, []byte(strings.ReplaceAll(text, "/run/secrets/rtbwire-admin/token", token)), 0o600),
		os.WriteFile(token, []byte("0123456789abcdef0123456789abcdef\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	var args []string
	for _, a := range at(t, container, "args").([]any) {
		args = append(args, strings.ReplaceAll(a.(string), "/etc/rtbwire", folder))
	}
	if out, err := exec.Command("rtbwire", append(args, "--check")...).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}

	// The pod lives longer than its stream takes to stop.
	var config struct {
		Stream struct {
			Admin    string
			Timeouts struct{ Drain time.Duration }
		}
	}
	if err := yaml.Unmarshal([]byte(text), &config); err != nil {
		t.Fatal(err)
	}
	if grace, drain := seconds(at(t, pod, "terminationGracePeriodSeconds").(uint64)), config.Stream.Timeouts.Drain; drain <= 0 || grace < drain+5*time.Second {
		t.Errorf("the pod is killed after %v; the stream may take %v to stop", grace, drain)
	}
	if port := fmt.Sprint(":", at(t, container, "ports", 0, "containerPort")); port != config.Stream.Admin {
		t.Errorf("the port is %s, the configuration has %s", port, config.Stream.Admin)
	}
	if got, want := fmt.Sprint(at(t, documents["Service"], "spec", "selector")), fmt.Sprint(at(t, documents["Deployment"], "spec", "selector", "matchLabels")); got != want {
		t.Errorf("the service selects %s, want %s", got, want)
	}
}

// TestDeployStreamCommands runs the commands of the unit as checks.
func TestDeployStreamCommands(t *testing.T) {
	file := filepath.Join(t.TempDir(), "stream.yaml")
	if err := os.WriteFile(file, []byte("version: 1\nstream: {brokers: [\"127.0.0.1:9092\"], topics: bids, group: edge, accepted: bids-ok, dead_letters: bids-refused}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	commands := regexp.MustCompile(`(?m)^ExecStart(?:Pre)?=/usr/local/bin/rtbwire (.*)$`).FindAllStringSubmatch(deployFile(t, "systemd/rtbwire-stream.service"), -1)
	if len(commands) != 2 {
		t.Fatalf("commands: %v", commands)
	}
	for _, m := range commands {
		args := append(strings.Fields(strings.ReplaceAll(m[1], "/etc/rtbwire/stream.yaml", file)), "--check")
		if out, err := exec.Command("rtbwire", args...).CombinedOutput(); err != nil {
			t.Errorf("%v: %v: %s", args, err, out)
		}
	}
}
