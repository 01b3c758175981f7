package scale

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const results = "../" + resultsFolder

func committed(t *testing.T) *inputs {
	t.Helper()
	in, err := read("inputs.json", results)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// TestCommitted holds the page and its picture to the inputs and the committed results.
func TestCommitted(t *testing.T) {
	page, err := Page("inputs.json", results)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{pageFile: page.Text, pictureFile: page.Picture} {
		got, err := os.ReadFile(filepath.Join("..", name))
		if err != nil || string(got) != want {
			t.Errorf("%s is not what inputs and results say: go run . scale page (%v)", name, err)
		}
		if strings.Contains(want, "NaN") || strings.Contains(want, "Inf") {
			t.Errorf("not a number in %s", want)
		}
	}
	if in := committed(t); len(in.measured) < 2 {
		t.Errorf("only %d files of results are used", len(in.measured))
	}
}

// TestByHand computes plans of round numbers.
func TestByHand(t *testing.T) {
	in := committed(t)
	for name, v := range map[string]float64{
		"request_bytes": 1000, "least_machines": 1, "utilisation": 0.5, "log_hours": 1, "machine_cores": 10, "machine_network": 10, "machine_memory": 64,
		"http_micros": 15, "http_head_bytes": 100, "http_answer_bytes": 150,
		"http_latency": 0.01, "http_memory": 102.4, "http_memory_connections": 100,
		"stream_micros": 4, "stream_memory": 128, "stream_instance_cores": 4, "kafka_stored_bytes": 500, "kafka_broker_micros": 5, "kafka_topics": 2, "kafka_replicas": 3,
		"kafka_follower_cost": 0.5, "kafka_broker_disk": 1000, "kafka_retention_hours": 10, "kafka_broker_storage": 10, "kafka_partition_bytes": 10, "kafka_partition_slack": 2,
		"check_micros": 3, "check_memory": 100, "file_stored_bytes": 200, "parquet_bytes": 50, "day_seconds": 100_000,
	} {
		in.Inputs[name].Value = v
	}
	http := httpPlan(in, in.loadOf(workload{Rate: 1e6}))
	if got, want := [...]float64{http.micros, http.busy, http.cores, http.in, http.out, http.memory}, [...]float64{15, 15, 30, 10, 10, 10}; !near(got[:], want[:]) || http.machines.machines != 3 {
		t.Errorf("HTTP: %v and %d machines, want %v and 3", got, http.machines.machines, want)
	}
	// 10 TB in an hour are 2,777,778 documents a second.
	logs := in.loadOf(workload{Terabytes: 10})
	if got := [...]float64{logs.rate, logs.seconds}; !near(got[:], []float64{2_777_777.8, 3600}) {
		t.Errorf("10 TB: %v", got)
	}
	kafka := kafkaPlan(in, in.loadOf(workload{Rate: 1e6}), "stream_micros")
	if got, want := [...]float64{kafka.busy, kafka.cores, kafka.in, kafka.memory, kafka.storage}, [...]float64{4, 8, 4, 0.25, 108}; !near(got[:], want[:]) || kafka.instances != 2 {
		t.Errorf("Kafka: %v and %d instances, want %v and 2", got, kafka.instances, want)
	}
	// 500 MB/s through partitions of 10 MB/s are more than two for each of 8 cores. Brokers: 20
	// cores work, 24 Gbit/s come in, 3,000 MB/s are written, and 108 TB are kept by 11 of them.
	if first := kafka.brokers.limits[0]; kafka.partitions != 50 || first.resource != storage || kafka.brokers.machines != 11 {
		t.Errorf("Kafka: %d partitions, %+v", kafka.partitions, kafka.brokers)
	}
	for _, l := range kafka.brokers.limits {
		want := map[string]float64{processors: 4, networkIn: 4.8, networkOut: 4.8, diskWrites: 6, storage: 10.8}[l.resource]
		if want != 0 && !near([]float64{l.machines}, []float64{want}) {
			t.Errorf("brokers: %s asks for %v, want %v", l.resource, l.machines, want)
		}
	}
	files := filesPlan(in, in.loadOf(workload{Rate: 1e6}))
	if got, want := [...]float64{files.busy, files.cores, files.in, files.out, files.memory, files.storage}, [...]float64{3, 6, 1.6, 0.4, 600. / 1024, 25}; !near(got[:], want[:]) {
		t.Errorf("files: %v, want %v", got, want)
	}
}

func near(got, want []float64) bool {
	return slices.EqualFunc(got, want, func(a, b float64) bool { return a-b < 1e-6*b && b-a < 1e-6*b })
}

// TestTwice takes twice as much for twice the requests.
func TestTwice(t *testing.T) {
	in := committed(t)
	for _, w := range ways {
		one, two := w.plan(in, asLoad(1e6)), w.plan(in, asLoad(2e6))
		if !near([]float64{two.busy, two.in, two.out}, []float64{2 * one.busy, 2 * one.in, 2 * one.out}) || two.machines.machines < one.machines.machines || two.partitions < one.partitions {
			t.Errorf("%s: %+v, and for twice as much %+v", w.name, one, two)
		}
	}
}

func asLoad(rate float64) load { return load{rate, 3600} }

// TestInputs refuses inputs that are missing, unused, without a reason or without a figure.
func TestInputs(t *testing.T) {
	text, err := os.ReadFile("inputs.json")
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		change func(all map[string]map[string]any)
		want   string
	}{
		"missing":   {func(all map[string]map[string]any) { delete(all, "utilisation") }, "there is no input utilisation"},
		"unused":    {func(all map[string]map[string]any) { all["x"] = map[string]any{"value": 1, "why": "y"} }, "nothing asks for the input x"},
		"no reason": {func(all map[string]map[string]any) { delete(all["utilisation"], "why") }, "has no reason"},
		"no figure": {func(all map[string]map[string]any) { all["stream_micros"]["figure"] = "a/b" }, "has the figure a/b"},
		"negative":  {func(all map[string]map[string]any) { all["utilisation"]["value"] = -1 }, "want more than 0"},
		"both":      {func(all map[string]map[string]any) { all["stream_micros"]["value"] = 1 }, "a value and a figure"},
	} {
		var d map[string]any
		if err := json.Unmarshal(text, &d); err != nil {
			t.Fatal(err)
		}
		all := map[string]map[string]any{}
		for k, v := range d["inputs"].(map[string]any) {
			all[k] = maps.Clone(v.(map[string]any))
		}
		tt.change(all)
		d["inputs"] = all
		var b bytes.Buffer
		if err := json.NewEncoder(&b).Encode(d); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "inputs.json")
		if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Page(file, results); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{{"nonsense"}, {"--flag"}, {"files", "page"}, {"--rounds", "0"}, {"--inputs", "nothing.json"}} {
		if err := Main(args, &strings.Builder{}, &strings.Builder{}); err == nil {
			t.Errorf("%v was accepted", args)
		}
	}
}
