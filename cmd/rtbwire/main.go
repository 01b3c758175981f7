// Command rtbwire checks OpenRTB traffic in files, by HTTP and in topics of Kafka, and tests
// policies. "rtbwire --help" lists its verbs.
//
// Exit statuses are an interface: 0 is success, 1 means that errors were found in documents, 2
// wrong usage or something that could not be read or written. Results go to standard output,
// everything else to standard error.
package main

import (
	"os"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/check"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/core"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/ctl"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/demo"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/explain"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/filter"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/generate"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/playground"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/policy"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/replay"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/serve"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/simulate"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/stream"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/version"
)

// commands are the verbs, in the order of the help text.
var commands = []cli.Command{
	check.Command,
	filter.Command,
	explain.Command,
	playground.Command,
	policy.Command,
	serve.Command,
	ctl.Command,
	stream.Command,
	demo.Command,
	replay.Command,
	with(simulate.Command, core.Command),
	generate.Command,
	version.Command,
}

func main() {
	os.Exit(cli.Main(cli.Process(), commands, os.Args[1:]))
}

// with adds sub-verbs to a verb.
func with(c cli.Command, verbs ...cli.Command) cli.Command {
	c.Commands = append(c.Commands, verbs...)
	return c
}
