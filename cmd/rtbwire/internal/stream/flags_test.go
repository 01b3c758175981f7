package stream

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/stream"
	"github.com/rtbwire/rtbwire/stream/kafka"
	"github.com/rtbwire/rtbwire/stream/upstream"
)

// parsed returns flags as a command line has them.
func parsed(t *testing.T, args ...string) *flags {
	t.Helper()
	set := pflag.NewFlagSet("stream", pflag.ContinueOnError)
	f := newFlags(set)
	if err := set.Parse(args); err != nil {
		t.Fatal(err)
	}
	return f
}

// TestDefaults holds the defaults of the configuration to those of the packages and of the flags.
func TestDefaults(t *testing.T) {
	t.Parallel()
	got := defaults().Stream
	want := config.Stream{
		ClientID: kafka.ClientIDDefault, From: kafka.Earliest.String(), Attempts: upstream.AttemptsDefault, Concurrency: stream.ConcurrencyDefault,
		Timeouts: config.StreamTimeouts{
			Commit: stream.CommitIntervalDefault, Session: kafka.SessionTimeoutDefault, Upstream: upstream.TimeoutDefault, Drain: stream.DrainTimeoutDefault,
		},
		Maximums: config.StreamMaximums{Record: stream.MaxRecordDefault, InFlight: stream.MaxInFlightDefault},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	f, c := parsed(t), defaults()
	f.set.VisitAll(func(own *pflag.Flag) { own.Changed = own.DefValue != "" }) // as if they were given
	shown := config.Stream{ClientID: want.ClientID, From: want.From}
	if f.keys.Apply(&shown); !reflect.DeepEqual(shown, want) {
		t.Errorf("the defaults of flags are %+v\nwant %+v", shown, want)
	}
	f = parsed(t)
	if after := f.apply(c); !reflect.DeepEqual(after.Stream, c.Stream) {
		t.Errorf("flags that are not given change %+v", after.Stream)
	}
}

// TestEveryKeyHasAFlag gives all flags, and wants every key of the configuration changed: a key
// without a flag would be forgotten.
func TestEveryKeyHasAFlag(t *testing.T) {
	t.Parallel()
	f := parsed(t, strings.Fields(`--brokers a,b --topic t --group g --accepted x --dlq d --responses r --client-id c --admin :1 --exactly-once --windows
		--from latest --upstream-ca u --commit-interval 2s --session-timeout 3s --upstream-timeout 4s --drain-timeout 5s --max-record 6 --max-in-flight 7M
		--attempts 8 --concurrency 9 --tls --tls-ca ca --tls-cert cert --tls-key key --sasl plain --user u --password-file p --upstream http://x`)...)
	before := defaults()
	after := f.apply(before).Stream
	was, is := reflect.ValueOf(before.Stream), reflect.ValueOf(after)
	for i := range was.NumField() {
		name := was.Type().Field(i).Name
		if reflect.DeepEqual(was.Field(i).Interface(), is.Field(i).Interface()) && name != "Partner" { // which facts apply
			t.Errorf("no flag changes %s", name)
		}
	}
	if *after.TLS != (config.StreamTLS{CA: "ca", Certificate: "cert", Key: "key"}) || *after.SASL != (config.SASL{Mechanism: "plain", User: "u", PasswordFile: "p"}) {
		t.Errorf("%+v %+v", after.TLS, after.SASL)
	}
	if !slices.Equal(after.Brokers, []string{"a", "b"}) {
		t.Error(after.Brokers)
	}
	// The flags win over a file's TLS and SASL part by part.
	from := defaults()
	from.Stream.TLS, from.Stream.SASL = &config.StreamTLS{CA: "old", Key: "old"}, &config.SASL{Mechanism: "scram-sha-256", User: "old", PasswordFile: "old"}
	after = parsed(t, "--tls-ca", "new", "--user", "new").apply(from).Stream
	if *after.TLS != (config.StreamTLS{CA: "new", Key: "old"}) || *after.SASL != (config.SASL{Mechanism: "scram-sha-256", User: "new", PasswordFile: "old"}) {
		t.Errorf("%+v %+v", after.TLS, after.SASL)
	}
	if from.Stream.TLS.CA != "old" || from.Stream.SASL.User != "old" {
		t.Error("the file's part has changed")
	}
}

// TestWindows keeps windows over reloads that say the same, and counts by event time.
func TestWindows(t *testing.T) {
	t.Parallel()
	s := &server{}
	c := defaults()
	if w, err := s.openWindows(c); w != nil || err != nil {
		t.Errorf("%v, %v", w, err)
	}
	c.Stream.Windows = true
	first, err := s.openWindows(c)
	if err != nil || first == nil || !s.of.EventTime {
		t.Fatalf("%v, %v", first, err)
	}
	if again, err := s.openWindows(c); again != first || err != nil {
		t.Errorf("other windows, %v", err)
	}
	c, problems := config.Parse("", "version: 1\ngateway: {window_tables: {ids: 7}}\nstream: {windows: true}", config.Options{})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if other, err := s.openWindows(c); other == first || err != nil {
		t.Errorf("the same windows, %v", err)
	}
}

// TestConfigIsNotSecret looks for passwords in what /config shows.
func TestConfigIsNotSecret(t *testing.T) {
	t.Parallel()
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("hunter2hunter2"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := parsed(t, "--brokers", "a", "--topic", "t", "--group", "g", "--accepted", "x", "--dlq", "d", "--sasl", "plain", "--user", "u", "--password-file", secret, "--admin", "127.0.0.1:0")
	var out bytes.Buffer
	s := &server{env: &cli.Env{Stderr: &out, Stdout: &out, Getenv: func(string) string { return "" }}, flags: f}
	o, err := s.open()
	if err != nil {
		t.Fatal(err)
	}
	if s.stream, err = stream.New(o); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(s.port().Config())
	if err != nil {
		t.Fatal(err)
	}
	if all := out.String() + string(text); strings.Contains(all, "hunter2") || !strings.Contains(all, secret) {
		t.Error(all)
	}
}

// TestShown shows every key of the configuration.
func TestShown(t *testing.T) {
	t.Parallel()
	s := config.Stream{TLS: &config.StreamTLS{}, SASL: &config.SASL{}}
	if got, want := len(shown(&s)), reflect.TypeOf(s).NumField(); got != want {
		t.Errorf("%d keys, want %d", got, want)
	}
}
