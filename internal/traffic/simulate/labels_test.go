package simulate_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/payload"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

// explained are the requests about which the reader and the preset admission differ, by file and
// number or line, with the reason. Everything else must agree.
var explained = map[string]string{
	"simulated 34":  needsLayers,
	"simulated 55":  needsLayers,
	"simulated 58":  needsLayers,
	"simulated 64":  needsLayers,
	"simulated 105": needsLayers,
	"simulated 134": needsLayers,
	"corpus 450":    "OpenRTB Native Ads recommends plcmttype and does not demand it: the preset warns",
}

// needsLayers explains attacks that the default configuration does not decode.
const needsLayers = "the attack is in an encoding that only layers decode; with them, it is refused"

// TestHandLabels compares verdicts with labels that were given by reading, without the engine:
// testdata/labels/README.md says by what.
func TestHandLabels(t *testing.T) {
	worker, layered := newLabelWorker(t, 0), newLabelWorker(t, payload.AllLayers)
	unused := map[string]bool{}
	for name := range explained {
		unused[name] = true
	}
	labels := map[string]int{}
	for file, requests := range map[string]string{"simulated": "labels/simulated.requests.txt", "corpus": "corpus/requests.ndjson"} {
		texts := lines(t, requests)
		for _, line := range lines(t, "labels/"+file+".ndjson") {
			var l struct {
				N, Line    int
				Label, Why string
			}
			if err := json.Unmarshal(line, &l); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			at := l.N
			if file == "corpus" {
				at = l.Line - 1
			}
			want, known := map[string]inspect.Action{"accept": inspect.ActionForward, "refuse": inspect.ActionRefuse}[l.Label]
			if !known || l.Why == "" {
				t.Fatalf("%s: want accept or refuse, and why", line)
			}
			labels[file+" "+l.Label]++
			name := fmt.Sprintf("%s %d", file, max(l.N, l.Line))
			v := worker.Inspect(texts[at], inspect.Facts{})
			delete(unused, name)
			if explained[name] == needsLayers && layered.Inspect(texts[at], inspect.Facts{}).Action != inspect.ActionRefuse {
				t.Errorf("%s: forwarded with all layers too\n%s", name, texts[at])
			}
			if differs := v.Action != want; differs != (explained[name] != "") {
				t.Errorf("%s: label %s (%s), verdict %v %s; explained: %q\n%s", name, l.Label, l.Why, v.Action, v.Reason, explained[name], texts[at])
			}
		}
	}
	for name := range unused {
		t.Errorf("%s is explained, and has no label", name)
	}
	for _, file := range []string{"simulated", "corpus"} {
		if a, r := labels[file+" accept"], labels[file+" refuse"]; a+r != 200 || a < 50 || r < 50 {
			t.Errorf("%s: %d accepted and %d refused by hand, want 200 together, and at least 50 of each", file, a, r)
		}
	}
}

// newLabelWorker returns a worker of the default configuration with layers.
func newLabelWorker(t *testing.T, layers payload.Layers) *inspect.Worker {
	t.Helper()
	engine, err := inspect.New(inspect.Config{Payload: inspect.Payload{Layers: layers}})
	if err != nil {
		t.Fatal(err)
	}
	return engine.NewWorker()
}

// lines returns the lines of a file of testdata. A line may hold anything.
func lines(t *testing.T, name string) [][]byte {
	t.Helper()
	text, err := os.ReadFile(testkit.Path(t, "testdata/"+name))
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
}
