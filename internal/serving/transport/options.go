package transport

import (
	"cmp"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"time"

	"github.com/rtbwire/rtbwire/internal/serving/backlog"
	"github.com/rtbwire/rtbwire/internal/setting"
)

// Defaults of [Options].
const (
	HandshakeTimeoutDefault = 5 * time.Second
	HandshakeGraceDefault   = time.Second
	HandshakesMaxDefault    = 1024
)

// Options say what is between a socket and HTTP. The zero value means nothing.
type Options struct {
	// Proxies are the peers whose connections must begin with a header of the PROXY protocol, which
	// says who the client is. From all others such a header is not taken.
	Proxies []netip.Prefix
	// TLS is what TLS is used with. Without a pair TLS is off.
	TLS TLS
	// HandshakeTimeout bounds the PROXY header and the TLS handshake together.
	HandshakeTimeout time.Duration
	// HandshakesMax bounds how many of them are in progress. Above it the oldest is cut if it has
	// taken longer than HandshakeGrace, and new connections wait in the socket's queue otherwise.
	HandshakesMax  int
	HandshakeGrace time.Duration
	// Logger gets what becomes of certificates. Default: [slog.Default].
	Logger *slog.Logger
	// Told says that another Transport of the process has the same pairs, and tells the log what
	// becomes of them. What becomes of authorities is still told by this one.
	Told bool
}

// Transport makes listeners. They share its certificates, limits and counts.
type Transport struct {
	options      Options
	certificates *Certificates // nil without TLS
	progress     progress
	metrics      *metrics
}

// New returns a Transport. It reads the certificates.
func New(o Options) (*Transport, error) {
	if err := setting.Complete("transport", &o, optionKeys); err != nil {
		return nil, err
	}
	if o.HandshakeGrace < 0 {
		return nil, fmt.Errorf("transport: HandshakeGrace is %v (want 0 for the default, or more)", o.HandshakeGrace)
	}
	o.HandshakeGrace = cmp.Or(o.HandshakeGrace, HandshakeGraceDefault)
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	t := &Transport{options: o}
	t.metrics = newMetrics(t)
	t.progress.init(&t.options)
	if err := o.TLS.validate(); err != nil {
		return nil, err
	}
	if o.TLS.given() {
		var err error
		if t.certificates, err = loadCertificates(&t.options, t.refreshed); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// Certificates returns those in use, to be watched for changes of their files; nil without TLS.
func (t *Transport) Certificates() *Certificates { return t.certificates }

// Secure reports whether connections to an address are of TLS. It is an error if they have to be
// and there is no certificate.
func (t *Transport) Secure(a Address) (bool, error) {
	switch {
	case a.scheme == schemePlain:
		return false, nil
	case a.scheme == schemeTLS && t.certificates == nil:
		return false, fmt.Errorf("address %s needs TLS: want a certificate, found none", a)
	}
	return t.certificates != nil, nil
}

// Listener returns a listener whose connections have sent their PROXY header and finished their TLS
// handshake. If neither is wanted that is inner itself, and a [*Listener] otherwise.
func (t *Transport) Listener(inner net.Listener, secure bool) net.Listener {
	if !secure && len(t.options.Proxies) == 0 {
		return inner
	}
	return &Listener{
		Listener: backlog.Listener(inner), t: t, secure: secure,
		plain: newQueue(inner.Addr()), http2: newQueue(inner.Addr()),
	}
}

// expectsHeader reports whether connections of a peer must begin with a PROXY header.
func (t *Transport) expectsHeader(peer net.Addr) bool {
	tcp, ok := peer.(*net.TCPAddr)
	if !ok {
		return false
	}
	address := tcp.AddrPort().Addr().Unmap()
	return slices.ContainsFunc(t.options.Proxies, func(p netip.Prefix) bool { return p.Contains(address) })
}
