// Package serve is the verb "rtbwire serve": it reads flags, environment and file, and runs a
// gateway. Package gateway does the work.
//
//	serve.go      the verb
//	flags.go      its flags, which win over the file
//	run.go        listeners, signals, reloads, the end
//	transport.go  sockets and certificates
//	kept.go       windows, captures, and what is written into requests
//	admin.go      the port of administration
//	operators.go  what operators change by it
package serve

import (
	"context"

	"github.com/spf13/pflag"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/service"
)

// Command is the verb.
var Command = cli.Command{
	Usage:   "serve [flags]",
	Summary: "Run an HTTP gateway that judges bid requests and forwards accepted ones",
	Help: `Runs an HTTP gateway. It judges bid requests, forwards accepted ones to an upstream byte for
byte, and answers refused ones itself. docs/gateway.md lists the answers.

Flags override the environment, which overrides the file. SIGHUP and changes of the file reload
the configuration; SIGTERM answers the requests that were read, and exits.

Exit status: 0 stopped, with every request that was read answered; 1 --health found that the
gateway accepts no requests; 2 wrong usage, or it can't listen or continue.`,
	Examples: `  # the default checks in front of an auction
  rtbwire serve --listen 127.0.0.1:8080 --upstream http://127.0.0.1:9000

  # everything from a file; check it first
  rtbwire serve --config rtbwire.yaml --check
  rtbwire serve --config rtbwire.yaml`,
	Setup: func(set *pflag.FlagSet) cli.Run {
		f := newFlags(set)
		return func(ctx context.Context, env *cli.Env, args []string) error {
			if len(args) > 0 {
				return cli.Usagef("serve takes no arguments (%q)", args[0])
			}
			if set.Changed("config") && set.Changed("rules") {
				return cli.Usagef("--rules is another name of --config; give one of them")
			}
			if f.health != "" {
				return service.Health(ctx, env, f.health)
			}
			return run(ctx, env, f)
		}
	},
}
