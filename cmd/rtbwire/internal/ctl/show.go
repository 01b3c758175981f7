package ctl

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/pflag"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/report"
	"github.com/rtbwire/rtbwire/internal/serving/admin"
	"github.com/rtbwire/rtbwire/internal/serving/rejects"
)

var statusCommand = command(cli.Command{
	Usage:   "status [flags]",
	Summary: "Show whether a gateway is well: readiness, configuration, upstreams, changes",
	Help: `Shows whether the gateway takes requests, which configuration is in use and whether a later one
could not be loaded, the state of its upstreams, and how many changes of operators are in effect.
A gateway that takes no requests exits 1.`,
	Examples: "  rtbwire ctl status --token-file admin-token",
}, nil, func(*pflag.FlagSet) run {
	return func(ctx context.Context, env *cli.Env, to *client, _ []string) error {
		var d admin.StatusDocument
		printed, err := to.ask(ctx, env, "status", nil, &d)
		if err == nil && !printed {
			_, err = env.Stdout.Write(statusText(&d))
		}
		if err != nil {
			return err
		}
		if !d.Ready {
			return cli.ErrRefused
		}
		return nil
	}
})

// statusText is a status for people.
func statusText(d *admin.StatusDocument) []byte {
	var b bytes.Buffer
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-14s %s\n", name, report.Visible(fmt.Sprintf(format, args...)))
	}
	state := "ready"
	if !d.Ready {
		state = "stopping: takes no requests"
	}
	line("state", "%s", state)
	if d.Shadow {
		line("shadow", "nothing is refused")
	}
	line("version", "%s, started %s", d.Version, d.Started.Format(time.RFC3339))
	c := &d.Configuration
	line("configuration", "%d, loaded %s", c.Generation, c.Loaded.UTC().Format(time.RFC3339))
	if c.Problem != "" {
		line("", "a later one could not be loaded at %s:", c.Failed.UTC().Format(time.RFC3339))
		for text := range strings.SplitSeq(c.Problem, "\n") {
			line("", "  %s", text)
		}
	}
	for _, u := range d.Upstreams {
		state := "healthy"
		switch {
		case u.Drained:
			state = "drained"
		case !u.Healthy:
			state = "unhealthy"
		}
		line("upstream", "%s %s, %d in flight", u.Name, state, u.InFlight)
	}
	line("partners", "%d", len(d.Partners))
	line("changes", "%d in effect", d.Overrides)
	switch {
	case d.State.Problem != "":
		line("", "the file of state was not written: %s", d.State.Problem)
	case d.State.File == "":
		line("", "no file of state: a restart forgets them")
	}
	return b.Bytes()
}

var listCommand = command(cli.Command{
	Usage:    "list [flags]",
	Summary:  "List what operators have changed, until when and by whom",
	Help:     `Lists everything that is blocked, drained and observed now.`,
	Examples: "  rtbwire ctl list --token-file admin-token",
}, nil, func(*pflag.FlagSet) run {
	return func(ctx context.Context, env *cli.Env, to *client, _ []string) error {
		var d admin.OverridesDocument
		if printed, err := to.ask(ctx, env, "overrides", nil, &d); err != nil || printed {
			return err
		}
		if d.State.Problem != "" {
			fmt.Fprintf(env.Stderr, "warning: the file of state was not written: %s\n", report.Visible(d.State.Problem))
		}
		if len(d.Overrides) == 0 {
			_, err := fmt.Fprintln(env.Stdout, "nothing is changed")
			return err
		}
		rows := [][]string{{"ACTION", "KIND", "NAME", "UNTIL", "BY", "NOTE"}}
		for _, e := range d.Overrides {
			rows = append(rows, []string{string(e.Action), string(e.Kind), e.Name, e.Until.Format(time.RFC3339), e.By, e.Note})
		}
		return writeTable(env, rows)
	}
})

var rejectsCommand = command(cli.Command{
	Usage:   "rejects [flags]",
	Summary: "Show the last refused requests, redacted",
	Help: fmt.Sprintf(`Shows the last refused requests, the latest first, at most %d. Values are redacted, unless the
gateway shows them (gateway.operators.full_rejects). --format json has excerpts with the place.`, rejects.RejectsMax),
	Examples: `  rtbwire ctl rejects --partner exchange-a --limit 10
  rtbwire ctl rejects --format json --reason policy.floor-too-low`,
}, nil, func(set *pflag.FlagSet) run {
	var partner, reason string
	var limit int
	set.StringVar(&partner, "partner", "", "those of the partner `NAME`")
	set.StringVar(&reason, "reason", "", "those refused for `REASON`")
	set.IntVar(&limit, "limit", rejects.RejectsMax, "at most `N`")
	return func(ctx context.Context, env *cli.Env, to *client, _ []string) error {
		query := url.Values{"limit": {strconv.Itoa(limit)}}
		for name, value := range map[string]string{"partner": partner, "reason": reason} {
			if value != "" {
				query.Set(name, value)
			}
		}
		var d admin.RejectsDocument
		if printed, err := to.ask(ctx, env, "rejects?"+query.Encode(), nil, &d); err != nil || printed {
			return err
		}
		if len(d.Rejects) == 0 {
			_, err := fmt.Fprintln(env.Stdout, "none")
			return err
		}
		rows := [][]string{{"TIME", "REASON", "PARTNER", "PATH", "REQUEST"}}
		for i := range d.Rejects {
			r := &d.Rejects[i]
			path := ""
			for _, f := range r.Findings {
				if f.ID == r.Reason {
					path = f.Path
					break
				}
			}
			rows = append(rows, []string{r.Time.UTC().Format(time.RFC3339), r.Reason, r.Partner, path, r.RequestID})
		}
		return writeTable(env, rows)
	}
})

// writeTable prints rows in columns. What can't be printed is escaped.
func writeTable(env *cli.Env, rows [][]string) error {
	var b bytes.Buffer
	const gap = 2
	w := tabwriter.NewWriter(&b, 0, 0, gap, ' ', 0)
	for _, row := range rows {
		for i, cell := range row {
			if i > 0 {
				fmt.Fprint(w, "\t")
			}
			fmt.Fprint(w, report.Visible(cell))
		}
		fmt.Fprintln(w)
	}
	_ = w.Flush() // to memory
	for line := range bytes.Lines(b.Bytes()) {
		if _, err := fmt.Fprintln(env.Stdout, strings.TrimRight(string(line), " \n")); err != nil {
			return err
		}
	}
	return nil
}
