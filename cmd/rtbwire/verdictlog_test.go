package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/verdictlog"
)

// verdictsOf reads lines of a log of verdicts, all of which must be whole.
func verdictsOf(t *testing.T, text []byte) (list []verdictlog.Line) {
	t.Helper()
	for line := range bytes.Lines(text) {
		var own verdictlog.Line
		if err := json.Unmarshal(line, &own); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		if own.Time.IsZero() || time.Since(own.Time).Abs() > time.Hour {
			t.Errorf("the time is %v", own.Time)
		}
		list = append(list, own)
	}
	return list
}

// verdictFiles reads the files of a folder.
func verdictFiles(t *testing.T, folder string) (list []verdictlog.Line, names []string) {
	t.Helper()
	names, _ = filepath.Glob(filepath.Join(folder, "verdicts-*"))
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, verdictsOf(t, text)...)
	}
	return list, names
}

// TestVerdictLog writes the verdicts of a gateway to files. The gateway is killed, which leaves
// whole lines; the next one writes on, with other shares after a reload.
func TestVerdictLog(t *testing.T) {
	core := echo(t)
	dir := t.TempDir()
	folder, file := filepath.Join(dir, "verdicts"), filepath.Join(dir, "rtbwire.yaml")
	write := func(shares string) {
		t.Helper()
		replace(t, file, fmt.Sprintf("version: 1\ngateway: {upstreams: [%q], verdict_log: {to: files, folder: verdicts, %s}}\npartners: {exchange-a: {match: {path: /a}}}\n", core.URL, shares))
	}
	write("share: 100%")
	p := startServe(t, true, "--config", file, "--admin", "127.0.0.1:0")
	post := func(path, body string) {
		t.Helper()
		if _, _, err := send("http://"+p.address+path, body); err != nil {
			t.Fatal(err)
		}
	}
	post("/a", goodRequest)
	post("/openrtb2/auction", `{"id":"2"}`)
	waitFor(t, "two lines", func() bool { list, _ := verdictFiles(t, folder); return len(list) == 2 })
	if err := p.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-p.Ended
	list, _ := verdictFiles(t, folder)
	if one := list[0]; one.Action != "forward" || one.Partner != "exchange-a" || one.SiteDomain != "a.example" || one.ID != "1" {
		t.Errorf("%+v", one.Row)
	}
	if one := list[1]; one.Action != "refuse" || one.Reason != "schema.BidRequest.imp.required" || one.ID != "2" || one.Partner != "" {
		t.Errorf("%+v", one.Row)
	}
	for _, name := range filesOf(t, folder) {
		if text, _ := os.ReadFile(filepath.Join(folder, name)); bytes.Contains(text, []byte("8.8.8.8")) || bytes.Contains(text, []byte("Firefox")) {
			t.Errorf("personal data in %s", text)
		}
	}

	p = startServe(t, true, "--config", file, "--admin", "127.0.0.1:0")
	post("/a", goodRequest)
	if _, page := p.page(t, "/config"); !strings.Contains(page, `"verdict_log"`) {
		t.Errorf("/config has no log of verdicts: %s", page)
	}
	write("share: 0%")
	waitFor(t, "the changed file", func() bool { return strings.Contains(p.Text(), "was loaded again") })
	post("/a", goodRequest)
	post("/a", "{")
	waitFor(t, "the refusal", func() bool { list, _ := verdictFiles(t, folder); return len(list) == 4 })
	if n := p.Metrics(t, p.admin)["rtbwire_gateway_verdict_log_lines_total"]; n != 1 {
		t.Errorf("%v lines are counted of the log in use, want 1", n)
	}
	p.Stop(t)
	list, names := verdictFiles(t, folder)
	parts := 0
	for _, name := range names {
		if strings.HasSuffix(name, ".part") {
			parts++ // of the gateway that was killed, and may still be there for all that others know
		}
	}
	if len(list) != 4 || parts != 1 || list[2].Action != "forward" || !strings.HasPrefix(list[3].Reason, "json.") {
		t.Errorf("%d lines, %d parts: %+v", len(list), parts, names)
	}
}

// TestVerdictLogStdout writes verdicts to standard output, and goes on when nobody reads it.
func TestVerdictLogStdout(t *testing.T) {
	core := echo(t)
	command := exec.Command("rtbwire", "serve", "--listen", "127.0.0.1:0", "--upstream", core.URL, "--admin", "127.0.0.1:0", "--verdict-log", "stdout", "--verdict-log-share", "100%")
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	command.Stdout = in
	p := startProcess(t, true, command)
	in.Close()
	url := "http://" + p.address + "/openrtb2/auction"
	if status, _, err := send(url, goodRequest); err != nil || status != 200 {
		t.Fatal(status, err)
	}
	line := make([]byte, 10_000)
	n, err := out.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	if list := verdictsOf(t, line[:n]); len(list) != 1 || list[0].Action != "forward" {
		t.Errorf("%s", line[:n])
	}
	out.Close()
	waitFor(t, "skipped verdicts", func() bool {
		if status, _, err := send(url, goodRequest); err != nil || status != 200 {
			t.Fatal(status, err)
		}
		return p.Metrics(t, p.admin)[`rtbwire_gateway_verdict_log_skipped_total{cause="write"}`] > 0
	})
	if n := strings.Count(p.Text(), "verdicts can't be written"); n != 1 {
		t.Errorf("%d lines in the log", n)
	}
	p.Stop(t)
}

// TestVerdictLogTopic writes verdicts of a gateway and of a stream to a topic, and says when there
// is none.
func TestVerdictLogTopic(t *testing.T) {
	t.Parallel()
	brokers := newCluster(t, "bids", "bids-ok", "bids-refused", "verdicts")
	core := echo(t)
	verdicts := follow(t, brokers, "verdicts")
	file := filepath.Join(t.TempDir(), "rtbwire.yaml")
	write := func(topic string) {
		t.Helper()
		replace(t, file, fmt.Sprintf("version: 1\ngateway: {upstreams: [%q], verdict_log: {to: kafka, topic: %s, share: 100%%}}\n"+
			"stream: {brokers: %q, topics: bids, group: edge, accepted: bids-ok, dead_letters: bids-refused}\n", core.URL, topic, brokers))
	}
	write("verdicts")
	p := startServe(t, true, "--config", file, "--admin", "127.0.0.1:0")
	url := "http://" + p.address + "/openrtb2/auction"
	if r, err := http.Post(url, "application/json", strings.NewReader(goodRequest)); err != nil || r.StatusCode != 200 {
		t.Fatal(r, err)
	}
	waitFor(t, "the gateway's verdict", func() bool { return len(verdicts.all()) == 1 })
	if one := verdictsOf(t, verdicts.all()[0].Value); len(one) != 1 || one[0].Action != "forward" || one[0].File != "" || one[0].Offset != nil {
		t.Errorf("%s", verdicts.all()[0].Value)
	}
	p.Stop(t)

	s := startStream(t, "msg=consuming", "--config", file)
	produce(t, brokers, "bids", goodRequest, "{")
	waitFor(t, "the stream's verdicts", func() bool { return len(verdicts.all()) == 3 })
	places := map[string]string{}
	for _, r := range verdicts.all()[1:] {
		one := verdictsOf(t, r.Value)[0]
		if one.Offset == nil {
			t.Errorf("%s", r.Value)
			continue
		}
		places[fmt.Sprintf("%s/%d", one.File, *one.Offset)] += one.Action + " "
	}
	for place := range places {
		if !strings.HasPrefix(place, "bids/0/") && !strings.HasPrefix(place, "bids/1/") {
			t.Errorf("records of %v", places)
		}
	}
	s.Stop(t)

	write("missing")
	p = startServe(t, true, "--config", file, "--admin", "127.0.0.1:0")
	waitFor(t, "the news", func() bool {
		return strings.Contains(p.Text(), "verdicts were not written") && strings.Contains(p.Text(), "missing")
	})
	if status, _, err := send("http://"+p.address+"/openrtb2/auction", goodRequest); err != nil || status != 200 {
		t.Fatal(status, err)
	}
	p.Stop(t)

	// Brokers that are not there: requests are answered, and the end is a clean one.
	replace(t, file, fmt.Sprintf("version: 1\ngateway: {upstreams: [%q], verdict_log: {to: kafka, topic: verdicts, share: 100%%}}\nstream: {brokers: \"127.0.0.1:1\"}\n", core.URL))
	p = startServe(t, true, "--config", file, "--admin", "127.0.0.1:0")
	if status, _, err := send("http://"+p.address+"/openrtb2/auction", goodRequest); err != nil || status != 200 {
		t.Fatal(status, err)
	}
	waitFor(t, "the news", func() bool { return strings.Contains(p.Text(), "verdicts were not written") })
	p.Stop(t)
	if !strings.Contains(p.Text(), "not all verdicts were written") {
		t.Error("the log does not say that verdicts are lost")
	}

	for _, flag := range []string{"--verdict-log-share", "--otlp-spans"} {
		if out, status := rtbwire(t, "serve", "--check", "--upstream", core.URL, flag, "5%"); status == 0 || !strings.Contains(out, flag+" needs") {
			t.Errorf("%s: status %d: %s", flag, status, out)
		}
	}
	out, status := rtbwire(t, "serve", "--check", "--upstream", core.URL, "--verdict-log", "kafka", "--verdict-log-topic", "verdicts")
	if status == 0 || !strings.Contains(out, "stream.brokers") {
		t.Errorf("status %d: %s", status, out)
	}
}
