// Package ctl is the verb "rtbwire ctl": the client of the admin API of a gateway.
//
//	ctl.go     the verb and its sub-verbs
//	change.go  what changes something
//	show.go    what shows something
//	client.go  how the gateway is reached
package ctl

import (
	"context"
	"strings"

	"github.com/spf13/pflag"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
)

// statuses are the exit statuses of all sub-verbs.
const statuses = `

Exit status: 0 done; 1 the gateway did not do it, and says why; 2 wrong usage, no answer, or
the token is missing or wrong.`

// Command is the verb.
var Command = cli.Command{
	Usage:   "ctl",
	Summary: "Operate a running gateway: status, reload, block, drain, observe",
	Help: `Operates a running gateway by its admin port.

  block    refuse requests about a domain, an app or an address, before any rule is asked
  drain    answer a partner's bid requests with its no-bid, or send no requests to an upstream
  observe  refuse no requests of a partner, or none because of one rule; all is counted

Each change ends by itself, after an hour unless --for says otherwise, or earlier by
"rtbwire ctl release". It survives reloads, and restarts if the gateway has a file of state
(gateway.operators.state_file). The gateway logs who has changed what until when.

Changes take a token, a client certificate, or an admin port at a Unix socket. The token is the
first one of --token-file, or of $RTBWIRE_ADMIN_TOKEN. Each gateway has changes of its own: for
several, call ctl for each of them.` + statuses,
	Examples: `  # is it well, and what have operators changed?
  rtbwire ctl status --token-file admin-token
  rtbwire ctl list --token-file admin-token

  # three in the morning: block a domain for an hour, on all gateways
  for host in gw1 gw2 gw3; do
    rtbwire ctl block domain bad.example --admin "https://$host:8081" --ca ca.pem --token-file admin-token --note "INC-4711"
  done

  # end it
  rtbwire ctl release block domain bad.example --token-file admin-token`,
	Commands: []cli.Command{statusCommand, reloadCommand, listCommand, blockCommand, drainCommand, observeCommand, releaseCommand, rejectsCommand},
}

// command returns a sub-verb whose arguments have names. setup defines flags of its own, and
// returns what it does with an answer in text; it may be nil.
func command(c cli.Command, names []string, setup func(*pflag.FlagSet) func(ctx context.Context, env *cli.Env, to *client, args []string) error) cli.Command {
	c.Help += statuses
	c.Setup = func(set *pflag.FlagSet) cli.Run {
		do := setup(set)
		f := newFlags(set)
		return func(ctx context.Context, env *cli.Env, args []string) error {
			if len(args) != len(names) {
				return cli.Usagef("arguments %q given (want %s)", args, listed(names))
			}
			to, err := f.client(env)
			if err != nil {
				return err
			}
			defer to.close()
			return do(ctx, env, to, args)
		}
	}
	return c
}

// listed names arguments.
func listed(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, " ")
}
