// Package explain is the verb "rtbwire explain": it prints the verdict on one bid request and the
// reasons for it.
//
// explain.go and flags.go are the interface, run.go connects the parts, and text.go writes the
// verdict. Package scoring writes the fraud score, and package explanation the verdict for
// programs. Package inspect decides.
package explain

import (
	"context"

	"github.com/spf13/pflag"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
)

// Command is the verb.
var Command = cli.Command{
	Usage:   "explain [flags] [FILE]",
	Summary: "Explain the verdict on one bid request",
	Help: `Prints the verdict on one bid request: whether it is forwarded or refused, the reason and the
no-bid reason (nbr) that decided, and every finding with its place in the text.

FILE holds one JSON document, uncompressed. Without FILE, or if FILE is -, standard input is
read. For files of many documents use "rtbwire check".

A finding has one of three severities: refuse, warn, observe. The first finding that refuses is
the reason. A request that can't be decoded has that single finding, and nothing else is
checked.

The fraud score, from 0 to 100, is printed as a table of its signals: their points, places and
explanations. The signals of a family, such as addresses, count together up to the family's cap.
A score that reaches the threshold is the finding fraud.score, which observes unless a
configuration says refuse. docs/fraud.md explains every signal and how to tune weights and
threshold.

With --config, the verdict follows a configuration, with its rules, scrubs and layers. --preset,
--severity and --max-findings override the file's settings. "rtbwire policy explain" shows how
every rule decides.

With --response, the verdict is about a response to the request: which of its bids break a rule
for responses or do not fit the request. A gateway that enforces the rules removes those bids,
and refuses the response if no bid is left.

Go programs get the same verdict from package inspect. Excerpts show a few characters around
each place; --no-excerpt omits them, for output that leaves the machine.

Exit status: 0 the request is forwarded, 1 it is refused, 2 wrong usage or unreadable input.`,
	Examples: `  # explain why a request is refused
  rtbwire explain request.json

  # explain what a server sends
  curl -s https://example.com/bid.json | rtbwire explain

  # see what another configuration says; later settings win
  rtbwire explain --preset strict --severity '*.recommended=off' --severity Imp.id.required=warn request.json

  # judge as a configuration does for one of its partners
  rtbwire explain --config rtbwire.yaml --partner exchange-a request.json

  # list the signals of the fraud score by their points
  rtbwire explain --format json request.json | jq -r '.fraud.signals[] | "\(.points) \(.id)"'

  # explain which bids of a response a gateway would remove
  rtbwire explain --response response.json request.json

  # get the reason in a script
  rtbwire explain --format json request.json | jq -r .reason`,
	Setup: func(flags *pflag.FlagSet) cli.Run {
		f := newFlags(flags)
		return func(_ context.Context, env *cli.Env, args []string) error {
			if err := f.check(args); err != nil {
				return err
			}
			return run(env, f, args)
		}
	},
}
