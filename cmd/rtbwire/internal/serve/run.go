package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/review"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/service"
	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/gateway"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/window"
	"github.com/rtbwire/rtbwire/internal/filewatch"
	"github.com/rtbwire/rtbwire/internal/serving/admin"
	"github.com/rtbwire/rtbwire/internal/serving/followed"
	"github.com/rtbwire/rtbwire/internal/serving/logs"
	"github.com/rtbwire/rtbwire/internal/serving/overrides"
	"github.com/rtbwire/rtbwire/internal/serving/transport"
	"github.com/rtbwire/rtbwire/internal/serving/upstreams"
	"github.com/rtbwire/rtbwire/internal/setting"
)

// server is a gateway with what is around it.
type server struct {
	env     *cli.Env
	flags   *flags
	log     *slog.Logger
	live    *config.Live // nil without a file
	gateway *gateway.Gateway
	using   atomic.Pointer[setting.Scope] // the configuration with the flags
	fields  []setting.Field[setting.Scope]
	state   state

	overrides *overrides.Store // changes of operators
	reloading sync.Mutex       // one reload at a time that somebody waits for
	outcome   atomic.Pointer[outcome]

	transport *transport.Transport
	opener    transport.Sockets
	manager   transport.Manager // of services
	hangups   chan os.Signal    // each SIGHUP since the process began

	adminCertificates atomic.Pointer[transport.Certificates] // nil without TLS there
}

// outcome is what has become of a reload.
type outcome struct {
	fixed []string // keys that change at the next start only
	err   error
}

func run(ctx context.Context, env *cli.Env, f *flags) error {
	s := &server{env: env, flags: f, log: logs.New(env.Stderr, logs.Options{}), hangups: service.Hangups()}
	s.fields, _ = setting.Section("gateway")
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
	if err := s.openOverrides(); err != nil {
		return err
	}
	defer s.overrides.Close()
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
	scope, err := s.flags.apply(of)
	if err != nil {
		return o, nil, err
	}
	s.using.Store(scope)
	s.log = logs.New(s.env.Stderr, *logs.Configured.In(scope))
	if err := s.openTransport(); err != nil {
		return o, nil, err
	}
	if o, done, err = s.options(of, scope); err != nil {
		return o, nil, err
	}
	o.Candidate, o.CandidateShare, err = s.flags.candidate.Open(s.env, s.from(), s.log, func(err error) { s.gateway.CandidateReloaded(err) })
	if err != nil {
		done(false)
		return o, nil, err
	}
	return o, done, nil
}

// from is how configurations are opened.
func (s *server) from() config.OpenOptions {
	return config.OpenOptions{Environ: s.env.Environ, Adjust: s.flags.adjust, FileNews: func(f filewatch.Named) { followed.Log(s.log, f) }}
}

// options returns the options of a gateway. The setup may be nil.
// done is to be called with whether they are in use.
func (s *server) options(of *config.Setup, scope *setting.Scope) (o gateway.Options, done func(used bool), err error) {
	own, err := gateway.Configured(scope, s.env.Environ)
	if err != nil {
		return o, nil, err
	}
	o = own.Options
	if o.UpstreamCAs, err = upstreams.Authorities(own.UpstreamCAFiles); err != nil {
		return o, nil, err
	}
	if len(o.Upstreams) == 0 {
		return o, nil, cli.Usagef("nowhere to send accepted requests; want --upstream URL, such as --upstream http://127.0.0.1:9000")
	}
	o.Logger = s.log
	switch {
	case of != nil:
		o.Engine = of.Engine
	case s.flags.annotate:
		if o.Engine, err = inspect.New(inspect.Config{Annotate: true}); err != nil {
			return o, nil, err
		}
	}
	s.state.Logger, s.state.Dry = s.log, s.flags.check
	done, err = s.state.use(scope, s.env.Environ, &o)
	return o, done, err
}

// configuration opens the file, which is followed from then on. Without one, the environment is the
// configuration; the setup is nil if that says nothing either.
func (s *server) configuration() (*config.Setup, config.Problems) {
	from := s.from()
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
	if file := admin.Configured.In(s.scope()).StateFile; file != "" {
		if err := overrides.Check(file); err != nil {
			return err
		}
	}
	if s.live != nil {
		var windows *window.Options
		if o.Windows != nil {
			windows = &s.state.of
		}
		found, err := review.Of(s.live.Setup(), s.scope(), windows)
		if err != nil {
			return err
		}
		if err := found.Print(s.env.Stdout); err != nil {
			return err
		}
	}
	var urls []string
	for _, u := range o.Upstreams {
		urls = append(urls, u.URLs...)
	}
	_, err := fmt.Fprintf(s.env.Stdout, "no problems: would listen at %s and forward to %s\n", strings.Join(transport.Configured.In(s.scope()).Listen, ", "), strings.Join(urls, ", "))
	return err
}

// changed is told by the configuration when its files have changed.
func (s *server) changed(next *config.Setup, problems config.Problems) error {
	if len(problems) > 0 {
		s.outcome.Store(&outcome{err: problems})
		s.gateway.ReloadFailed(problems)
		s.log.Error("the configuration was not loaded again; the old one stays in use", "problems", problems.Error())
		return problems
	}
	fixed, err := s.use(next)
	s.outcome.Store(&outcome{fixed, err})
	if err != nil {
		s.log.Error("the configuration was not loaded again; the old one stays in use", "error", err)
		return err
	}
	s.log.Info("the configuration was loaded again")
	s.warnDrained()
	if len(fixed) > 0 {
		s.log.Warn("some settings change at the next start only", "keys", fixed)
	}
	return nil
}

// use puts a configuration in use. fixed are the keys that change at the next start only.
func (s *server) use(next *config.Setup) (fixed []string, err error) {
	scope, err := s.flags.apply(next)
	var useTransport func()
	var fixedTLS bool
	if err == nil {
		useTransport, fixedTLS, err = s.changeTransport(scope)
	}
	var o gateway.Options
	var done func(used bool)
	if err == nil {
		o, done, err = s.options(next, scope)
	}
	if err != nil {
		s.gateway.ReloadFailed(err)
		return nil, err
	}
	_, err = s.gateway.Reload(o)
	done(err == nil)
	if err != nil {
		return nil, err
	}
	useTransport()
	if fixedTLS {
		fixed = append(fixed, "tls.certificates")
	}
	fixed = append(fixed, setting.KeepPaths(scope, s.scope(), s.fields)...)
	s.using.Store(scope)
	return fixed, nil
}

// serve listens until the context ends, which a signal does.
func (s *server) serve(ctx context.Context) error {
	listeners, err := s.sockets(ctx)
	if err != nil {
		return err
	}
	if err := s.gateway.Register(prometheus.WrapCollectorWithPrefix(gateway.Namespace, s.transport.Collector())); err != nil {
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
		s.log.Info("listening", "address", ln.Addr().String(), "server", s.http())
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
	if err := errors.Join(err, s.state.close(closing)); err != nil {
		return err
	}
	s.log.Info("stopped: everything that was read is answered")
	return nil
}

// start serves on listeners with the server that was chosen.
func (s *server) start(listeners []net.Listener, ended chan<- error) {
	serve := s.gateway.Serve
	if s.http() == "std" {
		serve = s.gateway.ServeStd
	}
	for _, ln := range listeners {
		go func() { ended <- serve(ln) }()
	}
}

// scope is the configuration in use, with the flags.
func (s *server) scope() *setting.Scope { return s.using.Load() }

// http is the server that was chosen.
func (s *server) http() string { return gateway.ConfiguredHTTP(s.scope()) }

// follow loads the configuration and certificates again when their files change, and at SIGHUP.
func (s *server) follow() (stop func()) {
	var sources []filewatch.Source
	for _, c := range []*transport.Certificates{s.transport.Certificates(), s.adminCertificates.Load()} {
		if c != nil {
			sources = append(sources, c)
		}
	}
	if s.live != nil {
		sources = append(sources, s.live)
	}
	sources = s.flags.candidate.Follow(sources)
	return service.Follow(sources, s.hangups, func() { s.again(service.Hangup) })
}

// again loads certificates and the configuration again. by says who has asked for that.
func (s *server) again(by string) {
	s.tell(s.manager.Reloading)
	for _, c := range []*transport.Certificates{s.transport.Certificates(), s.adminCertificates.Load()} {
		if c != nil {
			c.Refresh()
		}
	}
	if s.live != nil {
		s.live.Reload(by)
	}
	s.flags.candidate.Reload(by)
	s.tell(s.manager.Ready)
}

// lastReload returns what has become of the last reload.
func (s *server) lastReload() (fixed []string, err error) {
	o := s.outcome.Load()
	return o.fixed, o.err
}
