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
	"github.com/rtbwire/rtbwire/internal/setting"
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

// applied returns the settings of a file with the flags of a command line.
func applied(t *testing.T, file string, args ...string) *setting.Scope {
	t.Helper()
	c, problems := config.Parse("x.yaml", "version: 1\nstream: "+file, config.Options{})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	before := setting.Show(&c.Scope, fields())
	scope, err := parsed(t, args...).apply(c)
	if err != nil {
		t.Fatal(err)
	}
	if after := setting.Show(&c.Scope, fields()); !reflect.DeepEqual(after, before) {
		t.Errorf("flags have changed the file's settings:\n%v\n%v", before, after)
	}
	return scope
}

// TestSecurity combines a file's TLS and credentials with those of flags, part by part.
func TestSecurity(t *testing.T) {
	t.Parallel()
	const file = `{tls: {ca: /old, key: /old}, sasl: {mechanism: scram-sha-256, user: old, password_file: /old}}`
	old := kafka.Options{TLS: true, CAFile: "/old", KeyFile: "/old", Mechanism: kafka.ScramSHA256, User: "old", PasswordFile: "/old"}
	with := func(change func(*kafka.Options)) kafka.Options {
		o := old
		change(&o)
		return o
	}
	for _, tt := range []struct {
		file string
		args []string
		want kafka.Options
	}{
		{"{}", nil, kafka.Options{}},
		{"{tls: {}}", nil, kafka.Options{TLS: true}},
		{"{tls: {enabled: true}}", nil, kafka.Options{TLS: true}},
		{"{tls: {enabled: false, ca: /old}}", nil, kafka.Options{}},
		{"{tls: {enabled: false, ca: /old}}", []string{"--tls"}, kafka.Options{TLS: true, CAFile: "/old"}},
		{"{}", []string{"--tls", "--tls-ca", "ca"}, kafka.Options{TLS: true, CAFile: "ca"}},
		{"{}", []string{"--sasl", "plain", "--user", "u", "--password-file", "p"}, kafka.Options{Mechanism: kafka.Plain, User: "u", PasswordFile: "p"}},
		{file, nil, old},
		{file, []string{"--tls-ca", "new", "--user", "new"}, with(func(o *kafka.Options) { o.CAFile, o.User = "new", "new" })},
		{file, []string{"--tls", "--sasl", "plain"}, with(func(o *kafka.Options) { o.Mechanism = kafka.Plain })},
		{file, []string{"--tls=false"}, with(func(o *kafka.Options) { o.TLS, o.CAFile, o.KeyFile = false, "", "" })},
		{file, []string{"--sasl", "none"}, with(func(o *kafka.Options) { o.Mechanism, o.User, o.PasswordFile = kafka.None, "", "" })},
	} {
		got := kafka.Configured(applied(t, tt.file, tt.args...)).Connection()
		tt.want.ClientID = kafka.ClientIDDefault
		if !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s %v:\ngot  %+v\nwant %+v", tt.file, tt.args, got, tt.want)
		}
	}
}

// TestDestination lets one destination on the command line take the place of the file's other one.
func TestDestination(t *testing.T) {
	t.Parallel()
	const toUpstream, toTopic = `{upstream: "http://old", responses: answers}`, `{accepted: old}`
	for _, tt := range []struct {
		file                          string
		args                          []string
		accepted, upstream, responses string
	}{
		{toUpstream, nil, "", "http://old", "answers"},
		{toUpstream, []string{"--accepted", "new"}, "new", "", ""},
		{toUpstream, []string{"--upstream", "http://new"}, "", "http://new", "answers"},
		{toUpstream, []string{"--responses", ""}, "", "http://old", ""},
		{toTopic, []string{"--accepted", "new"}, "new", "", ""},
		{toTopic, []string{"--upstream", "http://new"}, "", "http://new", ""},
		{toTopic, []string{"--upstream", "http://new", "--accepted", "new"}, "new", "http://new", ""}, // which usage refuses
	} {
		scope := applied(t, tt.file, tt.args...)
		own, url := kafka.Configured(scope), upstream.Configured(scope).URL
		if own.Accepted != tt.accepted || url != tt.upstream || own.Responses != tt.responses {
			t.Errorf("%s %v: accepted %q, upstream %q, responses %q", tt.file, tt.args, own.Accepted, url, own.Responses)
		}
	}
}

// TestLists reads names with commas between them, from flags that are given more than once.
func TestLists(t *testing.T) {
	t.Parallel()
	own := kafka.Configured(applied(t, "{brokers: old}", "--brokers", "a,b", "--topic", "c", "--topic", "d,e"))
	if !slices.Equal(own.Brokers, []string{"a", "b"}) || !slices.Equal(own.Topics, []string{"c", "d", "e"}) {
		t.Errorf("%q %q", own.Brokers, own.Topics)
	}
}

// TestWindows keeps windows over reloads that say the same, and counts by event time.
func TestWindows(t *testing.T) {
	t.Parallel()
	s := &server{}
	c := defaults().Scope.Clone()
	if w, err := s.openWindows(c); w != nil || err != nil {
		t.Errorf("%v, %v", w, err)
	}
	stream.Configured(c).Windowed = true
	first, err := s.openWindows(c)
	if err != nil || first == nil || !s.of.EventTime {
		t.Fatalf("%v, %v", first, err)
	}
	if again, err := s.openWindows(c); again != first || err != nil {
		t.Errorf("other windows, %v", err)
	}
	c = applied(t, "{windows: true}\ngateway: {window_tables: {ids: 7}}")
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
	f := parsed(t, "--brokers", "a", "--topic", "t", "--group", "g", "--accepted", "x", "--dead-letters", "d", "--sasl", "plain", "--user", "u", "--password-file", secret, "--admin", "127.0.0.1:0")
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
