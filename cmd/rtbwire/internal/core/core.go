// Package core is the verb "rtbwire simulate core": a stand-in auction core that answers bid
// requests. Package internal/traffic/core does the work.
package core

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/spf13/pflag"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/internal/traffic/core"
	"github.com/rtbwire/rtbwire/wire"
)

// Command is the verb.
var Command = cli.Command{
	Usage:   "core [flags]",
	Summary: "Run a stand-in auction core that answers bid requests",
	Help: `Runs a server that answers OpenRTB bid requests in place of the auction core or the bidders
behind a gateway, for tests and measurements.

Bids follow from the request: its impressions, an allowed currency, a price at or above the
floor, one of the sizes, an advertiser and a category that are not blocked, and a deal where the
auction is private. They pass "rtbwire replay --check".

The request's id and --seed alone decide whether it gets a bid, an error or garbage, and when.
Runs are therefore repeatable.

A POST to any path is a bid request. GET /stats returns counts as JSON, and GET /healthz returns
200. At an interrupt the core answers pending requests, prints the counts and exits.

Latencies (--latency) are:

  2ms                    constant
  p50=2ms,p99=20ms       log-normal with these quantiles; more are allowed
  uniform=1ms..5ms       uniform between the two
  exponential=2ms        exponential with this mean

Timers of the system add up to one millisecond.

Exit status: 0 stopped by an interrupt, 2 wrong usage or it can't listen.`,
	Examples: `  # bid on 60% of the requests, with the latency of a busy core
  rtbwire simulate core --listen 127.0.0.1:9000 --bid 60% --latency p50=2ms,p99=20ms

  # a core with faults, at a unix socket
  rtbwire simulate core --listen unix:/tmp/core.sock --bid 50% --error 1% --garbage 1%

  # what it has answered so far
  curl -s http://127.0.0.1:9000/stats`,
	Setup: func(set *pflag.FlagSet) cli.Run {
		f := newFlags(set)
		return func(ctx context.Context, env *cli.Env, args []string) error {
			if len(args) > 0 {
				return cli.Usagef("core takes no arguments; requests arrive over HTTP")
			}
			config, err := f.config()
			if err != nil {
				return err
			}
			return serve(ctx, env, f, config)
		}
	},
}

// flags are the verb's flags.
type flags struct {
	listen                      string
	bid, errors, garbage, noBid cli.Share
	latency                     string
	seed                        uint64
	maxBody                     cli.Size
	ids                         int
	json                        bool
}

func newFlags(set *pflag.FlagSet) *flags {
	f := &flags{bid: 0.6, maxBody: core.BodyDefault}
	set.StringVar(&f.listen, "listen", "127.0.0.1:9000", "`ADDRESS` to listen at: host:port or unix:/path")
	set.Var(&f.bid, "bid", "share of requests answered with bids")
	set.Var(&f.errors, "error", "share of requests answered with status 500")
	set.Var(&f.garbage, "garbage", "share of requests answered with garbage")
	set.Var(&f.noBid, "nbr", "share of no-bids with a reason: status 200 and nbr, instead of 204")
	set.StringVar(&f.latency, "latency", "0s", "`DISTRIBUTION` of latencies, such as 2ms or p50=2ms,p99=20ms")
	set.Uint64Var(&f.seed, "seed", 0, "`SEED` of answers and latencies")
	set.Var(&f.maxBody, "max-body", "maximum request body, before and after decompression")
	set.IntVar(&f.ids, "ids", 0, "include the ids of the last `N` requests in the counts")
	set.BoolVar(&f.json, "json", false, "print the final counts as JSON")
	return f
}

// config checks the flags and returns the configuration that they make.
func (f *flags) config() (core.Config, error) {
	latency, err := core.ParseLatency(f.latency)
	if err != nil {
		return core.Config{}, cli.Usagef("--latency: %w", err)
	}
	if f.ids < 0 || f.ids > core.IDsMax {
		return core.Config{}, cli.Usagef("--ids %d is not between 0 and %d", f.ids, core.IDsMax)
	}
	if f.maxBody == 0 || f.maxBody > wire.SizeDefault {
		return core.Config{}, cli.Usagef("--max-body %d is not between 1 and %d bytes", f.maxBody, wire.SizeDefault)
	}
	if sum := f.bid + f.errors + f.garbage; sum > 1+1e-9 {
		return core.Config{}, cli.Usagef("--bid %v, --error %v and --garbage %v are more than 100%% together", &f.bid, &f.errors, &f.garbage)
	}
	c := core.Config{
		BidShare: float64(f.bid), ErrorShare: float64(f.errors), GarbageShare: float64(f.garbage), ReasonShare: float64(f.noBid),
		Latency: latency, Seed: f.seed, MaxBody: int(f.maxBody), KeepIDs: f.ids,
	}
	return c, nil
}

// stopMax is how long the core waits for its last answers.
const stopMax = 5 * time.Second

// serve answers requests until ctx ends.
func serve(ctx context.Context, env *cli.Env, f *flags, config core.Config) error {
	server, err := core.New(config)
	if err != nil {
		return err
	}
	l, err := core.Listen(f.listen)
	if err != nil {
		return fmt.Errorf("cannot listen: %w", err)
	}
	fmt.Fprintf(env.Stderr, "rtbwire simulate core: listening at %s\n", url(l.Addr()))
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	select {
	case err := <-served:
		return fmt.Errorf("cannot listen any more: %w", err)
	case <-ctx.Done():
	}
	stopping, cancel := context.WithTimeout(context.Background(), stopMax)
	defer cancel()
	if err := server.Shutdown(stopping); err != nil {
		fmt.Fprintf(env.Stderr, "rtbwire simulate core: some requests were not answered within %v\n", stopMax)
	}
	if err := printStats(env.Stdout, server.Stats(), f.json); err != nil {
		return fmt.Errorf("cannot write the counts: %w", err)
	}
	return nil
}

// url returns an address in the form that replay takes.
func url(a net.Addr) string {
	if a.Network() == "unix" {
		return "http://unix:" + a.String()
	}
	return "http://" + a.String()
}

func printStats(w io.Writer, s core.Stats, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(w).Encode(s)
	}
	_, err := fmt.Fprintf(w, "requests: %d (%d bytes); bids: %d, no bids: %d, errors: %d, garbage: %d, malformed requests: %d\n",
		s.Requests, s.BytesIn, s.Bids, s.NoBids, s.Errors, s.Garbage, s.Malformed)
	for _, id := range s.LastIDs {
		if err == nil {
			_, err = fmt.Fprintf(w, "  id %q\n", id)
		}
	}
	return err
}
