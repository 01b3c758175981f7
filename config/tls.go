package config

import (
	"github.com/rtbwire/rtbwire/internal/setting"
)

// TLS says what the gateway's TLS is used with.
type TLS struct {
	Certificates []Certificate
	ClientCAs    []string // names of files
	ClientAuth   string   // "require", "request" or ""
	MinVersion   string   // "1.2" or "1.3"
	HTTP2        bool
}

// Certificate names the files of a certificate and its key.
type Certificate struct{ Certificate, Key string }

var tlsObject = &setting.Object[TLS]{
	Name: "tls", Doc: "TLS of the gateway. The files are read again when they change.",
	Fields: []setting.Field[TLS]{
		setting.F("certificates", setting.ListOf(certificateObject.Type()), func(t *TLS) *[]Certificate { return &t.Certificates },
			"Certificates with their keys. A client gets the first that has the name it asks for, and the first of all if none has.").
			Required().Example("certificates: [{cert: rtb.pem, key: rtb.key}]"),
		setting.F("client_ca", oneOrMore(fileName), func(t *TLS) *[]string { return &t.ClientCAs },
			"Authorities whose signature the certificates of clients must have. Without one no client is asked for a certificate.").Example("client_ca: exchanges.pem"),
		setting.F("client_auth", setting.Word("a way to ask clients", []string{"require", "request"}, func(w string) string { return w }), func(t *TLS) *string { return &t.ClientAuth },
			"Whether clients need a certificate (`require`, which is meant if there is a `client_ca`), or may have one (`request`).").Example("client_auth: request"),
		setting.F("min_version", setting.Word("a version of TLS", []string{"1.2", "1.3"}, func(w string) string { return w }), func(t *TLS) *string { return &t.MinVersion },
			"The lowest version.").Default("1.2"),
		setting.F("http2", setting.Bool(), func(t *TLS) *bool { return &t.HTTP2 }, "Whether clients are offered HTTP/2.").Default("true"),
	},
}

var certificateObject = &setting.Object[Certificate]{
	Name: "certificate", Doc: "A certificate with its key, as PEM.",
	Fields: []setting.Field[Certificate]{
		setting.F("cert", fileName, func(c *Certificate) *string { return &c.Certificate },
			"The certificate, followed by those of the authorities between it and the root.").Required().Example("cert: rtb.pem"),
		setting.F("key", fileName, func(c *Certificate) *string { return &c.Key }, "Its key.").Required().Example("key: rtb.key"),
	},
}

// oneOrMore is a list, or its only element.
func oneOrMore[T any](t setting.Type[T]) setting.Type[[]T] {
	return setting.Either(setting.ListOf(t), setting.Convert(t, func(v T) []T { return []T{v} }))
}
