// Package demo is the verb "rtbwire demo": it runs a gateway between simulated exchanges and a
// stand-in auction core for a few seconds, and summarises the outcomes.
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
	Summary: "Run a gateway with simulated traffic for a few seconds",
	Help: `Starts "rtbwire serve" in front of "rtbwire simulate core" on free ports of this machine, and
sends it simulated bid requests. A few of them are broken, carry attack payloads or show signs
of fraud. It then prints what was planted, what the gateway refused and why, and the latency of
the answers.

The gateway has a small built-in configuration (see --print-config), unless --config names one.
With --keep the traffic continues until an interrupt; the gateway's admin page shows it.

Exit status: 0 all requests were answered, 1 a request got no answer or an error, 2 wrong usage,
a process did not start, or an interrupt without --keep.`,
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
