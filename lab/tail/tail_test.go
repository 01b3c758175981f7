package tail

import (
	"encoding/xml"
	"math"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/lab/figures"
	"github.com/rtbwire/rtbwire/lab/measure"
)

// sample has engines whose mean has the order of their allocations in each round, and whose 99th
// percentile has it in the first round and the reverse in the second and third.
func sample() *run {
	r := &run{rate: 1000, found: map[string][]measure.ServiceResult{}, recorded: figures.Begin("test")}
	for i, e := range engines {
		v := float64(i)
		up := measure.ServiceResult{AllocsPerRequest: v, BytesPerRequest: 100 * v, Mean: 1000 + v, P50: 1, P99: 1e4 + v, GCShare: 0.5}
		down := up
		down.P99, down.GCShare = 1e4-v, v/100
		r.found[e] = []measure.ServiceResult{up, down, down}
	}
	return r
}

func TestFigures(t *testing.T) {
	r := sample()
	for _, results := range r.found { // all equal in the first round, which has no order
		results[0].GCShare = results[1].GCShare
	}
	r.record()
	for name, want := range map[string]float64{
		"service/rate": 1000, "service/rtbwire-fast/allocs": 1, "service/rtbwire-fast/p99": 9999, "service/rtbwire/bytes": 200,
		"service/order/kendall/allocs-p99": -1, "service/order/kendall/allocs-mean": 1, "service/order/kendall/allocs-collector": 1,
		"service/order/kendall/bytes-p99": -1, "service/order/kendall/mean-p99": -1, "service/order/kendall/allocs-p99-beyond-mean": -2,
	} {
		if f, ok := r.recorded.Figures[name]; !ok || math.Abs(f.Value-want) > 1e-9 {
			t.Errorf("%s: %+v, want %v", name, f, want)
		}
	}
	if f := r.recorded.Figures["service/order/kendall/allocs-p99"]; f.Lo != -1 || f.Hi != 1 || f.Rounds != 3 {
		t.Errorf("the interval has not all rounds: %+v", f)
	}
}

func TestLate(t *testing.T) {
	r := sample()
	r.found["gojson"][0].Behind = true
	for i := range 2 {
		r.found["jsoniter"][i].Behind = true
	}
	if late := r.late(); len(late) != 1 || late[0] != "jsoniter" {
		t.Errorf("late: %v", late)
	}
}

func TestOutput(t *testing.T) {
	r := sample()
	out := r.text()
	for _, want := range []string{
		"1000 requests a second", "| rtbwire-arena | 0.0 | 0 | 1.0 µs | 0.0 µs | 10.0 µs", "| 1.0% |\n", "| allocs and p99 | -1.00 [-1.00, 1.00] |", "This run can't tell",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if at := strings.Index(out, "| rtbwire-arena"); at > strings.Index(out, "| encoding-json") {
		t.Errorf("not in the order of allocations:\n%s", out)
	}
	for _, results := range r.found {
		results[0] = results[1]
	}
	if got := r.conclusion(); !strings.HasPrefix(got, "Allocations do not order") {
		t.Error(got)
	}
	for _, results := range r.found {
		for i := range results {
			results[i].P99 = results[i].Mean
		}
	}
	if got := r.conclusion(); !strings.HasPrefix(got, "Allocations order") {
		t.Error(got)
	}
	picture := r.picture().File()
	if strings.Count(picture, "<circle") != len(engines) {
		t.Errorf("not a point for each engine: %s", picture)
	}
	if err := xml.Unmarshal([]byte(picture), new(struct{})); err != nil {
		t.Errorf("%v in %s", err, picture)
	}
}
