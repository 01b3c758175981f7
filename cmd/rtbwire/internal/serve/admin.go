package serve

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/gateway/admin"
	"github.com/rtbwire/rtbwire/gateway/setup"
	"github.com/rtbwire/rtbwire/gateway/transport"
)

// newLog returns a log as a configuration says.
func newLog(to io.Writer, c *config.Log) *slog.Logger {
	o := &slog.HandlerOptions{}
	var level slog.Level // info
	if c.Level != "" {
		_ = level.UnmarshalText([]byte(c.Level)) // takes all words that the flag and the key have
	}
	o.Level = level
	if c.Format == "json" {
		return slog.New(slog.NewJSONHandler(to, o))
	}
	return slog.New(slog.NewTextHandler(to, o))
}

// setLog makes the log what flags and file say.
func (s *server) setLog() { s.log = newLog(s.env.Stderr, &s.listen.Log) }

// pages returns the server of administration, and where it is to listen.
func (s *server) pages() (*admin.Server, transport.Address, error) {
	at, err := transport.ParseAddress(s.listen.Admin)
	if err != nil {
		return nil, at, err
	}
	secure, err := s.adminTLS(at)
	if err != nil {
		return nil, at, err
	}
	pages, err := admin.New(s.gateway, admin.Options{
		TLS: secure, ClientCertificates: secure != nil && len(s.listen.Operators.ClientCAs) > 0,
		Version: cli.Version(), Config: func() any { return s.gateway.Options().Redacted() }, Hosts: s.listen.Operators.Hosts,
		Tokens: strings.Fields(s.env.Getenv(config.AdminTokens)), TokenFiles: s.listen.Operators.TokenFiles, Logger: s.log,
	})
	return pages, at, err
}

// adminTLS returns what TLS is used with at the port of administration; nil if it is not.
func (s *server) adminTLS(at transport.Address) (*tls.Config, error) {
	if !at.TLS() {
		if len(s.listen.Operators.ClientCAs) > 0 {
			return nil, fmt.Errorf("there are authorities for certificates of operators, and the address %s does not begin with https://", at)
		}
		return nil, nil //nolint:nilnil // there is none
	}
	o, err := setup.AdminTransport(&s.listen)
	if err != nil {
		return nil, err
	}
	o.Logger = s.log
	t, err := transport.New(o)
	if err != nil {
		return nil, err
	}
	if _, err := t.Secure(at); err != nil {
		return nil, err
	}
	s.adminCertificates = t.Certificates()
	return s.adminCertificates.Config(), nil
}

// checkAdmin says what would be wrong with the port of administration.
func (s *server) checkAdmin() error {
	if s.listen.Admin == "" {
		return nil
	}
	pages, at, err := s.pages()
	if err != nil || !at.IP() {
		return err
	}
	ip, err := net.ResolveTCPAddr("tcp", at.HostPort())
	if err != nil {
		return err
	}
	return pages.Allowed(ip)
}

// serveAdmin serves the port of administration, if there is one, and logs refusals.
func (s *server) serveAdmin(ctx context.Context, ended chan<- error) (stop func(), err error) {
	ctx, cancel := context.WithCancel(ctx)
	if s.listen.Log.Refusals > 0 {
		go admin.LogRefusals(ctx, s.gateway, s.log, s.listen.Log.Refusals)
	}
	if s.listen.Admin == "" {
		return cancel, nil
	}
	defer func() {
		if err != nil {
			cancel()
		}
	}()
	pages, at, err := s.pages()
	if err != nil {
		return nil, err
	}
	opener := s.opener
	opener.Each = 0
	list, err := opener.Listen(ctx, at)
	if err != nil {
		return nil, err
	}
	ln := list[0]
	for _, more := range list[1:] {
		_ = more.Close() // one is enough
	}
	if err := pages.Allowed(ln.Addr()); err != nil {
		_ = ln.Close()
		return nil, err
	}
	go func() {
		if err := pages.Serve(ln); err != nil {
			ended <- err
		}
	}()
	s.log.Info("administration", "address", ln.Addr().String())
	return func() { cancel(); pages.Close() }, nil
}
