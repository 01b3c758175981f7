// Package filter is the verb "rtbwire filter": one line out for each line in.
//
// filter.go and flags.go are the interface, and input.go opens files; package internal/lines does
// the work.
package filter

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/pflag"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/lines"
)

// Command is the verb.
var Command = cli.Command{
	Usage:   "filter [flags] [FILE...]",
	Summary: "Judge bid requests line by line",
	Help: `Reads bid requests, one per line, and writes one line to standard output for each, in the same
order. A line that is not a bid request is refused and still gets its line.
Programs that pipe rows through a command and match answers by position can therefore run it on
any number of machines: Spark's pipe, ClickHouse's executable functions, GNU parallel.

--emit selects the output for each line:

  annotated  the request with the verdict at /ext/rtbwire, and with scrubs applied if it is
             forwarded; a line that is not a request gets its verdict, as below
  verdict    an object with id, action, reason, nbr, score and findings
  accepted   the request as it is forwarded, or an empty line if it is refused

A FILE is plain or compressed with gzip or zstd; several are read one after the other. Without
FILE, or if FILE is -, standard input is read. The content decides whether it is compressed.

Lines are judged on all cores. Pending verdicts are written before waiting for more input, so a
program can send one line and wait for its answer. Memory is bounded.

Exit status: 0 end of input; 2 wrong usage, an error of reading or writing, or an interrupt.
Refused requests do not change it. If the reader of the output exits, SIGPIPE ends the program,
as with any filter.`,
	Examples: `  # the verdict on each line of a log
  rtbwire filter --emit verdict bids.ndjson.gz >verdicts.ndjson

  # only what is forwarded
  rtbwire filter --emit accepted --config rtbwire.yaml bids.ndjson | grep .

  # lines and verdicts side by side
  paste -d '\t' bids.ndjson <(rtbwire filter --emit verdict bids.ndjson)

  # on all machines that GNU parallel knows
  parallel --pipepart -a bids.ndjson --keep-order rtbwire filter --jobs 1 --emit verdict`,
	Setup: func(set *pflag.FlagSet) cli.Run {
		f := newFlags(set)
		return func(ctx context.Context, env *cli.Env, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			return run(ctx, env, f, args)
		}
	},
}

func run(ctx context.Context, env *cli.Env, f *flags, names []string) error {
	in, err := open(env, names)
	if err != nil {
		return err
	}
	emit := f.emitted()
	j, err := f.Open(env, func(c *inspect.Config) { c.Annotate = emit == lines.Annotated })
	if err != nil {
		return err
	}
	if env.StdinTerminal && in.stdin {
		fmt.Fprintln(env.Stderr, "rtbwire filter: reading requests from the terminal, one per line; Ctrl-D ends")
	}
	o := lines.Options{Engine: j.Engine, Facts: j.Facts, Emit: emit, Jobs: f.jobs, MaxLine: int(f.MaxDocument)}
	_, err = lines.Filter(ctx, env.Stdout, in, o)
	switch {
	case errors.Is(err, context.Canceled):
		return errors.New("interrupted: what was read until then is written")
	case err != nil:
		if path := (*os.PathError)(nil); errors.As(err, &path) {
			err = path.Err
		}
		return fmt.Errorf("cannot go on: %w", err)
	}
	return nil
}
