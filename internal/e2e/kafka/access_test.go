//go:build unix

package kafka

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/internal/certtest"
	"github.com/rtbwire/rtbwire/internal/kafkatest"
)

// password writes a password to a file, and returns its path.
func password(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(path, []byte(text+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const wrong = "wrong-and-secret"

// refused starts the program, and wants it to end with an error that says one of these words.
func (s *stage) refused(t *testing.T, words []string, args ...string) {
	t.Helper()
	begin := time.Now()
	p := s.begin(t, args...)
	if status := p.Status(t); status == 0 {
		t.Errorf("it has ended as if all was well: %s", p.Text())
	}
	text := strings.ToLower(p.Text())
	found := ""
	for _, word := range words {
		if strings.Contains(text, word) {
			found = word
		}
	}
	if found == "" {
		t.Errorf("%v: none of %q: %s", args, words, p.Text())
	}
	if strings.Contains(text, wrong) {
		t.Errorf("the log has the password: %s", p.Text())
	}
	lines := strings.Count(text, "\n")
	t.Logf("it ended after %v with %d lines, the last: %s", time.Since(begin).Round(100*time.Millisecond), lines, last(p.Text()))
	if lines > 30 {
		t.Errorf("%d lines of log", lines)
	}
}

func last(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

// TestSASL comes in by each mechanism, and ends with a clear error if user or password are wrong.
func TestSASL(t *testing.T) {
	for _, tls := range []bool{false, true} {
		t.Run(map[bool]string{false: "plain", true: "tls"}[tls], func(t *testing.T) {
			c := kafkatest.Start(t, kafkatest.Options{SASL: true, TLS: tls})
			c.Users(t)
			common := []string{"--brokers", strings.Join(c.Secure(), ",")}
			if tls {
				common = append(common, "--tls", "--tls-ca", c.Authority(t))
			}
			for _, mechanism := range []string{"plain", "scram-sha-256", "scram-sha-512"} {
				t.Run(mechanism, func(t *testing.T) {
					s := newStage(t, c, 2)
					args := append(slices.Clip(common), "--sasl", mechanism)
					newFeeder(t, s).all(200)
					p := s.run(t, append(args, "--user", kafkatest.User, "--password-file", password(t, kafkatest.Password))...)
					s.done(t, p)
					p.Stop(t)
					s.account(t, 0)
					words := []string{"authentication", "credentials", "password"}
					s.refused(t, words, append(args, "--user", kafkatest.User, "--password-file", password(t, wrong))...)
					s.refused(t, words, append(args, "--user", "nobody", "--password-file", password(t, wrong))...)
				})
			}
			t.Run("none", func(t *testing.T) {
				s := newStage(t, c, 2)
				s.refused(t, []string{"sasl", "eof", "closed", "tls"}, common...)
			})
		})
	}
}

// TestTLS comes in with a certificate, and ends with a clear error if one side does not trust the
// other, or does not speak TLS.
func TestTLS(t *testing.T) {
	c := kafkatest.Start(t, kafkatest.Options{TLS: true, Clients: true})
	certificate, key := c.Client(t)
	stranger := certtest.New(t, "stranger")
	folder := t.TempDir()
	strange, strangeKey := stranger.Sign(t, []string{"client"}).Write(t, folder, "stranger")
	secure := []string{"--brokers", strings.Join(c.Secure(), ","), "--tls"}
	s := newStage(t, c, 2)
	newFeeder(t, s).all(200)
	with := func(args ...string) []string { return append(slices.Clip(secure), args...) }
	p := s.run(t, with("--tls-ca", c.Authority(t), "--tls-cert", certificate, "--tls-key", key)...)
	s.done(t, p)
	p.Stop(t)
	s.account(t, 0)
	for _, args := range [][]string{
		with("--tls-cert", certificate, "--tls-key", key),                                                                 // an authority that the system does not know
		with("--tls-ca", stranger.Write(t, filepath.Join(folder, "ca.pem")), "--tls-cert", certificate, "--tls-key", key), // another authority
		with("--tls-ca", c.Authority(t)),                                                                                  // no certificate
		with("--tls-ca", c.Authority(t), "--tls-cert", strange, "--tls-key", strangeKey),                                  // one of a stranger
		{"--tls", "--tls-ca", c.Authority(t)},                                                                             // TLS to a port without
		{"--brokers", strings.Join(c.Secure(), ",")},                                                                      // none to a port with it
	} {
		s.refused(t, []string{"tls", "certificate", "x509"}, args...)
	}
}

// TestNobodyThere has no broker at the address: the program ends with a clear error, or goes on
// trying without a flood of lines, and ends when it is told to.
func TestNobodyThere(t *testing.T) {
	s := newStage(t, shared.get(t), 1)
	p := s.begin(t, "--brokers", "127.0.0.1:1", "--drain-timeout", "1s")
	select {
	case <-p.Ended:
	case <-time.After(5 * time.Second):
		p.Signal(t, 15)
		p.Status(t)
	}
	if !strings.Contains(p.Text(), "127.0.0.1:1") {
		t.Errorf("no clear error: %s", p.Text())
	}
	if lines := strings.Count(p.Text(), "\n"); lines > 30 {
		t.Errorf("%d lines of log", lines)
	}
	t.Logf("status %d: %s", p.ProcessState.ExitCode(), last(p.Text()))
}
