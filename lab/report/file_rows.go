package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rtbwire/rtbwire/lab/measure"
)

// The tables of a run's file with an engine per row and what it decoded per column.

func timeTitle(op measure.Op) string   { return "Time: " + string(op) }
func memoryTitle(op measure.Op) string { return "Memory: " + string(op) }

// comparison is a column: engines that did the same.
type comparison struct {
	set        string
	op         measure.Op
	goroutines int
}

// any returns the engine's row, measured or wrong; nil if it can't do it.
func (r *Results) any(engine string, c comparison) *measure.Row {
	for i := range r.Rows {
		w := &r.Rows[i]
		if w.Engine == engine && w.Set == c.set && w.Op == c.op && w.Goroutines == c.goroutines && (w.NS > 0 || w.Wrong != "") {
			return w
		}
	}
	return nil
}

// grid adds the rows of a table: a comparison per column, an engine per row.
func (r *Results) grid(t *table, columns []comparison, name func(comparison) string, cell func(*measure.Row) string) *table {
	t.head = []string{"engine"}
	for _, c := range columns {
		t.head = append(t.head, name(c))
	}
	for _, e := range r.Engines {
		row, some := []string{e.Name}, false
		for _, c := range columns {
			w := r.any(e.Name, c)
			switch {
			case w == nil:
				row = append(row, noCell)
			case w.Wrong != "":
				row, some = append(row, wrongCell), true
			default:
				row, some = append(row, cell(w)), true
			}
		}
		if some {
			t.add(row...)
		}
	}
	return t
}

// rounds adds the row that says how many rounds a comparison had.
func (r *Results) rounds(t *table, columns []comparison) *table {
	if len(t.rows) == 0 {
		return t
	}
	row := []string{roundsRow}
	for _, c := range columns {
		most := 0
		for _, w := range r.of(c.set, c.op, c.goroutines) {
			most = max(most, w.Count)
		}
		row = append(row, count(&most).write())
	}
	t.add(row...)
	return t
}

// ofOp returns the comparisons of an operation by one goroutine.
func (r *Results) ofOp(op measure.Op) (columns []comparison) {
	for _, s := range r.Sets {
		if len(r.of(s.Name, op, 1)) > 0 {
			columns = append(columns, comparison{s.Name, op, 1})
		}
	}
	return columns
}

func setName(c comparison) string { return c.set }

func (r *Results) timeTable(op measure.Op) *table {
	columns := r.ofOp(op)
	return r.rounds(r.grid(&table{title: timeTitle(op)}, columns, setName, timeText), columns)
}

func timeText(w *measure.Row) string { return interval{&w.NS, &w.Lo, &w.Hi}.write() }

func (r *Results) memoryTable(op measure.Op) *table {
	t := &table{title: memoryTitle(op), note: "Bytes and objects that are allocated for a document."}
	return r.grid(t, r.ofOp(op), setName, func(w *measure.Row) string {
		return amountText(w.Bytes) + " B, " + amountText(w.Allocs)
	})
}

// Base is the engine that all others are compared with.
const Base = "encoding-json"

func timesTitle(op measure.Op) string { return "Times as fast as encoding/json: " + string(op) }

// timesTable has how many times as fast as encoding/json the engines are.
func (r *Results) timesTable(op measure.Op) *table {
	t := r.grid(&table{title: timesTitle(op), note: "The median of the ratios of all rounds."}, r.ofOp(op), setName, func(w *measure.Row) string {
		if w.Times == 0 {
			return noCell
		}
		return ratio{&w.Times, &w.TimesLo, &w.TimesHi}.write()
	})
	if !slices.ContainsFunc(t.rows, func(row []string) bool { return row[0] == Base }) {
		t.rows = nil
	}
	return t
}

// goroutinesTable has the wall time of a document where several goroutines decode.
func (r *Results) goroutinesTable() *table {
	var columns []comparison
	for _, s := range r.Sets {
		var of []comparison
		for _, n := range r.goroutines() {
			if len(r.of(s.Name, measure.Decode, n)) > 0 {
				of = append(of, comparison{s.Name, measure.Decode, n})
			}
		}
		if len(of) > 1 {
			columns = append(columns, of...)
		}
	}
	if columns == nil {
		return &table{}
	}
	t := &table{title: goroutinesTitle, note: "Wall time to decode a document, all goroutines together."}
	name := func(c comparison) string { return fmt.Sprintf("%s: %d", c.set, c.goroutines) }
	return r.rounds(r.grid(t, columns, name, func(w *measure.Row) string {
		if w.Goroutines == 1 { // its interval is one of processor time
			return nanoseconds(&w.Wall).write()
		}
		return timeText(w)
	}), columns)
}

// goroutines returns how many there were at once, the lowest first.
func (r *Results) goroutines() []int {
	seen := map[int]bool{}
	for _, w := range r.Rows {
		seen[w.Goroutines] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

// wrongTable says why engines are not timed.
func (r *Results) wrongTable() *table {
	t := &table{title: wrongTitle, note: "An engine that reads or writes something else than encoding/json is not timed.", head: []string{"operation", "engine", "set", "what is wrong"}}
	for _, op := range measure.Ops {
		for _, goroutines := range r.goroutines() {
			for _, s := range r.Sets {
				for _, e := range r.Engines {
					if w := r.any(e.Name, comparison{s.Name, op, goroutines}); w != nil && w.Wrong != "" {
						t.add(opText(op, goroutines), e.Name, s.Name, w.Wrong)
					}
				}
			}
		}
	}
	return t
}

func opText(op measure.Op, goroutines int) string {
	if goroutines > 1 {
		return fmt.Sprintf("%s by %d goroutines", op, goroutines)
	}
	return string(op)
}

// readRows reads the tables with an engine per row.
func (r *Results) readRows(tables map[string]*table) error {
	wrong := map[string]string{}
	if t := tables[wrongTitle]; t != nil {
		for _, row := range t.rows {
			wrong[strings.Join(row[:3], ", ")] = row[3]
		}
	}
	for _, op := range measure.Ops {
		if err := r.readTimes(tables[timeTitle(op)], wrong, func(head string) (c comparison, err error) {
			return comparison{head, op, 1}, nil
		}); err != nil {
			return err
		}
		if err := r.readCells(tables[timesTitle(op)], op, readTimesAsFast); err != nil {
			return err
		}
		if err := r.readCells(tables[memoryTitle(op)], op, readMemory); err != nil {
			return err
		}
	}
	return r.readTimes(tables[goroutinesTitle], wrong, func(head string) (c comparison, err error) {
		set, goroutines, _ := strings.Cut(head, ": ")
		c = comparison{set: set, op: measure.Decode}
		return c, count(&c.goroutines).read(goroutines)
	})
}

// readTimes makes the rows of a table, or completes those of one goroutine with their wall time.
func (r *Results) readTimes(t *table, wrong map[string]string, of func(head string) (comparison, error)) error {
	if t == nil {
		return nil
	}
	last := t.rows[len(t.rows)-1]
	if last[0] != roundsRow {
		return fmt.Errorf("%s: the last row is not %s", t.title, roundsRow)
	}
	for i, head := range t.head[1:] {
		c, err := of(head)
		if err != nil {
			return fmt.Errorf("%s: %w", t.title, err)
		}
		for _, row := range t.rows[:len(t.rows)-1] {
			text := row[i+1]
			w := r.any(row[0], c)
			switch {
			case text == noCell:
				continue
			case w != nil: // read before
				if text != wrongCell {
					err = nanoseconds(&w.Wall).read(text)
				}
			default:
				err = r.addRow(row[0], c, text, last[i+1], wrong)
			}
			if err != nil {
				return fmt.Errorf("%s, %s, %s: %w", t.title, row[0], head, err)
			}
		}
	}
	return nil
}

// addRow adds the row of a cell.
func (r *Results) addRow(engine string, c comparison, text, rounds string, wrong map[string]string) (err error) {
	w := measure.Row{Engine: engine, Set: c.set, Op: c.op, Goroutines: c.goroutines}
	for _, s := range r.Sets {
		if s.Name == c.set {
			w.DocBytes = s.Bytes
		}
	}
	if text == wrongCell {
		if w.Wrong = wrong[strings.Join([]string{opText(c.op, c.goroutines), engine, c.set}, ", ")]; w.Wrong == "" {
			err = fmt.Errorf("the table %q does not say what is wrong", wrongTitle)
		}
	} else if err = (interval{&w.NS, &w.Lo, &w.Hi}).read(text); err == nil {
		if w.CPU = r.CPUTime && c.goroutines == 1; !w.CPU {
			w.Wall = w.NS
		}
		err = count(&w.Count).read(rounds)
	}
	r.Rows = append(r.Rows, w)
	return err
}

// readCells reads a table about rows that there are.
func (r *Results) readCells(t *table, op measure.Op, read func(w *measure.Row, text string) error) error {
	if t == nil {
		return nil
	}
	for _, row := range t.rows {
		for i, set := range t.head[1:] {
			w := r.any(row[0], comparison{set, op, 1})
			if w == nil || w.Wrong != "" || row[i+1] == noCell {
				continue
			}
			if err := read(w, row[i+1]); err != nil {
				return fmt.Errorf("%s, %s, %s: %w", t.title, row[0], set, err)
			}
		}
	}
	return nil
}

func readTimesAsFast(w *measure.Row, text string) error {
	return ratio{&w.Times, &w.TimesLo, &w.TimesHi}.read(text)
}

func readMemory(w *measure.Row, text string) error {
	bytes, objects, _ := strings.Cut(text, " B, ")
	if err := (amount{&w.Bytes}).read(bytes); err != nil {
		return err
	}
	return amount{&w.Allocs}.read(objects)
}
