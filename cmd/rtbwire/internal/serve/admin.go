package serve

import (
	"context"
	"io"
	"log/slog"
	"net"
	"strings"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/gateway/admin"
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

// pages returns the server of administration.
func (s *server) pages() (*admin.Server, error) {
	return admin.New(s.gateway, admin.Options{
		Version: cli.Version(), Config: func() any { return s.gateway.Options().Redacted() }, Hosts: s.listen.Operators.Hosts,
		Tokens: strings.Fields(s.env.Getenv(config.AdminTokens)), TokenFiles: s.listen.Operators.TokenFiles, Logger: s.log,
	})
}

// checkAdmin says what would be wrong with the port of administration.
func (s *server) checkAdmin() error {
	if s.listen.Admin == "" {
		return nil
	}
	pages, err := s.pages()
	if err != nil {
		return err
	}
	kind, address, err := network(s.listen.Admin)
	if err != nil || kind != "tcp" {
		return err
	}
	at, err := net.ResolveTCPAddr(kind, address)
	if err != nil {
		return err
	}
	return pages.Allowed(at)
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
	pages, err := s.pages()
	if err != nil {
		return nil, err
	}
	kind, address, err := network(s.listen.Admin)
	if err != nil {
		return nil, err
	}
	ln, err := (&net.ListenConfig{}).Listen(ctx, kind, address)
	if err != nil {
		return nil, err
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
