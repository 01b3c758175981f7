// Package replay is the verb "rtbwire replay": it sends recorded requests to a server and reports
// how it answers.
//
// replay.go and flags.go are the interface, run.go connects the parts; live.go draws the live
// line, text.go, json.go and html.go write the outcome. Package internal/traffic/replay does the
// work.
package replay

import (
	"context"

	"github.com/spf13/pflag"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
)

// Command is the verb.
var Command = cli.Command{
	Usage:   "replay [flags] FILE...",
	Summary: "Send recorded requests at a rate, and measure and check the answers",
	Help: `Sends the bid requests in FILEs to a server at a given rate, over many connections, and measures
how long the answers take.

A FILE has any format that "rtbwire check" reads: one document per line, arrays, gzip, zstd; -
is standard input. Documents are sent unchanged, in order, and repeated from the first.

Each request is due at a scheduled time, at even or random intervals (--poisson). Its latency
counts from that time, whether or not the server was ready: if the server stalls for a second,
the latencies of that second's requests include the wait. "naive" is the latency from the moment
of sending: tools that wait for each answer before the next request report that.

If requests were sent late although a connection was free, the generator was too slow and the
run is invalid (--max-lag): use a lower rate, more --threads, or a quieter machine.

--rate max sends as fast as the connections allow, to measure throughput. --find-limit raises
the rate step by step until the limit is exceeded, and reports the highest rate within it.

Answers can be checked against the rules for bid responses and against their requests (--check),
compared with those of a second server (--against), recorded (--record), and compared with
recorded ones (--expect). JSON is compared by value.

Exit status: 0 success, 1 wrong or different answers, more errors than --max-errors, or a limit
that no rate met, 2 wrong usage, an unreadable input, no connection, an interrupt or an invalid
run.`,
	Examples: `  # 5,000 requests a second for a minute, over 64 connections
  rtbwire replay --url http://127.0.0.1:8080/openrtb2/auction --rate 5000 --duration 1m bids.ndjson.gz

  # the highest rate at which 99% of the answers take less than 5 ms
  rtbwire replay --url http://127.0.0.1:8080 --find-limit 'p99<5ms' bids.ndjson

  # send each request once and check the answers
  rtbwire replay --url http://unix:/run/gateway.sock:/openrtb2/auction --once --check bids.ndjson

  # compare the answers of a new version with the old one's
  rtbwire replay --url http://new:8080 --against http://old:8080 --rate 500 bids.ndjson

  # record answers today, and compare with them tomorrow
  rtbwire replay --url http://core:9000 --once --record answers.ndjson bids.ndjson
  rtbwire replay --url http://core:9000 --once --expect answers.ndjson bids.ndjson

  # results for programs, and a page with plots
  rtbwire replay --url http://127.0.0.1:8080 --json --html replay.html bids.ndjson | jq .target.latency_ms.p99`,
	Setup: func(set *pflag.FlagSet) cli.Run {
		f := newFlags(set)
		return func(ctx context.Context, env *cli.Env, args []string) error {
			if err := f.validate(args); err != nil {
				return err
			}
			return (&run{flags: f, env: env}).replay(ctx, args)
		}
	},
}
