package transport

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/certtest"
	"github.com/rtbwire/rtbwire/internal/filewatch"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

// serial returns the serial number of the server's certificate.
func (s *server) serial(tb testing.TB, c *tls.Config) string {
	tb.Helper()
	conn := tls.Client(s.dial(tb), c)
	defer conn.Close()
	if err := conn.Handshake(); err != nil {
		tb.Fatal(err)
	}
	return conn.ConnectionState().PeerCertificates[0].SerialNumber.String()
}

// TestReload replaces the files of a certificate. Until they fit each other the old one stays.
func TestReload(t *testing.T) {
	a := newAuthorities(t)
	a.options.ClientCAs = nil
	s := serve(t, Options{TLS: a.options}, true)
	before := s.serial(t, a.client())
	folder := filepath.Dir(a.options.Pairs[0].Certificate)

	second := a.servers.Sign(t, []string{"a.example"})
	other := t.TempDir()
	certificate, key := second.Write(t, other, "a.example")
	move := func(from string) {
		if err := os.Rename(from, filepath.Join(folder, filepath.Base(from))); err != nil {
			t.Fatal(err)
		}
		s.certificates.Refresh()
	}
	move(certificate)
	if got := s.serial(t, a.client()); got != before {
		t.Error("a certificate is used with the key of another one")
	}
	move(key)
	after := s.serial(t, a.client())
	if after == before {
		t.Error("the certificate is the old one")
	}
	count := func(result string) float64 { return counted(s.metrics.reloads.WithLabelValues(result)) }
	if count(resultDone) != 1 || count(resultFailed) != 1 {
		t.Errorf("%v reloads, %v failed", count(resultDone), count(resultFailed))
	}
	for name, damage := range map[string]func(path string) error{
		"empty":   func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"garbage": func(path string) error { return os.WriteFile(path, []byte("garbage"), 0o600) },
		"large":   func(path string) error { return os.Truncate(path, fileMax+1) },
		"gone":    os.Remove,
		"folder":  func(path string) error { return errors.Join(os.RemoveAll(path), os.Mkdir(path, 0o700)) },
	} {
		path := a.options.Pairs[0].Certificate
		if err := damage(path); err != nil {
			t.Fatal(err)
		}
		failures := count(resultFailed)
		s.certificates.Refresh()
		if got := s.serial(t, a.client()); got != after || count(resultFailed) != failures+1 {
			t.Errorf("%s: another certificate, or %v failures", name, count(resultFailed)-failures)
		}
		if known := s.certificates.Status(); known.Err == nil || !strings.Contains(known.Err.Error(), path) || float64(known.Failures) != failures+1 {
			t.Errorf("%s: %+v", name, known)
		}
		os.RemoveAll(path)
		second.Write(t, folder, "a.example")
		s.certificates.Refresh()
	}
	if got := s.serial(t, a.client()); got != after {
		t.Error("not the certificate from before")
	}
	known := s.certificates.Status()
	if known.Err != nil || float64(known.Loads) != 1+count(resultDone) || known.Entries != len(a.options.Pairs) || known.Path != a.options.Pairs[0].Certificate || time.Since(known.Modified) > time.Minute {
		t.Errorf("%+v", known)
	}
}

// TestReloadOfAuthorities checks that clients of an authority that is gone are refused, also those
// that have a ticket of a session.
func TestReloadOfAuthorities(t *testing.T) {
	a := newAuthorities(t)
	s := serve(t, Options{TLS: a.options}, true)
	client := a.client(with(t, a.clients))
	client.ClientSessionCache = tls.NewLRUClientSessionCache(1)
	for range 2 {
		if got, err := s.ask(t, client); err != nil {
			t.Fatalf("%q, %v", got, err)
		}
	}
	resumed := func() bool {
		c := tls.Client(s.dial(t), client)
		defer c.Close()
		return c.Handshake() == nil && c.ConnectionState().DidResume
	}
	if !resumed() {
		t.Error("the session is not resumed")
	}
	a.strangers.Write(t, a.options.ClientCAs[0])
	s.certificates.Refresh()
	if resumed() {
		t.Error("a session is resumed under other authorities")
	}
	if got, err := s.ask(t, client); err == nil {
		t.Errorf("a client of the authority before: %q", got)
	}
	if got, err := s.ask(t, a.client(with(t, a.strangers))); err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// TestReloadUnderLoad replaces certificates, good and bad ones, while clients connect: no handshake
// fails.
func TestReloadUnderLoad(t *testing.T) {
	a := newAuthorities(t)
	a.options.ClientCAs = nil
	s := serve(t, Options{TLS: a.options}, true)
	watcher := filewatch.Watch(filewatch.Options{Rescan: time.Millisecond}, s.certificates)
	defer watcher.Close()
	folder := filepath.Dir(a.options.Pairs[0].Certificate)
	var stop atomic.Bool
	var handshakes atomic.Int64
	loaded := make(chan struct{})
	go func() {
		defer close(loaded)
		group(3, func(int) {
			for !stop.Load() {
				if got, err := s.ask(t, a.client()); err != nil {
					t.Errorf("%q, %v", got, err)
					return
				}
				handshakes.Add(1)
			}
		})
	}()
	for i := range testkit.Scale(t, 3, 10, 200) {
		a.servers.Sign(t, []string{"a.example"}).Write(t, folder, "a.example")
		if i%3 == 2 {
			if err := os.WriteFile(a.options.Pairs[1].Key, []byte("broken"), 0o600); err != nil {
				t.Fatal(err)
			}
		} else {
			a.servers.Sign(t, []string{"b.example"}).Write(t, folder, "b.example")
		}
		before := handshakes.Load()
		waitFor(t, "handshakes", func() bool { return handshakes.Load() > before+3 || t.Failed() })
	}
	stop.Store(true)
	<-loaded
	waitFor(t, "reloads", func() bool { return counted(s.metrics.reloads.WithLabelValues(resultDone)) > 0 })
}

// TestPrepare checks that other files take effect as a whole, when that is asked for.
func TestPrepare(t *testing.T) {
	a := newAuthorities(t)
	a.options.ClientCAs = nil
	s := serve(t, Options{TLS: a.options}, true)
	before := s.serial(t, a.client())
	certificate, key := a.servers.Sign(t, []string{"a.example"}).Write(t, t.TempDir(), "new")
	use, err := s.certificates.Prepare(TLS{Pairs: []Pair{{certificate, key}}})
	if err != nil {
		t.Fatal(err)
	}
	if got := s.serial(t, a.client()); got != before {
		t.Error("in use before it is asked for")
	}
	use()
	if got := s.serial(t, a.client()); got == before || len(s.certificates.Paths()) != 2 {
		t.Errorf("not in use: %v", s.certificates.Paths())
	}
	for _, bad := range []TLS{{}, {Pairs: []Pair{{certificate, certificate}}}, {Pairs: []Pair{{"nowhere", key}}}} {
		if _, err := s.certificates.Prepare(bad); err == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
}

func TestRefusedOptions(t *testing.T) {
	a := newAuthorities(t)
	pair := a.options.Pairs
	_, strange := a.strangers.Sign(t, []string{"x"}).Write(t, t.TempDir(), "x")
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, o := range map[string]Options{
		"needs a file with its key": {TLS: TLS{Pairs: []Pair{{Certificate: pair[0].Certificate}}}},
		"need a server certificate": {TLS: TLS{ClientCAs: a.options.ClientCAs}},
		"unknown way":               {TLS: TLS{Pairs: pair, ClientCAs: a.options.ClientCAs, ClientAuth: "maybe"}},
		"need authorities":          {TLS: TLS{Pairs: pair, ClientAuth: ClientRequire}},
		"lowest version":            {TLS: TLS{Pairs: pair, MinVersion: tls.VersionTLS11}},
		"does not match":            {TLS: TLS{Pairs: []Pair{{pair[0].Certificate, strange}}}},
		"no such file":              {TLS: TLS{Pairs: []Pair{{"/nowhere/a", "/nowhere/b"}}}},
		"no certificate as PEM":     {TLS: TLS{Pairs: pair, ClientCAs: []string{empty}}},
		"want 0 for the default":    {HandshakesMax: -1},
	} {
		if _, err := New(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want: %s", err, want)
		}
	}
}

func TestWarnings(t *testing.T) {
	a := certtest.New(t, "a")
	for want, leaf := range map[string]certtest.Leaf{
		"":                a.Sign(t, []string{"x"}, func(c *x509.Certificate) { c.NotAfter = time.Now().Add(40 * 24 * time.Hour) }),
		"has expired at":  a.Sign(t, []string{"x"}, certtest.Expired),
		"expires at":      a.Sign(t, []string{"x"}),
		"no name":         a.Sign(t, nil),
		"is not valid be": a.Sign(t, []string{"x"}, func(c *x509.Certificate) { c.NotBefore = time.Now().Add(time.Hour) }),
	} {
		certificate, key := leaf.Write(t, t.TempDir(), "x")
		transport, err := New(Options{TLS: TLS{Pairs: []Pair{{certificate, key}}}})
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(transport.Certificates().Warnings(time.Now()), "\n")
		if !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestConfig checks the configuration for other servers: it follows the files.
func TestConfig(t *testing.T) {
	a := newAuthorities(t)
	transport, err := New(Options{TLS: a.options})
	if err != nil {
		t.Fatal(err)
	}
	ln := tls.NewListener(listen(t, &Sockets{}, "127.0.0.1:0"), transport.Certificates().Config())
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go tell(c, "admin")
		}
	}()
	s := &server{addr: ln.Addr().String()}
	if got, err := s.ask(t, a.client(with(t, a.clients))); err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := s.ask(t, a.client()); err == nil {
		t.Errorf("without a certificate: %q", got)
	}
	a.strangers.Write(t, a.options.ClientCAs[0])
	transport.Certificates().Refresh()
	if got, err := s.ask(t, a.client(with(t, a.strangers))); err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// TestReminders lets time pass: the log has each warning once, and again after it was over.
func TestReminders(t *testing.T) {
	a := certtest.New(t, "a")
	end := time.Now().Add(40 * 24 * time.Hour).Truncate(time.Second)
	leaf := a.Sign(t, []string{"x"}, func(c *x509.Certificate) { c.NotAfter = end })
	certificate, key := leaf.Write(t, t.TempDir(), "x")
	var out bytes.Buffer
	transport, err := New(Options{TLS: TLS{Pairs: []Pair{{certificate, key}}}, Logger: slog.New(slog.NewTextHandler(&out, nil))})
	if err != nil {
		t.Fatal(err)
	}
	c := transport.Certificates()
	if got := c.Status().Expires; !got.Equal(end) {
		t.Errorf("it expires at %v, want %v", got, end)
	}
	for _, tt := range []struct {
		before time.Duration
		want   string
	}{
		{40 * 24 * time.Hour, ""}, {29 * 24 * time.Hour, "in less than 30 days"}, {20 * 24 * time.Hour, ""}, {6 * 24 * time.Hour, "in less than 7 days"},
		{time.Hour, ""}, {-time.Hour, "has expired"}, {-2 * time.Hour, ""}, {40 * 24 * time.Hour, ""}, {-time.Hour, "has expired"},
	} {
		out.Reset()
		c.remind(end.Add(-tt.before))
		if got := out.String(); (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) || strings.Count(got, "\n") > 1 {
			t.Errorf("%v before the end: %q, want %q", tt.before, got, tt.want)
		}
	}
}
