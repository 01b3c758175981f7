package serve

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/gateway/setup"
	"github.com/rtbwire/rtbwire/internal/serving/transport"
)

// transportFlags are those about connections before HTTP.
type transportFlags struct {
	listen           []string
	listeners        int
	unixMode         string
	proxies          []string
	certs, keys      []string
	clientCAs        []string
	upstreamCAs      []string
	adminCAs         []string
	clientAuth, min  *cli.Choice
	http2            bool
	handshakeTimeout time.Duration
	handshakesMax    int
}

// listenDefault is where bid requests are taken if nothing else is said.
const listenDefault = "127.0.0.1:8080"

func (f *transportFlags) define(set *pflag.FlagSet) {
	f.clientAuth, f.min = cli.NewChoice(string(transport.ClientRequire), string(transport.ClientRequest)), cli.NewChoice("1.2", "1.3")
	set.StringArrayVar(&f.listen, "listen", []string{listenDefault}, "where bid requests are taken: host:port, unix:/path or systemd:name, with http:// or https:// before it or not; can be repeated")
	set.IntVar(&f.listeners, "listeners", 1, "sockets of each address of IP (SO_REUSEPORT, on Linux)")
	set.StringVar(&f.unixMode, "unix-mode", "", "the `MODE` of sockets in the file system, such as 0660")
	set.StringArrayVar(&f.proxies, "proxy-protocol", nil, "peers whose connections begin with a header of the PROXY protocol, such as 10.0.0.0/8; can be repeated")
	set.StringArrayVar(&f.certs, "tls-cert", nil, "the `FILE` of a certificate; can be repeated")
	set.StringArrayVar(&f.keys, "tls-key", nil, "the `FILE` of its key; as often as --tls-cert")
	set.StringArrayVar(&f.clientCAs, "tls-client-ca", nil, "the `FILE` of authorities for certificates of clients; can be repeated")
	set.StringArrayVar(&f.upstreamCAs, "upstream-ca", nil, "the `FILE` of authorities for certificates of upstreams, in place of the system's; can be repeated")
	set.StringArrayVar(&f.adminCAs, "admin-client-ca", nil, "the `FILE` of authorities for certificates of operators, where --admin begins with https://; can be repeated")
	set.Var(f.clientAuth, "tls-client-auth", "whether clients need a certificate, where there are authorities")
	set.Var(f.min, "tls-min", "the lowest version of TLS")
	set.BoolVar(&f.http2, "http2", true, "offer HTTP/2 to clients of TLS")
	set.DurationVar(&f.handshakeTimeout, "handshake-timeout", transport.HandshakeTimeoutDefault, "for the PROXY header and the TLS handshake together")
	set.IntVar(&f.handshakesMax, "handshakes-max", transport.HandshakesMaxDefault, "TLS handshakes in progress")
}

// apply puts the flags that were given in place of a configuration's values.
func (f *transportFlags) apply(set *pflag.FlagSet, c *config.Gateway) error {
	given := set.Changed
	if given("listen") || len(c.Listen) == 0 {
		c.Listen = f.listen
	}
	if given("listeners") || c.Listeners == 0 {
		c.Listeners = f.listeners
	}
	if given("unix-mode") {
		c.UnixMode = f.unixMode
	}
	if given("proxy-protocol") {
		c.ProxyProtocol = nil
		for _, text := range f.proxies {
			p, err := parsePrefix(text)
			if err != nil {
				return err
			}
			c.ProxyProtocol = append(c.ProxyProtocol, p)
		}
	}
	if given("tls-cert") || given("tls-key") {
		if len(f.certs) != len(f.keys) {
			return cli.Usagef("%d times --tls-cert and %d times --tls-key (want as many)", len(f.certs), len(f.keys))
		}
		c.TLS.Certificates = nil
		for i := range f.certs {
			c.TLS.Certificates = append(c.TLS.Certificates, config.Certificate{Certificate: f.certs[i], Key: f.keys[i]})
		}
	}
	if given("tls-client-ca") {
		c.TLS.ClientCAs = f.clientCAs
	}
	if given("admin-client-ca") {
		c.Operators.ClientCAs = f.adminCAs
	}
	if given("tls-client-auth") {
		c.TLS.ClientAuth = f.clientAuth.Value
	}
	if given("tls-min") {
		c.TLS.MinVersion = f.min.Value
	}
	if given("http2") || f.noFile(c) {
		c.TLS.HTTP2 = f.http2
	}
	if given("handshake-timeout") {
		c.Timeouts.Handshake = f.handshakeTimeout
	}
	if given("handshakes-max") {
		c.Maximums.Handshakes = f.handshakesMax
	}
	return nil
}

// noFile reports whether the certificates are not from a file with its own word about HTTP/2.
func (f *transportFlags) noFile(c *config.Gateway) bool { return c.TLS.MinVersion == "" }

// parsePrefix reads a range of addresses, or an address.
func parsePrefix(text string) (netip.Prefix, error) {
	if p, err := netip.ParsePrefix(text); err == nil {
		return p.Masked(), nil
	}
	a, err := netip.ParseAddr(text)
	if err != nil {
		return netip.Prefix{}, cli.Usagef("--proxy-protocol %q (want a range of addresses such as 192.0.2.0/24)", text)
	}
	return netip.PrefixFrom(a, a.BitLen()), nil
}

// openTransport reads certificates and addresses.
func (s *server) openTransport() error {
	o, err := setup.Transport(&s.listen)
	if err != nil {
		return err
	}
	o.Logger = s.log
	if s.transport, err = transport.New(o); err != nil {
		return err
	}
	addresses, err := setup.Addresses(&s.listen)
	if err != nil {
		return err
	}
	admin, err := transport.ParseAddress(s.listen.Admin)
	anySecure := err == nil && admin.TLS()
	for _, a := range addresses {
		secure, err := s.transport.Secure(a)
		if err != nil {
			return err
		}
		anySecure = anySecure || secure
	}
	if c := s.transport.Certificates(); c != nil {
		if !anySecure {
			return fmt.Errorf("there is a certificate, and no address of TLS: %s", strings.Join(s.listen.Listen, ", "))
		}
		for _, warning := range c.Warnings(time.Now()) {
			s.warn(warning)
		}
	}
	_, err = setup.UnixMode(&s.listen)
	return err
}

// warn says what is probably not meant.
func (s *server) warn(text string) {
	if s.flags.check {
		fmt.Fprintln(s.env.Stdout, "warning: "+text)
		return
	}
	s.log.Warn(text)
}

// sockets opens all sockets, or none.
func (s *server) sockets(ctx context.Context) (list []net.Listener, err error) {
	defer func() {
		if err != nil {
			for _, ln := range list {
				_ = ln.Close()
			}
		}
	}()
	addresses, err := setup.Addresses(&s.listen)
	if err != nil {
		return nil, err
	}
	sockets := &s.opener
	sockets.Passed, sockets.Each = transport.Inherit(), s.listen.Listeners
	if sockets.UnixMode, err = setup.UnixMode(&s.listen); err != nil {
		return nil, err
	}
	for _, a := range addresses {
		secure, err := s.transport.Secure(a)
		if err != nil {
			return list, err
		}
		opened, err := sockets.Listen(ctx, a)
		if err != nil {
			return list, err
		}
		for _, ln := range opened {
			list = append(list, s.transport.Listener(ln, secure))
		}
	}
	return list, nil
}

// warnUnused names the sockets of systemd that no address has taken.
func (s *server) warnUnused() {
	for _, name := range s.opener.Passed.Unused() {
		s.log.Warn("a socket of systemd is not used: no address names it", "address", "systemd:"+name)
	}
}

// changeTransport prepares what a new configuration says about connections. The function that it
// returns puts it in use; fixed names what changes at the next start only.
func (s *server) changeTransport(next *config.Gateway) (use func(), fixed []string, err error) {
	now := &s.listen
	for name, differs := range map[string]bool{
		"Listen":        !slices.Equal(now.Listen, next.Listen),
		"Listeners":     now.Listeners != next.Listeners,
		"UnixMode":      now.UnixMode != next.UnixMode,
		"ProxyProtocol": !slices.Equal(now.ProxyProtocol, next.ProxyProtocol),
		"Handshakes":    now.Timeouts.Handshake != next.Timeouts.Handshake || now.Maximums.Handshakes != next.Maximums.Handshakes,
		"TLS":           (len(now.TLS.Certificates) == 0) != (len(next.TLS.Certificates) == 0),
	} {
		if differs {
			fixed = append(fixed, name)
		}
	}
	slices.Sort(fixed)
	certificates := s.transport.Certificates()
	switch {
	case certificates == nil || len(next.TLS.Certificates) == 0:
		return func() {}, fixed, nil
	case reflect.DeepEqual(now.TLS, next.TLS):
		return certificates.Refresh, fixed, nil
	}
	o, err := setup.Transport(next)
	if err != nil {
		return nil, nil, err
	}
	replace, err := certificates.Prepare(o.TLS)
	if err != nil {
		return nil, nil, err
	}
	return func() {
		replace()
		s.listen.TLS = next.TLS
	}, fixed, nil
}

// tell tells the service manager something. That it can't be told is no reason to end.
func (s *server) tell(what func() error) {
	if err := what(); err != nil {
		s.log.Warn("the service manager was not told", "error", err)
	}
}

// alive asks the gateway, as a load balancer would. It does not return if the gateway hangs.
func (s *server) alive() bool {
	r, err := http.NewRequest(http.MethodGet, "/status", http.NoBody)
	if err != nil {
		return false
	}
	s.gateway.ServeHTTP(&nobody{http.Header{}}, r)
	return true
}

// nobody reads an answer.
type nobody struct{ header http.Header }

func (n *nobody) Header() http.Header         { return n.header }
func (n *nobody) Write(b []byte) (int, error) { return len(b), nil }
func (n *nobody) WriteHeader(int)             {}
