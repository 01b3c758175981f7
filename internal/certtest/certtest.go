// Package certtest makes certificates for tests: authorities, and what they sign.
package certtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Authority signs certificates.
type Authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	// PEM is the certificate.
	PEM []byte
}

// Leaf is a certificate with its key.
type Leaf struct{ Certificate, Key []byte } // as PEM

// New returns an authority.
func New(tb testing.TB, name string) *Authority {
	tb.Helper()
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	a := &Authority{key: newKey(tb)}
	a.certificate, a.PEM = sign(tb, template, template, a.key, a.key)
	return a
}

// Sign returns a certificate for names and addresses, for servers and clients. Changes may be made
// to it before.
func (a *Authority) Sign(tb testing.TB, names []string, changes ...func(*x509.Certificate)) Leaf {
	tb.Helper()
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: "test"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	for _, name := range names {
		if ip := net.ParseIP(name); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, name)
		}
	}
	for _, change := range changes {
		change(template)
	}
	key := newKey(tb)
	_, certificate := sign(tb, template, a.certificate, key, a.key)
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		tb.Fatal(err)
	}
	return Leaf{certificate, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})}
}

// Expired makes a certificate one that has expired.
func Expired(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Minute) }

// Pool returns a pool with the authority.
func (a *Authority) Pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.certificate)
	return pool
}

// Write writes the authority's certificate to a file.
func (a *Authority) Write(tb testing.TB, path string) string {
	tb.Helper()
	write(tb, path, a.PEM)
	return path
}

// Pair returns the certificate for package tls.
func (l Leaf) Pair(tb testing.TB) tls.Certificate {
	tb.Helper()
	pair, err := tls.X509KeyPair(l.Certificate, l.Key)
	if err != nil {
		tb.Fatal(err)
	}
	return pair
}

// Write writes the certificate and its key to files of a folder, each with one rename.
func (l Leaf) Write(tb testing.TB, folder, name string) (certificate, key string) {
	tb.Helper()
	certificate, key = filepath.Join(folder, name+".pem"), filepath.Join(folder, name+".key")
	write(tb, certificate, l.Certificate)
	write(tb, key, l.Key)
	return certificate, key
}

func write(tb testing.TB, path string, text []byte) {
	tb.Helper()
	if err := os.WriteFile(path+".new", text, 0o600); err != nil {
		tb.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		tb.Fatal(err)
	}
}

func newKey(tb testing.TB) *ecdsa.PrivateKey {
	tb.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	return key
}

func sign(tb testing.TB, template, parent *x509.Certificate, key, signer *ecdsa.PrivateKey) (*x509.Certificate, []byte) {
	tb.Helper()
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		tb.Fatal(err)
	}
	template.SerialNumber = serial
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
	if err != nil {
		tb.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		tb.Fatal(err)
	}
	return certificate, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}
