package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"

	"github.com/KimMachineGun/automemlimit/memlimit"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/service"
	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/gateway"
	"github.com/rtbwire/rtbwire/gateway/setup"
	"github.com/rtbwire/rtbwire/internal/filewatch"
	"github.com/rtbwire/rtbwire/internal/serving/admin"
	"github.com/rtbwire/rtbwire/internal/serving/transport"
)

// server is a gateway with what is around it.
type server struct {
	env     *cli.Env
	flags   *flags
	log     *slog.Logger
	live    *config.Live // nil without a file
	gateway *gateway.Gateway
	listen  config.Gateway // addresses and server
	state   setup.State

	transport *transport.Transport
	opener    transport.Sockets
	manager   transport.Manager // of services
	hangups   chan os.Signal    // each SIGHUP since the process began

	adminCertificates *transport.Certificates // nil without TLS there
}

func run(ctx context.Context, env *cli.Env, f *flags) error {
	s := &server{env: env, flags: f, log: service.NewLog(env.Stderr, &config.Log{}), hangups: service.Hangups()}
	if f.config == "" {
		f.config = env.Getenv("RTBWIRE_CONFIG")
	}
	o, done, err := s.open()
	if err != nil {
		return err
	}
	s.gateway, err = gateway.New(o)
	done(err == nil)
	if err != nil {
		return err
	}
	if f.check {
		return s.report(&o)
	}
	service.LimitMemory(s.log, env.Getenv, memlimit.FromCgroup)
	return s.serve(ctx)
}

// open reads the configuration, if there is one, and returns the options.
// done is to be called with whether they are in use.
func (s *server) open() (o gateway.Options, done func(used bool), err error) {
	of, problems := s.configuration()
	if len(problems) > 0 {
		fmt.Fprintln(s.env.Stderr, problems.Error())
		return o, nil, cli.ErrReported
	}
	s.listen.Log.Refusals = admin.RefusalsDefault
	if of != nil {
		s.listen = of.Config.Gateway
		if o, err = setup.Options(of, s.env.Environ); err != nil {
			return o, nil, err
		}
	}
	if s.listen, err = s.flags.applyListen(s.listen); err != nil {
		return o, nil, err
	}
	s.setLog()
	if err := s.openTransport(); err != nil {
		return o, nil, err
	}
	done, err = s.complete(of, &o)
	return o, done, err
}

// configuration opens the file, which is followed from then on. Without one, the environment is the
// configuration; the setup is nil if that says nothing either.
func (s *server) configuration() (*config.Setup, config.Problems) {
	from := config.OpenOptions{Environ: s.env.Environ, Adjust: s.flags.adjust}
	if s.flags.config == "" {
		return config.OpenEnvironment(from)
	}
	live, problems := config.Follow(s.flags.config, from, s.changed)
	if len(problems) > 0 {
		return nil, problems
	}
	s.live = live
	return live.Setup(), nil
}

// report prints what --check found out.
func (s *server) report(o *gateway.Options) error {
	if err := s.port().Check(); err != nil {
		return err
	}
	if s.live != nil {
		for _, w := range s.live.Setup().Review() {
			p := w.Place.Problem("", "warning: "+w.Message)
			fmt.Fprintln(s.env.Stdout, p.Summary())
		}
	}
	_, err := fmt.Fprintf(s.env.Stdout, "no problems: would listen at %s and forward to %s\n", strings.Join(s.listen.Listen, ", "), strings.Join(o.Upstreams, ", "))
	return err
}

// changed is told by the configuration when its files have changed.
func (s *server) changed(next *config.Setup, problems config.Problems) {
	if len(problems) > 0 {
		s.gateway.ReloadFailed(problems)
		s.log.Error("the configuration was not loaded again; the old one stays in use", "problems", problems.Error())
		return
	}
	o, err := setup.Options(next, s.env.Environ)
	if err != nil {
		s.gateway.ReloadFailed(err)
		s.log.Error("the configuration was not loaded again; the old one stays in use", "error", err)
		return
	}
	now, err := s.flags.applyListen(next.Config.Gateway)
	var useTransport func()
	var fixedTransport []string
	if err == nil {
		useTransport, fixedTransport, err = s.changeTransport(&now)
	}
	var done func(used bool)
	if err == nil {
		done, err = s.complete(next, &o)
	}
	if err != nil {
		s.gateway.ReloadFailed(err)
		s.log.Error("the configuration was not loaded again; the old one stays in use", "error", err)
		return
	}
	fixed, err := s.gateway.Reload(o)
	done(err == nil)
	if err != nil {
		s.log.Error("the configuration was not loaded again; the old one stays in use", "error", err)
		return
	}
	useTransport()
	fixed = append(fixed, fixedTransport...)
	if now.Admin != s.listen.Admin || now.HTTP != s.listen.HTTP {
		fixed = append(fixed, "Admin or HTTP")
	}
	s.log.Info("the configuration was loaded again")
	if len(fixed) > 0 {
		s.log.Warn("some options change at the next start only", "options", fixed)
	}
}

// serve listens until the context ends, which a signal does.
func (s *server) serve(ctx context.Context) error {
	listeners, err := s.sockets(ctx)
	if err != nil {
		return err
	}
	if err := s.gateway.Register(s.transport.Collector()); err != nil {
		return err
	}
	ended := make(chan error, 2*len(listeners)+1)
	stopAdmin, err := s.serveAdmin(ctx, ended)
	if err != nil {
		for _, ln := range listeners {
			_ = ln.Close()
		}
		return err
	}
	defer stopAdmin()
	s.warnUnused()
	stop := s.follow()
	defer stop()
	s.start(listeners, ended)
	for _, ln := range listeners {
		s.log.Info("listening", "address", ln.Addr().String(), "server", s.listen.HTTP)
	}
	s.tell(s.manager.Ready)
	watchdog, cancelWatchdog := context.WithCancel(context.WithoutCancel(ctx))
	defer cancelWatchdog()
	go s.tell(func() error { return s.manager.Watchdog(watchdog, s.alive) })
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	s.log.Info("stopping")
	s.tell(s.manager.Stopping)
	err = s.gateway.Shutdown(context.WithoutCancel(ctx))
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.gateway.Options().DrainTimeout)
	defer cancel()
	if err := errors.Join(err, s.state.Close(closing)); err != nil {
		return err
	}
	s.log.Info("stopped: everything that was read is answered")
	return nil
}

// start serves on listeners with the server that was chosen.
func (s *server) start(listeners []net.Listener, ended chan<- error) {
	serve := s.gateway.Serve
	if s.listen.HTTP == "std" {
		serve = s.gateway.ServeStd
	}
	for _, ln := range listeners {
		go func() { ended <- serve(ln) }()
	}
}

// follow loads the configuration and certificates again when their files change, and at SIGHUP.
func (s *server) follow() (stop func()) {
	var sources []filewatch.Source
	var again []func()
	for _, c := range []*transport.Certificates{s.transport.Certificates(), s.adminCertificates} {
		if c != nil {
			sources, again = append(sources, c), append(again, c.Refresh)
		}
	}
	if s.live != nil {
		sources, again = append(sources, s.live), append(again, func() { s.live.Reload() })
	}
	return service.Follow(sources, s.hangups, func() {
		s.tell(s.manager.Reloading)
		for _, do := range again {
			do()
		}
		s.tell(s.manager.Ready)
	})
}
