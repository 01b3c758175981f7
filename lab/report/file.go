package report

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/rtbwire/rtbwire/lab/measure"
)

// The file of a run is Markdown: tables that people read and compare, and that Read reads. It has
// everything that the report shows. The rounds one by one are in results.json, which is not kept.

var runColumns = []column[Results]{
	{"what", func(*Results) cell { return constant("value") }},
	{"taken", func(r *Results) cell { return moment{&r.Taken} }},
	{"preset", func(r *Results) cell { return text(&r.Preset) }},
	{"rounds, at least", func(r *Results) cell { return count(&r.Rounds) }},
	{"one measurement", func(r *Results) cell { return length{&r.Budget} }},
	{"clock", func(r *Results) cell { return choice{&r.CPUTime, "processor time", "wall time"} }},
	{"processor", func(r *Results) cell { return text(&r.Machine.CPU) }},
	{"cores", func(r *Results) cell { return count(&r.Machine.Cores) }},
	{"core of one goroutine", func(r *Results) cell { return maybeText{&r.Machine.Core} }},
	{"vector instructions", func(r *Results) cell { return list{&r.Machine.Features} }},
	{"system", func(r *Results) cell { return text(&r.Machine.OS) }},
	{"architecture", func(r *Results) cell { return text(&r.Machine.Arch) }},
	{"Go", func(r *Results) cell { return text(&r.Machine.Go) }},
	{"commit", func(r *Results) cell { return text(&r.Machine.Commit) }},
	{"changes not committed", func(r *Results) cell { return choice{&r.Machine.Dirty, "yes", "no"} }},
	{"build and environment", func(r *Results) cell { return list{&r.Machine.Flags} }},
	{"cores kept busy by others", func(r *Results) cell { return maybeText{&r.Machine.Others} }},
	{"load before", func(r *Results) cell { return fixed{&r.Machine.LoadBefore, 2} }},
	{"load after", func(r *Results) cell { return fixed{&r.Machine.LoadAfter, 2} }},
}

// constant is a cell that says the same in every table.
type constant string

func (c constant) write() string   { return string(c) }
func (constant) read(string) error { return nil }

// optionalColumns are in runs that have something to say there.
var optionalColumns = []struct {
	column[Results]
	has func(*Results) bool
}{
	{
		column[Results]{"processor time stolen", func(r *Results) cell { return maybeText{&r.Machine.Stolen} }},
		func(r *Results) bool { return r.Machine.Stolen != "" },
	},
	{
		column[Results]{"least of", func(r *Results) cell { return count(&r.LeastOf) }}, // fewer rounds than were measured
		func(r *Results) bool { return r.LeastOf > 1 },
	},
}

// columnsOf returns the columns of a run with those that it has something to say in.
func columnsOf(r *Results) []column[Results] {
	columns := slices.Clone(runColumns)
	for _, o := range optionalColumns {
		if o.has(r) {
			columns = append(columns, o.column)
		}
	}
	return columns
}

// columnsIn returns the columns of a run whose table has such a head.
func columnsIn(head []string) []column[Results] {
	columns := slices.Clone(runColumns)
	for _, o := range optionalColumns {
		if slices.Contains(head, o.head) {
			columns = append(columns, o.column)
		}
	}
	return columns
}

var setColumns = []column[Set]{
	{"set", func(s *Set) cell { return text(&s.Name) }},
	{"kind", func(s *Set) cell { return choice{&s.Response, "response", "request"} }},
	{"documents", func(s *Set) cell { return count(&s.Docs) }},
	{"left out", func(s *Set) cell { return count(&s.LeftOut) }},
	{"bytes on average", func(s *Set) cell { return fixed{&s.Bytes, 1} }},
	{"what", func(s *Set) cell { return text(&s.About) }},
}

var engineColumns = []column[measure.Info]{
	{"engine", func(e *measure.Info) cell { return text(&e.Name) }},
	{"module", func(e *measure.Info) cell { return text(&e.Module) }},
	{"version", func(e *measure.Info) cell { return text(&e.Version) }},
	{"copies strings", func(e *measure.Info) cell { return text(&e.Safety.Copies) }},
	{"checks UTF-8", func(e *measure.Info) cell { return text(&e.Safety.UTF8) }},
	{"case-sensitive", func(e *measure.Info) cell { return text(&e.Safety.CaseSensitive) }},
	{"operations", func(e *measure.Info) cell { return operations{&e.Ops} }},
	{"configuration", func(e *measure.Info) cell { return text(&e.Config) }},
	{"note", func(e *measure.Info) cell { return text(&e.Note) }},
}

// sourceColumn is not in earlier runs.
var sourceColumn = column[measure.Info]{"recommended by", func(e *measure.Info) cell { return text(&e.Source) }}

// engineColumnsWith returns the columns of engines, with the one that earlier runs lack.
func engineColumnsWith(source bool) []column[measure.Info] {
	if source {
		return append(slices.Clone(engineColumns), sourceColumn)
	}
	return engineColumns
}

func hasSource(e measure.Info) bool { return e.Source != "" }

// operations are those that an engine can do.
type operations struct{ p *map[measure.Op]bool }

func (c operations) write() string {
	var can []string
	for _, op := range measure.Ops {
		if (*c.p)[op] {
			can = append(can, string(op))
		}
	}
	return strings.Join(can, " ")
}

func (c operations) read(text string) error {
	*c.p = map[measure.Op]bool{}
	for op := range strings.FieldsSeq(text) {
		(*c.p)[measure.Op(op)] = true
	}
	return nil
}

var missingColumns = []column[Missing]{
	{"engine", func(m *Missing) cell { return text(&m.Name) }},
	{"module", func(m *Missing) cell { return text(&m.Module) }},
	{"reason", func(m *Missing) cell { return text(&m.Reason) }},
}

var serviceColumns = []column[measure.ServiceResult]{
	{"engine", func(s *measure.ServiceResult) cell { return text(&s.Engine) }},
	{"set", func(s *measure.ServiceResult) cell { return text(&s.Set) }},
	{"requests per second", func(s *measure.ServiceResult) cell { return amount{&s.Rate} }},
	{"requests", func(s *measure.ServiceResult) cell { return count(&s.Requests) }},
	{"p50", func(s *measure.ServiceResult) cell { return nanoseconds(&s.P50) }},
	{"p90", func(s *measure.ServiceResult) cell { return nanoseconds(&s.P90) }},
	{"p99", func(s *measure.ServiceResult) cell { return nanoseconds(&s.P99) }},
	{"p99.9", func(s *measure.ServiceResult) cell { return nanoseconds(&s.P999) }},
	{"longest", func(s *measure.ServiceResult) cell { return nanoseconds(&s.Max) }},
	{"workers decode", func(s *measure.ServiceResult) cell { return percent{&s.Busy} }},
	{"collector's share", func(s *measure.ServiceResult) cell { return percent{&s.GCShare} }},
	{"collections", func(s *measure.ServiceResult) cell { return integer[uint64]{&s.GCCycles} }},
	{"pauses", func(s *measure.ServiceResult) cell { return count(&s.Pauses) }},
	{"pause p50", func(s *measure.ServiceResult) cell { return seconds(&s.PauseP50) }},
	{"pause p99", func(s *measure.ServiceResult) cell { return seconds(&s.PauseP99) }},
	{"longest pause", func(s *measure.ServiceResult) cell { return seconds(&s.PauseMax) }},
	{"bytes per request", func(s *measure.ServiceResult) cell { return amount{&s.BytesPerRequest} }},
	{"kept up", func(s *measure.ServiceResult) cell { return choice{&s.Behind, "no", "yes"} }},
}

const (
	runTitle        = "Run"
	setsTitle       = "Data sets"
	enginesTitle    = "Engines"
	missingTitle    = "Not measured"
	faultsTitle     = "Broken requests that are accepted"
	wrongTitle      = "Wrong answers"
	goroutinesTitle = "Goroutines"
	servicesTitle   = "Service"
	latencyTitle    = "Service: requests by time"
)

const (
	noCell    = "-"      // the engine can't do it
	wrongCell = "wrong"  // not timed: see the table of wrong answers
	roundsRow = "rounds" // the last row of tables with times
)

// Text returns the file of the run.
func (r *Results) Text() (string, error) {
	measured := r.tables()
	b := new(strings.Builder)
	for _, t := range measured {
		t.write(b)
	}
	// What is computed is computed from the numbers in the file.
	kept, err := parse(b.String())
	if err != nil {
		return "", err
	}
	out := new(strings.Builder)
	fmt.Fprintf(out, "# %s, %s\n\n", r.Machine.CPU, r.Taken.UTC().Format("2006-01-02"))
	out.WriteString("A run of the lab. Times are medians with the bounds of their 95% confidence intervals.\n")
	if w := kept.Warning(); w != "" {
		fmt.Fprintf(out, "\n**%s**\n", w)
	}
	if m := kept.Method(); m != "" {
		fmt.Fprintf(out, "\n%s\n", wrap(m))
	}
	for _, sentence := range kept.Conclusion() {
		fmt.Fprintf(out, "\n%s\n", wrap(sentence))
	}
	kept.overviewTable().write(out)
	for _, t := range measured {
		t.write(out)
	}
	return out.String(), nil
}

// Read reads the file of a run.
func Read(file string) (*Results, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	r, err := parse(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(r.Rows) == 0 || len(r.Engines) == 0 {
		return nil, fmt.Errorf("%s has no results", file)
	}
	return r, nil
}

// tables returns what was measured.
func (r *Results) tables() []*table {
	tables := []*table{
		turn(write(&table{title: runTitle}, columnsOf(r), []Results{*r})),
		write(&table{title: setsTitle, note: "Documents on which libraries differ by design are left out."}, setColumns, r.Sets),
		write(&table{title: enginesTitle}, engineColumnsWith(slices.ContainsFunc(r.Engines, hasSource)), r.Engines),
		write(&table{title: missingTitle}, missingColumns, r.Missing),
		r.faultsTable(),
		r.wrongTable(),
	}
	for _, op := range measure.Ops {
		tables = append(tables, r.timeTable(op), r.timesTable(op), r.memoryTable(op))
	}
	return append(tables, r.goroutinesTable(),
		write(&table{title: servicesTitle, note: serviceNote}, serviceColumns, r.Services), r.latencyTable())
}

const serviceNote = "Requests arrive at a fixed rate, and the time of a request begins when it is due. The collector's share is its part of " +
	"the processor time that it and decoding took."

// parse reads what tables returned.
func parse(text string) (*Results, error) {
	tables, err := readTables(text)
	if err != nil {
		return nil, err
	}
	run := tables[runTitle]
	if run == nil {
		return nil, fmt.Errorf("no table %q: not the file of a run", runTitle)
	}
	record := turn(run)
	all, err := read(record, columnsIn(record.head))
	if err != nil {
		return nil, err
	}
	r := &all[0]
	if r.Sets, err = read(tables[setsTitle], setColumns); err != nil {
		return nil, err
	}
	engines := tables[enginesTitle]
	if r.Engines, err = read(engines, engineColumnsWith(engines != nil && slices.Contains(engines.head, sourceColumn.head))); err != nil {
		return nil, err
	}
	if r.Missing, err = read(tables[missingTitle], missingColumns); err != nil {
		return nil, err
	}
	if r.Services, err = read(tables[servicesTitle], serviceColumns); err != nil {
		return nil, err
	}
	if err := r.readFaults(tables[faultsTitle]); err != nil {
		return nil, err
	}
	if err := r.readLatencies(tables[latencyTitle]); err != nil {
		return nil, err
	}
	return r, r.readRows(tables)
}

// faultsTable has what engines accept that they should not.
func (r *Results) faultsTable() *table {
	t := &table{title: faultsTitle, note: "By what is wrong with them, with the number of such requests. No decoder may accept one.", head: []string{"engine"}}
	faults := r.faults()
	for _, f := range faults {
		of := 0
		for _, e := range r.Engines {
			of = max(of, e.Laxity.Of[f])
		}
		t.head = append(t.head, fmt.Sprintf("%s: %d", f, of))
	}
	for _, e := range r.Engines {
		row := []string{e.Name}
		for _, f := range faults {
			if e.Laxity.Of[f] == 0 {
				row = append(row, noCell)
			} else {
				row = append(row, strconv.Itoa(e.Laxity.Accepted[f]))
			}
		}
		if faults != nil {
			t.add(row...)
		}
	}
	return t
}

func (r *Results) readFaults(t *table) error {
	if t == nil {
		return nil
	}
	for _, row := range t.rows {
		i := slices.IndexFunc(r.Engines, func(e measure.Info) bool { return e.Name == row[0] })
		if i < 0 {
			return fmt.Errorf("%s: no engine %s", t.title, row[0])
		}
		l := &r.Engines[i].Laxity
		l.Accepted, l.Of = map[string]int{}, map[string]int{}
		for c := 1; c < len(row); c++ {
			if row[c] == noCell {
				continue
			}
			var accepted, of int
			fault, all, _ := strings.Cut(t.head[c], ": ")
			if err := count(&of).read(all); err != nil {
				return fmt.Errorf("%s: %w", t.title, err)
			}
			if err := count(&accepted).read(row[c]); err != nil {
				return fmt.Errorf("%s: %w", t.title, err)
			}
			l.Of[fault] = of
			if accepted > 0 {
				l.Accepted[fault] = accepted
			}
		}
	}
	return nil
}
