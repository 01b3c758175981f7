package parallel

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/lab/figures"
	"github.com/rtbwire/rtbwire/lab/measure"
)

// fake measures what it is told: go-json with a pool takes 1000 ns, the arena 100, others 2000, and
// each goroutine takes its share, but there are four cores only.
type fake struct{ t *testing.T }

func (f fake) List() ([]measure.Info, error)                                    { return nil, nil }
func (f fake) Check(string, string, measure.Op) (string, error)                 { return "", nil }
func (f fake) Service(measure.ServiceTask) (r measure.ServiceResult, err error) { return r, nil }

func (f fake) Run(t measure.Task) (measure.Sample, error) {
	ns := map[string]float64{base: 1000, "rtbwire-arena": 100}[t.Engine]
	if ns == 0 {
		ns = 2000
	}
	if t.N > 0 && !t.Together {
		f.t.Errorf("%+v: one goroutine on one processor", t)
	}
	return measure.Sample{N: 1, NS: ns / float64(max(min(t.Goroutines, 4), 1))}, nil
}

func TestFigures(t *testing.T) {
	r := &run{counts: counts(2), sets: []string{"banner"}, recorded: figures.Begin("test")}
	p := plans(r.sets, r.counts, time.Millisecond, fake{t})
	if len(p) != 3 { // all is 2
		t.Fatalf("%d comparisons", len(p))
	}
	var err error
	if r.rows, err = measure.Run(p, measure.Effort{Rounds: 6, Max: 6}, func(measure.Step) {}); err != nil {
		t.Fatal(err)
	}
	r.record()
	for name, want := range map[string]float64{
		"parallel/banner/1/gojson-pool/ns": 1000, "parallel/banner/10/gojson-pool/ns": 250, "parallel/banner/all/gojson-pool/ns": 500,
		"parallel/banner/10/gojson-pool/over-rtbwire-arena": 10, "parallel/banner/2/encoding-json/over-gojson-pool": 2,
		"parallel/banner/2/gain/handwritten": 2, "parallel/banner/10/gain/rtbwire-fast": 4, "parallel/banner/10/saved/gojson-pool": 0.75,
	} {
		if f := r.recorded.Figures[name]; math.Abs(f.Value-want) > 1e-9 || f.Rounds != 6 {
			t.Errorf("%s: %+v, want %v", name, f, want)
		}
	}
	var out bytes.Buffer
	r.print(&out)
	if want := "| gojson-pool | 1000 ns | 500 ns, 2.00× [2.00, 2.00] | 250 ns, 4.00× [4.00, 4.00] |"; !strings.Contains(out.String(), want) {
		t.Errorf("no %q in\n%s", want, &out)
	}
	if w := wrong(append(slices.Clone(r.rows), measure.Row{Engine: "x", Wrong: "refused"})); w == nil {
		t.Error("an engine that is wrong is accepted")
	}
}
