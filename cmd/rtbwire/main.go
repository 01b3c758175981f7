// Command rtbwire checks OpenRTB traffic. "rtbwire --help" lists what it can do.
//
// Exit statuses are an interface: 0 means that what was asked for is done and fine, 1 that
// documents were read and refused, 2 wrong usage or something that could not be read or
// written. Results go to standard output, everything else to standard error.
package main

import (
	"os"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/check"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/generate"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/version"
)

// commands are the verbs, in the order of the help text.
var commands = []cli.Command{
	check.Command,
	generate.Command,
	version.Command,
}

func main() {
	os.Exit(cli.Main(cli.Process(), commands, os.Args[1:]))
}
