package gateway

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/valyala/fasthttp"
)

// sender is what is known about the peer of a connection.
type sender struct {
	peer  netip.Addr
	names []string // that its certificate proves
	tls   bool

	// The partners that it may be, by the plan that they are from.
	plan     *plan
	partners []*partner
}

// fill copies what another server knows about the peer.
func (s *sender) fill(r *http.Request) {
	if tcp, err := netip.ParseAddrPort(r.RemoteAddr); err == nil {
		s.peer = tcp.Addr().Unmap()
	}
	s.tls = r.TLS != nil
	if s.tls && len(r.TLS.VerifiedChains) > 0 {
		s.names = certificateNames(r.TLS.PeerCertificates[0])
	}
}

// scheme is that of the sender's URLs.
func (s *sender) scheme() string {
	if s.tls {
		return "https"
	}
	return "http"
}

// addressOf returns the IP address of a peer, the zero Addr if it has none.
func addressOf(a net.Addr) netip.Addr {
	if tcp, ok := a.(*net.TCPAddr); ok {
		return tcp.AddrPort().Addr().Unmap()
	}
	return netip.Addr{}
}

// namesOf returns the names that the client of a TLS connection has proved.
func namesOf(c net.Conn) []string {
	secure, ok := c.(*tls.Conn)
	if !ok {
		return nil
	}
	state := secure.ConnectionState()
	if len(state.VerifiedChains) == 0 {
		return nil
	}
	return certificateNames(state.PeerCertificates[0])
}

// certificateNames returns the names that a verified certificate proves: its subject's alternative
// names, or its common name if it has none.
func certificateNames(c *x509.Certificate) []string {
	if len(c.DNSNames) == 0 && len(c.IPAddresses) == 0 && len(c.URIs) == 0 && len(c.EmailAddresses) == 0 && c.Subject.CommonName != "" {
		return []string{c.Subject.CommonName}
	}
	return c.DNSNames
}

// hasName reports whether the peer's certificate has a name.
func (s *sender) hasName(want string) bool {
	suffix, wild := strings.CutPrefix(want, "*.")
	return slices.ContainsFunc(s.names, func(name string) bool {
		if strings.EqualFold(name, want) {
			return true
		}
		label, parent, _ := strings.Cut(name, ".")
		return wild && label != "" && strings.EqualFold(parent, suffix)
	})
}

// candidates returns the partners of a plan that the peer may be.
func (s *sender) candidates(p *plan) []*partner {
	if s.plan == p {
		return s.partners
	}
	s.plan, s.partners = p, nil
	for _, own := range p.partners {
		m := &own.Match
		if m.empty() || m.MTLS != "" && !s.hasName(m.MTLS) ||
			len(m.From) > 0 && !slices.ContainsFunc(m.From, func(r netip.Prefix) bool { return r.Contains(s.peer) }) {
			continue
		}
		s.partners = append(s.partners, own)
	}
	return s.partners
}

// identify finds the partner that sends the request. known is false if only partners have the path,
// and the sender is not one.
func (r *request) identify(p *plan, path []byte) (known bool) {
	for _, own := range r.sender.candidates(p) {
		if r.matches(p, own, path) {
			r.partner = own
			return true
		}
	}
	return string(path) == p.options.Path
}

// matches checks what a partner's request itself must have.
func (r *request) matches(p *plan, own *partner, path []byte) bool {
	m := &own.Match
	if m.Path != "" && m.Path != string(path) {
		return false
	}
	for i := range m.Headers {
		if string(r.http.Header.Peek(m.Headers[i].Name)) != m.Headers[i].Value {
			return false
		}
	}
	if m.Path == "" && string(path) != p.options.Path {
		return false
	}
	return m.Token == "" || p.isTokenOf(own, r.http.Header.Peek(fasthttp.HeaderAuthorization))
}
