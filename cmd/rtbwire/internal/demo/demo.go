// Package demo is the verb "rtbwire demo": a gateway between simulated exchanges and a stand-in
// auction core, for some seconds, and what became of the requests.
//
//	demo.go      the verb
//	flags.go     its flags
//	run.go       the processes in their order: core, gateway, traffic, the end
//	process.go   one of them
//	traffic.go   the requests, and sending them
//	metrics.go   what the gateway has counted
//	summary.go   what is printed
//	policy.yaml  the configuration of the gateway
package demo

import (
	"context"

	"github.com/spf13/pflag"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
)

// Command is the verb.
var Command = cli.Command{
	Usage:   "demo [flags]",
	Summary: "Run a gateway with simulated traffic for some seconds",
	Help: `Starts "rtbwire serve" in front of "rtbwire simulate core", all at free ports of this machine, and
sends it bid requests as exchanges do. A few of them are broken, carry attacks or are fraud. Then
it prints what was planted, what the gateway has refused and why, and how long answers took.

The gateway has a small configuration of its own (--print-config shows it), or that of --config. With --keep the
traffic goes on until an interrupt, to look at the gateway's page.

Exit status: 0 everything was answered, 1 a request had no answer, or an error as its answer,
2 wrong usage, a process that does not start, or an interrupt without --keep.`,
	Examples: `  # a gateway, an auction core and traffic on this machine, for five seconds
  rtbwire demo

  # with a configuration of your own, more attacks, and until an interrupt
  rtbwire demo --config rtbwire.yaml --payloads 5% --keep

  # for programs
  rtbwire demo --json | jq .refused`,
	Setup: func(set *pflag.FlagSet) cli.Run {
		f := newFlags(set)
		return func(ctx context.Context, env *cli.Env, args []string) error {
			if err := f.validate(args); err != nil {
				return err
			}
			if f.printConfig {
				_, err := env.Stdout.Write(policy)
				return err
			}
			return (&run{flags: f, env: env}).demo(ctx)
		}
	},
}
