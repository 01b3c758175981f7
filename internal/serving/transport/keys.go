package transport

import (
	"crypto/tls"
	"fmt"
	"io/fs"
	"net/netip"
	"strconv"
	"time"

	"github.com/rtbwire/rtbwire/internal/setting"
)

// Settings are what a configuration says about sockets, and about connections before HTTP.
type Settings struct {
	Listen    []string // see [ParseAddress]
	Listeners int      // sockets of each address
	UnixMode  string   // octal, or ""
	Options
}

// Configured is where configurations have their Settings.
var Configured setting.Slot[Settings]

var keys = []setting.Field[Settings]{
	setting.F("listen", setting.OneOrMore(setting.Text("an address and a port", setting.AddressMax)), func(s *Settings) *[]string { return &s.Listen },
		"Addresses to listen at for bid requests: host:port, `unix:` and a path, or `systemd:` and the name of a socket that systemd passes. "+
			"`http://` before an address means plain text, `https://` means TLS; without either, TLS is used if there are certificates.").
		Default("127.0.0.1:8080").Value("ADDRESS").Fixed(),
	setting.F("listeners", setting.Int("a number", 1, 1024), func(s *Settings) *int { return &s.Listeners },
		"Sockets per IP address (`SO_REUSEPORT`, Linux). More than one helps where many connections are opened.").Default(1).Fixed(),
	setting.F("unix_mode", setting.Form("a mode such as \"0660\"", "0?[0-7]{3}", nil), func(s *Settings) *string { return &s.UnixMode },
		"File mode of Unix sockets. Default: as umask says.").Example(`unix_mode: "0660"`).Value("MODE").Fixed(),
	setting.F("proxy_protocol", setting.ListOf(setting.Network()), func(s *Settings) *[]netip.Prefix { return &s.Proxies },
		"Peers whose connections must begin with a PROXY protocol header, version 1 or 2. From other peers such a header is a bad request.").
		Example("proxy_protocol: [10.0.0.0/8]").Value("RANGE").Fixed(),
	setting.F("tls.certificates", setting.ListOf(pairs.Type()), func(s *Settings) *[]Pair { return &s.TLS.Pairs },
		"Certificates with their keys. A client gets the first one that has the name it asks for, or else the first of all.").
		Required().NoFlag().Example("certificates: [{cert: rtb.pem, key: rtb.key}]"),
	setting.F("tls.client_ca", setting.OneOrMore(setting.FileName()), func(s *Settings) *[]string { return &s.TLS.ClientCAs },
		"Authorities that must have signed the certificates of clients. Without any, clients are not asked for a certificate.").Example("client_ca: exchanges.pem"),
	setting.F("tls.client_auth", setting.Option("a way to ask clients", ClientRequire, ClientRequest), func(s *Settings) *ClientAuth { return &s.TLS.ClientAuth },
		"Whether clients with a `client_ca` must (`require`, the default) or may (`request`) have a certificate.").Example("client_auth: request"),
	setting.F("tls.min_version", version, func(s *Settings) *uint16 { return &s.TLS.MinVersion }, "Minimum TLS version.").Default("1.2").WasFlag("tls-min"),
	setting.F("tls.http2", setting.Not(), func(s *Settings) *bool { return &s.TLS.NoHTTP2 }, "Offer HTTP/2 to TLS clients.").Default(true).FlagName("http2"),
}

// settings are all settings.
func settings() []setting.Field[Settings] {
	list := keys
	for _, f := range optionKeys {
		list = append(list, setting.Lift(f, func(s *Settings) *Options { return &s.Options }))
	}
	return list
}

// optionKeys are the settings that Go code can leave at 0, too.
var optionKeys = []setting.Field[Options]{
	setting.F("timeouts.handshake", setting.Duration("a time such as 5s", time.Millisecond, time.Hour), func(o *Options) *time.Duration { return &o.HandshakeTimeout },
		"Time for the PROXY header and the TLS handshake together.").Default(HandshakeTimeoutDefault).FlagName("handshake-timeout").Fixed().Loose(),
	setting.F("max.handshakes", setting.Int("a number", 1, 1<<30), func(o *Options) *int { return &o.HandshakesMax },
		"Concurrent TLS handshakes. At the limit, a handshake that takes longer than a second is cut.").Default(HandshakesMaxDefault).Fixed().Loose().WasFlag("handshakes-max"),
}

var pairs = setting.Object[Pair]{
	Name: "certificate", Doc: "A certificate with its key, as PEM.",
	Fields: []setting.Field[Pair]{
		setting.F("cert", setting.FileName(), func(p *Pair) *string { return &p.Certificate },
			"The certificate, followed by those of intermediate authorities.").Required().Example("cert: rtb.pem"),
		setting.F("key", setting.FileName(), func(p *Pair) *string { return &p.Key }, "Its private key.").Required().Example("key: rtb.key"),
	},
}

// version is the lowest version of TLS; 0 is 1.2.
var version = func() setting.Type[uint16] {
	t := setting.Word("a version of TLS", []string{"1.2", "1.3"}, func(w string) uint16 {
		if w == "1.3" {
			return tls.VersionTLS13
		}
		return 0
	})
	t.Show = func(v uint16) any {
		if v == tls.VersionTLS13 {
			return "1.3"
		}
		return "1.2"
	}
	return t
}()

func init() {
	setting.Register(setting.Module{
		Section: "gateway", Order: 1, Fields: Configured.Fields(settings()),
		Groups: []setting.Group[setting.Scope]{{
			Path: "tls", Name: "tls", Doc: "TLS of the gateway. The files are read again when they change.",
			Help: "TLS, and client certificates.", Example: "tls: {certificates: [{cert: rtb.pem, key: rtb.key}]}",
		}},
	})
}

// Addresses reads the addresses of listeners.
func (s *Settings) Addresses() (list []Address, err error) {
	for _, text := range s.Listen {
		a, err := ParseAddress(text)
		if err != nil {
			return nil, err
		}
		list = append(list, a)
	}
	return list, nil
}

// Mode returns the mode of sockets in the file system, 0 if nothing is said.
func (s *Settings) Mode() (fs.FileMode, error) {
	if s.UnixMode == "" {
		return 0, nil
	}
	mode, err := strconv.ParseUint(s.UnixMode, 8, 32)
	if err != nil || mode == 0 || fs.FileMode(mode) != fs.FileMode(mode).Perm() {
		return 0, fmt.Errorf("the mode of sockets %q (want an octal number such as 0660)", s.UnixMode)
	}
	return fs.FileMode(mode), nil
}
