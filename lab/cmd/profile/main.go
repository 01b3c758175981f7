// Command profile shows where an engine's time or memory goes. See --help.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/rtbwire/rtbwire/lab/data"
	"github.com/rtbwire/rtbwire/lab/easygen"
	"github.com/rtbwire/rtbwire/lab/engine"
	"github.com/rtbwire/rtbwire/lab/measure"
	"github.com/rtbwire/rtbwire/lab/profile"
)

const usage = `Runs one engine on one data set under Go's profiler, writes the profile, and prints the
functions at the top with what they mean and what helps.

Usage, in the folder lab of the repository:

  go run ./cmd/profile                                   where encoding/json's time goes, on the banner request
  go run ./cmd/profile -impl gojson                      another engine's
  go run ./cmd/profile -impl encoding-json -set app -kind alloc_space
                                                         which functions allocate how many bytes
  go run ./cmd/profile -impl sonic-std -op encode -set mixed
  go run ./cmd/profile -list                             the engines and data sets

easyjson and encoding/json/v2 are profiled in separate programs, which are built first.
Shares are of what the operation and the garbage collector took. Exit status: 0 done, 2 wrong
usage, 3 something failed.

Flags:
`

func main() {
	var o profile.Options
	list := flag.Bool("list", false, "list engines and data sets")
	o.Flags(flag.CommandLine)
	flag.Usage = func() { fmt.Fprint(flag.CommandLine.Output(), usage); flag.PrintDefaults() }
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "profile: unexpected argument %q; -impl names the engine, see -help\n", flag.Arg(0))
		os.Exit(2)
	}
	if err := run(o, *list); err != nil {
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) { // it has printed the reason
			os.Exit(3)
		}
		fmt.Fprintln(os.Stderr, "profile:", err)
		os.Exit(3)
	}
}

func run(o profile.Options, list bool) error {
	sets, err := data.Load("")
	if err != nil {
		return err
	}
	b := &measure.Bench{Engines: engine.All(), Sets: sets}
	if list {
		for _, e := range b.Engines {
			fmt.Println(e.Name)
		}
		fmt.Print("easyjson\neasyjson-pool\neasyjson-nocopy\nencoding-json-contaminated\njsoniter-contaminated\n" +
			"encoding-json-v2\nencoding-json-v2-unchecked\n\ndata sets:\n")
		for _, s := range sets {
			fmt.Println(s.Name)
		}
		return nil
	}
	switch {
	case strings.HasPrefix(o.Engine, "easyjson") || strings.HasSuffix(o.Engine, "-contaminated"):
		if err := easygen.Write("."); err != nil {
			return err
		}
		return elsewhere("", append([]string{"run", easygen.Worker, "profile"}, os.Args[1:]...))
	case strings.HasPrefix(o.Engine, "encoding-json-v2") && !engine.JSONv2:
		return elsewhere("jsonv2", append([]string{"run", "./cmd/profile"}, os.Args[1:]...))
	}
	return profile.Run(b, o, os.Stdout)
}

// elsewhere profiles an engine that may not share a binary with the others.
func elsewhere(experiment string, args []string) error {
	command := exec.Command("go", args...)
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	command.Env = os.Environ()
	if experiment != "" {
		command.Env = append(command.Env, "GOEXPERIMENT="+experiment)
	}
	return command.Run()
}
