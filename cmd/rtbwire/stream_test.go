package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

// startStream starts "rtbwire stream" and waits until it says something.
func startStream(t *testing.T, says string, args ...string) *process {
	t.Helper()
	p := startProgram(t, exec.Command("rtbwire", append([]string{"stream"}, args...)...))
	waitFor(t, says, func() bool { return strings.Contains(p.Text(), says) })
	return p
}

// newCluster starts a cluster with topics of two partitions.
func newCluster(t *testing.T, topics ...string) string {
	t.Helper()
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(2, topics...))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return strings.Join(c.ListenAddrs(), ",")
}

// records reads a topic as it comes.
type records struct {
	mu   sync.Mutex
	list []*kgo.Record
}

func follow(t *testing.T, brokers, topic string) *records {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(brokers), kgo.ConsumeTopics(topic), kgo.FetchIsolationLevel(kgo.ReadCommitted()))
	if err != nil {
		t.Fatal(err)
	}
	r := &records{}
	ctx, cancel := context.WithCancel(context.Background())
	var reading sync.WaitGroup
	reading.Go(func() {
		for ctx.Err() == nil {
			client.PollFetches(ctx).EachRecord(func(own *kgo.Record) {
				r.mu.Lock()
				r.list = append(r.list, own)
				r.mu.Unlock()
			})
		}
	})
	t.Cleanup(func() { cancel(); reading.Wait(); client.Close() })
	return r
}

func (r *records) all() []*kgo.Record {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]*kgo.Record(nil), r.list...)
}

func produce(t *testing.T, brokers, topic string, values ...string) {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(brokers))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for i, v := range values {
		r := &kgo.Record{Topic: topic, Key: fmt.Append(nil, i), Value: []byte(v), Headers: []kgo.RecordHeader{{Key: "n", Value: fmt.Append(nil, i)}}}
		if err := client.ProduceSync(t.Context(), r).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
}

func headerOf(r *kgo.Record, name string) string {
	for _, h := range r.Headers {
		if h.Key == name {
			return string(h.Value)
		}
	}
	return ""
}

// page asks for a path of the port of administration.
func (p *process) page(t *testing.T, path string) (status int, text string) {
	t.Helper()
	m := announced.FindStringSubmatch(p.Text())
	if m == nil {
		t.Fatalf("no port of administration: %s", p.Text())
	}
	r, err := http.Get("http://" + m[2] + path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	body, _ := io.ReadAll(r.Body)
	return r.StatusCode, string(body)
}

// TestStream runs the program from topic to topic with a file: what becomes of records, the port of
// administration, reloads by signal and by the file's change, good files and broken ones, the end.
func TestStream(t *testing.T) {
	t.Parallel()
	brokers := newCluster(t, "bids", "bids-ok", "bids-refused")
	accepted, refused := follow(t, brokers, "bids-ok"), follow(t, brokers, "bids-refused")
	file := filepath.Join(t.TempDir(), "rtbwire.yaml")
	write := func(rest string) {
		t.Helper()
		replace(t, file, fmt.Sprintf("version: 1\nstream: {brokers: %q, topics: bids, group: edge, accepted: bids-ok, dead_letters: bids-refused, timeouts: {commit: 50ms}}\n%s", brokers, rest))
	}
	write("")
	p := startStream(t, "msg=consuming", "--config", file, "--admin", "127.0.0.1:0")
	other := strings.Replace(goodRequest, "a.example", "b.example", 1)
	produce(t, brokers, "bids", goodRequest, "{", other)
	waitFor(t, "three records", func() bool { return len(accepted.all()) == 2 && len(refused.all()) == 1 })
	if r := refused.all()[0]; headerOf(r, "rtbwire-reason") != "json.truncated" && !strings.HasPrefix(headerOf(r, "rtbwire-reason"), "json.") || headerOf(r, "n") != "1" || string(r.Value) != "{" {
		t.Errorf("%+v", r)
	}
	for path, want := range map[string]string{
		"/healthz": "ok", "/readyz": "ready", "/config": `"bids-refused"`, "/metrics": "rtbwire_stream_paused 0", "/rejects": "json.", "/": "<title>rtbwire</title>", "/live": `"kind":"stream"`, "/plain": "<code>bids as edge</code>", "/version": "",
	} {
		if status, text := p.page(t, path); status != 200 || !strings.Contains(text, want) {
			t.Errorf("%s: %d %s", path, status, text)
		}
	}
	if out, err := exec.Command("rtbwire", "stream", "--health", "http://"+announced.FindStringSubmatch(p.Text())[2]+"/readyz").CombinedOutput(); err != nil || string(out) != "healthy\n" {
		t.Errorf("%s, %v", out, err)
	}

	write("rules: [{name: b, when: site.domain == \"b.example\", severity: refuse, nbr: 7}]\n")
	waitFor(t, "the changed file", func() bool { return strings.Contains(p.Text(), "was loaded again") })
	produce(t, brokers, "bids", other)
	waitFor(t, "the refusal", func() bool { return len(refused.all()) == 2 })
	if r := refused.all()[1]; headerOf(r, "rtbwire-reason") != "policy.b" || headerOf(r, "rtbwire-nbr") != "7" {
		t.Errorf("%+v", r)
	}
	write("rules: [{name: b, wen: true}]\n")
	if err := p.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the problem", func() bool { return strings.Contains(p.Text(), "the old one stays in use") })
	if status, text := p.page(t, "/metrics"); status != 200 || !strings.Contains(text, `rtbwire_stream_reloads_total{result="failed"}`) || !strings.Contains(text, "rtbwire_stream_config_failed 1") {
		t.Errorf("%d %s", status, text)
	}
	p.Stop(t)
	if !strings.Contains(p.Text(), "stopped: everything that was read is delivered and committed") {
		t.Error(p.Text())
	}

	// The next process goes on where this one ended.
	write("")
	p = startStream(t, "msg=consuming", "--config", file)
	produce(t, brokers, "bids", goodRequest)
	waitFor(t, "one more", func() bool { return len(accepted.all()) == 3 })
	p.Stop(t)
	if a, r := len(accepted.all()), len(refused.all()); a != 3 || r != 2 {
		t.Errorf("%d accepted and %d refused, want 3 and 2", a, r)
	}
}

// TestStreamFull runs the program with a file that can't get longer: it says what is not delivered,
// with status 2, and the next process delivers it.
func TestStreamFull(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "ok.ndjson")
	if err := os.Mkdir(in, 0o700); err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat(goodRequest+"\n", 2000)
	replace(t, filepath.Join(in, "a.ndjson"), text)
	args := []string{
		"stream", "--source-dir", in, "--positions", filepath.Join(dir, "positions.json"), "--accepted-file", out,
		"--dead-letters-file", filepath.Join(dir, "refused.ndjson"), "--admin", "127.0.0.1:0",
	}
	full := exec.Command("sh", append([]string{"-c", `ulimit -f 20; exec rtbwire "$@"`, "sh"}, args...)...)
	p := startProgram(t, full)
	waitFor(t, "a failure", func() bool { return strings.Contains(p.Text(), "begins anew") })
	want := fmt.Sprintf("rtbwire_stream_files_lag_bytes %v\n", float64(len(text)))
	if _, metrics := p.page(t, "/metrics"); !strings.Contains(metrics, want) {
		t.Errorf("no %q in %s", want, metrics)
	}
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if status := p.Status(t); status != 2 || !strings.Contains(p.Text(), "what was read is not all delivered: ") || strings.Contains(p.Text(), "stopped: everything") {
		t.Errorf("exit status %d: %s", status, p.Text())
	}
	p = startProgram(t, exec.Command("rtbwire", args...))
	waitFor(t, "all records", func() bool {
		got, _ := os.ReadFile(out)
		return string(got) == text
	})
	p.Stop(t)
}

// TestStreamHangupEarly sends SIGHUP before the brokers have answered: the program goes on.
func TestStreamHangupEarly(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	c := exec.Command("rtbwire", "stream", "--brokers", silent.Addr().String(), "--topic", "a", "--group", "g", "--accepted", "b", "--dead-letters", "c")
	p := startProgram(t, c)
	if _, err := silent.Accept(); err != nil {
		t.Fatal(err)
	}
	for _, s := range []syscall.Signal{syscall.SIGHUP, syscall.SIGTERM} {
		time.Sleep(100 * time.Millisecond)
		if err := p.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
	}
	if status := p.Status(t); status != 0 {
		t.Errorf("exit status %d: %s", status, p.Text())
	}
}

// TestStreamUpstream posts to a server that fails for a while, and always for one record.
func TestStreamUpstream(t *testing.T) {
	t.Parallel()
	brokers := newCluster(t, "bids", "bids-answers", "bids-refused")
	answers, refused := follow(t, brokers, "bids-answers"), follow(t, brokers, "bids-refused")
	var mu sync.Mutex
	seen := map[string]int{}
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct{ ID string }
		_ = json.NewDecoder(r.Body).Decode(&body)
		mu.Lock()
		defer mu.Unlock()
		if seen[body.ID]++; body.ID == "bad" {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		fmt.Fprintf(w, "answer to %s, %s", body.ID, r.Header.Get("X-Rtbwire-Action"))
	}))
	defer upstream.Close()
	p := startStream(t, "msg=consuming", "--brokers", brokers, "--topic", "bids", "--group", "edge", "--upstream", upstream.URL, "--responses", "bids-answers",
		"--dead-letters", "bids-refused", "--attempts", "2", "--admin", "127.0.0.1:0", "--log-format", "text")
	produce(t, brokers, "bids", goodRequest, strings.Replace(goodRequest, `"id":"1"`, `"id":"bad"`, 1), strings.Replace(goodRequest, `"id":"1"`, `"id":"2"`, 1))
	waitFor(t, "all records", func() bool { return len(answers.all()) == 2 && len(refused.all()) == 1 })
	if r := refused.all()[0]; headerOf(r, "rtbwire-reason") != "stream.undeliverable" || headerOf(r, "n") != "1" {
		t.Errorf("%+v", r)
	}
	for _, r := range answers.all() {
		if !strings.HasPrefix(string(r.Value), "answer to ") || !strings.HasSuffix(string(r.Value), ", forward") {
			t.Errorf("%s", r.Value)
		}
	}
	mu.Lock()
	if seen["bad"] != 2 || seen["1"] != 1 || seen["2"] != 1 {
		t.Errorf("%v", seen)
	}
	mu.Unlock()
	if _, text := p.page(t, "/metrics"); !strings.Contains(text, `rtbwire_stream_upstream_attempts_total{result="delivered"} 2`) || !strings.Contains(text, "rtbwire_stream_paused 0") {
		t.Error(text)
	}
	p.Stop(t)
}

// TestStreamWrong starts the program with brokers that it can't use: one sentence, status 2, soon.
func TestStreamWrong(t *testing.T) {
	t.Parallel()
	brokers := newCluster(t, "bids")
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, tt := range []struct {
		want string
		args []string
	}{
		{"nothing listens at 127.0.0.1:1: start the broker, or correct --brokers", []string{"--brokers", "127.0.0.1:1"}},
		{"there is no topic bids-ok: create it", []string{"--brokers", brokers}},
		{"--admin " + taken.Addr().String() + ": listen tcp", []string{"--brokers", brokers, "--admin", taken.Addr().String()}},
	} {
		args := append([]string{"stream", "--topic", "bids", "--group", "edge", "--accepted", "bids-ok", "--dead-letters", "bids-refused"}, tt.args...)
		out, err := exec.Command("rtbwire", args...).CombinedOutput()
		if err == nil || err.Error() != "exit status 2" || !strings.Contains(string(out), tt.want) {
			t.Errorf("%v: %s, want %s", err, out, tt.want)
		}
	}
}

// TestStreamDrainTimeout stops the program while its upstream is away: the sentence says what
// becomes of the record, and the status is 2.
func TestStreamDrainTimeout(t *testing.T) {
	t.Parallel()
	brokers := newCluster(t, "bids", "bids-refused")
	p := startStream(t, "msg=consuming", "--brokers", brokers, "--topic", "bids", "--group", "edge", "--upstream", "http://127.0.0.1:1",
		"--dead-letters", "bids-refused", "--drain-timeout", "100ms")
	produce(t, brokers, "bids", goodRequest)
	waitFor(t, "the upstream that is away", func() bool { return strings.Contains(p.Text(), "the upstream is down") })
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	status := p.Status(t)
	want := "\nrtbwire stream: records were still on their way at the end of the drain timeout; they are not committed, and are read again\n"
	if status != 2 || !strings.HasSuffix(p.Text(), want) {
		t.Errorf("exit status %d: %s", status, p.Text())
	}
}
