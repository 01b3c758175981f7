package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rtbwire/rtbwire/lab/figures"
	"github.com/rtbwire/rtbwire/lab/measure"
	"github.com/rtbwire/rtbwire/lab/report"
)

// Figures of a run of the lab are computed for the names that rows use:
//
//	OP/SET/A/over-B          the time of A over the time of B, round by round; OP is decode, partial, encode
//	OP/SET/A/allocs-over-B   objects of A over objects of B; bytes-over-B alike
//	OP/SET/A/allocs-beyond-B objects of A less objects of B
//	OP/SET/A/ns, /allocs, /bytes
//	arithmetic/50000/A       milliseconds of processor time a second that 50,000 banner requests take
//	arithmetic/50000/NNNNns  the same for a time that was said
const perSecond = 50_000

// ofRun reports whether a run of the lab has the figure.
func ofRun(name string) bool {
	part, _, _ := strings.Cut(name, "/")
	return part == "decode" || part == "partial" || part == "encode" || part == "arithmetic"
}

// figureOf computes a figure from the rounds of a run.
func figureOf(r *report.Results, name string) (figures.Figure, error) {
	part := strings.Split(name, "/")
	if part[0] == "arithmetic" && len(part) == 3 {
		return arithmetic(r, part[2])
	}
	if len(part) != 4 {
		return figures.Figure{}, fmt.Errorf("%s: expected OP/SET/ENGINE/WHAT", name)
	}
	op, set, engine, what := measure.Op(part[0]), part[1], part[2], part[3]
	row := r.Row(engine, set, op, 1)
	if row == nil {
		return figures.Figure{}, fmt.Errorf("%s: the run did not measure %s with %s", name, set, engine)
	}
	switch what {
	case "ns":
		return figures.Figure{Value: row.NS, Lo: row.Lo, Hi: row.Hi, Unit: "ns", Rounds: row.Count}, nil
	case "allocs":
		return figures.Exactly(row.Allocs, "allocs"), nil
	case "bytes":
		return figures.Exactly(row.Bytes, "B"), nil
	}
	for _, relation := range []struct {
		prefix string
		of     func(a, b *measure.Row) (figures.Figure, error)
	}{
		{"over-", overTime},
		{"allocs-over-", func(a, b *measure.Row) (figures.Figure, error) { return figures.Exactly(a.Allocs/b.Allocs, ""), nil }},
		{"bytes-over-", func(a, b *measure.Row) (figures.Figure, error) { return figures.Exactly(a.Bytes/b.Bytes, ""), nil }},
		{"allocs-beyond-", func(a, b *measure.Row) (figures.Figure, error) {
			return figures.Exactly(a.Allocs-b.Allocs, "allocs"), nil
		}},
	} {
		other, ok := strings.CutPrefix(what, relation.prefix)
		if !ok {
			continue
		}
		base := r.Row(other, set, op, 1)
		if base == nil {
			return figures.Figure{}, fmt.Errorf("%s: the run did not measure %s with %s", name, set, other)
		}
		return relation.of(row, base)
	}
	return figures.Figure{}, fmt.Errorf("%s: unknown relation %q", name, what)
}

// shakiest returns the widest figure of those that a figure of the service was computed from, and
// the factor that its interval spans. A rank correlation has a narrow interval of its own where the
// values that it ranks are hardly known.
func shakiest(name string, file *figures.File) (of string, factor float64) {
	folder, ranked, ok := strings.Cut(name, "service/order/kendall/")
	if !ok {
		return "", 1
	}
	quantities := strings.Split(ranked, "-")
	for _, name := range slices.Sorted(maps.Keys(file.Figures)) {
		service, ok := strings.CutPrefix(name, folder+"service/")
		part := strings.Split(service, "/")
		if ok && len(part) == 2 && slices.Contains(quantities, part[1]) && spread(file.Figures[name]) > factor {
			of, factor = name, spread(file.Figures[name])
		}
	}
	return of, factor
}

// commandOf returns a command that measures what tests ask, and no more, or "".
func commandOf(tests []Test) string {
	var ops, sets, engines []string
	add := func(list *[]string, v string) {
		if !slices.Contains(*list, v) {
			*list = append(*list, v)
		}
	}
	for _, t := range tests {
		part := strings.Split(t.Figure, "/")
		switch {
		case part[0] == "playbook":
			return "cd lab && go run ./playbook " + part[1]
		case part[0] == "published":
			return "make bench-published"
		case part[0] == "cpp":
			return "make cpp ARGS=bench"
		case !ofRun(t.Figure) || len(part) != 4:
			return ""
		}
		add(&ops, part[0])
		add(&sets, part[1])
		add(&engines, part[2])
		for _, relation := range []string{"over-", "beyond-"} {
			if _, other, ok := strings.Cut(part[3], relation); ok {
				add(&engines, other)
			}
		}
	}
	return fmt.Sprintf("cd lab && go run . --ops %s --sets %s --engines '^(%s)$'", strings.Join(ops, ","), strings.Join(sets, ","), strings.Join(engines, "|"))
}

// overTime is the median of the ratios of all rounds.
func overTime(a, b *measure.Row) (figures.Figure, error) {
	if len(a.Rounds) == 0 || len(a.Rounds) != len(b.Rounds) {
		return figures.Figure{}, fmt.Errorf("%s and %s have %d and %d rounds; results.json of the run has all", a.Engine, b.Engine, len(a.Rounds), len(b.Rounds))
	}
	ratios := make([]float64, len(a.Rounds))
	for i := range ratios {
		ratios[i] = a.Rounds[i] / b.Rounds[i]
	}
	v, lo, hi := measure.Median(ratios)
	return figures.Figure{Value: v, Lo: lo, Hi: hi, Rounds: len(ratios)}, nil
}

// arithmetic is the processor time that requests take in a second.
func arithmetic(r *report.Results, of string) (figures.Figure, error) {
	const unit = "ms/s"
	ms := func(ns float64) float64 { return ns * perSecond / 1e6 }
	var said float64
	if _, err := fmt.Sscanf(of, "%fns", &said); err == nil {
		return figures.Exactly(ms(said), unit), nil
	}
	row := r.Row(of, "banner", measure.Decode, 1)
	if row == nil {
		return figures.Figure{}, fmt.Errorf("the run did not measure banner with %s", of)
	}
	return figures.Figure{Value: ms(row.NS), Lo: ms(row.Lo), Hi: ms(row.Hi), Unit: unit, Rounds: row.Count}, nil
}
