package main

import (
	"bytes"
	"encoding/pem"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// rootsFile is where Go's programs and others look for certificate authorities.
const rootsFile = "etc/ssl/certs/ca-certificates.crt"

// roots returns the certificate authorities that Mozilla trusts, as a module of the Go project has
// them: a machine's own would differ from those of the next. Authorities that are trusted with a
// condition are left out, because the file can't say the condition.
func roots() ([]byte, error) {
	var b bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint != nil {
			continue
		}
		if err := pem.Encode(&b, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}
