// Package filter is the verb "rtbwire filter": one line out for each line in.
//
// filter.go and flags.go are the interface; package internal/lines does the work.
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
	Usage:   "filter [flags]",
	Summary: "Judge bid requests line by line, one line out for each line in",
	Help: `Reads bid requests from standard input, one a line, and writes a line to standard output for
each, in the same order, whatever a line holds: what is no request is refused, and never shifts
the count. So programs that send rows through a command and match answers by position can run it
on as many machines as they have: Spark's pipe, ClickHouse's executable functions, GNU parallel.

--emit says what is written for a line:

  annotated  the request with the verdict at /ext/rtbwire, and with the edits of scrubs if it is
             forwarded; what can't hold it, because it is no request, is written as below
  verdict    an object with id, action, reason, nbr, score and findings
  accepted   the request as it is forwarded, or an empty line if it is refused

The input is text: compressed input has to be inflated first, with zcat or zstd -dc.

Lines are judged on all cores. What was read is written before more is waited for, so that a
program may send a line and wait for the answer. Memory is bounded.

Exit status: 0 the input has ended; 2 wrong usage, something could not be read or written, or an
interrupt. Refused requests do not change it. When nobody reads the output any more, SIGPIPE
ends the program, as it does any filter.`,
	Examples: `  # the verdict on each line of a log
  zcat bids.ndjson.gz | rtbwire filter --emit verdict >verdicts.ndjson

  # only what is forwarded
  rtbwire filter --emit accepted --config rtbwire.yaml <bids.ndjson | grep .

  # lines and verdicts side by side
  paste -d '\t' bids.ndjson <(rtbwire filter --emit verdict <bids.ndjson)

  # on all machines that GNU parallel knows
  parallel --pipepart -a bids.ndjson --keep-order rtbwire filter --jobs 1 --emit verdict`,
	Setup: func(set *pflag.FlagSet) cli.Run {
		f := newFlags(set)
		return func(ctx context.Context, env *cli.Env, args []string) error {
			if err := f.check(args); err != nil {
				return err
			}
			return run(ctx, env, f)
		}
	},
}

func run(ctx context.Context, env *cli.Env, f *flags) error {
	emit := f.emitted()
	j, err := f.Open(env, func(c *inspect.Config) { c.Annotate = emit == lines.Annotated })
	if err != nil {
		return err
	}
	if env.StdinTerminal {
		fmt.Fprintln(env.Stderr, "rtbwire filter: reading requests from the terminal, one a line; Ctrl-D ends")
	}
	o := lines.Options{Engine: j.Engine, Facts: j.Facts, Emit: emit, Jobs: f.jobs, MaxLine: int(f.MaxDocument)}
	_, err = lines.Filter(ctx, env.Stdout, env.Stdin, o)
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
