package config

import (
	"time"

	"github.com/rtbwire/rtbwire/internal/setting"
)

// Stream is the section about the Kafka tier. A test of the verb stream holds the defaults to those
// of package stream.
type Stream struct {
	Brokers     []string
	ClientID    string
	TLS         *StreamTLS // nil: without TLS
	SASL        *SASL      // nil: without credentials
	Topics      []string
	Group       string
	Accepted    string
	Upstream    string
	UpstreamCAs []string // names of files
	DLQ         string
	Responses   string
	From        string // "earliest" or "latest"
	ExactlyOnce bool
	Attempts    int
	Concurrency int
	Partner     string // "": none
	Windows     bool
	Admin       string
	Timeouts    StreamTimeouts
	Maximums    StreamMaximums
}

// StreamTLS says what connections to brokers are encrypted with. All are names of files.
type StreamTLS struct{ CA, Certificate, Key string }

// SASL says how brokers learn who the client is.
type SASL struct{ Mechanism, User, PasswordFile string }

// StreamTimeouts are the times of a stream.
type StreamTimeouts struct{ Commit, Session, Upstream, Drain time.Duration }

// StreamMaximums are the limits of a stream, in bytes.
type StreamMaximums struct{ Record, InFlight int }

var topicName = setting.Form("the name of a topic", `[A-Za-z0-9._-]{1,249}`, nil)

var streamObject = &setting.Object[Stream]{
	Name: "stream", Doc: "The Kafka tier. Flags of `rtbwire stream` win over the environment, and that over these keys. Who may use the port of administration, and what the log is like, `gateway.operators` and `gateway.log` say for both tiers.",
	Fields: []setting.Field[Stream]{
		setting.F("brokers", setting.OneOrMore(setting.Text("host:port", setting.AddressMax)), func(s *Stream) *[]string { return &s.Brokers },
			"Addresses of one or several brokers, host and port. The others are learnt from them.").Example(`brokers: ["kafka-1.example:9092", "kafka-2.example:9092"]`),
		setting.F("client_id", setting.Text("a name", nameMax), func(s *Stream) *string { return &s.ClientID },
			"The name of the client in logs and quotas of brokers.").Default("rtbwire"),
		setting.F("tls", setting.PointerTo(streamTLSObject.Type()), func(s *Stream) **StreamTLS { return &s.TLS },
			"Encrypt connections to brokers; `{}` trusts the authorities of the system.").Example("tls: {ca: kafka-ca.pem}"),
		setting.F("sasl", setting.PointerTo(saslObject.Type()), func(s *Stream) **SASL { return &s.SASL },
			"How brokers learn who the client is.").Example("sasl: {mechanism: scram-sha-512, user: edge, password_file: secrets/kafka}"),
		setting.F("topics", setting.OneOrMore(topicName), func(s *Stream) *[]string { return &s.Topics }, "The topics that are read.").Example("topics: bids"),
		setting.F("group", setting.Text("the name of a group", entryMax), func(s *Stream) *string { return &s.Group },
			"The consumer group. Processes of one group share the partitions.").Example("group: edge"),
		setting.F("accepted", topicName, func(s *Stream) *string { return &s.Accepted },
			"The topic of accepted records. Either this or `upstream` is needed.").Example("accepted: bids-ok"),
		setting.F("upstream", setting.Text("a URL such as http://127.0.0.1:9000", setting.AddressMax), func(s *Stream) *string { return &s.Upstream },
			"The HTTP server that accepted records are posted to, as in `gateway.upstreams`.").Example(`upstream: "http://127.0.0.1:9000"`),
		setting.F("upstream_ca", setting.OneOrMore(setting.FileName()), func(s *Stream) *[]string { return &s.UpstreamCAs },
			"Authorities whose signature the upstream's certificate must have; without one, those of the system.").Example("upstream_ca: cores.pem"),
		setting.F("dlq", topicName, func(s *Stream) *string { return &s.DLQ }, "The topic of dead letters: all records that are not accepted, with the reason.").Example("dlq: bids-refused"),
		setting.F("responses", topicName, func(s *Stream) *string { return &s.Responses },
			"The topic of what the upstream answers. Without one, answers are dropped.").Example("responses: bids-answers"),
		setting.F("from", setting.Word("a beginning", []string{"earliest", "latest"}, func(w string) string { return w }), func(s *Stream) *string { return &s.From },
			"Where a group begins that has committed nothing yet.").Default("earliest"),
		setting.F("exactly_once", setting.Bool(), func(s *Stream) *bool { return &s.ExactlyOnce },
			"Read, write and commit in transactions; not with `upstream`.").Default("false"),
		setting.F("attempts", setting.Int("a number of attempts", 1, 1000), func(s *Stream) *int { return &s.Attempts },
			"How often a record is posted to the upstream that fails while others do not.").Default("5"),
		setting.F("concurrency", setting.Int("a number of records", 1, 1<<16), func(s *Stream) *int { return &s.Concurrency },
			"How many records are posted to the upstream at the same time.").Default("64"),
		setting.F("partner", setting.Text("the name of a partner", nameMax), func(s *Stream) *string { return &s.Partner },
			"The partner that the records are from, whose layers count.").Example("partner: exchange-a"),
		setting.F("windows", setting.Bool(), func(s *Stream) *bool { return &s.Windows },
			"Count requests by advertising identifier and address, by the time of their records, as `gateway.window_tables` says (docs/lookups.md).").Default("false"),
		setting.F("admin", setting.Text("an address and a port", setting.AddressMax), func(s *Stream) *string { return &s.Admin },
			"Where metrics, health, profiles and the page for operators are served. Off loopback it takes a token of `gateway.operators`.").Example(`admin: "127.0.0.1:8082"`),
		setting.F("timeouts", streamTimeoutsObject.Type(), func(s *Stream) *StreamTimeouts { return &s.Timeouts }, "How long things may take.").Default("{}").Example("timeouts: {commit: 500ms}"),
		setting.F("max", streamMaximumsObject.Type(), func(s *Stream) *StreamMaximums { return &s.Maximums }, "How much there may be of things.").Default("{}").Example("max: {record: 262144}"),
	},
}

var streamTLSObject = &setting.Object[StreamTLS]{
	Name: "stream_tls", Doc: "TLS with brokers. The files are read again for each connection.",
	Fields: []setting.Field[StreamTLS]{
		setting.F("ca", setting.FileName(), func(t *StreamTLS) *string { return &t.CA }, "Authorities whose signature the certificates of brokers must have, as PEM.").Example("ca: kafka-ca.pem"),
		setting.F("cert", setting.FileName(), func(t *StreamTLS) *string { return &t.Certificate }, "The certificate of the client, where brokers want one.").Example("cert: edge.pem"),
		setting.F("key", setting.FileName(), func(t *StreamTLS) *string { return &t.Key }, "Its key.").Example("key: edge.key"),
	},
}

var saslObject = &setting.Object[SASL]{
	Name: "sasl", Doc: "Credentials for brokers.",
	Fields: []setting.Field[SASL]{
		setting.F("mechanism", setting.Word("a mechanism", []string{"plain", "scram-sha-256", "scram-sha-512"}, func(w string) string { return w }), func(s *SASL) *string { return &s.Mechanism },
			"How the password is proved. `plain` sends it as it is: with `tls` only.").Required().Example("mechanism: scram-sha-512"),
		setting.F("user", setting.Text("a name", entryMax), func(s *SASL) *string { return &s.User }, "The user.").Required().Example("user: edge"),
		setting.F("password_file", setting.FileName(), func(s *SASL) *string { return &s.PasswordFile },
			"The file that has the password in its first line, relative to this file. It is read again for each connection.").Required().Example("password_file: secrets/kafka"),
	},
}

var streamTimeoutsObject = &setting.Object[StreamTimeouts]{
	Name: "stream_timeouts", Doc: "Times of a stream.",
	Fields: []setting.Field[StreamTimeouts]{
		setting.F("commit", streamTime, func(t *StreamTimeouts) *time.Duration { return &t.Commit },
			"The time between two commits, or the length of a transaction, which is at most a second.").Default("1s"),
		setting.F("session", setting.Duration("a time such as 45s", 100*time.Millisecond, time.Hour), func(t *StreamTimeouts) *time.Duration { return &t.Session },
			"How long the group waits for a member that has gone without a word before others get its partitions.").Default("45s"),
		setting.F("upstream", streamTime, func(t *StreamTimeouts) *time.Duration { return &t.Upstream }, "How long one attempt to post a record may take.").Default("5s"),
		setting.F("drain", streamTime, func(t *StreamTimeouts) *time.Duration { return &t.Drain }, "At the end, how long records that are on their way are waited for.").Default("30s"),
	},
}

var streamTime = setting.Duration("a time such as 1s", time.Millisecond, time.Hour)

var streamMaximumsObject = &setting.Object[StreamMaximums]{
	Name: "stream_max", Doc: "Limits of a stream, in bytes.",
	Fields: []setting.Field[StreamMaximums]{
		setting.F("record", setting.Int("a number of bytes", 1, 64<<20), func(m *StreamMaximums) *int { return &m.Record },
			"The longest value that is judged; longer ones are dead letters.").Default("1048576"),
		setting.F("in_flight", setting.Int("a number of bytes", 1<<20, 1<<30), func(m *StreamMaximums) *int { return &m.InFlight },
			"Records that were read and are not yet delivered.").Default("67108864"),
	},
}
