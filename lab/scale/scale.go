// Package scale says what many requests cost in cores, brokers, partitions, network and memory,
// from what one core was measured to do.
//
//	inputs.json   the inputs: measured figures by their names, and assumptions with their reasons
//	scale.go      flags
//	inputs.go     reads the inputs
//	model.go      the arithmetic
//	page.go       docs/capacity.md
//	files.go      measures what files cost: results/files.json
package scale

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"
)

// ErrUsage means that a command was called with wrong flags.
var ErrUsage = errors.New("see scale --help")

const help = `Computes what 1,000,000 requests a second and 10 TB of logs cost, by HTTP, by Kafka, and in files.

  go run . scale             prints the page
  go run . scale page        writes docs/capacity.md and its picture
  go run . scale files       measures what files cost, in three minutes: results/files.json

The inputs are in scale/inputs.json: figures of results/*.json by their names, and assumptions. Change
an assumption, or name another file with --inputs, and the page changes with it. Exit status: 0 done,
2 wrong usage, 3 something failed.

`

// Main runs the command with its arguments.
func Main(args []string, stdout, stderr io.Writer) error {
	set := flag.NewFlagSet("scale", flag.ContinueOnError)
	set.SetOutput(stderr)
	set.Usage = func() { fmt.Fprint(stderr, help); set.PrintDefaults() }
	inputs := set.String("inputs", InputsFile, "the `file` of inputs")
	m := &measurement{log: stderr}
	set.IntVar(&m.rounds, "rounds", roundsMin, "files: `number` of rounds")
	set.IntVar(&m.documents, "documents", 200_000, "files: `number` of documents")
	set.IntVar(&m.core, "core", runtime.NumCPU()-1, "files: the `core` that is used")
	set.StringVar(&m.out, "out", filesResults, "files: the `file` of results")
	set.StringVar(&m.rtbwire, "rtbwire", "", "files: the `program` rtbwire (default: built)")
	if err := set.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return ErrUsage
	}
	rest := set.Args()
	if len(rest) > 1 || m.rounds < 1 || m.documents < 1 {
		return fmt.Errorf("want at most one argument, a round and a document: %w", ErrUsage)
	}
	command := ""
	if len(rest) == 1 {
		command = rest[0]
	}
	switch command {
	case "":
		page, err := Page(*inputs, resultsFolder)
		if err == nil {
			_, err = io.WriteString(stdout, page.Text)
		}
		return err
	case "page":
		page, err := Page(*inputs, resultsFolder)
		if err != nil {
			return err
		}
		return errors.Join(os.WriteFile(pageFile, []byte(page.Text), 0o644), os.WriteFile(pictureFile, []byte(page.Picture), 0o644))
	case "files":
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		return m.run(ctx)
	}
	return fmt.Errorf("unknown argument %q: %w", command, ErrUsage)
}
