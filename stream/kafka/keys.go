package kafka

import (
	"fmt"
	"regexp"
	"time"

	"github.com/rtbwire/rtbwire/internal/setting"
)

// Settings are what a configuration says about brokers and topics.
type Settings struct {
	Options
	GroupOptions
}

var configured setting.Slot[Settings]

// Configured returns what a configuration says about brokers and topics. The caller may
// change it in a copy of the configuration that is its own ([setting.Scope.Clone]).
//
// Client and Log of the options are to be filled in.
func Configured(c *setting.Scope) *Settings { return configured.In(c) }

// Connection returns the options of connections. What is switched off is left out: files for TLS,
// and credentials without a mechanism.
func (s *Settings) Connection() Options {
	o := s.Options
	if !o.TLS {
		o.CAFile, o.CertificateFile, o.KeyFile = "", "", ""
	}
	if o.Mechanism == None {
		o.User, o.PasswordFile = "", ""
	}
	return o
}

// keys are the settings of connections to brokers.
var keys = []setting.Field[Options]{
	setting.F("brokers", setting.Commas(setting.OneOrMore(setting.Text("host:port", setting.AddressMax))), func(o *Options) *[]string { return &o.Brokers },
		"Addresses of brokers. One is enough to find the others.").
		Example(`brokers: ["kafka-1.example:9092", "kafka-2.example:9092"]`).Value("HOST:PORT[,...]").Fixed(),
	setting.F("client_id", setting.Text("a name", setting.NameMax), func(o *Options) *string { return &o.ClientID },
		"Name of the client in logs and quotas of brokers.").Default(ClientIDDefault).Value("NAME").Fixed(),
	setting.F("tls.enabled", setting.Bool(), func(o *Options) *bool { return &o.TLS },
		"Encrypt connections to brokers. Default: `true` if there is a mapping `tls`, even an empty one.").Example("enabled: true").FlagName("tls").Fixed(),
	setting.F("tls.ca", setting.FileName(), func(o *Options) *string { return &o.CAFile },
		"Authorities that must have signed the brokers' certificates, as PEM, in place of the system's.").Example("ca: kafka-ca.pem").Fixed(),
	setting.F("tls.cert", setting.FileName(), func(o *Options) *string { return &o.CertificateFile },
		"Certificate of the client, for brokers that ask for one.").Example("cert: edge.pem").Fixed(),
	setting.F("tls.key", setting.FileName(), func(o *Options) *string { return &o.KeyFile },
		"Private key of the certificate.").Example("key: edge.key").Fixed(),
	setting.F("sasl.mechanism", mechanism(), func(o *Options) *Mechanism { return &o.Mechanism },
		"Mechanism of authentication with brokers; `plain` sends the password itself, so only with `tls`.").Required().Example("mechanism: scram-sha-512").FlagName("sasl").Fixed(),
	setting.F("sasl.user", setting.Text("a name", setting.EntryMax), func(o *Options) *string { return &o.User },
		"Name of the user.").Required().Example("user: edge").FlagName("user").Value("NAME").Fixed(),
	setting.F("sasl.password_file", setting.FileName(), func(o *Options) *string { return &o.PasswordFile },
		"File with the password in its first line, read again for each connection.").
		Required().Example("password_file: secrets/kafka").FlagName("password-file").Fixed(),
}

// groupKeys are the settings of a group.
var groupKeys = []setting.Field[GroupOptions]{
	setting.F("topics", setting.Commas(setting.OneOrMore(topicName())), func(o *GroupOptions) *[]string { return &o.Topics },
		"Topics to read.").Example("topics: bids").FlagName("topic").Value("TOPIC[,...]").Fixed(),
	setting.F("group", setting.Text("the name of a group", setting.EntryMax), func(o *GroupOptions) *string { return &o.Group },
		"Consumer group; its processes share the partitions.").Example("group: edge").Value("GROUP").Fixed(),
	setting.F("accepted", topicName(), func(o *GroupOptions) *string { return &o.Accepted },
		"Topic of accepted records. Either this or `upstream` is needed.").Example("accepted: bids-ok").Fixed(),
	setting.F("dead_letters", topicName(), func(o *GroupOptions) *string { return &o.DeadLetters },
		"Topic of dead letters: all records that are not accepted, with the reason in their headers.").
		Example("dead_letters: bids-refused").Was("dlq").WasFlag("dlq").Fixed(),
	setting.F("responses", topicName(), func(o *GroupOptions) *string { return &o.Responses },
		"Topic of the upstream's answers; without one, they are dropped.").Example("responses: bids-answers").Fixed(),
	setting.F("from", beginning(), func(o *GroupOptions) *From { return &o.From },
		"Where a group begins that has committed nothing yet.").Default(Earliest.String()).Fixed(),
	setting.F("exactly_once", setting.Bool(), func(o *GroupOptions) *bool { return &o.ExactlyOnce },
		"Read, write and commit in transactions; not with `upstream`.").Default(false).Fixed(),
	setting.F("timeouts.session", setting.Duration("a time such as 45s", SessionTimeoutMin, time.Hour), func(o *GroupOptions) *time.Duration { return &o.SessionTimeout },
		"How long a silent member keeps its partitions. Brokers refuse less than their `group.min.session.timeout.ms`, which is 6 seconds by default.").
		Default(SessionTimeoutDefault).FlagName("session-timeout").Fixed(),
}

var topicForm = regexp.MustCompile(`^[A-Za-z0-9._-]{1,249}$`)

// topicName is the name of a topic. An empty flag takes back the one of the file.
func topicName() setting.Type[string] {
	t := setting.Form("the name of a topic", `[A-Za-z0-9._-]{1,249}`, nil)
	t.Flag = &setting.FlagOf[string]{Kind: setting.FlagText, Value: "TOPIC", From: func(v any) (string, error) {
		name, _ := v.(string)
		if name != "" && !topicForm.MatchString(name) {
			return "", fmt.Errorf("%q (want letters, digits, dots, dashes and underscores, at most 249)", name)
		}
		return name, nil
	}}
	return t
}

// none is the word for [None], which takes back the mechanism of a file.
const none = "none"

func mechanism() setting.Type[Mechanism] {
	words := []string{none}
	for _, m := range Mechanisms {
		words = append(words, string(m))
	}
	return setting.Word("a mechanism", words, func(word string) Mechanism {
		if word == none {
			return None
		}
		return Mechanism(word)
	})
}

func beginning() setting.Type[From] {
	t := setting.Word("a beginning", fromNames[:], func(word string) From {
		from, _ := ParseFrom(word) // it is one of the names
		return from
	})
	t.Show = func(f From) any { return f.String() }
	return t
}

func init() {
	var fields []setting.Field[setting.Scope]
	for _, f := range keys {
		fields = append(fields, setting.Lift(f, func(c *setting.Scope) *Options { return &configured.In(c).Options }))
	}
	for _, f := range groupKeys {
		fields = append(fields, setting.Lift(f, func(c *setting.Scope) *GroupOptions { return &configured.In(c).GroupOptions }))
	}
	setting.Register(setting.Module{
		Section: "stream", Order: 11, Fields: fields,
		Groups: configured.Groups([]setting.Group[Settings]{
			{
				Path: "tls", Name: "stream_tls", Doc: "TLS with brokers. The files are read again for each connection.",
				Help: "TLS with brokers. `{}` trusts the system's authorities.", Example: "tls: {ca: kafka-ca.pem}",
				Check: func(_ *setting.Reader, n *setting.Node, s *Settings) {
					s.TLS = s.TLS || n.Get("enabled") == nil
				},
			},
			{
				Path: "sasl", Name: "sasl", Doc: "Credentials for brokers.", Help: "Authentication with brokers.",
				Example: "sasl: {mechanism: scram-sha-512, user: edge, password_file: secrets/kafka}",
			},
		}),
	})
}
