package serve

import (
	"context"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/service"
	"github.com/rtbwire/rtbwire/internal/serving/admin"
)

// setLog makes the log what flags and file say.
func (s *server) setLog() { s.log = service.NewLog(s.env.Stderr, &s.listen.Log) }

// port returns the port of administration.
func (s *server) port() *service.Admin {
	return &service.Admin{
		Address: s.listen.Admin, Gateway: &s.listen, Source: s.gateway, Config: func() any { return s.gateway.Options().Redacted() },
		Sockets: s.opener, Env: s.env, Log: s.log,
	}
}

// serveAdmin serves the port of administration, if there is one, and logs refusals.
func (s *server) serveAdmin(ctx context.Context, ended chan<- error) (stop func(), err error) {
	ctx, cancel := context.WithCancel(ctx)
	if s.listen.Log.Refusals > 0 {
		go admin.LogRefusals(ctx, s.gateway, s.log, s.listen.Log.Refusals)
	}
	port := s.port()
	closePort, err := port.Serve(ctx, ended)
	if err != nil {
		cancel()
		return nil, err
	}
	s.adminCertificates = port.Certificates()
	return func() { cancel(); closePort() }, nil
}
