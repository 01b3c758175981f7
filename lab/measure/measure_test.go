package measure_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/lab/data"
	"github.com/rtbwire/rtbwire/lab/engine"
	"github.com/rtbwire/rtbwire/lab/measure"
	"github.com/rtbwire/rtbwire/openrtb"
)

func load(t testing.TB) []data.Set {
	sets, err := data.Load("")
	if err != nil {
		t.Fatal(err)
	}
	return sets
}

// known lists engines that write something else by design. The report marks them too.
var known = map[string]string{
	"jsoniter-fastest/encode": "ConfigFastest writes floats with 6 digits",
	"ojg/decode":              "it reads json.RawMessage into a tree and writes it anew, and breaks escaped surrogate pairs",
	"ojg/encode":              "it writes json.RawMessage that is nil as null, despite omitempty",
}

func TestEnginesAgree(t *testing.T) {
	b := measure.Bench{Engines: engine.All(), Sets: load(t)}
	if testing.Short() {
		for i := range b.Sets {
			b.Sets[i].Docs = b.Sets[i].Docs[:min(len(b.Sets[i].Docs), 60)]
		}
	}
	failed := map[string]bool{}
	for _, e := range b.Engines {
		for _, s := range b.Sets {
			for _, op := range measure.Ops {
				if !measure.Supports(&e, &s, op) {
					continue
				}
				wrong := b.Check(&e, &s, op)
				if wrong == "" {
					continue
				}
				name := e.Name + "/" + string(op)
				failed[name] = true
				if known[name] == "" {
					t.Errorf("%s, %s: %s", name, s.Name, wrong)
				}
			}
		}
	}
	for name, why := range known {
		if !failed[name] {
			t.Errorf("%s agrees now: remove it from the list (%s)", name, why)
		}
	}
}

// Check finds an engine that reads something else.
func TestCheckFindsWrongAnswers(t *testing.T) {
	b := measure.Bench{Sets: load(t)}
	plain, _ := engine.Find(engine.All(), "encoding-json")
	for name, spoil := range map[string]func(r *openrtb.BidRequest){
		"another string":    func(r *openrtb.BidRequest) { r.ID += "x" },
		"another number":    func(r *openrtb.BidRequest) { *r.TMax++ },
		"nil for empty":     func(r *openrtb.BidRequest) { r.Cur = nil },
		"an imp less":       func(r *openrtb.BidRequest) { r.Imp = r.Imp[:0] },
		"a pointer too few": func(r *openrtb.BidRequest) { r.Imp[0].Banner = nil },
	} {
		e := engine.Engine{Name: name, Request: engine.Codec{Decode: func(text []byte) (any, error) {
			v, err := plain.Request.Decode(text)
			spoil(v.(*openrtb.BidRequest))
			return v, err
		}}}
		if b.Check(&e, &b.Sets[0], measure.Decode) == "" {
			t.Errorf("%s is not found", name)
		}
	}
	e := engine.Engine{Request: engine.Codec{Decode: func([]byte) (any, error) { panic("boom") }}}
	if b.Check(&e, &b.Sets[0], measure.Decode) == "" {
		t.Error("a panic is not found")
	}
}

// From the binomial distribution, the narrowest interval with at least 95%: of 8 values the 1st to
// the 7th (1 - 10/256), of 15 the 4th to the 12th, of 20 the 6th to the 15th.
func TestMedian(t *testing.T) {
	for _, c := range []struct {
		n              int
		median, lo, hi float64
	}{{8, 4.5, 1, 7}, {15, 8, 4, 12}, {20, 10.5, 6, 15}} {
		var values []float64
		for _, i := range rand.New(rand.NewPCG(1, 1)).Perm(c.n) {
			values = append(values, float64(i+1))
		}
		if m, lo, hi := measure.Median(values); m != c.median || lo != c.lo || hi != c.hi {
			t.Errorf("of 1 to %d: %v, %v to %v; want %v, %v to %v", c.n, m, lo, hi, c.median, c.lo, c.hi)
		}
	}
	if _, lo, hi := measure.Median([]float64{1, 2, 3}); lo != 1 || hi != 3 {
		t.Errorf("three values have the interval %v to %v", lo, hi)
	}
}

func TestPercentile(t *testing.T) {
	var values []float64
	for i := range 1000 {
		values = append(values, float64(i+1))
	}
	for q, want := range map[float64]float64{0.5: 500, 0.99: 990, 0.999: 999, 1: 1000, 0: 1} {
		if got := measure.Percentile(values, q); got != want {
			t.Errorf("of 1 to 1000: %v at %v, want %v", got, q, want)
		}
	}
}

// A worker that is held up delays the requests that are due meanwhile: their time begins when they
// are due.
func TestServiceCountsTheQueue(t *testing.T) {
	const hold = 50 * time.Millisecond
	calls := 0
	e := engine.Engine{Name: "slow once", Request: engine.Codec{Decode: func([]byte) (any, error) {
		if calls++; calls == 20 {
			time.Sleep(hold)
		}
		return nil, nil
	}}}
	l := measure.Local{Bench: &measure.Bench{Engines: []engine.Engine{e}, Sets: load(t)[:1]}}
	r, err := l.Service(measure.ServiceTask{Engine: e.Name, Set: "banner", Rate: 1000, Workers: 1, For: 200 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	// 50 of 200 requests were due while it slept, so the 90th percentile lies among them.
	if r.Requests != 200 || r.P90 < float64(hold)/10 || r.Max < float64(hold) || r.Mean*200 < float64(hold) {
		t.Errorf("%+v", r)
	}
	if r.GCCycles != 0 || r.GCShare != 0 || r.AllocsPerRequest > 0.5 {
		t.Errorf("the collector was at work, or objects were allocated: %+v", r)
	}
}

// A service counts what its engine allocates, and the collections that are due to that.
func TestServiceCountsAllocations(t *testing.T) {
	e := engine.Engine{Name: "wasteful", Request: engine.Codec{Decode: func([]byte) (any, error) {
		return [2]*[]byte{new([]byte), new(make([]byte, 1<<16))}, nil
	}}}
	l := measure.Local{Bench: &measure.Bench{Engines: []engine.Engine{e}, Sets: load(t)[:1]}}
	r, err := l.Service(measure.ServiceTask{Engine: e.Name, Set: "banner", Rate: 10000, Workers: 1, For: 200 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	// Two slices, the bytes of one, and the array.
	if math.Abs(r.AllocsPerRequest-4) > 0.5 || math.Abs(r.BytesPerRequest-1<<16) > 1000 || r.GCCycles == 0 || r.GCShare == 0 {
		t.Errorf("%+v", r)
	}
}

// The note of an engine says how long it took for what it does on first use, and that of another
// stays as it is.
func TestNoteSaysWhatFirstUseTakes(t *testing.T) {
	var some []engine.Engine
	for _, name := range []string{"sonic-fastest", "sonic-string", "jx"} {
		e, ok := engine.Find(engine.All(), name)
		if !ok {
			t.Fatalf("no engine %s", name)
		}
		some = append(some, e)
	}
	infos, err := measure.Local{Bench: &measure.Bench{Engines: some}}.List()
	if err != nil {
		t.Fatal(err)
	}
	_, first, said := strings.Cut(infos[0].Note, "; that took ")
	if took, err := time.ParseDuration(first); !said || err != nil || took <= 0 {
		t.Errorf("%q: %v", infos[0].Note, err)
	}
	if infos[1].Note != infos[0].Note { // once for all configurations
		t.Errorf("%q, but %q", infos[0].Note, infos[1].Note)
	}
	if infos[2].Note != some[2].Note || infos[2].Source != some[2].Source {
		t.Errorf("%+v", infos[2])
	}
}

// An engine that only writes gets its values from encoding/json, and is checked like others.
func TestEngineThatOnlyWrites(t *testing.T) {
	e := engine.Engine{Name: "half", Request: engine.Codec{
		Encode: func(dst []byte, _ any) ([]byte, error) { return append(dst, `{"id":"other"}`...), nil },
	}}
	b := measure.Bench{Engines: []engine.Engine{e}, Sets: load(t)}
	for i := range b.Sets {
		if s := &b.Sets[i]; s.Name == "banner" {
			if measure.Supports(&e, s, measure.Decode) || !measure.Supports(&e, s, measure.Encode) {
				t.Error("it reads, or does not write")
			}
			if wrong := b.Check(&e, s, measure.Encode); !strings.Contains(wrong, ".ID") {
				t.Errorf("wrong text passes: %q", wrong)
			}
		}
	}
}
