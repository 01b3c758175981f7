package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/rtbwire/rtbwire/lab/measure"
)

// Markdown writes the tables.
func (r *Results) Markdown(w io.Writer) error {
	b := new(strings.Builder)
	m := &r.Machine
	fmt.Fprintf(b, "# Results\n\n%s, %d cores, %s/%s, %s, commit %s%s; %d rounds of %v, medians with 95%% intervals.\n",
		m.CPU, m.Cores, m.OS, m.Arch, m.Go, m.Commit, map[bool]string{true: " with changes"}[m.Dirty], r.Rounds, r.Budget)
	if warn := r.Warning(); warn != "" {
		fmt.Fprintf(b, "\n**%s**\n", warn)
	}
	b.WriteString("\n## Targets\n\n| what | target | measured | met |\n| --- | --- | --- | --- |\n")
	for _, t := range r.Targets() {
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", t.What, t.Want, t.Got, t.Mark())
	}
	for _, op := range measure.Ops {
		r.table(b, op, "time per document", func(w *measure.Row) string { return duration(w.NS) + " " + spread(w) })
	}
	for _, op := range measure.Ops {
		r.table(b, op, "bytes and objects allocated per document", func(w *measure.Row) string {
			return fmt.Sprintf("%.0f B, %.3g", w.Bytes, w.Allocs)
		})
		r.table(b, op, "MB/s, and documents a second of a core that is busy for half of the time", func(w *measure.Row) string {
			return fmt.Sprintf("%.0f MB/s, %s/s", w.MBPerSecond(), short(w.PerCoreAtHalf()))
		})
	}
	if r.Scanner != nil {
		fmt.Fprintf(b, "\n## Packets in C++\n\nThe whole job: parse, walk keys and values, say the verdict. Heap calls and the most arena bytes for a packet.\n\n"+
			"| row | packets | threads | ns per packet and thread | GB/s | heap calls | arena |\n| --- | --- | --- | --- | --- | --- | --- |\n")
		for _, s := range r.Scanner.Rows {
			fmt.Fprintf(b, "| %s | %s | %d | %.0f | %.2f | %.3g | %.0f |\n", s.Name, s.Set, s.Threads, s.NS, s.GBPerSecond(), s.Heap, s.Arena)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// table writes one operation: an engine a row, a data set a column.
func (r *Results) table(b *strings.Builder, op measure.Op, what string, cell func(*measure.Row) string) {
	var sets []string
	for _, s := range r.Sets {
		if len(r.of(s.Name, op, 1)) > 0 {
			sets = append(sets, s.Name)
		}
	}
	if len(sets) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## %s, %s\n\n| engine | %s |\n|%s\n", title(op), what, strings.Join(sets, " | "), strings.Repeat(" --- |", len(sets)+1))
	var notes []string
	for _, e := range r.Engines {
		if !e.Ops[op] {
			continue
		}
		fmt.Fprintf(b, "| %s |", e.Name)
		for _, set := range sets {
			text := "-"
			for _, row := range r.of(set, op, 1) {
				switch {
				case row.Engine != e.Name:
				case row.Wrong != "":
					notes = append(notes, fmt.Sprintf("%s, %s: %s", e.Name, set, row.Wrong))
					text = fmt.Sprintf("wrong (%d)", len(notes))
				default:
					text = cell(&row)
				}
			}
			fmt.Fprintf(b, " %s |", text)
		}
		b.WriteByte('\n')
	}
	for i, n := range notes {
		fmt.Fprintf(b, "\n(%d) %s\n", i+1, strings.ReplaceAll(n, "|", "\\|"))
	}
}

// spread is the half width of the interval as a share of the median.
func spread(r *measure.Row) string {
	return fmt.Sprintf("±%.0f%%", 100*max(r.Hi-r.NS, r.NS-r.Lo)/r.NS)
}

func title(op measure.Op) string { return strings.ToUpper(string(op[:1])) + string(op[1:]) }

// Mark is the target's last column.
func (t *Target) Mark() string {
	switch {
	case !t.Known:
		return "open"
	case t.Met:
		return "yes"
	}
	return "no"
}

// Warning says why the numbers are not to be relied on, "" if nothing speaks against it.
func (r *Results) Warning() string {
	var why []string
	// Building the lab itself adds up to one in the minute before.
	if r.Machine.LoadBefore > 1+0.1*float64(r.Machine.Cores) {
		why = append(why, fmt.Sprintf("the machine was busy before the run began (load %.1f on %d cores)", r.Machine.LoadBefore, r.Machine.Cores))
	}
	wide := 0
	for i := range r.Rows {
		if w := &r.Rows[i]; w.NS > 0 && w.Hi-w.Lo > 0.2*w.NS {
			wide++
		}
	}
	if wide*5 > len(r.Rows) {
		why = append(why, fmt.Sprintf("%d of %d intervals are wider than 20%%", wide, len(r.Rows)))
	}
	if r.Quick {
		why = append(why, "a quick run's measurements are shorter than the garbage collector's cycle")
	}
	if why == nil {
		return ""
	}
	return "Preliminary: " + strings.Join(why, "; ") + "."
}

// PrintTargets writes the targets for a terminal.
func (r *Results) PrintTargets(w io.Writer) error {
	for _, t := range r.Targets() {
		if _, err := fmt.Fprintf(w, "%-5s %s: %s; measured: %s\n", t.Mark(), t.What, t.Want, t.Got); err != nil {
			return err
		}
	}
	if warn := r.Warning(); warn != "" {
		_, err := fmt.Fprintf(w, "\n%s\n", warn)
		return err
	}
	return nil
}
