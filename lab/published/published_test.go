package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/timing"
	"github.com/rtbwire/rtbwire/lab/published/job"
)

// ask does a job as the lab asks for it.
func ask(t *testing.T, j job.Job) (a job.Answer) {
	t.Helper()
	in, err := json.Marshal(j)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := serve(bytes.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out.Bytes(), &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// Every engine reads what encoding/json reads, of every document that it can decode.
func TestEnginesAgree(t *testing.T) {
	all, err := documents()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range engines {
		for name := range all {
			a := ask(t, job.Job{Kind: job.Check, Engine: e.name, Document: name})
			if e.requestOnly && strings.HasPrefix(name, "keys") {
				if a.Err == "" {
					t.Errorf("%s decodes %s, which is no request", e.name, name)
				}
			} else if a.Err != "" || a.Wrong != "" {
				t.Errorf("%s, %s: %s%s", e.name, name, a.Err, a.Wrong)
			}
		}
	}
}

func TestWrongAnswersAreFound(t *testing.T) {
	all, err := documents()
	if err != nil {
		t.Fatal(err)
	}
	nothing := engine{decode: func(d document) (any, error) { return d.new(), nil }}
	if wrong(&nothing, all["banner"]) == "" {
		t.Error("an engine that reads nothing is right")
	}
}

func TestJobs(t *testing.T) {
	short := 5 * time.Millisecond
	if a := ask(t, job.Job{Kind: job.Time, Engine: "gojson", Document: "banner", Goroutines: 3, N: 30}); a.Err != "" || a.Sample.N != 30 {
		t.Errorf("%+v", a)
	}
	file := filepath.Join(t.TempDir(), "profile")
	if a := ask(t, job.Job{Kind: job.Profile, Engine: "encoding-json", Document: "banner", Budget: short, File: file}); a.Err != "" {
		t.Errorf("%+v", a)
	}
	if text, err := os.ReadFile(file); err != nil || len(text) == 0 {
		t.Errorf("a profile of %d bytes, %v", len(text), err)
	}
	service := timing.ServiceTask{Rate: 1000, Workers: 1, For: 20 * time.Millisecond}
	if a := ask(t, job.Job{Kind: job.Serve, Engine: "arena", Document: "banner", Service: service}); a.Err != "" || a.Service.Requests != 20 {
		t.Errorf("%+v", a)
	}
	for _, j := range []job.Job{
		{Kind: "none", Engine: "gojson", Document: "banner"}, {Kind: job.Time, Engine: "none", Document: "banner"}, {Kind: job.Time, Engine: "gojson", Document: "none"},
	} {
		if a := ask(t, j); a.Err == "" {
			t.Errorf("%+v: %+v", j, a)
		}
	}
	a := ask(t, job.Job{Kind: job.About})
	if !slices.Contains(a.Engines, "gojson-pool") || a.Documents["banner"] != 804 || a.Documents["indented"] <= 804 || a.Versions["go"] == "" {
		t.Errorf("%+v", a)
	}
}

// One goroutine has one core, and counts processor time where there is a clock for it.
func TestAlone(t *testing.T) {
	a := ask(t, job.Job{Kind: job.Time, Engine: "fast", Document: "banner", Budget: 5 * time.Millisecond})
	if _, counted := timing.CPUTime(); a.Err != "" || a.Sample.N == 0 || a.Sample.CPU != counted {
		t.Errorf("%+v", a)
	}
}

func TestBrokenJobs(t *testing.T) {
	if err := serve(strings.NewReader("{"), new(bytes.Buffer)); err == nil {
		t.Error("half a job is accepted")
	}
}

// The versions are those of the articles.
func TestVersions(t *testing.T) {
	text, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"github.com/goccy/go-json v0.10.6\n", "github.com/json-iterator/go v1.1.12\n"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("go.mod has not %s", want)
		}
	}
}
