// Package check measures what the rules of a preset cost beside decoding: the value layer, which
// takes a decoded request, and a whole check of the text, as ratios to rtbwire's decoder and to
// that of goccy/go-json.
//
// It also measures what each inspector of a verdict costs, and all of them together.
//
//	check.go       flags, data sets
//	presets.go     what is measured of each preset
//	inspectors.go  what is measured of the inspectors
//	rounds.go      measurements in turns
//	table.go       the tables, and their places in lab/docs/performance.md
package check

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/rtbwire/rtbwire/lab/data"
	"github.com/rtbwire/rtbwire/lab/measure"
)

const usage = `Measures what the rules of each preset cost beside decoding, and prints a table: the value layer
and the whole check of a request, as ratios to rtbwire's decoder and to goccy/go-json's. A second
table has what the inspectors of a verdict cost, each of them and all together.

Usage, in the folder lab of the repository:

  go run . check                            in four minutes
  go run . check --rounds 3 --time 2ms      a first look
  go run . check --write                    puts the tables into lab/docs/performance.md

Everything takes turns on one core, in an order that changes each round. Ratios are taken round by
round, of processor time; the table has their medians. Of the corpus, the requests that a preset has
nothing to say about are measured apart from the others.

Flags:
`

// ErrUsage says that the command was called wrongly. What is wrong was printed.
var ErrUsage = errors.New("wrong usage")

// file is where --write puts the tables, from the folder lab.
const file = "docs/performance.md"

// Main is the command.
func Main(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("check", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { fmt.Fprint(stderr, usage); flags.PrintDefaults() }
	rounds := flags.Int("rounds", 21, "`number` of rounds")
	budget := flags.Duration("time", 20*time.Millisecond, "length of one measurement")
	write := flags.Bool("write", false, "put the tables into lab/docs/performance.md, instead of printing them")
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
	presets, err := presetRows(sets)
	if err != nil {
		return err
	}
	inspectors, err := inspectorRows(sets)
	if err != nil {
		return err
	}
	var contests []*contest
	for _, r := range presets {
		contests = append(contests, &r.contest)
	}
	for _, r := range inspectors {
		contests = append(contests, &r.contest)
	}
	if core, ok := measure.IdlestCore(time.Second); ok {
		undo, err := measure.OnCore(core)
		if err != nil {
			return err
		}
		defer undo()
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if err := run(contests, *rounds, *budget); err != nil {
		return err
	}
	tables := map[string]string{partPresets: presetTable(presets), partInspectors: inspectorTable(inspectors)}
	if !*write {
		_, err := io.WriteString(stdout, tables[partPresets]+"\n"+tables[partInspectors])
		return err
	}
	page, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	for part, text := range tables {
		if page, err = insert(page, part, text); err != nil {
			return err
		}
	}
	return os.WriteFile(file, page, 0o644)
}
