package kafka

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
)

// connectError is the error of a connection that could not be made. It knows to whom.
type connectError struct {
	address   string
	handshake bool // of TLS: the connection itself was made
	err       error
}

func (e *connectError) Error() string {
	if e.handshake {
		return fmt.Sprintf("TLS with %s: %v", e.address, e.err)
	}
	return e.err.Error()
}

func (e *connectError) Unwrap() error { return e.err }

// dial opens a connection to a broker, and shakes hands if it is one of TLS.
func (o *Options) dial(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, o.DialTimeout)
	defer cancel()
	c, err := o.dialer(ctx, network, address)
	if err != nil {
		return nil, &connectError{address, false, err}
	}
	if !o.TLS {
		return c, nil
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = address
	}
	config, err := o.config(host)
	if err == nil {
		own := tls.Client(c, config)
		if err = own.HandshakeContext(ctx); err == nil {
			return own, nil
		}
	}
	_ = c.Close() // nothing was sent
	return nil, &connectError{address, true, err}
}

// config reads the files of TLS.
func (o *Options) config(host string) (*tls.Config, error) {
	c := &tls.Config{ServerName: host, MinVersion: tls.VersionTLS12}
	if o.CAFile != "" {
		text, err := readFile(o.CAFile)
		if err != nil {
			return nil, fmt.Errorf("the authorities of brokers: %w", err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("the authorities of brokers: %s has no certificate as PEM", o.CAFile)
		}
	}
	if o.CertificateFile != "" {
		pair, err := tls.LoadX509KeyPair(o.CertificateFile, o.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("the certificate %s with the key %s: %w", o.CertificateFile, o.KeyFile, err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}
