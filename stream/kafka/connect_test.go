package kafka

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/rtbwire/rtbwire/internal/certtest"
)

// startCluster starts a cluster with one topic, bids.
func startCluster(t *testing.T, opts ...kfake.Opt) []string {
	t.Helper()
	c, err := kfake.NewCluster(append([]kfake.Opt{kfake.NumBrokers(2), kfake.SeedTopics(4, "bids")}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c.ListenAddrs()
}

func file(t *testing.T, name, text string) string {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// quiet are options with times that a busy machine keeps.
func quiet(o Options) Options {
	o.Log = slog.New(slog.DiscardHandler)
	if o.DialTimeout == 0 {
		o.DialTimeout = 10 * time.Second
	}
	return o
}

// wants checks an error: one sentence with some words.
func wants(t *testing.T, name string, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: no error, want %q", name, words)
		return
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%s: %v, want %q", name, err, w)
		}
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("%s: more than a line: %v", name, err)
	}
}

// TestCheck asks a cluster without TLS and credentials.
func TestCheck(t *testing.T) {
	t.Parallel()
	brokers := startCluster(t)
	if err := Check(t.Context(), quiet(Options{Brokers: brokers}), Use{Read: []string{"bids"}, Write: []string{"bids"}, Group: "edge"}); err != nil {
		t.Error(err)
	}
	down := []string{"127.0.0.1:" + freePort(t), brokers[0]}
	if err := Check(t.Context(), quiet(Options{Brokers: down}), Use{Read: []string{"bids"}}); err != nil {
		t.Errorf("one of two is down: %v", err)
	}
	err := Check(t.Context(), quiet(Options{Brokers: brokers}), Use{Read: []string{"bids"}, Write: []string{"bids-ok"}})
	wants(t, "missing topic", err, "there is no topic bids-ok", "kafka-topics.sh --bootstrap-server "+brokers[0]+" --create --topic bids-ok")
	if err := Check(t.Context(), quiet(Options{Brokers: brokers}), Use{Read: []string{"bids-ok"}}); err == nil {
		t.Error("asking has created the topic")
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	_, port, _ := net.SplitHostPort(ln.Addr().String())
	return port
}

// TestWrongAddress is told what is wrong with addresses.
func TestWrongAddress(t *testing.T) {
	t.Parallel()
	use := Use{Read: []string{"bids"}}
	at := "127.0.0.1:" + freePort(t)
	wants(t, "closed port", Check(t.Context(), quiet(Options{Brokers: []string{at}}), use), "nothing listens at "+at, "--brokers")
	two := Check(t.Context(), quiet(Options{Brokers: []string{at, at}}), use)
	wants(t, "two", two, "none of the 2 brokers can be used", "nothing listens")
	wants(t, "unknown name", Check(t.Context(), quiet(Options{Brokers: []string{"no-such-host.invalid:9092"}}), use), "no-such-host.invalid")

	web := closing(t, "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
	wants(t, "a web server", Check(t.Context(), quiet(Options{Brokers: web}), use), "speaks HTTP and is no broker")

	silent, err := net.Listen("tcp", "127.0.0.1:0") // accepted by the system, answered by nobody
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	wants(t, "no answer", Check(ctx, quiet(Options{Brokers: []string{silent.Addr().String()}}), use), "is connected and does not answer")
	short := quiet(Options{Brokers: []string{silent.Addr().String()}, TLS: true, DialTimeout: 50 * time.Millisecond})
	wants(t, "no handshake", Check(t.Context(), short, use), "does not answer the TLS handshake within 50ms")
}

// TestAdvertised is told that brokers name addresses that can't be reached from here.
func TestAdvertised(t *testing.T) {
	t.Parallel()
	c, err := kfake.NewCluster(kfake.NumBrokers(2), kfake.SeedTopics(64, "bids")) // each leads some, by chance
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	brokers := c.ListenAddrs()
	// A way to the first broker under another address, and none to the second one.
	through := func(ctx context.Context, network, address string) (net.Conn, error) {
		if address == brokers[1] {
			address = "127.0.0.1:1"
		}
		var d net.Dialer
		return d.DialContext(ctx, network, address)
	}
	o := quiet(Options{Brokers: brokers[:1]})
	o.dialer = through
	err = Check(t.Context(), o, Use{Read: []string{"bids"}})
	wants(t, "unreachable leader", err, "nothing listens at "+brokers[1], "advertised.listeners", "broker 1")
}

// TestSASL authenticates by each mechanism, with the password that the file has at the time, and is
// told what is wrong with credentials.
func TestSASL(t *testing.T) {
	t.Parallel()
	brokers := startCluster(t, kfake.EnableSASL(), kfake.Superuser("PLAIN", "edge", "right"), kfake.Superuser("SCRAM-SHA-256", "edge", "right"), kfake.Superuser("SCRAM-SHA-512", "edge", "right"))
	use := Use{Read: []string{"bids"}, Group: "edge"}
	right, wrong := file(t, "right", "right\nsecond line\n"), file(t, "wrong", "wrong\n")
	for _, m := range Mechanisms {
		o := quiet(Options{Brokers: brokers, Mechanism: m, User: "edge", PasswordFile: right})
		if err := Check(t.Context(), o, use); err != nil {
			t.Errorf("%s: %v", m, err)
		}
		o.PasswordFile = wrong
		err := Check(t.Context(), o, use)
		wants(t, string(m), err, "credentials of the user edge", "--user", wrong, string(m))
		if strings.Contains(err.Error(), "right") {
			t.Errorf("%s shows a password: %v", m, err)
		}
	}
	wants(t, "nothing", Check(t.Context(), quiet(Options{Brokers: brokers}), use), "wants credentials (--sasl, --user, --password-file)")

	// The client of a program that runs: the password is replaced.
	changing := file(t, "changing", "wrong")
	opts, err := quiet(Options{Brokers: brokers, Mechanism: ScramSHA512, User: "edge", PasswordFile: changing}).Client()
	if err != nil {
		t.Fatal(err)
	}
	client, err := kgo.NewClient(opts...)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if err := client.Ping(t.Context()); err == nil {
		t.Error("it takes a wrong password")
	}
	if err := os.WriteFile(changing, []byte("right"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := client.Ping(t.Context()); err != nil {
		t.Errorf("after the password was corrected: %v", err)
	}
}

// TestUnwantedSASL gives credentials to brokers that take none, or not these.
func TestUnwantedSASL(t *testing.T) {
	t.Parallel()
	secret := file(t, "secret", "x")
	only := startCluster(t, kfake.EnableSASL(), kfake.Superuser("PLAIN", "edge", "x"))
	err := Check(t.Context(), quiet(Options{Brokers: only, Mechanism: ScramSHA512, User: "edge", PasswordFile: secret}), Use{})
	wants(t, "another mechanism", err, "scram-sha-512")
}

// TestTLS connects by TLS, with files that are replaced, and is told what is wrong with it.
func TestTLS(t *testing.T) {
	t.Parallel()
	trusted, other := certtest.New(t, "trusted"), certtest.New(t, "other")
	secure := func(leaf certtest.Leaf, change func(*tls.Config)) []string {
		c := &tls.Config{Certificates: []tls.Certificate{leaf.Pair(t)}}
		if change != nil {
			change(c)
		}
		return startCluster(t, kfake.TLS(c))
	}
	folder := t.TempDir()
	ca, otherCA := trusted.Write(t, filepath.Join(folder, "ca.pem")), other.Write(t, filepath.Join(folder, "other.pem"))
	cert, key := trusted.Sign(t, []string{"edge"}).Write(t, folder, "edge")
	strangeCert, strangeKey := other.Sign(t, []string{"edge"}).Write(t, folder, "strange")
	good := secure(trusted.Sign(t, []string{"127.0.0.1"}), nil)
	asking := secure(trusted.Sign(t, []string{"127.0.0.1"}), func(c *tls.Config) { c.ClientAuth, c.ClientCAs = tls.RequireAndVerifyClientCert, trusted.Pool() })
	asking12 := secure(trusted.Sign(t, []string{"127.0.0.1"}), func(c *tls.Config) {
		c.ClientAuth, c.ClientCAs, c.MaxVersion = tls.RequireAndVerifyClientCert, trusted.Pool(), tls.VersionTLS12
	})
	use := Use{Read: []string{"bids"}}
	for name, tt := range map[string]struct {
		o    Options
		want []string // nothing: it works
	}{
		"good":                {Options{Brokers: good, TLS: true, CAFile: ca}, nil},
		"with a certificate":  {Options{Brokers: asking, TLS: true, CAFile: ca, CertificateFile: cert, KeyFile: key}, nil},
		"system's":            {Options{Brokers: good, TLS: true}, []string{"an authority that this machine does not know", "--tls-ca"}},
		"another authority":   {Options{Brokers: good, TLS: true, CAFile: otherCA}, []string{"is not signed by an authority in " + otherCA}},
		"another name":        {Options{Brokers: secure(trusted.Sign(t, []string{"kafka.example"}), nil), TLS: true, CAFile: ca}, []string{"is for kafka.example", "--brokers"}},
		"expired":             {Options{Brokers: secure(trusted.Sign(t, []string{"127.0.0.1"}, certtest.Expired), nil), TLS: true, CAFile: ca}, []string{"has expired"}},
		"no certificate":      {Options{Brokers: asking, TLS: true, CAFile: ca}, []string{"wants a certificate of its clients", "--tls-cert"}},
		"no certificate, 1.2": {Options{Brokers: asking12, TLS: true, CAFile: ca}, []string{"wants a certificate of its clients", "--tls-cert"}},
		"strange certificate": {Options{Brokers: asking, TLS: true, CAFile: ca, CertificateFile: strangeCert, KeyFile: strangeKey}, []string{"may not trust the certificate " + strangeCert}},
		// A TLS handshake is a request to brokers of Kafka, one that is far too long.
		"TLS to plain": {Options{Brokers: closing(t, ""), TLS: true, CAFile: ca}, []string{"does not speak TLS", "leave --tls out"}},
		"plain to TLS": {Options{Brokers: good}, []string{"TLS", "--tls"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := Check(t.Context(), quiet(tt.o), use)
			switch {
			case len(tt.want) > 0:
				wants(t, name, err, tt.want...)
			case err != nil:
				t.Error(err)
			}
		})
	}
}

// closing starts a listener that reads the length of a request, says something, and closes.
func closing(t *testing.T, says string) []string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			_, _ = io.ReadFull(c, make([]byte, 4))
			_, _ = io.WriteString(c, says)
			c.(*net.TCPConn).CloseWrite()
			_, _ = io.Copy(io.Discard, c)
			c.Close()
		}
	}()
	return []string{ln.Addr().String()}
}

// TestRights is told which right is missing.
func TestRights(t *testing.T) {
	t.Parallel()
	brokers := startCluster(t, kfake.EnableSASL(), kfake.EnableACLs(), kfake.User("PLAIN", "edge", "x"))
	o := quiet(Options{Brokers: brokers, Mechanism: Plain, User: "edge", PasswordFile: file(t, "secret", "x")})
	wants(t, "topic", Check(t.Context(), o, Use{Read: []string{"bids"}}), "the user edge", "READ on --topic")
	wants(t, "group", Check(t.Context(), o, Use{Group: "edge"}), "the user edge may not use the group")
}

// TestMistakes refuses options before anything connects.
func TestMistakes(t *testing.T) {
	t.Parallel()
	secret, empty := file(t, "secret", "x"), file(t, "empty", "\nx")
	one := []string{"127.0.0.1:9092"}
	for want, o := range map[string]Options{
		"no broker (--brokers)":         {},
		`the broker "a:b"`:              {Brokers: []string{"a:b"}},
		`the broker "http://x"`:         {Brokers: []string{"http://x"}},
		`the broker ""`:                 {Brokers: []string{""}},
		`the broker ":9092"`:            {Brokers: []string{":9092"}},
		`the broker "a:70000"`:          {Brokers: []string{"a:70000"}},
		"TLS is off: add --tls":         {Brokers: one, CAFile: secret},
		"give both --tls-cert":          {Brokers: one, TLS: true, CertificateFile: secret},
		"no certificate as PEM":         {Brokers: one, TLS: true, CAFile: secret},
		"the authorities of brokers":    {Brokers: one, TLS: true, CAFile: secret + "-none"},
		"add --sasl":                    {Brokers: one, User: "edge"},
		`unknown mechanism "md5"`:       {Brokers: one, Mechanism: "md5", User: "edge", PasswordFile: secret},
		"needs --user":                  {Brokers: one, Mechanism: Plain, PasswordFile: secret},
		"the password":                  {Brokers: one, Mechanism: Plain, User: "edge", PasswordFile: secret + "-none"},
		"the first line of " + empty:    {Brokers: one, Mechanism: Plain, User: "edge", PasswordFile: empty},
		"the time for connections is -": {Brokers: one, DialTimeout: -1},
	} {
		_, err := o.Client()
		wants(t, want, err, want)
	}
}

// TestBrokers reads addresses.
func TestBrokers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a": "a:9092", "a:1": "a:1", "10.0.0.1": "10.0.0.1:9092", "::1": "[::1]:9092", "[::1]": "[::1]:9092", "[::1]:1": "[::1]:1",
	} {
		if got, err := parseBroker(text); got != want || err != nil {
			t.Errorf("%s: %s, %v", text, got, err)
		}
	}
}

// TestCleartext warns of passwords that everybody on the network can read, and of no others.
func TestCleartext(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		o    Options
		want bool
	}{
		{Options{Brokers: []string{"kafka.example"}, Mechanism: Plain}, true},
		{Options{Brokers: []string{"127.0.0.1", "10.0.0.1"}, Mechanism: Plain}, true},
		{Options{Brokers: []string{"localhost:1", "127.0.0.1", "::1"}, Mechanism: Plain}, false},
		{Options{Brokers: []string{"kafka.example"}, Mechanism: Plain, TLS: true}, false},
		{Options{Brokers: []string{"kafka.example"}, Mechanism: ScramSHA512}, false},
		{Options{Brokers: []string{"kafka.example"}}, false},
	} {
		if got := tt.o.Cleartext(); got != tt.want {
			t.Errorf("%+v: %v", tt.o, got)
		}
	}
}

// TestExplain keeps the cause, and leaves alone what it knows nothing about.
func TestExplain(t *testing.T) {
	t.Parallel()
	o := Options{Brokers: []string{"a:1"}, Mechanism: Plain, User: "edge"}
	if err := o.Explain(nil); err != nil {
		t.Error(err)
	}
	err := o.Explain(kerr.SaslAuthenticationFailed)
	if !errors.Is(err, kerr.SaslAuthenticationFailed) || !strings.Contains(err.Error(), "a:1 refuses the user edge") {
		t.Error(err)
	}
	for _, own := range []error{kerr.TransactionalIDAuthorizationFailed, kerr.ClusterAuthorizationFailed, kerr.IllegalSaslState} {
		if err := o.Explain(own); !errors.Is(err, own) || err.Error() == own.Error() {
			t.Error(err)
		}
	}
	if err := o.Explain(fmt.Errorf("stream: %w", &kgo.ErrDecompressTooLarge{})); !strings.Contains(err.Error(), "raise --max-in-flight") {
		t.Error(err)
	}
	if err := o.Explain(fmt.Errorf("topic bids-ok: %w", kerr.TopicAuthorizationFailed)); !strings.Contains(err.Error(), "bids-ok") {
		t.Error(err)
	}
	if err := o.Explain(io.ErrShortBuffer); err != io.ErrShortBuffer {
		t.Error(err)
	}
	if list := []Mechanism{Plain, ScramSHA256, ScramSHA512}; !slices.Equal(Mechanisms, list) {
		t.Error(Mechanisms)
	}
}

// TestLog writes few lines, and says how many it has left out.
func TestLog(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	l := newLogger(slog.New(slog.NewTextHandler(&out, nil)))
	for range 10 {
		l.Log(kgo.LogLevelWarn, "unable to open connection", "addr", "a:1")
	}
	l.Log(kgo.LogLevelInfo, "much")
	l.last = time.Time{}
	l.Log(kgo.LogLevelError, "another")
	if lines := strings.Split(strings.TrimSpace(out.String()), "\n"); len(lines) != 2 || !strings.Contains(lines[0], "addr=a:1") || !strings.Contains(lines[1], "more=9") {
		t.Errorf("%q", lines)
	}
	if l.Level() != kgo.LogLevelWarn {
		t.Error(l.Level())
	}
	if debug := newLogger(slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))); debug.Level() != kgo.LogLevelInfo {
		t.Error(debug.Level())
	}
}
