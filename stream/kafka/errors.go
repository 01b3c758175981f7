package kafka

import (
	"crypto/tls"
	"crypto/x509"
	"errors"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/rtbwire/rtbwire/stream"
)

// hopeless reports whether an error does not get better by waiting: credentials, rights or
// the configuration have to change.
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

// refusesRecord reports whether an error is about what a record holds.
func refusesRecord(err error) bool {
	for _, e := range []*kerr.Error{
		kerr.MessageTooLarge, kerr.RecordListTooLarge, kerr.InvalidRecord, kerr.InvalidTimestamp, kerr.PolicyViolation,
	} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// notMember reports whether a commit failed because the group no longer knows the member.
func notMember(err error) bool {
	return errors.Is(err, kerr.UnknownMemberID) || errors.Is(err, kerr.IllegalGeneration) || errors.Is(err, kerr.FencedInstanceID) ||
		errors.Is(err, kerr.UnknownTopicOrPartition) || errors.Is(err, kerr.UnknownTopicID)
}

// lost is an error of a commit that another member has the partition.
type lost struct{ error }

func (l lost) Unwrap() error { return l.error }

// Is makes errors.Is find [stream.ErrLaneLost] and keeps the text of the broker's error.
func (l lost) Is(target error) bool { return target == stream.ErrLaneLost }
