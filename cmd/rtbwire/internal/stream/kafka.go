package stream

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/internal/serving/admin"
	"github.com/rtbwire/rtbwire/internal/setting"
	"github.com/rtbwire/rtbwire/stream"
	"github.com/rtbwire/rtbwire/stream/kafka"
	"github.com/rtbwire/rtbwire/stream/upstream"
)

// topics are topics of Kafka: the source of a stream and its sinks.
type topics struct {
	flags    *flags
	settings *kafka.Settings
	brokers  kafka.Options
	commit   *stream.Settings
	upstream string // its URL, "" without one
}

func newTopics(f *flags, scope *setting.Scope) *topics {
	own := kafka.Configured(scope)
	return &topics{flags: f, settings: own, brokers: own.Connection(), commit: stream.Configured(scope), upstream: upstream.Configured(scope).URL}
}

// usage refuses what can't be read and written, before anything connects.
func (t *topics) usage() error {
	s := t.settings
	switch {
	case len(s.Brokers) == 0:
		return cli.Usagef("no broker; want --brokers HOST:PORT, such as --brokers 127.0.0.1:9092")
	case len(s.Topics) == 0 || slices.Contains(s.Topics, ""):
		return cli.Usagef("no topic to read; want --topic TOPIC")
	case s.Group == "":
		return cli.Usagef("no consumer group; want --group GROUP, the same for all processes that share the work")
	case s.Accepted != "" && t.upstream != "":
		return cli.Usagef("--accepted and --upstream: accepted records go to one of them; give one")
	case s.Accepted == "" && t.upstream == "":
		return cli.Usagef("nowhere to put accepted records; want --accepted TOPIC or --upstream URL")
	case s.DeadLetters == "":
		return cli.Usagef("nowhere to put refused records; want --dead-letters TOPIC")
	case s.Responses != "" && t.upstream == "":
		return cli.Usagef("--responses needs --upstream URL, whose answers it takes")
	case s.ExactlyOnce && t.upstream != "":
		return cli.Usagef("--exactly-once needs --accepted: an HTTP upstream takes part in no transaction, and gets records at least once")
	case s.ExactlyOnce && t.commit.CommitInterval > kafka.TransactionMax:
		return cli.Usagef("--commit-interval %v: with --exactly-once it is at most %v, since readers of committed records wait for it", t.commit.CommitInterval, kafka.TransactionMax)
	}
	if err := t.usageOfSecurity(); err != nil {
		return err
	}
	return t.usageOfNames()
}

// usageOfSecurity is about flags that mean nothing without another one.
func (t *topics) usageOfSecurity() error {
	given := t.flags.set.Changed
	for _, name := range []string{"tls-ca", "tls-cert", "tls-key"} {
		if given(name) && !t.settings.TLS {
			return cli.Usagef("--%s needs --tls", name)
		}
	}
	for _, name := range []string{"user", "password-file"} {
		if given(name) && t.settings.Mechanism == kafka.None {
			return cli.Usagef("--%s needs --sasl, such as --sasl scram-sha-512", name)
		}
	}
	return nil
}

// usageOfNames wants each topic to have one purpose: one that is read and written would loop.
func (t *topics) usageOfNames() error {
	s := t.settings
	for i, topic := range s.Topics {
		if slices.Contains(s.Topics[:i], topic) {
			return cli.Usagef("--topic %s is given twice", topic)
		}
	}
	written := []struct{ flag, topic string }{{"accepted", s.Accepted}, {"dead-letters", s.DeadLetters}, {"responses", s.Responses}}
	for i, w := range written {
		switch {
		case w.topic == "":
			continue
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

// connect sets source and sinks. The client logs to the log of the options.
func (t *topics) connect(o *stream.Options) (err error) {
	t.brokers.Log = o.Log
	of := t.settings.GroupOptions
	if of.Client, err = t.brokers.Client(); err != nil {
		return err
	}
	group, err := kafka.NewGroup(of)
	if err != nil {
		return err
	}
	return group.Connect(o)
}

// check asks the brokers once, before anything is read.
func (t *topics) check(ctx context.Context) error {
	if t.brokers.Cleartext() {
		t.brokers.Log.Warn("the password goes over the network as it is: add --tls, or use --sasl scram-sha-512")
	}
	s := t.settings
	written := slices.DeleteFunc([]string{s.Accepted, s.DeadLetters, s.Responses}, func(topic string) bool { return topic == "" })
	return kafka.Check(ctx, t.brokers, kafka.Use{Read: s.Topics, Group: s.Group, Write: written})
}

// explain says what an error of brokers means.
func (t *topics) explain(err error) error { return t.brokers.Explain(err) }

func (*topics) close() error { return nil }

// flow says where records come from and go to.
func (t *topics) flow() *admin.Flow {
	s := t.settings
	return &admin.Flow{
		From: strings.Join(s.Topics, ", "), Group: s.Group, Accepted: cmp.Or(s.Accepted, t.upstream), DeadLetters: s.DeadLetters, Responses: s.Responses,
		Upstream: s.Accepted == "",
	}
}

// String says what would be read, and where it would go.
func (t *topics) String() string {
	f := t.flow()
	return fmt.Sprintf("would read %s as the group %s from %s; accepted records go to %s, all others to %s",
		f.From, f.Group, strings.Join(t.settings.Brokers, ", "), f.Accepted, f.DeadLetters)
}
