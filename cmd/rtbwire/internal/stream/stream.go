// Package stream is the verb "rtbwire stream": it reads flags, environment and file, and runs a
// stream. Package stream of the library does the work.
//
//	stream.go  the verb
//	flags.go  its flags, which win over the file
//	usage.go  flags that are about nothing
//	kafka.go  the source and the sinks: topics of Kafka
//	run.go    options, the port of administration, signals, reloads, the end
package stream

import (
	"context"

	"github.com/spf13/pflag"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/service"
)

// Command is the verb.
var Command = cli.Command{
	Usage:   "stream [flags]",
	Summary: "Judge the bid requests of Kafka topics",
	Help: `Reads bid requests from topics of Kafka, decides about each as rtbwire serve does, and writes what
is accepted to a topic, or posts it to an upstream. All other records go to a topic of dead
letters, with the reason in their headers. docs/stream.md says what becomes of each record.

An offset is committed once its record and all earlier ones of the partition are delivered or
dead letters. So a crash, a rebalance or a stop loses nothing; a crash can deliver some records
twice. With --exactly-once, readers of committed records see each once. If the upstream is down,
the stream waits for it. To scale out, run more processes with the same --group.

Flags win over the environment, the environment over the file. SIGHUP and changes of the file load
the configuration again; SIGTERM delivers what was read, commits, leaves the group, and ends.

Exit status: 0 stopped, and everything that was read is committed; 1 --health found that the stream
does not read; 2 wrong usage, brokers that can't be used, or records that were still on their way
after --drain-timeout (they are not committed, and are read again).`,
	Examples: `  # from one topic to another, refused requests to a third, on a broker of this machine
  rtbwire stream --brokers 127.0.0.1:9092 --topic bids --group edge --accepted bids-ok --dead-letters bids-refused

  # to an auction by HTTP, its answers to a topic
  rtbwire stream --brokers 127.0.0.1:9092 --topic bids --group edge --upstream http://127.0.0.1:9000 \
    --responses bids-answers --dead-letters bids-refused

  # with TLS and a password, by rules of your own, in transactions
  rtbwire stream --brokers kafka.example:9093 --tls --tls-ca ca.pem \
    --sasl scram-sha-512 --user edge --password-file secrets/kafka \
    --topic bids --group edge --accepted bids-ok --dead-letters bids-refused --config rtbwire.yaml --exactly-once

  # everything from a file; check it first
  rtbwire stream --config rtbwire.yaml --check
  rtbwire stream --config rtbwire.yaml`,
	Setup: func(set *pflag.FlagSet) cli.Run {
		f := newFlags(set)
		return func(ctx context.Context, env *cli.Env, args []string) error {
			if len(args) > 0 {
				return cli.Usagef("stream takes no arguments (%q)", args[0])
			}
			if set.Changed("config") && set.Changed("rules") {
				return cli.Usagef("--rules is another name of --config; give one of them")
			}
			if f.health != "" {
				return service.Health(ctx, env, f.health)
			}
			return run(ctx, env, f)
		}
	},
}
