package rerun

import (
	"fmt"
	"maps"
	"math"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"

	pprof "github.com/google/pprof/profile"

	"github.com/rtbwire/rtbwire/lab/figures"
	"github.com/rtbwire/rtbwire/lab/measure"
	"github.com/rtbwire/rtbwire/lab/profile"
)

// compared are the pairs of engines whose times are compared: the first over the second.
var compared = [][2]string{
	{base, "jsoniter"}, {base, "gojson"}, {base, "gojson-pool"}, {base, "fast"}, {base, "arena"}, {base, "rtbwire"}, {base, "rtbwire-arena"},
	{"jsoniter", "gojson"}, {"jsoniter", "segmentio"}, {"gojson", "fast"}, {"gojson-pool", "fast"}, {"gojson-pool", "arena"},
	{"gojson-pool", "rtbwire-arena"}, {"arena", "fast"}, {"gojson", vectors}, {"fast-byteloop", vectors}, {"fast-atoi", vectors}, {"fast-atoi", "fast-byteloop"},
}

// said are the times that were published, in nanoseconds.
var said = []float64{7685, 2185, 1590}

// profile of an engine: the shares of functions, by their names in figures.
type profiledEngine struct {
	engine, tag, name string
	functions         map[string]*regexp.Regexp
	over              [2]string // whose shares are compared
}

var profiled = []profiledEngine{
	{
		engine: base, name: base, over: [2]string{"indirect", "checkvalid"}, functions: map[string]*regexp.Regexp{
			"indirect":   regexp.MustCompile(`^encoding/json\.indirect$`),
			"checkvalid": regexp.MustCompile(`^encoding/json\.checkValid$`),
			"madvise":    regexp.MustCompile(`^runtime\.(sys)?madvise$`),
		},
	},
	{
		engine: "gojson", name: "gojson", over: [2]string{"memory", "strings-and-keys"}, functions: map[string]*regexp.Regexp{
			"strings":          regexp.MustCompile(`go-json/internal/decoder\.\(\*stringDecoder\)\.decodeByte$`),
			"keys":             regexp.MustCompile(`go-json/internal/decoder\.decodeKeyByBitmapUint(8|16)$`),
			"strings-and-keys": regexp.MustCompile(`go-json/internal/decoder\.(\(\*stringDecoder\)\.decodeByte|decodeKeyByBitmapUint(8|16))$`),
			"memory":           regexp.MustCompile(`^runtime\.mallocgc$`),
		},
	},
	{
		engine: "fast", tag: "atoi", name: "fast-atoi", functions: map[string]*regexp.Regexp{"atoi": regexp.MustCompile(`^(internal/)?strconv\.Atoi$`)},
	},
}

// addProfile adds the shares of a profile.
func (r *run) addProfile(file string, of profiledEngine) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	p, err := pprof.ParseData(text)
	if err != nil {
		return err
	}
	part := "published/profile/" + of.name + "/"
	found := map[string]float64{}
	add := func(name string, v float64) { r.shares[part+name] = append(r.shares[part+name], v) }
	for name, match := range of.functions {
		flat, cumulative := profile.Shares(p, match)
		found[name] = cumulative
		add(name+"/flat", flat)
		add(name+"/cumulative", cumulative)
	}
	if a, b := of.over[0], of.over[1]; a != "" {
		add(a+"/over-"+b, found[a]/found[b])
	}
	return nil
}

// quantity is something about a service.
type quantity struct {
	name, unit string
	of         func(*measure.ServiceResult) float64
}

var (
	allocs    = quantity{"allocs", "allocs", func(s *measure.ServiceResult) float64 { return s.AllocsPerRequest }}
	mean      = quantity{"mean", "ns", func(s *measure.ServiceResult) float64 { return s.Mean }}
	p99       = quantity{"p99", "ns", func(s *measure.ServiceResult) float64 { return s.P99 }}
	busy      = quantity{"busy", "", func(s *measure.ServiceResult) float64 { return s.Busy }}
	collector = quantity{"collector", "", func(s *measure.ServiceResult) float64 { return s.GCShare }}

	quantities = []quantity{allocs, mean, p99, busy, collector}
)

// values returns a quantity of an engine's services in each round.
func (r *run) values(engine string, q quantity) (values []float64) {
	for i := range r.services[engine] {
		values = append(values, q.of(&r.services[engine][i]))
	}
	return values
}

// kendall returns the rank correlation of two quantities over the engines in each round.
func (r *run) kendall(x, y quantity) []float64 {
	taus := make([]float64, len(r.services[base]))
	for round := range taus {
		var xs, ys []float64
		for _, e := range engines {
			s := &r.services[e][round]
			xs, ys = append(xs, x.of(s)), append(ys, y.of(s))
		}
		taus[round] = measure.Kendall(xs, ys)
	}
	return taus
}

// record adds the figures; the package's comment lists them.
func (r *run) record() {
	r.recorded.Figures["published/cores"] = figures.Exactly(float64(runtime.NumCPU()), "")
	for _, ns := range said {
		r.recorded.Figures[fmt.Sprintf("published/half-core/%.0fns", ns)] = figures.Exactly(halfCore(ns), "1/s")
	}
	r.recordBanner()
	r.recordOthers()
	for _, name := range slices.Sorted(maps.Keys(r.shares)) {
		if values := r.shares[name]; !slices.ContainsFunc(values, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }) {
			r.recorded.Median(name, values, "")
		}
	}
	r.recordServices()
}

// halfCore returns the requests a second of a core that is busy with them for half of the time.
func halfCore(ns float64) float64 { return 0.5e9 / ns }

func (r *run) recordBanner() {
	add := func(name string, v float64, unit string) {
		r.recorded.Figures["published/banner/"+name] = figures.Exactly(v, unit)
	}
	one := r.row("banner", base, 1)
	for _, e := range slices.Concat(engines, hand) {
		row := r.row("banner", e, 1)
		r.recorded.Median("published/banner/"+e+"/ns", row.Rounds, "ns")
		r.recorded.Figures["published/banner/"+e+"/half-core"] = figures.Figure{
			Value: halfCore(row.NS), Lo: halfCore(row.Hi), Hi: halfCore(row.Lo), Unit: "1/s", Rounds: row.Count,
		}
		add(e+"/bytes", row.Bytes, "B")
		add(e+"/allocs", row.Allocs, "allocs")
		if e != base {
			add(e+"/bytes-over-"+base, row.Bytes/one.Bytes, "")
			add(e+"/allocs-over-"+base, row.Allocs/one.Allocs, "")
		}
	}
	pool, fast := r.row("banner", "gojson-pool", 1), r.row("banner", "fast", 1)
	add("gojson/allocs-beyond-gojson-pool", r.row("banner", "gojson", 1).Allocs-pool.Allocs, "allocs")
	add("fast/bytes-over-gojson-pool", fast.Bytes/pool.Bytes, "")
	for _, pair := range compared {
		r.recorded.Over("published/banner/"+pair[0]+"/over-"+pair[1], r.row("banner", pair[0], 1).Rounds, r.row("banner", pair[1], 1).Rounds)
	}
}

func (r *run) recordOthers() {
	indented := r.row("indented", vectors, 1).Rounds
	for _, variant := range []string{vectors, "fast-byteloop"} {
		r.recorded.Over("published/indented/over-"+variant, indented, r.row("banner", variant, 1).Rounds)
	}
	for _, n := range sizes {
		r.recorded.Over("published/keys/"+strconv.Itoa(n)+"/switch-over-gojson", r.row(keys(n), "fast", 1).Rounds, r.row(keys(n), "gojson", 1).Rounds)
	}
	for _, c := range counts() {
		part := "published/parallel/" + c.name + "/"
		rounds := func(engine string) []float64 { return r.row(shared, engine, c.n).Rounds }
		for _, e := range together {
			if c.name != "1" {
				r.recorded.Median(part+"saved/"+e, saved(r.row(shared, e, 1).Rounds, rounds(e)), "")
			}
			if e != together[0] {
				r.recorded.Over(part+together[0]+"/over-"+e, rounds(together[0]), rounds(e))
			}
		}
	}
}

// saved returns the share of the time that is saved, by round.
func saved(alone, together []float64) []float64 {
	shares := make([]float64, min(len(alone), len(together)))
	for i := range shares {
		shares[i] = 1 - together[i]/alone[i]
	}
	return shares
}

func (r *run) recordServices() {
	for _, e := range engines {
		for _, q := range quantities {
			r.recorded.Median("published/service/"+e+"/"+q.name, r.values(e, q), q.unit)
		}
	}
	order := map[string][]float64{
		"allocs-p99": r.kendall(allocs, p99), "allocs-mean": r.kendall(allocs, mean), "mean-p99": r.kendall(mean, p99),
		"allocs-collector": r.kendall(allocs, collector),
	}
	for i, tau := range order["allocs-p99"] {
		order["allocs-p99-beyond-mean"] = append(order["allocs-p99-beyond-mean"], tau-order["allocs-mean"][i])
	}
	for name, taus := range order {
		r.recorded.Median("published/service/order/kendall/"+name, taus, "")
	}
}

// Names returns the names of all figures.
func Names() []string {
	r := newRun(effort{})
	for _, p := range r.plans() {
		for _, e := range p.Entries {
			r.rows = append(r.rows, measure.Row{
				Engine: e.Engine, Set: p.Set, Goroutines: max(p.Goroutines, 1), NS: 1, Lo: 1, Hi: 1, Bytes: 1, Allocs: 1, Rounds: []float64{1},
			})
		}
	}
	for _, p := range profiled {
		part := "published/profile/" + p.name + "/"
		for name := range p.functions {
			r.shares[part+name+"/flat"], r.shares[part+name+"/cumulative"] = []float64{1}, []float64{1}
		}
		if p.over[0] != "" {
			r.shares[part+p.over[0]+"/over-"+p.over[1]] = []float64{1}
		}
	}
	for _, e := range engines {
		r.services[e] = []measure.ServiceResult{{P99: 1}}
	}
	r.record()
	return slices.Sorted(maps.Keys(r.recorded.Figures))
}
