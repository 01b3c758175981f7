package ablation

import (
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/rtbwire/rtbwire/internal/simd/jsonindex"
	"github.com/rtbwire/rtbwire/lab/figures"
	"github.com/rtbwire/rtbwire/lab/measure"
)

// Where --write keeps figures, and the page with tables, from the folder lab.
const (
	file = "results/claims/ablation.json"
	page = "docs/performance.md"
)

// print writes a table for each design: a set per row, a variant per column.
func (r *run) print(w io.Writer) error {
	levels := jsonindex.Levels()
	fmt.Fprintf(w, "How many times as long as the first column the others take, with 95%% intervals. Index kernel %s.", levels[len(levels)-1])
	if runtime.GOARCH != "arm64" {
		fmt.Fprint(w, " NEON is not measured: this processor is not arm64.")
	}
	fmt.Fprintln(w)
	for _, d := range r.designs {
		var names []string
		for _, v := range r.variants {
			if v.design == d.name {
				names = append(names, v.name)
			}
		}
		fmt.Fprintf(w, "\n%s (%s):\n\n| | %s | rounds |\n|%s\n", strings.ToUpper(d.about[:1])+d.about[1:], d.name, strings.Join(names, " | "), strings.Repeat(" --- |", len(names)+2))
		for _, set := range d.sets {
			base := r.row(d.name+"/"+d.base, set)
			fmt.Fprintf(w, "| %s |", strings.ReplaceAll(set, "_", " "))
			for _, name := range names {
				row := r.row(d.name+"/"+name, set)
				switch {
				case row == nil || row.Wrong != "" || base == nil || base.Wrong != "":
					fmt.Fprint(w, " wrong |")
				case row == base:
					fmt.Fprintf(w, " %.0f ns [%.0f, %.0f] |", row.NS, row.Lo, row.Hi)
				default:
					fmt.Fprintf(w, " %.2f× [%.2f, %.2f] |", 1/row.Times, 1/row.TimesHi, 1/row.TimesLo)
				}
			}
			fmt.Fprintf(w, " %d |\n", base.Count)
		}
	}
	for i := range r.rows {
		if row := &r.rows[i]; row.Wrong != "" {
			return fmt.Errorf("%s, %s: %s", row.Engine, row.Set, row.Wrong)
		}
	}
	return nil
}

func (r *run) row(name, set string) *measure.Row {
	for i := range r.rows {
		if row := &r.rows[i]; row.Engine == name && row.Set == set {
			return row
		}
	}
	return nil
}

// record adds the figures; the package's comment lists them.
func (r *run) record() {
	for _, d := range r.designs {
		for _, set := range d.sets {
			base := r.row(d.name+"/"+d.base, set)
			for i := range r.rows {
				row := &r.rows[i]
				variant, ok := strings.CutPrefix(row.Engine, d.name+"/")
				if !ok || row.Set != set {
					continue
				}
				name := figures.Name("ablation", d.name, set, variant)
				r.recorded.Median(name+"/ns", row.Rounds, "ns")
				r.recorded.Figures[name+"/allocs"] = figures.Exactly(row.Allocs, "allocs")
				if row != base {
					r.recorded.Over(name+"/over-"+d.base, row.Rounds, base.Rounds)
				}
			}
			r.over(figures.Name("ablation", d.name, set, "atoi", "over-byte-loop"), r.row(d.name+"/atoi", set), r.row(d.name+"/byte loop", set))
		}
	}
	indented, byteLoop := r.row("classic/fast", "banner_indented"), r.row("classic/byte loop", "banner")
	r.over("ablation/classic/banner/indented/over-fast", indented, r.row("classic/fast", "banner"))
	r.over("ablation/classic/banner/indented/over-byte-loop", indented, byteLoop)
}

// over adds the ratio of two rows, unless one was not measured.
func (r *run) over(name string, a, b *measure.Row) {
	if a != nil && b != nil {
		r.recorded.Over(name, a.Rounds, b.Rounds)
	}
}
