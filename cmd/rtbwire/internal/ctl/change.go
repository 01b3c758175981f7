package ctl

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/report"
	"github.com/rtbwire/rtbwire/internal/serving/admin"
	"github.com/rtbwire/rtbwire/internal/serving/overrides"
)

// run is what a sub-verb does.
type run = func(ctx context.Context, env *cli.Env, to *client, args []string) error

var reloadCommand = command(cli.Command{
	Usage:   "reload [flags]",
	Summary: "Load the configuration and certificates again, and say whether that has worked",
	Help: `Loads the configuration and the certificates again, as SIGHUP does, and waits for the result. A
configuration with problems is not used: its problems are printed with their places, and the old
one stays in use.`,
	Examples: "  rtbwire ctl reload --token-file admin-token",
}, nil, func(*pflag.FlagSet) run {
	return func(ctx context.Context, env *cli.Env, to *client, _ []string) error {
		var d admin.Reloaded
		if printed, err := to.ask(ctx, env, "reload", struct{}{}, &d); err != nil || printed {
			return err
		}
		text := fmt.Sprintf("loaded: configuration %d\n", d.Generation)
		if len(d.Fixed) > 0 {
			text += "these keys change at the next start only: " + report.Visible(strings.Join(d.Fixed, ", ")) + "\n"
		}
		_, err := fmt.Fprint(env.Stdout, text)
		return err
	}
})

var blockCommand = changing(overrides.Block, cli.Command{
	Usage:   "block [flags] domain|bundle|address NAME",
	Summary: "Refuse requests about a domain, an app or an address, for an hour",
	Help: `Refuses requests about a domain, an app or an address from now on, before any rule is asked, with
the reason policy.blocked-now and no-bid reason 501. NAME is as in a list:

  domain   with its subdomains; site.domain, the host of site.page, app.domain and dooh.domain
  bundle   app.bundle
  address  or a prefix; device.ip, device.ipv6, the peer and what trusted proxies forward

Blocking the same again changes its end.`,
	Examples: `  rtbwire ctl block domain bad.example --note "malware, INC-4711"
  rtbwire ctl block address 192.0.2.0/24 --for 30m
  rtbwire ctl block bundle com.example.fake --for 24h`,
})

var drainCommand = changing(overrides.Drain, cli.Command{
	Usage:   "drain [flags] partner|upstream NAME",
	Summary: "Answer a partner's bid requests with its no-bid, or take an upstream out of use",
	Help: `Drains a partner: its bid requests get its no-bid answer unread, with the reason gateway.drained.
Notices and other routes that pass unread are not stopped.

Or drains an upstream, with all its addresses: it gets no more requests, and those that it has are
awaited. NAME is its name in the configuration, or its first URL if it has none. The only upstream
in use of a partner, or of requests that nothing routes, can't be drained.`,
	Examples: `  rtbwire ctl drain partner exchange-a --for 10m
  rtbwire ctl drain upstream http://10.0.0.5:9000 --note "kernel update"`,
})

var observeCommand = changing(overrides.Observe, cli.Command{
	Usage:   "observe [flags] partner|rule NAME",
	Summary: "Refuse no requests of a partner, or none because of one rule",
	Help: `Observes a partner or a rule: it refuses nothing, and what it would refuse is counted in
would_refuse_total, as with "enforce: 0%". Scrubs apply all the same, and a request that can't be scrubbed is
refused. Of a partner, limits still count, and so does what is blocked. A rule is the id of a
reason: policy.NAME, fraud.score, or one of docs/reference/reasons.md.`,
	Examples: `  rtbwire ctl observe rule policy.floor-too-low
  rtbwire ctl observe partner exchange-b --for 24h --note "first day"`,
})

// changing returns the sub-verb of an action.
func changing(a overrides.Action, c cli.Command) cli.Command {
	return command(c, []string{"KIND", "NAME"}, func(set *pflag.FlagSet) run {
		var span time.Duration
		var note string
		set.DurationVar(&span, "for", overrides.ForDefault, fmt.Sprintf("how long, at most %v", overrides.ForMax))
		set.StringVar(&note, "note", "", "`TEXT` for the log and the list, such as the number of an incident")
		return func(ctx context.Context, env *cli.Env, to *client, args []string) error {
			ask := admin.ChangeDocument{Kind: overrides.Kind(args[0]), Name: args[1], For: span.String(), Note: note}
			return to.change(ctx, env, string(a), &ask, "until")
		}
	})
}

var releaseCommand = command(cli.Command{
	Usage:   "release [flags] block|drain|observe KIND NAME",
	Summary: "End what block, drain or observe has begun",
	Help:    `Ends a change before its time. "rtbwire ctl list" shows what is in effect.`,
	Examples: `  rtbwire ctl release block domain bad.example
  rtbwire ctl release drain partner exchange-a`,
}, []string{"ACTION", "KIND", "NAME"}, func(*pflag.FlagSet) run {
	return func(ctx context.Context, env *cli.Env, to *client, args []string) error {
		ask := admin.ChangeDocument{Action: overrides.Action(args[0]), Kind: overrides.Kind(args[1]), Name: args[2]}
		return to.change(ctx, env, "release", &ask, "released; it would have ended at")
	}
})

// change asks for a change and prints what is in effect.
func (c *client) change(ctx context.Context, env *cli.Env, path string, ask *admin.ChangeDocument, word string) error {
	var d admin.ChangedDocument
	if printed, err := c.ask(ctx, env, path, ask, &d); err != nil || printed {
		return err
	}
	for _, w := range d.Warnings {
		fmt.Fprintf(env.Stderr, "warning: %s\n", report.Visible(w))
	}
	e := &d.Override
	_, err := fmt.Fprintf(env.Stdout, "%s: %s %s\n", report.Visible(e.String()), word, e.Until.Format(time.RFC3339))
	return err
}
