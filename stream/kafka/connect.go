// Package kafka is the first source and sink of streams: topics of Kafka. A [Group] reads topics as
// a member of a consumer group, writes accepted records, dead letters and responses, and commits
// offsets, at least once or in transactions.
//
//	group, err := kafka.NewGroup(kafka.GroupOptions{
//		Client: options, // of [Options.Client]
//		Topics: []string{"bids"}, Group: "edge", Accepted: "ok", DeadLetters: "refused",
//	})
//	...
//	var o stream.Options
//	err = group.Connect(&o)
//	...
//	s, err := stream.New(o)
//
// It also says how brokers are reached, and finds out what is wrong when they are not:
// [Options.Client] makes the options of a client from addresses, certificates and credentials,
// [Check] asks the brokers once, before anything is consumed, and [Options.Explain] turns what went
// wrong into one sentence that ends with what to do next.
//
// A group:
//
//	group.go       GroupOptions, Group, its metrics
//	session.go     one membership: a client for all that is read, written and committed
//	topics.go      what is known of the topics before anything is written
//	consume.go     polls, within the byte budget
//	rebalance.go   partitions that come and go
//	produce.go     the topics that are written, as sinks
//	partitioner.go which partition is written
//	suspects.go    records that the broker does not take
//	again.go       partitions that are read again because of them
//	commit.go      offsets
//	epochs.go      the epochs of leaders that offsets are committed with
//	remembered.go  what was delivered and could not be committed
//	transaction.go exactly once
//	lag.go         how far the group is behind
//	errors.go      which errors get better by waiting
//
// Brokers:
//
//	keys.go     the keys of configurations, their flags, defaults and ranges
//	connect.go  Options: addresses, TLS, SASL
//	dial.go     connections: certificates are read again for each
//	check.go    the first questions: addresses, topics, the group
//	explain.go  what errors mean
//	log.go      what the client library says, in few lines
package kafka

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

// Mechanism is how a client proves who it is (SASL).
type Mechanism string

// The mechanisms. ScramSHA512 is the one to choose where there is a choice.
const (
	None        Mechanism = ""
	Plain       Mechanism = "plain" // sends the password itself: with TLS only
	ScramSHA256 Mechanism = "scram-sha-256"
	ScramSHA512 Mechanism = "scram-sha-512"
)

// Mechanisms are those that there are.
var Mechanisms = []Mechanism{Plain, ScramSHA256, ScramSHA512}

const (
	// DialTimeoutDefault is the default of [Options.DialTimeout].
	DialTimeoutDefault = 5 * time.Second
	// ClientIDDefault is the default of [Options.ClientID].
	ClientIDDefault = "rtbwire"
	// portDefault is that of brokers whose address has none.
	portDefault = "9092"
	// fileMax is how long a file with a password or certificates may be, in bytes.
	fileMax = 1 << 20
)

// Options say how brokers are reached. Only Brokers has no default.
type Options struct {
	// Brokers are addresses of one or several brokers, host:port; the client learns of the others
	// from them. The default port is 9092.
	Brokers []string
	// ClientID is the name of the client in logs and quotas of brokers. Default: [ClientIDDefault].
	ClientID string
	// DialTimeout is how long a connection and its TLS handshake may take. Default:
	// [DialTimeoutDefault].
	DialTimeout time.Duration

	// TLS encrypts connections. CAFile has the authorities that sign certificates of brokers, as
	// PEM; without it, those of the system. CertificateFile and KeyFile are for brokers that ask
	// clients for a certificate. The files are read again for each connection, so that they can be
	// replaced while the program runs.
	TLS                              bool
	CAFile, CertificateFile, KeyFile string

	// Mechanism is how the client authenticates, as User with the password in the first line of
	// PasswordFile, which is read again for each connection. Default: it does not.
	Mechanism          Mechanism
	User, PasswordFile string

	// Log gets what the client library has to say. Default: [slog.Default].
	Log *slog.Logger

	dialer func(ctx context.Context, network, address string) (net.Conn, error) // of tests
}

// Client checks the options, reads the files once, and returns the options of a client. It opens no
// connection. The error names what is wrong.
func (o Options) Client() ([]kgo.Opt, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	opts := []kgo.Opt{kgo.SeedBrokers(o.Brokers...), kgo.ClientID(o.ClientID), kgo.Dialer(o.dial), kgo.WithLogger(newLogger(o.Log))}
	if o.Mechanism != None {
		opts = append(opts, kgo.SASL(o.mechanism()))
	}
	return opts, nil
}

// validate refuses what no client can be made of, and fills in the defaults.
func (o *Options) validate() error {
	if o.ClientID == "" {
		o.ClientID = ClientIDDefault
	}
	if o.DialTimeout == 0 {
		o.DialTimeout = DialTimeoutDefault
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.dialer == nil {
		o.dialer = new(net.Dialer).DialContext
	}
	if err := o.validateBrokers(); err != nil {
		return err
	}
	if err := o.validateTLS(); err != nil {
		return err
	}
	return o.validateSASL()
}

func (o *Options) validateBrokers() error {
	if len(o.Brokers) == 0 {
		return errors.New("no broker (--brokers): name one or several, as host:port")
	}
	if o.DialTimeout < 0 {
		return fmt.Errorf("the time for connections is %v (want more than 0)", o.DialTimeout)
	}
	brokers := make([]string, 0, len(o.Brokers))
	for _, text := range o.Brokers {
		address, err := parseBroker(text)
		if err != nil {
			return err
		}
		brokers = append(brokers, address)
	}
	o.Brokers = brokers
	return nil
}

// parseBroker reads the address of a broker.
func parseBroker(text string) (string, error) {
	wrong := fmt.Errorf("the broker %q (want host:port, such as kafka.example:9092)", text)
	if strings.ContainsAny(text, "/ \t,@") || text == "" {
		return "", wrong
	}
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		if strings.Count(text, ":") == 1 || strings.HasPrefix(text, "[") && !strings.HasSuffix(text, "]") {
			return "", wrong
		}
		host, port = strings.Trim(text, "[]"), portDefault // a name or an address alone
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 || host == "" {
		return "", wrong
	}
	return net.JoinHostPort(host, port), nil
}

func (o *Options) validateTLS() error {
	switch {
	case !o.TLS && o.CAFile+o.CertificateFile+o.KeyFile != "":
		return errors.New("there are files for TLS, and TLS is off: add --tls")
	case (o.CertificateFile == "") != (o.KeyFile == ""):
		return errors.New("a certificate and its key belong together: give both --tls-cert and --tls-key, or neither")
	case !o.TLS:
		return nil
	}
	_, err := o.config("")
	return err
}

func (o *Options) validateSASL() error {
	switch o.Mechanism {
	case None:
		if o.User+o.PasswordFile != "" {
			return errors.New("there are credentials, and no mechanism: add --sasl, such as --sasl scram-sha-512")
		}
		return nil
	case Plain, ScramSHA256, ScramSHA512:
	default:
		return fmt.Errorf("unknown mechanism %q (want %s, %s or %s)", o.Mechanism, Plain, ScramSHA256, ScramSHA512)
	}
	if o.User == "" || o.PasswordFile == "" {
		return fmt.Errorf("--sasl %s needs --user and --password-file", o.Mechanism)
	}
	_, err := o.password()
	return err
}

// password reads the password: the first line of its file.
func (o *Options) password() (string, error) {
	text, err := readFile(o.PasswordFile)
	if err != nil {
		return "", fmt.Errorf("the password: %w", err)
	}
	line, _, _ := strings.Cut(string(text), "\n")
	if line = strings.TrimSuffix(line, "\r"); line == "" {
		return "", fmt.Errorf("the password: the first line of %s is empty", o.PasswordFile)
	}
	return line, nil
}

// mechanism returns the mechanism of SASL. Each connection reads the password again.
func (o *Options) mechanism() sasl.Mechanism {
	own := *o
	if own.Mechanism == Plain {
		return plain.Plain(func(context.Context) (plain.Auth, error) {
			password, err := own.password()
			return plain.Auth{User: own.User, Pass: password}, err
		})
	}
	auth := func(context.Context) (scram.Auth, error) {
		password, err := own.password()
		return scram.Auth{User: own.User, Pass: password}, err
	}
	if own.Mechanism == ScramSHA256 {
		return scram.Sha256(auth)
	}
	return scram.Sha512(auth)
}

// Cleartext reports whether the password goes over the network as it is: with plain, without TLS,
// to a broker that is not on this machine.
func (o *Options) Cleartext() bool {
	if o.Mechanism != Plain || o.TLS {
		return false
	}
	for _, text := range o.Brokers {
		address, err := parseBroker(text)
		if err != nil {
			return true
		}
		host, _, _ := net.SplitHostPort(address)
		if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			return true
		}
	}
	return false
}

// readFile reads a small file.
func readFile(name string) ([]byte, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case info.Size() > fileMax:
		return nil, fmt.Errorf("%s has %d bytes (want at most %d)", name, info.Size(), fileMax)
	}
	return os.ReadFile(name)
}
