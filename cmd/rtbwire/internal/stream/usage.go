package stream

import (
	"regexp"
	"slices"
	"time"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/stream"
	"github.com/rtbwire/rtbwire/stream/kafka"
	"github.com/rtbwire/rtbwire/stream/upstream"
)

// topicName is what Kafka takes for the name of a topic.
var topicName = regexp.MustCompile(`^[A-Za-z0-9._-]{1,249}$`)

// usage refuses what no stream can be made of, before anything connects.
func (f *flags) usage(s *config.Stream) error {
	if err := f.usageOfFlags(s); err != nil {
		return err
	}
	switch {
	case len(s.Brokers) == 0:
		return cli.Usagef("no broker; want --brokers HOST:PORT, such as --brokers 127.0.0.1:9092")
	case len(s.Topics) == 0:
		return cli.Usagef("no topic to read; want --topic TOPIC")
	case s.Group == "":
		return cli.Usagef("no consumer group; want --group GROUP, the same for all processes that share the work")
	case s.Accepted != "" && s.Upstream != "":
		return cli.Usagef("--accepted and --upstream: accepted records go to one of them; give one")
	case s.Accepted == "" && s.Upstream == "":
		return cli.Usagef("nowhere to put accepted records; want --accepted TOPIC or --upstream URL")
	case s.DLQ == "":
		return cli.Usagef("nowhere to put refused records; want --dlq TOPIC")
	case s.Responses != "" && s.Upstream == "":
		return cli.Usagef("--responses is the topic of what an upstream answers, and there is none; want --upstream URL")
	case s.ExactlyOnce && s.Upstream != "":
		return cli.Usagef("--exactly-once needs --accepted: an HTTP upstream takes part in no transaction, and gets records at least once")
	case s.ExactlyOnce && s.Timeouts.Commit > kafka.TransactionMax:
		return cli.Usagef("--commit-interval %v: with --exactly-once it is at most %v, since readers of committed records wait for it", s.Timeouts.Commit, kafka.TransactionMax)
	}
	return f.usageOfTopics(s)
}

// usageOfFlags is about flags that mean nothing, or nothing that works.
func (f *flags) usageOfFlags(s *config.Stream) error {
	if s.Upstream == "" {
		for _, name := range upstreamFlags {
			if f.set.Changed(name) {
				return cli.Usagef("--%s is about an upstream, and there is none; want --upstream URL", name)
			}
		}
	}
	for _, name := range []string{"tls-ca", "tls-cert", "tls-key"} {
		if f.set.Changed(name) && s.TLS == nil {
			return cli.Usagef("--%s needs --tls", name)
		}
	}
	for _, name := range []string{"user", "password-file"} {
		if f.set.Changed(name) && (s.SASL == nil || s.SASL.Mechanism == "") {
			return cli.Usagef("--%s needs --sasl, such as --sasl scram-sha-512", name)
		}
	}
	if s.SASL != nil && (s.SASL.User == "" || s.SASL.PasswordFile == "") {
		return cli.Usagef("--sasl %s needs --user and --password-file", s.SASL.Mechanism)
	}
	for name, d := range map[string]time.Duration{
		"commit-interval": s.Timeouts.Commit, "session-timeout": s.Timeouts.Session, "upstream-timeout": s.Timeouts.Upstream, "drain-timeout": s.Timeouts.Drain,
	} {
		if d <= 0 {
			return cli.Usagef("--%s %v (want more than 0)", name, d)
		}
	}
	if s.Timeouts.Session < kafka.SessionTimeoutMin {
		return cli.Usagef("--session-timeout %v (want at least %v; brokers ask for more, six seconds if they are not told otherwise)", s.Timeouts.Session, kafka.SessionTimeoutMin)
	}
	for _, n := range []struct {
		name           string
		value          int
		smallest, most int
	}{
		{"attempts", s.Attempts, 1, upstream.AttemptsMax},
		{"concurrency", s.Concurrency, 1, upstream.ConnectionsMax},
	} {
		if n.value < n.smallest || n.value > n.most {
			return cli.Usagef("--%s %d is not between %d and %d", n.name, n.value, n.smallest, n.most)
		}
	}
	for _, n := range []struct {
		name                  string
		value, smallest, most cli.Size
	}{
		{"max-record", cli.Size(s.Maximums.Record), 1, stream.MaxRecordMax},
		{"max-in-flight", cli.Size(s.Maximums.InFlight), stream.MaxInFlightMin, stream.MaxInFlightMax},
	} {
		if n.value < n.smallest || n.value > n.most {
			return cli.Usagef("--%s %s is not between %s and %s", n.name, &n.value, &n.smallest, &n.most)
		}
	}
	if f.jobs < 0 {
		return cli.Usagef("--jobs %d is less than 0; use 0 for one per core", f.jobs)
	}
	return nil
}

// usageOfTopics wants each topic to have one purpose: one that is read and written would loop.
func (f *flags) usageOfTopics(s *config.Stream) error {
	written := []struct{ flag, topic string }{{"accepted", s.Accepted}, {"dlq", s.DLQ}, {"responses", s.Responses}}
	for i, topic := range s.Topics {
		switch {
		case !topicName.MatchString(topic):
			return cli.Usagef("--topic %q (want letters, digits, dots, dashes and underscores, at most 249)", topic)
		case slices.Contains(s.Topics[:i], topic):
			return cli.Usagef("--topic %s is given twice", topic)
		}
	}
	for i, w := range written {
		switch {
		case w.topic == "":
			continue
		case !topicName.MatchString(w.topic):
			return cli.Usagef("--%s %q (want letters, digits, dots, dashes and underscores, at most 249)", w.flag, w.topic)
		case slices.Contains(s.Topics, w.topic):
			return cli.Usagef("--topic and --%s are both %s: records would go round in circles; want another topic", w.flag, w.topic)
		}
		for _, before := range written[:i] {
			if before.topic == w.topic {
				return cli.Usagef("--%s and --%s are both %s; want a topic for each", before.flag, w.flag, w.topic)
			}
		}
	}
	return nil
}
