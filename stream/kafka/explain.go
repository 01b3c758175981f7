package kafka

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// explained is an error in a sentence of ours.
type explained struct {
	text string
	err  error
}

func (e *explained) Error() string { return e.text }
func (e *explained) Unwrap() error { return e.err }

// Explain returns an error that says in one sentence what an error of the client library means and
// what to do next, and wraps it. What it knows nothing about, it returns as it is.
func (o Options) Explain(err error) error {
	if err == nil {
		return nil
	}
	address := strings.Join(o.Brokers, ", ")
	if dial, ok := errors.AsType[*connectError](err); ok {
		address = dial.address
	}
	if text := o.meaning(address, err); text != "" {
		if o.meaningOfRights(address, err) != "" {
			text += fmt.Sprintf(" (%v)", err) // which says what it is about
		}
		return &explained{text, err}
	}
	return err
}

// explain is Explain for an error of one broker; it always names the broker.
func (o *Options) explain(address string, err error) error {
	if text := o.meaning(address, err); text != "" {
		return &explained{text, err}
	}
	return fmt.Errorf("the broker %s: %w", address, err)
}

// meaning returns what an error means; "" if that is not known.
func (o *Options) meaning(address string, err error) string {
	if _, ok := errors.AsType[*kgo.ErrDecompressTooLarge](err); ok {
		return fmt.Sprintf("a batch of records inflates to more than what may be in flight: raise --max-in-flight (%v)", err)
	}
	for _, of := range []func(string, error) string{o.meaningOfTLS, o.meaningOfSASL, o.meaningOfRights, o.meaningOfNetwork} {
		if text := of(address, err); text != "" {
			return text
		}
	}
	return ""
}

// meaningOfNetwork is about addresses and connections.
func (o *Options) meaningOfNetwork(address string, err error) string {
	var name *net.DNSError
	var dial *connectError
	dialed := errors.As(err, &dial)
	switch {
	case errors.As(err, &name) && name.IsNotFound:
		return fmt.Sprintf("the broker %s has no address: nobody knows the name %s (look at the spelling in --brokers)", address, name.Name)
	case errors.As(err, &name):
		return fmt.Sprintf("the broker %s has no address: the name %s could not be looked up (%v)", address, name.Name, name.Err)
	case errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Sprintf("nothing listens at %s: start the broker, or correct --brokers", address)
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return fmt.Sprintf("there is no way to %s: look at --brokers and at the network", address)
	case dialed && !dial.handshake && (isTimeout(err) || errors.Is(err, context.DeadlineExceeded)):
		return fmt.Sprintf("%s does not answer within %v: look at --brokers, and whether a firewall is in between", address, o.DialTimeout)
	case isTimeout(err), errors.Is(err, context.DeadlineExceeded):
		return fmt.Sprintf("%s is connected and does not answer: it may be no broker, or one that is starting", address)
	}
	return ""
}

// meaningOfTLS is about one side that speaks TLS and another that does not, and about certificates.
func (o *Options) meaningOfTLS(address string, err error) string {
	var dial *connectError
	if errors.As(err, &dial) && dial.handshake {
		return o.meaningOfHandshake(address, err)
	}
	switch alert := alertOf(err); {
	case alert != "": // TLS 1.3 says it after the handshake
		return o.meaningOfAlert(address, alert)
	case strings.Contains(err.Error(), "tls alert record"):
		return fmt.Sprintf("%s speaks TLS: add --tls, or name a listener without it", address)
	case strings.Contains(err.Error(), "HTTP response"):
		return fmt.Sprintf("%s speaks HTTP and is no broker: correct --brokers", address)
	}
	var first *kgo.ErrFirstReadEOF
	if !errors.As(err, &first) && !errors.Is(err, syscall.ECONNRESET) {
		return ""
	}
	switch text := err.Error(); {
	case o.Mechanism == None && strings.Contains(text, "SASL"):
		return fmt.Sprintf("%s closes the connection: it wants credentials (--sasl, --user, --password-file)", address)
	case !o.TLS:
		return fmt.Sprintf("%s closes the connection at the first request: its listener probably wants TLS (--tls)", address)
	}
	return fmt.Sprintf("%s closes the connection at the first request: look at --tls and --sasl, and at the broker's log", address)
}

func (o *Options) meaningOfHandshake(address string, err error) string {
	var record tls.RecordHeaderError
	var unknown x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	var verification *tls.CertificateVerificationError
	switch {
	case errors.As(err, &unknown) && o.CAFile == "":
		return fmt.Sprintf("the certificate of %s is signed by an authority that this machine does not know: name the file of that authority with --tls-ca", address)
	case errors.As(err, &unknown):
		return fmt.Sprintf("the certificate of %s is not signed by an authority in %s: correct --tls-ca", address, o.CAFile)
	case errors.As(err, &name):
		return fmt.Sprintf("the certificate of %s is for %s: use a name in --brokers that the certificate has", address, strings.Join(append(name.Certificate.DNSNames, texts(name.Certificate.IPAddresses)...), ", "))
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return fmt.Sprintf("the certificate of %s has expired, or is not valid yet: replace it, or look at this machine's clock", address)
	case errors.As(err, &verification):
		return fmt.Sprintf("the certificate of %s can't be used: %v", address, verification.Err)
	case alertOf(err) != "":
		return o.meaningOfAlert(address, alertOf(err))
	case errors.As(err, &record), errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.EOF):
		return fmt.Sprintf("%s does not speak TLS: leave --tls out, or name its listener of TLS", address)
	case isTimeout(err), errors.Is(err, context.DeadlineExceeded):
		return fmt.Sprintf("%s does not answer the TLS handshake within %v: it may not speak TLS", address, o.DialTimeout)
	}
	return fmt.Sprintf("TLS with %s fails: %v", address, err)
}

// alertOf returns what the other side has said when it ended TLS; "" if it has not. Package tls has
// no type for that.
func alertOf(err error) string {
	_, text, _ := strings.Cut(err.Error(), "remote error: tls: ")
	return text
}

func (o *Options) meaningOfAlert(address, alert string) string {
	if o.CertificateFile == "" {
		return fmt.Sprintf("%s ends TLS (%s): it probably wants a certificate of its clients (--tls-cert, --tls-key)", address, alert)
	}
	return fmt.Sprintf("%s ends TLS (%s): it may not trust the certificate %s", address, alert, o.CertificateFile)
}

// meaningOfSASL is about credentials.
func (o *Options) meaningOfSASL(address string, err error) string {
	switch {
	case errors.Is(err, kerr.SaslAuthenticationFailed) && o.Mechanism != None:
		return fmt.Sprintf("%s refuses the user %s with %s: look at --user, at the password in %s, and whether the user has credentials of this mechanism", address, o.User, o.Mechanism, o.PasswordFile)
	case errors.Is(err, kerr.UnsupportedSaslMechanism):
		return fmt.Sprintf("%s does not take %s: use another --sasl, one of its sasl.enabled.mechanisms", address, o.Mechanism)
	case errors.Is(err, kerr.IllegalSaslState):
		return fmt.Sprintf("%s takes no credentials at this listener: leave --sasl out, or name the listener of SASL", address)
	case o.Mechanism != None && errors.Is(err, io.EOF) && !errors.As(err, new(*connectError)):
		return fmt.Sprintf("%s closes the connection when it gets the credentials of the user %s: look at --user, at the password in %s, and whether the listener takes %s", address, o.User, o.PasswordFile, o.Mechanism)
	}
	return ""
}

// meaningOfRights is about what a user may do.
func (o *Options) meaningOfRights(address string, err error) string {
	who := "clients without credentials"
	if o.User != "" {
		who = "the user " + o.User
	}
	switch {
	case errors.Is(err, kerr.GroupAuthorizationFailed):
		return fmt.Sprintf("%s may not use the group (READ on it is missing at %s): add the right, or choose another --group", who, address)
	case errors.Is(err, kerr.TopicAuthorizationFailed):
		return fmt.Sprintf("%s may not use a topic at %s: READ on --topic, and WRITE on --accepted, --dead-letters and --responses are needed", who, address)
	case errors.Is(err, kerr.TransactionalIDAuthorizationFailed):
		return fmt.Sprintf("%s may not use transactions at %s: --exactly-once needs WRITE on transactional ids that begin with rtbwire- and the name of the group", who, address)
	case errors.Is(err, kerr.ClusterAuthorizationFailed):
		return fmt.Sprintf("%s may not use the cluster at %s: IDEMPOTENT_WRITE is missing", who, address)
	}
	return ""
}

// topic explains an error about a topic.
func (o *Options) topic(name string, err error) error {
	switch {
	case errors.Is(err, kerr.UnknownTopicOrPartition), errors.Is(err, kerr.UnknownTopicID):
		return &explained{fmt.Sprintf("there is no topic %s: create it (kafka-topics.sh --bootstrap-server %s --create --topic %s), or correct the name", name, o.Brokers[0], name), err}
	case errors.Is(err, kerr.InvalidTopicException):
		return &explained{fmt.Sprintf("%q is no name of a topic (want letters, digits, dots, dashes and underscores, at most 249)", name), err}
	case errors.Is(err, kerr.TopicAuthorizationFailed):
		who := "clients without credentials"
		if o.User != "" {
			who = "the user " + o.User
		}
		return &explained{fmt.Sprintf("the topic %s is not there, or %s may not see it: READ on --topic, and WRITE on --accepted, --dead-letters and --responses are needed", name, who), err}
	}
	return fmt.Errorf("the topic %s: %w", name, err)
}

func isTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout()
}

func texts(ips []net.IP) (list []string) {
	for _, ip := range ips {
		list = append(list, ip.String())
	}
	return list
}
