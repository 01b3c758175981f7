// Package solo is the main function of workers for engines that may not share a program with
// others.
package solo

import (
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/rtbwire/rtbwire/lab/data"
	"github.com/rtbwire/rtbwire/lab/engine"
	"github.com/rtbwire/rtbwire/lab/measure"
	"github.com/rtbwire/rtbwire/lab/profile"
)

// Main serves the lab, or takes a profile where cmd/profile asks for one.
func Main(engines []engine.Engine) {
	testdata := flag.String("testdata", "", "the folder testdata")
	only := flag.String("sets", "", "only these data sets, separated by `commas`")
	core := flag.Int("core", -1, "the core for measurements of one goroutine")
	flag.Parse()
	if err := run(engines, *testdata, *only, *core, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "lab:", err)
		os.Exit(3)
	}
}

func run(engines []engine.Engine, root, only string, core int, args []string) error {
	var names []string
	if only != "" {
		names = strings.Split(only, ",")
	}
	sets, err := data.Load(root, names...)
	if err != nil {
		return err
	}
	b := &measure.Bench{Engines: engines, Sets: sets}
	if core >= 0 {
		b.Core = &core
	}
	if len(args) > 0 && args[0] == "profile" {
		var o profile.Options
		flags := flag.NewFlagSet("profile", flag.ContinueOnError)
		o.Flags(flags)
		if err := flags.Parse(args[1:]); err != nil {
			return err
		}
		return profile.Run(b, o, os.Stdout)
	}
	return measure.Serve(b, os.Stdin, os.Stdout)
}
