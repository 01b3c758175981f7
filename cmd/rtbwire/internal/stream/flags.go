package stream

import (
	"time"

	"github.com/spf13/pflag"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/request"
	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/internal/serving/admin"
	"github.com/rtbwire/rtbwire/internal/serving/logs"
	"github.com/rtbwire/rtbwire/internal/setting"
	"github.com/rtbwire/rtbwire/stream"
	"github.com/rtbwire/rtbwire/stream/kafka"
	"github.com/rtbwire/rtbwire/stream/upstream"
)

// flags are the values of the command line. Those that are given win over the configuration.
type flags struct {
	set    *pflag.FlagSet
	config string
	check  bool
	health string

	brokers, topics    []string
	tls                bool
	ca, cert, key      string
	sasl               *cli.Choice
	user, passwordFile string
	from               *cli.Choice
	upstreamCAs        []string
	keys               *cli.Options[config.Stream] // the flags that are one key each
	exactlyOnce        bool
	windows            bool
	jobs               int
	facts              *request.Facts
	shared             *cli.Settings[setting.Scope] // those that gateways have, too
}

// none is the word for --sasl that means nothing is given.
const none = "none"

// upstreamFlags mean nothing without an upstream.
var upstreamFlags = []string{"attempts", "concurrency", "upstream-timeout", "upstream-ca"}

func newFlags(set *pflag.FlagSet) *flags {
	keys := cli.NewOptions[config.Stream](set)
	f := &flags{
		set: set, keys: keys,
		from: cli.NewChoice(kafka.Earliest.String(), kafka.Latest.String()),
	}
	mechanisms := []string{none}
	for _, m := range kafka.Mechanisms {
		mechanisms = append(mechanisms, string(m))
	}
	f.sasl = cli.NewChoice(mechanisms...)
	set.StringSliceVar(&f.brokers, "brokers", nil, "addresses of brokers: `HOST:PORT[,...]`; one is enough to find the others")
	set.StringSliceVar(&f.topics, "topic", nil, "the topics that are read: `TOPIC[,...]`; can be repeated")
	keys.Text("group", "the consumer `GROUP`; processes of one group share the partitions", func(s *config.Stream) *string { return &s.Group })
	keys.Text("accepted", "the `TOPIC` of accepted records", func(s *config.Stream) *string { return &s.Accepted })
	keys.Text("upstream", "in place of --accepted: the `URL` that accepted records are posted to: http://host:port, https://host:port or unix:/path", func(s *config.Stream) *string { return &s.Upstream })
	keys.Text("dlq", "the `TOPIC` of dead letters: all other records, with the reason in their headers", func(s *config.Stream) *string { return &s.DLQ })
	keys.Text("responses", "with --upstream: the `TOPIC` of its answers; otherwise they are dropped", func(s *config.Stream) *string { return &s.Responses })
	set.StringVarP(&f.config, "config", "c", "", "the configuration `FILE` (docs/reference/configuration.md); also $RTBWIRE_CONFIG")
	set.StringVar(&f.config, "rules", "", "`FILE`, the same as --config")
	set.BoolVar(&f.check, "check", false, "check flags and configuration, and exit; no broker is asked")
	set.StringVar(&f.health, "health", "", "ask a running stream whether it reads, and exit with 0 or 1; the `URL` is that of its --admin and /readyz, such as http://127.0.0.1:8082/readyz")
	f.facts = request.NewPartner(set)
	set.BoolVar(&f.exactlyOnce, "exactly-once", false, "read, write and commit in transactions; not with --upstream")
	set.Var(f.from, "from", "where a group that has committed nothing yet begins")
	set.BoolVar(&f.tls, "tls", false, "encrypt connections to brokers")
	set.StringVar(&f.ca, "tls-ca", "", "the `FILE` of authorities for certificates of brokers, in place of the system's")
	set.StringVar(&f.cert, "tls-cert", "", "the `FILE` of a certificate, for brokers that want one")
	set.StringVar(&f.key, "tls-key", "", "the `FILE` of its key")
	set.Var(f.sasl, "sasl", "how brokers learn who the client is; plain sends the password itself, so only with --tls")
	set.StringVar(&f.user, "user", "", "the user's `NAME`, with --sasl")
	set.StringVar(&f.passwordFile, "password-file", "", "the `FILE` with the password in its first line, with --sasl; it is read again for each connection")
	keys.Duration("commit-interval", "the time between two commits; with --exactly-once, the length of a transaction, at most 1s", stream.CommitIntervalDefault, func(s *config.Stream) *time.Duration { return &s.Timeouts.Commit })
	keys.Duration("session-timeout", "how long a silent member keeps its partitions before others get them", kafka.SessionTimeoutDefault, func(s *config.Stream) *time.Duration { return &s.Timeouts.Session })
	keys.Duration("upstream-timeout", "the longest time for one attempt to post a record", upstream.TimeoutDefault, func(s *config.Stream) *time.Duration { return &s.Timeouts.Upstream })
	keys.Duration("drain-timeout", "after SIGTERM, how long to wait for records that are on their way", stream.DrainTimeoutDefault, func(s *config.Stream) *time.Duration { return &s.Timeouts.Drain })
	keys.Size("max-record", "the longest value that is judged; longer ones are dead letters", stream.MaxRecordDefault, func(s *config.Stream) *int { return &s.Maximums.Record })
	keys.Size("max-in-flight", "how much is read ahead: records that were read and are not delivered yet", stream.MaxInFlightDefault, func(s *config.Stream) *int { return &s.Maximums.InFlight })
	keys.Number("attempts", "post a record up to `N` times while others are delivered; then it is a dead letter", upstream.AttemptsDefault, func(s *config.Stream) *int { return &s.Attempts })
	keys.Number("concurrency", "post up to `N` records to the upstream at the same time", stream.ConcurrencyDefault, func(s *config.Stream) *int { return &s.Concurrency })
	set.StringArrayVar(&f.upstreamCAs, "upstream-ca", nil, "the `FILE` of authorities for the certificate of the upstream, in place of the system's; can be repeated")
	set.IntVarP(&f.jobs, "jobs", "j", 0, "judge `N` records at the same time; 0: one per core")
	set.BoolVar(&f.windows, "windows", false, "count requests by identifier and address, by the time of their records, for signals of fraud")
	keys.Text("client-id", "the client's `NAME` in logs and quotas of brokers (default "+kafka.ClientIDDefault+")", func(s *config.Stream) *string { return &s.ClientID })
	keys.Text("admin", "where metrics, health, profiles and a page are served: `host:port`", func(s *config.Stream) *string { return &s.Admin })
	f.shared = cli.NewSettings[setting.Scope](set)
	f.shared.Add(admin.Operators())
	f.shared.Add(logs.Keys())
	return f
}

// defaults is a configuration that says nothing.
func defaults() *config.Config {
	c, problems := config.Parse("", "version: 1", config.Options{})
	if len(problems) > 0 {
		panic(problems) // not reached: that is enough
	}
	return c
}

// apply returns a configuration with the flags that were given in place of its values.
func (f *flags) apply(from *config.Config) *config.Config {
	c := *from
	s, given := &c.Stream, f.set.Changed
	if given("brokers") {
		s.Brokers = f.brokers
	}
	if given("topic") {
		s.Topics = f.topics
	}
	if given("accepted") && !given("upstream") {
		s.Upstream, s.Responses = "", "" // those of the file are not meant any more
	}
	if given("upstream") && !given("accepted") {
		s.Accepted = ""
	}
	f.keys.Apply(s)
	if given("exactly-once") {
		s.ExactlyOnce = f.exactlyOnce
	}
	if given("windows") {
		s.Windows = f.windows
	}
	if given("from") {
		s.From = f.from.Value
	}
	if given("upstream-ca") {
		s.UpstreamCAs = f.upstreamCAs
	}
	f.applySecurity(s)
	scope := c.Scope.Clone()
	_ = f.shared.Apply(scope) // texts and words: any will do
	c.Scope = *scope
	return &c
}

// applySecurity applies the flags about TLS and SASL.
func (f *flags) applySecurity(s *config.Stream) {
	given := f.set.Changed
	files := given("tls-ca") || given("tls-cert") || given("tls-key")
	switch {
	case given("tls") && !f.tls:
		s.TLS = nil
	case given("tls") || files && s.TLS != nil:
		own := config.StreamTLS{}
		if s.TLS != nil {
			own = *s.TLS
		}
		s.TLS = &own
	}
	if s.TLS != nil {
		for name, at := range map[string]*string{"tls-ca": &s.TLS.CA, "tls-cert": &s.TLS.Certificate, "tls-key": &s.TLS.Key} {
			if given(name) {
				*at, _ = f.set.GetString(name)
			}
		}
	}
	if given("sasl") && f.sasl.Value == none {
		s.SASL = nil
		return
	}
	if given("sasl") || given("user") || given("password-file") {
		own := config.SASL{}
		if s.SASL != nil {
			own = *s.SASL
		}
		if given("sasl") {
			own.Mechanism = f.sasl.Value
		}
		if given("user") {
			own.User = f.user
		}
		if given("password-file") {
			own.PasswordFile = f.passwordFile
		}
		s.SASL = &own
	}
}
