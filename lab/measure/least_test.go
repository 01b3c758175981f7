package measure_test

import (
	"slices"
	"testing"

	"github.com/rtbwire/rtbwire/lab/measure"
)

// disturbed measures engines of known speed on a machine where two of three turns take longer.
type disturbed struct {
	measure.Measurer
	turns map[string]int
}

func (disturbed) Check(string, string, measure.Op) (string, error) { return "", nil }

func (d disturbed) Run(t measure.Task) (measure.Sample, error) {
	ns := map[string]float64{"base": 100, "fast": 20}[t.Engine]
	if d.turns[t.Engine]++; d.turns[t.Engine]%3 != 1 {
		ns *= float64(d.turns[t.Engine])
	}
	return measure.Sample{N: 1, NS: ns, Wall: ns}, nil
}

// Where three rounds count as one, the quiet one of them does, and there are three times as many.
func TestLeastOf(t *testing.T) {
	d := disturbed{turns: map[string]int{"base": -1, "fast": -1}} // without the turn that calibrates
	p := &measure.Plan{Set: "s", Op: measure.Decode, Base: "base", LeastOf: 3, Entries: []measure.Entry{{Engine: "base", By: d}, {Engine: "fast", By: d}}}
	rows, err := measure.Run([]*measure.Plan{p}, measure.Effort{Rounds: 20, Max: 20}, func(measure.Step) {})
	if err != nil || len(rows) != 2 {
		t.Fatal(err, rows)
	}
	for i, want := range []measure.Row{{NS: 100, Times: 1}, {NS: 20, Times: 5}} {
		r := rows[i]
		if r.NS != want.NS || r.Lo != want.NS || r.Hi != want.NS || r.Wall != want.NS || r.Times != want.Times || r.Count != 6 || len(r.Rounds) != 6 {
			t.Errorf("%s: %+v, want %+v and six rounds", r.Engine, r, want)
		}
	}
}

func TestQuietServices(t *testing.T) {
	var runs []measure.ServiceResult
	for i, p99 := range []float64{5, 3, 9, 8, 7} {
		runs = append(runs, measure.ServiceResult{P99: p99, Requests: i})
	}
	for of, want := range map[int][]int{0: {0, 1, 2, 3, 4}, 1: {0, 1, 2, 3, 4}, 2: {1, 3}, 3: {1}, 9: {1}} {
		var got []int
		for _, r := range measure.QuietServices(runs, of) {
			got = append(got, r.Requests)
		}
		if !slices.Equal(got, want) {
			t.Errorf("of each %d runs: %v, want %v", of, got, want)
		}
	}
}

// Each time is in the bucket whose bounds it is between, those at a bound in the one that begins
// there.
func TestHistogram(t *testing.T) {
	if measure.Bound(0) != 100 || measure.Bound(8) != 1000 {
		t.Errorf("bounds %v, %v", measure.Bound(0), measure.Bound(8))
	}
	for bucket := range 80 {
		end := measure.Bound(bucket)
		for _, c := range []struct {
			ns   float64
			want int
		}{{end, bucket + 1}, {end * 0.999, bucket}, {end * 1.001, bucket + 1}} {
			if got := measure.BucketOf(c.ns); got != c.want {
				t.Errorf("%v ns is in bucket %d, want %d", c.ns, got, c.want)
			}
		}
	}
	if got := measure.BucketOf(-5); got != 0 { // a request that was done before it was due
		t.Errorf("a negative time is in bucket %d", got)
	}
	all := measure.MedianService([]measure.ServiceResult{{Histogram: []int{1, 2}}, {Histogram: []int{0, 0, 4}}})
	if !slices.Equal(all.Histogram, []int{1, 2, 4}) {
		t.Errorf("two histograms together: %v", all.Histogram)
	}
}
