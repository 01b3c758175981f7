// Package generate is the verb "rtbwire gen", which points to the generator of codecs.
package generate

import (
	"context"
	"errors"

	"github.com/spf13/pflag"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
)

// Command is the verb.
var Command = cli.Command{
	Usage:   "gen",
	Summary: "Show how to generate JSON decoders with rtbwire-gen",
	Help: `rtbwire-gen generates JSON decoders for your own structs:

  go install github.com/rtbwire/rtbwire/cmd/rtbwire-gen@latest
  rtbwire-gen --help

In the source of a package, for "go generate":

  //go:generate go run github.com/rtbwire/rtbwire/cmd/rtbwire-gen Event`,
	Setup: func(flags *pflag.FlagSet) cli.Run {
		// The flags of the program, so that they are answered with the error below.
		flags.String("dir", "", "")
		flags.StringP("output", "o", "", "")
		flags.VisitAll(func(f *pflag.Flag) { f.Hidden = true })
		return func(context.Context, *cli.Env, []string) error {
			return errors.New("the generator is the program rtbwire-gen, with the same arguments: " +
				"go run github.com/rtbwire/rtbwire/cmd/rtbwire-gen@latest")
		}
	},
}
