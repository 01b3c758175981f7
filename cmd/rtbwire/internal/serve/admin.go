package serve

import (
	"context"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/service"
	"github.com/rtbwire/rtbwire/internal/filewatch"
	"github.com/rtbwire/rtbwire/internal/serving/admin"
	"github.com/rtbwire/rtbwire/internal/serving/logs"
	"github.com/rtbwire/rtbwire/internal/serving/transport"
	"github.com/rtbwire/rtbwire/internal/setting"
)

// port returns the admin port.
func (s *server) port() *service.Admin {
	own := admin.Configured.In(s.scope())
	return &service.Admin{
		Address: own.Address, Settings: *own, Transport: *transport.Configured.In(s.scope()), Told: s.transport.Certificates() != nil, Source: s.gateway, Config: s.shown,
		Origin: func() *filewatch.Origin { return service.Origin(s.live) }, CandidateOrigin: s.flags.candidate.Origin,
		Control: s.control(), Judge: s.judge(), Files: s.followed, Sockets: s.opener, Env: s.env, Log: s.log,
	}
}

// followed returns what is known about the files that are followed.
func (s *server) followed() (all []filewatch.Named) {
	if s.live != nil {
		all = s.live.Files()
	}
	if c := s.transport.Certificates(); c != nil {
		all = append(all, c.Status().Named(filewatch.KindCertificates, "gateway"))
	}
	return all
}

// shown is what operators see of the configuration in use.
func (s *server) shown() any {
	out := setting.Show(s.scope(), s.fields)
	setting.Merge(out, s.gateway.Options().Redacted())
	return out
}

// serveAdmin serves the admin port, if there is one, and logs refusals.
func (s *server) serveAdmin(ctx context.Context, ended chan<- error) (stop func(), err error) {
	ctx, cancel := context.WithCancel(ctx)
	if lines := logs.Configured.In(s.scope()).Refusals; lines > 0 {
		go admin.LogRefusals(ctx, s.gateway, s.log, lines)
	}
	port := s.port()
	closePort, err := port.Serve(ctx, ended)
	if err != nil {
		cancel()
		return nil, err
	}
	stop = func() { cancel(); closePort() }
	metrics, err := port.Metrics()
	if err == nil {
		err = s.telemetry.SendMetrics(metrics)
	}
	if err != nil {
		stop()
		return nil, err
	}
	s.adminCertificates.Store(port.Certificates())
	return stop, nil
}
