package easygen

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rtbwire/rtbwire/lab/data"
	"github.com/rtbwire/rtbwire/lab/engine"
	"github.com/rtbwire/rtbwire/lab/measure"
)

const lab = ".."

// TestWorker writes and builds the worker, as a run does, and holds its engines against
// encoding/json and against what they say about themselves.
func TestWorker(t *testing.T) {
	if err := Write(lab); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "worker")
	build := exec.Command("go", "build", "-o", program, Worker)
	build.Dir = lab
	if _, err := output(build); err != nil {
		t.Fatal(err)
	}
	worker, err := measure.Start(program)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := worker.Close(); err != nil {
			t.Error(err)
		}
	}()
	infos, err := worker.List() // it fails where a claim is not true
	if err != nil {
		t.Fatal(err)
	}
	safety := map[string]engine.Safety{}
	for _, info := range infos {
		safety[info.Name] = info.Safety
	}

	// encoding/json and json-iterator call the methods of easyjson where a type has them, and then
	// do what easyjson does. This is why the engines have a program of their own.
	for _, name := range []string{"encoding-json", "jsoniter"} {
		plain, _ := engine.Find(engine.All(), name)
		if safety[name+"-contaminated"] != safety["easyjson"] || safety["easyjson"] == plain.Safety {
			t.Errorf("easyjson: %+v, %s with its methods: %+v, without: %+v",
				safety["easyjson"], name, safety[name+"-contaminated"], plain.Safety)
		}
	}

	// With the option in the tags strings point into the text, and nothing else changes.
	pointing := safety["easyjson"]
	pointing.Copies = engine.No
	if safety["easyjson-nocopy"] != pointing || safety["easyjson-pool"] != safety["easyjson"] {
		t.Errorf("%+v", safety)
	}

	sets, err := data.Load("")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, set := range sets {
		if testing.Short() && len(set.Docs) > 1 {
			continue
		}
		for name := range safety {
			for _, op := range []measure.Op{measure.Decode, measure.Encode} {
				wrong, err := worker.Check(name, set.Name, op)
				if op == measure.Encode && (name == "easyjson-pool" || name == "easyjson-nocopy") {
					if wrong == measure.Unsupported { // they write as easyjson does
						continue
					}
					wrong += " (it writes)"
				}
				if err != nil || wrong != "" {
					t.Errorf("%s, %s %s: %s, %v", name, op, set.Name, wrong, err)
				}
				checked++
			}
		}
	}
	if checked < 30 {
		t.Errorf("%d checks only", checked)
	}
}

// TestSameText generates twice. The result does not depend on where or when.
func TestSameText(t *testing.T) {
	if testing.Short() {
		t.Skip("easyjson compiles two programs for it")
	}
	types, err := typesText("types", "")
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(lab, "easy", "worker")
	a, err := methodsText(folder, "types", types)
	if err != nil {
		t.Fatal(err)
	}
	b, err := methodsText(folder, "types", types)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a, b) || len(a) < 100_000 {
		t.Errorf("%d bytes, then %d other ones", len(a), len(b))
	}
}
