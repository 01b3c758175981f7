// Package version is the verb "rtbwire version".
package version

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/internal/version"
	"github.com/rtbwire/rtbwire/openrtb"
)

// Command is the verb.
var Command = cli.Command{
	Usage:   "version [flags]",
	Summary: "Print the versions of rtbwire, OpenRTB and Go",
	Help: `Prints the versions of rtbwire, of the OpenRTB specification it implements, and of Go.

The version is the tag that the program was built from, such as v1.2.3. Without a tag it is
devel and the commit. It ends in -dirty if files differed from those of the commit.`,
	Examples: `  # for a bug report
  rtbwire version

  # in a script
  rtbwire version --format json | jq -r .commit`,
	Setup: func(flags *pflag.FlagSet) cli.Run {
		format := cli.NewChoice("text", "json")
		flags.VarP(format, "format", "f", "output format")
		return func(_ context.Context, env *cli.Env, args []string) error {
			if len(args) > 0 {
				return cli.Usagef("version takes no arguments")
			}
			return write(env, format.Value)
		}
	},
}

// versionJSON is the version for programs.
type versionJSON struct {
	*version.Info
	OpenRTB string `json:"openrtb"`
}

func write(env *cli.Env, format string) error {
	info := version.Read()
	if format == "json" {
		out := json.NewEncoder(env.Stdout)
		out.SetIndent("", "  ")
		return out.Encode(versionJSON{info, openrtb.SpecVersion})
	}
	_, err := fmt.Fprintf(env.Stdout, "rtbwire %s (OpenRTB %s, %s, %s)\n", info, openrtb.SpecVersion, info.Go, info.Platform)
	return err
}
