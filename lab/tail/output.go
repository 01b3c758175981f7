package tail

import (
	"fmt"
	"strings"

	"github.com/rtbwire/rtbwire/internal/plot"
	"github.com/rtbwire/rtbwire/lab/figures"
	"github.com/rtbwire/rtbwire/lab/measure"
)

// text returns what was found: whether allocations order the engines, the table, and the picture's
// place.
func (r *run) text() string {
	b := new(strings.Builder)
	fmt.Fprintf(b, "%s\n\n", r.conclusion())
	fmt.Fprintf(b, "%.0f requests a second, %d workers, %d MB of live memory; engines by their allocations:\n\n", r.rate, workers, liveMB)
	fmt.Fprint(b, "| engine | allocations | bytes | mean | p50 | p99 | collector |\n| --- | --- | --- | --- | --- | --- | --- |\n")
	for _, e := range r.byAllocations() {
		_, lo, hi := measure.Median(r.values(e, p99))
		fmt.Fprintf(b, "| %s | %.1f | %.0f | %.1f µs | %.1f µs | %.1f µs [%.1f, %.1f] | %.1f%% |\n", e, r.median(e, allocs), r.median(e, bytes),
			r.median(e, mean)/1e3, r.median(e, p50)/1e3, r.median(e, p99)/1e3, lo/1e3, hi/1e3, 100*r.median(e, collector))
	}
	fmt.Fprint(b, "\nWhether one orders the engines as the other does (rank correlation, from -1 to 1):\n\n| | |\n| --- | --- |\n")
	for _, c := range correlations {
		tau, lo, hi := measure.Median(r.kendall(c[0], c[1]))
		fmt.Fprintf(b, "| %s and %s | %.2f [%.2f, %.2f] |\n", c[0].name, c[1].name, tau, lo, hi)
	}
	return b.String()
}

// strong is a rank correlation from which on one list can stand for the other.
const strong = 0.8

// conclusion says whether allocations order the engines by their slowest requests.
func (r *run) conclusion() string {
	tau, lo, hi := measure.Median(r.kendall(allocs, p99))
	verdict := "This run can't tell whether allocations order the engines by their 99th percentile"
	switch {
	case lo >= strong:
		verdict = "Allocations order the engines by their 99th percentile"
	case hi < strong:
		verdict = "Allocations do not order the engines by their 99th percentile"
	}
	return fmt.Sprintf("%s: the rank correlation is %.2f [%.2f, %.2f], where %.1f or more would be an order.", verdict, tau, lo, hi, strong)
}

// record adds the figures; the package's comment lists them.
func (r *run) record() {
	r.recorded.Figures["service/rate"] = figures.Exactly(r.rate, "1/s")
	for _, e := range engines {
		for _, q := range quantities {
			r.recorded.Median("service/"+e+"/"+q.name, r.values(e, q), q.unit)
		}
	}
	for _, c := range correlations {
		r.recorded.Median("service/order/kendall/"+c[0].name+"-"+c[1].name, r.kendall(c[0], c[1]), "")
	}
	beyond := r.kendall(allocs, p99)
	for i, v := range r.kendall(allocs, mean) {
		beyond[i] -= v
	}
	r.recorded.Median("service/order/kendall/allocs-p99-beyond-mean", beyond, "")
}

// picture shows the 99th percentile against allocations.
func (r *run) picture() *plot.Plot {
	p := &plot.Plot{X: "objects allocated for a request (1 means one or none)", Y: "µs, 99th percentile", LogX: true, LogY: true}
	for _, e := range engines {
		p.Series = append(p.Series, plot.Series{Name: e, Points: []plot.Point{{X: max(r.median(e, allocs), 1), Y: r.median(e, p99) / 1e3}}})
	}
	return p
}
