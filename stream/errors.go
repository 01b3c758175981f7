package stream

import (
	"crypto/tls"
	"crypto/x509"
	"errors"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// fatal is an error that ends Run. All others begin a new session.
type fatal struct{ err error }

func (f *fatal) Error() string { return f.err.Error() }
func (f *fatal) Unwrap() error { return f.err }

// hopeless reports whether an error does not get better by waiting: somebody has to change
// credentials, rights or the configuration.
func hopeless(err error) bool {
	for _, e := range []*kerr.Error{
		kerr.SaslAuthenticationFailed, kerr.UnsupportedSaslMechanism, kerr.IllegalSaslState, kerr.SecurityDisabled,
		kerr.TopicAuthorizationFailed, kerr.GroupAuthorizationFailed, kerr.ClusterAuthorizationFailed,
		kerr.TransactionalIDAuthorizationFailed, kerr.DelegationTokenAuthDisabled,
		kerr.InvalidTopicException, kerr.InvalidGroupID, kerr.InvalidSessionTimeout, kerr.InconsistentGroupProtocol,
		kerr.InvalidTransactionTimeout, kerr.UnsupportedVersion, kerr.InvalidRequiredAcks, kerr.UnsupportedForMessageFormat,
	} {
		if errors.Is(err, e) {
			return true
		}
	}
	return badCertificate(err)
}

// badCertificate reports whether a TLS handshake failed for what one side thinks of the other.
func badCertificate(err error) bool {
	var verification *tls.CertificateVerificationError
	var unknown x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	var header tls.RecordHeaderError
	var alert tls.AlertError
	return errors.As(err, &verification) || errors.As(err, &unknown) || errors.As(err, &host) || errors.As(err, &invalid) ||
		errors.As(err, &header) || errors.As(err, &alert)
}

// refusesClient reports whether the first connection ever failed in a way that means TLS or SASL
// on one side only. Later that is a broker that goes away.
func refusesClient(err error) bool {
	var eof *kgo.ErrFirstReadEOF
	return errors.As(err, &eof)
}
