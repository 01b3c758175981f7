package transport

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
)

// TLS says what TLS is used with. Without a pair TLS is off.
type TLS struct {
	// Pairs are certificates with their keys. A client gets the first one that has the name it asks
	// for, and the first of all if none has.
	Pairs []Pair
	// ClientCAs are files with the certificates of authorities, as PEM, whose signature clients
	// must have. Without any no client is asked for a certificate.
	ClientCAs []string
	// ClientAuth says whether clients need a certificate.
	ClientAuth ClientAuth
	// MinVersion is [tls.VersionTLS12] (the default) or [tls.VersionTLS13].
	MinVersion uint16
	// NoHTTP2 offers HTTP/1.1 only.
	NoHTTP2 bool
}

// Pair names the files of a certificate, with those of the authorities between it and the root, and
// of its key, as PEM.
type Pair struct{ Certificate, Key string }

// ClientAuth says whether clients need a certificate.
type ClientAuth string

// The values of ClientAuth.
const (
	// ClientRequire refuses connections without a certificate. It is the default if there are
	// ClientCAs.
	ClientRequire ClientAuth = "require"
	// ClientRequest verifies the certificate of a client that has one.
	ClientRequest ClientAuth = "request"
)

// The protocols that clients choose from (ALPN).
const (
	protocolHTTP1 = "http/1.1"
	protocolHTTP2 = "h2"
)

// suites are the TLS 1.2 suites with forward secrecy and authenticated encryption. Those of TLS 1.3
// all are, and can't be chosen.
var suites = []uint16{
	tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
	tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
	tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
}

// given reports whether TLS is wanted.
func (o *TLS) given() bool { return len(o.Pairs) > 0 }

// validate refuses what can't be meant.
func (o *TLS) validate() error {
	for _, p := range o.Pairs {
		if p.Certificate == "" || p.Key == "" {
			return errors.New("a certificate of TLS needs a file with its key, and a key one with its certificate")
		}
	}
	switch {
	case !o.given() && len(o.ClientCAs) > 0:
		return errors.New("TLS client authorities need a server certificate, found none")
	case o.ClientAuth != "" && o.ClientAuth != ClientRequire && o.ClientAuth != ClientRequest:
		return fmt.Errorf("unknown way to ask clients for a certificate %q (want %s or %s)", o.ClientAuth, ClientRequire, ClientRequest)
	case o.ClientAuth != "" && len(o.ClientCAs) == 0:
		return errors.New("client certificates need authorities to verify them, found none")
	case o.MinVersion != 0 && o.MinVersion != tls.VersionTLS12 && o.MinVersion != tls.VersionTLS13:
		return fmt.Errorf("the lowest version of TLS is %s (want 1.2 or 1.3)", tls.VersionName(o.MinVersion))
	}
	return nil
}

// config returns a configuration for the certificates, and authorities. Each has keys for session
// tickets of its own, that change every day: what one has decided about a client does not hold for
// the next one.
func (o *TLS) config(certificates []tls.Certificate, authorities *x509.CertPool, protocols ...string) *tls.Config {
	c := &tls.Config{
		Certificates: certificates,
		MinVersion:   max(o.MinVersion, tls.VersionTLS12),
		CipherSuites: suites,
		NextProtos:   protocols,
	}
	if authorities != nil {
		c.ClientCAs, c.ClientAuth = authorities, tls.RequireAndVerifyClientCert
		if o.ClientAuth == ClientRequest {
			c.ClientAuth = tls.VerifyClientCertIfGiven
		}
	}
	return c
}
