// Package version is the verb "rtbwire version".
package version

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/spf13/pflag"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/openrtb"
)

// Command is the verb.
var Command = cli.Command{
	Usage:   "version",
	Summary: "Print the versions of rtbwire, OpenRTB and Go",
	Help:    "Prints the versions of rtbwire, of the OpenRTB specification it implements, and of Go.",
	Setup: func(*pflag.FlagSet) cli.Run {
		return func(_ context.Context, env *cli.Env, args []string) error {
			if len(args) > 0 {
				return errors.New("version takes no arguments")
			}
			_, err := fmt.Fprintf(env.Stdout, "rtbwire %s (OpenRTB %s, %s, %s/%s)\n",
				cli.Version(), openrtb.SpecVersion, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		}
	},
}
