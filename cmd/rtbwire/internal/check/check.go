// Package check is the verb "rtbwire check": it reads bid requests and responses from files
// and reports where they break the rules of OpenRTB.
//
// check.go and flags.go are the interface, run.go connects the parts, configfile.go reads the
// configuration, explain.go answers questions about rules, and progress.go draws the bar.
// Package batch finds documents, and inspect/schema decides what is valid.
package check

import (
	"context"

	"github.com/spf13/pflag"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/config"
)

// Command is the verb.
var Command = cli.Command{
	Usage:   "check [flags] [FILE...]",
	Summary: "Check bid requests and responses against the OpenRTB rules",
	Help: `Checks bid requests and bid responses against the rules of OpenRTB.

A FILE holds one JSON document per line, a single document, an array of documents, or a sequence
of documents, plain or compressed with gzip or zstd. The format is detected from the content.
Without FILE, or if FILE is -, standard input is read. Files may be of any size: they are
checked in parts, on all cores, in bounded memory.

The member names at the top level tell requests from responses. The first name that only one of
the two has decides, such as imp for a request and seatbid for a response. Without such a name,
a document is a no-bid response if both know all of its names, as in {}, and a request
otherwise.

With --pair REQUESTS, responses are also compared with the requests in that file, which may have
any of these formats. A response answers the request with its id. Responses may be in any order,
and several may answer one. The requests are kept in memory (--pair-memory); they are not
checked, unless the file is named as FILE too.

With --format parquet, the --output file gets one row for each document: its place, its verdict,
its findings, and columns to group traffic by (docs/check.md). Requests are judged as by
rtbwire filter. The file appears once it is complete.

A document that is not JSON is a finding (rule json.syntax), and the check continues after it.
Findings have one of three severities: error for violated requirements of the specification,
warn for its recommendations, info for the rest.

Exit status: 0 no errors, 1 errors were found (see --fail-on), 2 wrong usage, an incomplete read
of an input, or no documents.`,
	Examples: `  # check a file of requests, one per line, and print the totals by rule
  rtbwire check --summary bids.ndjson

  # check what a gateway is about to accept, and print errors only
  rtbwire check --preset exchange --show error traffic/*.ndjson.gz

  # check one document from a server
  curl -s https://example.com/bid.json | rtbwire check --type response -

  # in a CI job: results for code scanning and for the test report
  rtbwire check --format sarif -o check.sarif testdata/*.json
  rtbwire check --format junit -o check.xml testdata/*.json

  # write a page to look at and to share
  rtbwire check --format html -o report.html bids.ndjson.zst

  # count the rules that the first hundred documents with findings break
  rtbwire check --format ndjson bids.ndjson | head -100 | jq -r '.issues[].id' | sort | uniq -c | sort -rn

  # count what a configuration's rules would refuse, by reason
  rtbwire check --config rtbwire.yaml --summary --quiet bids.ndjson

  # compare a log of responses with the requests that they answer
  rtbwire check --pair requests.ndjson.gz responses.ndjson.gz

  # write the verdict on each request to a table, for DuckDB, Spark or ClickHouse
  rtbwire check --format parquet -o verdicts.parquet --config rtbwire.yaml bids.ndjson.gz

  # look for signs of attacks in requests too
  rtbwire check --payload bids.ndjson

  # see how fraud scores are distributed, and which signals are seen most
  rtbwire check --fraud --summary --quiet bids.ndjson

  # explain a rule, and list rules
  rtbwire check --explain Banner.w.range
  rtbwire check --list-rules 'Imp.*' '*.required'`,
	Setup: func(flags *pflag.FlagSet) cli.Run {
		f := newFlags(flags)
		return func(ctx context.Context, env *cli.Env, args []string) error {
			if err := f.validate(args); err != nil {
				return err
			}
			var setup *config.Setup
			if f.config != "" {
				var err error
				if setup, err = f.setup(env); err != nil {
					return err
				}
			}
			engine, err := f.engine(setup)
			if err != nil {
				return err
			}
			switch {
			case flags.Changed("explain"):
				return explain(env, engine, f.format.Value, f.explain)
			case f.listRules:
				return listRules(env, engine, f.format.Value, args)
			}
			judge, err := f.judge(setup)
			if err != nil {
				return err
			}
			return (&run{flags: f, env: env, engine: engine, judge: judge}).check(ctx, args)
		}
	},
}
