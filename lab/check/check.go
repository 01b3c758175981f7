// Package check measures what the rules of a preset cost beside decoding: the value layer, which
// takes a decoded request, and a whole check of the text, as ratios to rtbwire's decoder and to that
// of goccy/go-json.
//
//	check.go  flags, data sets, rounds
//	table.go  the table, and its place in docs/performance.md
package check

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"time"

	gojson "github.com/goccy/go-json"

	"github.com/rtbwire/rtbwire/inspect/schema"
	"github.com/rtbwire/rtbwire/lab/data"
	"github.com/rtbwire/rtbwire/lab/measure"
	"github.com/rtbwire/rtbwire/openrtb"
)

const usage = `Measures what the rules of each preset cost beside decoding, and prints a table: the value layer
and the whole check of a request, as ratios to rtbwire's decoder and to goccy/go-json's.

Usage, in the folder lab of the repository:

  go run . check                            in two minutes
  go run . check --rounds 3 --time 2ms      a first look
  go run . check --write                    puts the table into docs/performance.md

Everything takes turns on one core, in an order that changes each round. Ratios are taken round by
round, of processor time; the table has their medians. Of the corpus, the requests that a preset has
nothing to say about are measured apart from the others.

Flags:
`

// ErrUsage says that the command was called wrongly. What is wrong was printed.
var ErrUsage = errors.New("wrong usage")

// file is where --write puts the table, from the folder lab.
const file = "../docs/performance.md"

// Main is the command.
func Main(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("check", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { fmt.Fprint(stderr, usage); flags.PrintDefaults() }
	rounds := flags.Int("rounds", 21, "`number` of rounds")
	budget := flags.Duration("time", 20*time.Millisecond, "length of one measurement")
	write := flags.Bool("write", false, "put the table into docs/performance.md, instead of printing it")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return ErrUsage
	}
	if flags.NArg() > 0 || *rounds < 1 || *budget <= 0 {
		fmt.Fprintln(stderr, "check: want no argument, at least one round, and a positive time")
		return ErrUsage
	}
	sets, err := data.Load("")
	if err != nil {
		return err
	}
	rows, err := rowsOf(sets)
	if err != nil {
		return err
	}
	if core, ok := measure.IdlestCore(time.Second); ok {
		undo, err := measure.OnCore(core)
		if err != nil {
			return err
		}
		defer undo()
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if err := run(rows, *rounds, *budget); err != nil {
		return err
	}
	text := table(rows)
	if !*write {
		_, err := io.WriteString(stdout, text)
		return err
	}
	page, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if page, err = insert(page, text); err != nil {
		return err
	}
	return os.WriteFile(file, page, 0o644)
}

// The operations that a row compares.
const (
	decode = iota // rtbwire's decoder, the base
	peer          // goccy/go-json's decoder
	value         // the value layer
	whole         // the check of the text, which decodes
	operations
)

// row is a preset with some documents.
type row struct {
	preset schema.Preset
	name   string // of the documents
	docs   [][]byte

	do    [operations]func(i int)
	count [operations]int       // documents in a measurement
	ns    [operations][]float64 // a document, by round
}

// documents are the names of the data sets and how the table calls them.
var documents = []struct{ set, name string }{{"banner", "banner"}, {"app", "app"}, {"mixed", "corpus"}}

// rowsOf returns the rows of the table, in its order.
func rowsOf(sets []data.Set) (rows []*row, err error) {
	for _, preset := range schema.Presets() {
		engine, err := schema.New(schema.WithPreset(preset))
		if err != nil {
			return nil, err
		}
		for _, d := range documents {
			set, ok := data.Find(sets, d.set)
			if !ok {
				return nil, fmt.Errorf("no data set %s", d.set)
			}
			if len(set.Docs) == 1 {
				rows = append(rows, newRow(engine, preset, d.name, set.Docs))
				continue
			}
			accepted, others := split(engine, set.Docs)
			if len(accepted) != 0 {
				rows = append(rows, newRow(engine, preset, d.name+", no findings", accepted))
			}
			if len(others) != 0 {
				rows = append(rows, newRow(engine, preset, d.name+", with findings", others))
			}
		}
	}
	return rows, nil
}

// split separates the documents without findings from the others.
func split(engine *schema.Engine, docs [][]byte) (accepted, others [][]byte) {
	c := engine.NewChecker()
	for _, d := range docs {
		if len(c.Request(d).Findings) == 0 {
			accepted = append(accepted, d)
		} else {
			others = append(others, d)
		}
	}
	return accepted, others
}

// newRow prepares the operations. Documents that can't be decoded are left out.
func newRow(engine *schema.Engine, preset schema.Preset, name string, docs [][]byte) *row {
	r := &row{preset: preset, name: name}
	var values []*openrtb.BidRequest
	for _, d := range docs {
		if v, err := openrtb.Parse(d); err == nil {
			r.docs, values = append(r.docs, d), append(values, v)
		}
	}
	decoder, checker := openrtb.NewDecoder(), engine.NewChecker()
	// Every document has been decoded above, so that errors can't happen here.
	r.do[decode] = func(i int) { _, _ = decoder.Decode(r.docs[i]) }
	r.do[peer] = func(i int) { _ = gojson.Unmarshal(r.docs[i], new(openrtb.BidRequest)) }
	r.do[value] = func(i int) { checker.RequestValue(values[i], r.docs[i]) }
	r.do[whole] = func(i int) { checker.Request(r.docs[i]) }
	return r
}

// run measures all rows in rounds.
func run(rows []*row, rounds int, budget time.Duration) error {
	for _, r := range rows {
		for op := range r.do {
			if err := r.calibrate(op, budget); err != nil {
				return err
			}
		}
	}
	order := rand.New(rand.NewPCG(1, 1))
	for range rounds {
		for _, i := range order.Perm(len(rows)) {
			for _, op := range order.Perm(operations) {
				took, err := rows[i].once(op)
				if err != nil {
					return err
				}
				rows[i].ns[op] = append(rows[i].ns[op], took)
			}
		}
	}
	return nil
}

// calibrate finds how many documents a measurement takes: whole turns of all of them.
func (r *row) calibrate(op int, budget time.Duration) error {
	r.count[op] = len(r.docs)
	if _, err := r.once(op); err != nil { // which warms up
		return err
	}
	took, err := r.once(op)
	if err != nil {
		return err
	}
	turn := max(took*float64(len(r.docs)), 1)
	r.count[op] = len(r.docs) * max(1, int(float64(budget.Nanoseconds())/turn))
	return nil
}

// once returns the processor time of one document in nanoseconds.
func (r *row) once(op int) (float64, error) {
	do, n := r.do[op], len(r.docs)
	before, ok := measure.CPUTime()
	if !ok {
		return 0, errors.New("this system does not tell how much processor time a process has used")
	}
	for left := r.count[op]; left > 0; left -= n {
		for i := range n {
			do(i)
		}
	}
	after, _ := measure.CPUTime()
	return float64(after-before) / float64(r.count[op]), nil
}
