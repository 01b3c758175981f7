// Package simulate is the verb "rtbwire simulate": it makes bid requests.
//
// simulate.go and flags.go are the interface, run.go writes files, send.go posts to a server,
// judge.go compares labels with verdicts, and progress.go draws the line that moves. Packages
// internal/traffic/simulate and internal/traffic/simulate/judge do the work.
package simulate

import (
	"context"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/internal/traffic/simulate"
)

// Command is the verb. Sub-verbs are added to its Commands.
var Command = cli.Command{
	Usage:   "simulate [flags]",
	Summary: "Generate bid requests like those of exchanges, with known faults",
	Help: `Generates OpenRTB 2.6 bid requests like those of eight exchanges: users in 19 countries on
phones, computers, televisions and screens outside the home, for banners, video, audio and
native advertisements, with coherent user agents, addresses, stores, languages and consent. The
same flags make the same bytes on every machine, and --first N begins at any request.

Without faults, the preset "admission" accepts every request. --defects, --payloads and --fraud
are shares of requests with one planted fault each; --list-kinds lists the faults. --labels
writes the true label of each request, to evaluate a program that judges them: --judge evaluates
rtbwire itself.

Requests go to standard output, to a file (compressed if its name ends in .gz or .zst), or to a
server. Each connection waits for its answer before sending again. To measure a server, write a
file and use "rtbwire replay", which keeps a rate.

Exit status: 0 success, 1 --judge found refused requests without faults, 2 wrong usage, an error
of writing or connecting, or an interrupt.`,
	Examples: `  # make a thousand requests
  rtbwire simulate --count 1000 >bids.ndjson

  # a file with faults, and what is wrong with each request
  rtbwire simulate --count 100000 --defects 3% --payloads 0.5% --fraud 2% -o bids.ndjson.gz --labels labels.ndjson

  # how much of what is planted does a configuration catch, and what does it refuse wrongly?
  rtbwire simulate --judge --count 100000 --defects 3% --payloads 0.5% --fraud 2% --config rtbwire.yaml

  # the rules that television breaks
  rtbwire simulate --shape ctv --count 10000 | rtbwire check --summary --quiet -

  # request number 4711 of a seed
  rtbwire simulate --seed 7 --first 4711 --count 1

  # post to a bidder, 500 a second at most, until interrupted
  rtbwire simulate --url http://127.0.0.1:8080/openrtb2/auction --connections 16 --rate 500 --count 0`,
	Setup: func(set *pflag.FlagSet) cli.Run {
		f := newFlags(set)
		return func(ctx context.Context, env *cli.Env, args []string) error {
			if err := f.validate(args); err != nil {
				return err
			}
			if f.listKinds {
				return listKinds(env)
			}
			g, err := f.generator()
			if err != nil {
				return err
			}
			r := &run{flags: f, env: env, generator: g}
			switch {
			case f.judge:
				return r.judge(ctx)
			case f.url != "":
				return r.send(ctx)
			}
			return r.write(ctx)
		}
	},
}

// listKinds prints the faults that can be planted, and the encodings of payloads.
func listKinds(env *cli.Env) error {
	for _, k := range simulate.Kinds() {
		if _, err := fmt.Fprintf(env.Stdout, "%-8s %-28s %s\n", k.Class, k.ID, k.About); err != nil {
			return err
		}
	}
	for _, k := range simulate.Encodings() {
		if _, err := fmt.Fprintf(env.Stdout, "%-8s %-28s %s\n", "encoding", k.ID, k.About); err != nil {
			return err
		}
	}
	return nil
}
