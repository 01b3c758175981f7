package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

const blockedB = "rules: [{name: b, when: site.domain == \"b.example\", severity: refuse, nbr: 7}]\n"

// changesOf returns the changes that the page's data has of a candidate.
func changesOf(t *testing.T, p *process) (total map[string]float64, problem string) {
	t.Helper()
	_, text := p.page(t, "/live")
	var live struct {
		Candidate *struct {
			Configuration struct{ Problem string }
			Requests      map[string]float64
			Changes       []struct {
				Change, Reason string
				Total          float64
			}
		}
	}
	if err := json.Unmarshal([]byte(text), &live); err != nil || live.Candidate == nil {
		t.Fatalf("%v: %s", err, text)
	}
	total = live.Candidate.Requests
	for _, c := range live.Candidate.Changes {
		total[c.Change+" "+c.Reason] = c.Total
	}
	return total, live.Candidate.Configuration.Problem
}

// TestServeCandidate runs the program with a candidate on both planes: its differences are on the
// page, its file is followed, and after it is put in place of the live file they stop.
func TestServeCandidate(t *testing.T) {
	for _, plane := range []string{"fast", "std"} {
		t.Run(plane, func(t *testing.T) {
			upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "{}") }))
			defer upstream.Close()
			dir := t.TempDir()
			file, next := filepath.Join(dir, "rtbwire.yaml"), filepath.Join(dir, "next.yaml")
			live := fmt.Sprintf("version: 1\ngateway: {upstreams: [%q], no_bid: 400, windows: false}\n", upstream.URL)
			replace(t, file, live)
			replace(t, next, "version: 1\n")
			p := startServe(t, true, "--config", file, "--candidate", next, "--http", plane, "--admin", "127.0.0.1:0")
			url := "http://" + p.address + "/openrtb2/auction"
			refused := strings.Replace(goodRequest, "a.example", "b.example", 1)
			post := func(want int) {
				t.Helper()
				if status, _, err := send(url, refused); err != nil || status != want {
					t.Fatalf("status %d, %v, want %d", status, err, want)
				}
			}
			post(200)
			waitFor(t, "the first request", func() bool { total, _ := changesOf(t, p); return total["same"] == 1 })

			// The candidate's file is followed.
			replace(t, next, live+blockedB)
			waitFor(t, "the changed candidate", func() bool {
				post(200)
				total, _ := changesOf(t, p)
				return total["to-refuse"] > 0 && total["to-refuse policy.b"] == total["to-refuse"]
			})
			replace(t, next, "version: 2\n")
			if err := p.Process.Signal(syscall.SIGHUP); err != nil {
				t.Fatal(err)
			}
			waitFor(t, "the problem", func() bool { _, problem := changesOf(t, p); return problem != "" })
			waitFor(t, "the line of the log", func() bool { return strings.Contains(p.Text(), "the candidate was not loaded again") })
			replace(t, next, live+blockedB)
			waitFor(t, "the repaired candidate", func() bool { _, problem := changesOf(t, p); return problem == "" })

			// Promoted: there are no differences any more.
			replace(t, file, live+blockedB)
			if err := p.Process.Signal(syscall.SIGHUP); err != nil {
				t.Fatal(err)
			}
			waitFor(t, "the promoted candidate", func() bool { status, _, _ := send(url, refused); return status == 400 })
			settled := func() (total map[string]float64) {
				t.Helper()
				total, _ = changesOf(t, p)
				want := total["same"] + 1
				post(400)
				waitFor(t, "the last request", func() bool { total, _ = changesOf(t, p); return total["same"] >= want })
				return total
			}
			before := settled()
			after := settled()
			if before["to-refuse"] != after["to-refuse"] || before["to-forward"] != 0 || after["to-forward"] != 0 {
				t.Errorf("the candidate is promoted, and differs: %v, then %v", before, after)
			}
			p.Stop(t)
		})
	}
	for _, c := range []struct{ args, want string }{
		{"--candidate-share 50%", "--candidate-share needs --candidate"},
		{"--candidate /missing.yaml", "the candidate has problems"},
		{"--candidate x --candidate-share 0%", "leave out --candidate instead"},
		{"--candidate x --candidate-share 200%", "want a share"},
	} {
		args := append([]string{"serve", "--upstream", "http://127.0.0.1:9", "--check"}, strings.Fields(c.args)...)
		if out, status := rtbwire(t, args...); status != 2 || !strings.Contains(out, c.want) {
			t.Errorf("%s: status %d, %s", c.args, status, out)
		}
	}
}

// TestStreamCandidate runs a stream with a candidate: records go where the live configuration sends
// them.
func TestStreamCandidate(t *testing.T) {
	t.Parallel()
	brokers := newCluster(t, "bids", "accepted", "refused")
	next := filepath.Join(t.TempDir(), "next.yaml")
	replace(t, next, "version: 1\n"+blockedB)
	p := startStream(t, "administration", "--brokers", brokers, "--topic", "bids", "--group", "g", "--accepted", "accepted", "--dead-letters", "refused",
		"--admin", "127.0.0.1:0", "--candidate", next)
	accepted := follow(t, brokers, "accepted")
	const count = 20
	var values []string
	for i := range count {
		values = append(values, strings.Replace(goodRequest, "a.example", string("ab"[i%2])+".example", 1))
	}
	produce(t, brokers, "bids", values...)
	waitFor(t, "all records", func() bool { return len(accepted.all()) == count })
	metrics := func() string { _, text := p.page(t, "/metrics"); return text }
	waitFor(t, "the candidate", func() bool {
		text := metrics()
		return strings.Contains(text, `rtbwire_stream_candidate_changes_total{change="to-refuse",reason="policy.b"} 10`) && strings.Contains(text, `rtbwire_stream_candidate_requests_total{change="same"} 10`)
	})
	replace(t, next, "version: 1\n")
	waitFor(t, "the changed candidate", func() bool { return strings.Contains(metrics(), "rtbwire_stream_candidate_config_generation 2") })
	p.Stop(t)
}
