package runbook

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// observation is what shows of a fault.
type observation struct {
	Log     []string `json:"log"`
	Metrics []string `json:"metrics"`
	Page    []string `json:"page"`
	Ready   string   `json:"ready"`
	Alerts  []string `json:"alerts"`
}

// lineMax bounds a line of the log, in bytes.
const lineMax = 400

// unstable are arguments of lines of the log that differ from run to run.
var unstable = regexp.MustCompile(` (more|after|modified|took|from|source|request_id|requests)=("(?:[^"\\]|\\.)*"|\S+)`)

// byline is how the program begins what it says without a log.
var byline = regexp.MustCompile(`^rtbwire \w+: `)

func (o observation) String() string {
	text, _ := json.MarshalIndent(o, "", "  ")
	return string(text)
}

// readObserved reads what was seen.
func readObserved(t *testing.T) map[string]observation {
	t.Helper()
	known := map[string]observation{}
	text, err := os.ReadFile(observedFile)
	if errors.Is(err, fs.ErrNotExist) && *update {
		return known
	}
	if err == nil {
		err = json.Unmarshal(text, &known)
	}
	if err != nil {
		t.Fatal(err)
	}
	return known
}

// writeObserved writes what was seen, of the faults that there are.
func writeObserved(t *testing.T, all map[string]observation) {
	t.Helper()
	known := map[string]bool{}
	for _, c := range chapters() {
		for i := range c.faults {
			known[c.faults[i].title] = true
		}
	}
	for title := range all {
		if !known[title] {
			delete(all, title)
		}
	}
	text, err := json.MarshalIndent(all, "", "  ")
	if err == nil {
		err = errors.Join(os.MkdirAll(filepath.Dir(observedFile), 0o755), os.WriteFile(observedFile, append(text, '\n'), 0o644))
	}
	if err != nil {
		t.Fatal(err)
	}
}
