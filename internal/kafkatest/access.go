package kafkatest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/rtbwire/rtbwire/internal/certtest"
)

// The user that every cluster with SASL knows, for PLAIN and both kinds of SCRAM.
const (
	User     = "edge"
	Password = "correct horse"
)

// access is what the address with security asks for.
type access struct {
	protocol string         // of Kafka; empty if there is no such address
	settings map[string]any // of the broker

	authority *certtest.Authority
	client    certtest.Leaf
}

func newAccess(o Options, folder string) (a access, err error) {
	a.settings = map[string]any{}
	if o.ACL {
		a.settings["authorizer.class.name"] = "org.apache.kafka.metadata.authorizer.StandardAuthorizer"
		a.settings["allow.everyone.if.no.acl.found"] = true
		a.settings["super.users"] = "User:ANONYMOUS" // the brokers themselves, and tests
	}
	switch {
	case o.TLS && o.SASL:
		a.protocol = "SASL_SSL"
	case o.TLS:
		a.protocol = "SSL"
	case o.SASL:
		a.protocol = "SASL_PLAINTEXT"
	}
	if o.SASL {
		a.settings["listener.name.secure.sasl.enabled.mechanisms"] = "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512"
		a.settings["listener.name.secure.plain.sasl.jaas.config"] = fmt.Sprintf(
			"org.apache.kafka.common.security.plain.PlainLoginModule required user_%s=%q;", User, Password)
		for _, mechanism := range []string{"scram-sha-256", "scram-sha-512"} {
			a.settings["listener.name.secure."+mechanism+".sasl.jaas.config"] =
				"org.apache.kafka.common.security.scram.ScramLoginModule required;"
		}
	}
	if o.TLS {
		err = a.certify(o, folder)
	}
	return a, err
}

// certify makes the certificates and has the brokers use them.
func (a *access) certify(o Options, folder string) (err error) {
	defer func() {
		if problem, ok := recover().(failure); ok {
			err = fmt.Errorf("kafkatest: %s", problem)
		}
	}()
	tb := outside{}
	a.authority = certtest.New(tb, "kafkatest")
	server := a.authority.Sign(tb, []string{"127.0.0.1", "localhost"})
	a.client = a.authority.Sign(tb, []string{"client"})
	store, trusted := filepath.Join(folder, "server.pem"), filepath.Join(folder, "authority.pem")
	if err := os.WriteFile(store, append(append([]byte(nil), server.Key...), server.Certificate...), 0o600); err != nil {
		return err
	}
	a.authority.Write(tb, trusted)
	a.settings["listener.name.secure.ssl.keystore.type"] = "PEM"
	a.settings["listener.name.secure.ssl.keystore.location"] = store
	a.settings["listener.name.secure.ssl.truststore.type"] = "PEM"
	a.settings["listener.name.secure.ssl.truststore.location"] = trusted
	if o.Clients {
		a.settings["listener.name.secure.ssl.client.auth"] = "required"
	}
	return nil
}

// outside is a testing.TB for what is made where there is no test.
type outside struct{ testing.TB }

type failure string

func (outside) Helper()           {}
func (outside) Fatal(args ...any) { panic(failure(fmt.Sprint(args...))) }

// Authority writes the certificate of the authority that has signed the brokers' to a file, and
// returns its path.
func (c *Cluster) Authority(tb testing.TB) string {
	tb.Helper()
	return c.access.authority.Write(tb, filepath.Join(tb.TempDir(), "authority.pem"))
}

// Client writes a certificate for clients and its key to files, and returns their paths.
func (c *Cluster) Client(tb testing.TB) (certificate, key string) {
	tb.Helper()
	return c.access.client.Write(tb, tb.TempDir(), "client")
}

// TLS returns the configuration of a client that trusts the brokers, with its certificate.
func (c *Cluster) TLS(tb testing.TB) *tls.Config {
	tb.Helper()
	return &tls.Config{RootCAs: c.pool(), Certificates: []tls.Certificate{c.access.client.Pair(tb)}}
}

func (c *Cluster) pool() *x509.CertPool { return c.access.authority.Pool() }

// Users makes User known to SCRAM, too: PLAIN has it from the start.
func (c *Cluster) Users(tb testing.TB) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	for _, mechanism := range []kadm.ScramMechanism{kadm.ScramSha256, kadm.ScramSha512} { // one a request
		results, err := c.adminOf(tb).AlterUserSCRAMs(ctx, nil, []kadm.UpsertSCRAM{
			{User: User, Mechanism: mechanism, Iterations: 4096, Password: Password},
		})
		if err == nil {
			err = results.Error()
		}
		if err != nil {
			tb.Fatalf("users: %v", err)
		}
	}
}

// Deny forbids User to write to a topic.
func (c *Cluster) Deny(tb testing.TB, topic string) { c.alter(tb, topic, true) }

// Allow takes Deny back.
func (c *Cluster) Allow(tb testing.TB, topic string) { c.alter(tb, topic, false) }

func (c *Cluster) alter(tb testing.TB, topic string, deny bool) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	rule := kadm.NewACLs().Topics(topic).ResourcePatternType(kadm.ACLPatternLiteral).Operations(kadm.OpWrite).
		Deny("User:" + User).DenyHosts("*")
	if !deny {
		results, err := c.adminOf(tb).DeleteACLs(ctx, rule)
		if err == nil && len(results) == 0 {
			tb.Fatal("there is no such rule")
		}
		if err != nil {
			tb.Fatal(err)
		}
		return
	}
	results, err := c.adminOf(tb).CreateACLs(ctx, rule)
	if err != nil {
		tb.Fatal(err)
	}
	for _, r := range results {
		if r.Err != nil {
			tb.Fatal(r.Err)
		}
	}
}
