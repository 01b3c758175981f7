package stream

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"reflect"
	"strings"
	"sync/atomic"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/request"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/review"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/service"
	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/gateway"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/vendor"
	"github.com/rtbwire/rtbwire/inspect/window"
	"github.com/rtbwire/rtbwire/internal/filewatch"
	"github.com/rtbwire/rtbwire/internal/serving/admin"
	"github.com/rtbwire/rtbwire/internal/serving/followed"
	"github.com/rtbwire/rtbwire/internal/serving/logs"
	"github.com/rtbwire/rtbwire/internal/serving/transport"
	"github.com/rtbwire/rtbwire/internal/serving/upstreams"
	"github.com/rtbwire/rtbwire/internal/setting"
	"github.com/rtbwire/rtbwire/stream"
	"github.com/rtbwire/rtbwire/stream/files"
	"github.com/rtbwire/rtbwire/stream/upstream"
)

// server is a stream with what is around it.
type server struct {
	env   *cli.Env
	flags *flags
	log   *slog.Logger
	live  *config.Live                  // nil without a file
	using atomic.Pointer[setting.Scope] // the configuration with the flags

	ends     ends
	upstream *upstream.Upstream // nil without one
	windows  *window.Windows    // nil without them
	of       window.Options
	stream   *stream.Stream
	manager  transport.Manager // of services
	hangups  chan os.Signal    // each SIGHUP since the process began
}

// ends are where records come from and where they go: a source and sinks that belong together.
type ends interface {
	// usage refuses what no stream can be made of, before anything is opened.
	usage() error
	// connect sets the source and the sinks of a stream.
	connect(o *stream.Options) error
	// check finds out whether they can be used, before anything is read.
	check(ctx context.Context) error
	// explain says what an error of a stream means.
	explain(err error) error
	// close closes the sinks, after Run.
	close() error
	// flow says where records come from and go to.
	flow() *admin.Flow
	// String says what would be read, and where it would go.
	String() string
}

// chooseEnds returns the source and the sinks that a configuration asks for.
func chooseEnds(f *flags, scope *setting.Scope) ends {
	s := files.Configured(scope)
	if s.Folder+s.Positions+s.Accepted+s.DeadLetters+s.Responses != "" {
		return newFolder(f, scope)
	}
	return newTopics(f, scope)
}

func run(ctx context.Context, env *cli.Env, f *flags) error {
	s := &server{env: env, flags: f, log: logs.New(env.Stderr, logs.Options{}), hangups: service.Hangups()}
	if f.config == "" {
		f.config = env.Getenv("RTBWIRE_CONFIG")
	}
	o, err := s.open()
	if err != nil {
		return err
	}
	if s.stream, err = stream.New(o); err != nil {
		return cli.Usagef("%s", strings.TrimPrefix(err.Error(), "stream: "))
	}
	if f.check {
		return s.report()
	}
	service.LimitMemory(s.log, env.Getenv, memlimit.FromCgroup)
	return s.serve(ctx)
}

// open reads the configuration, if there is one, and returns the options.
func (s *server) open() (o stream.Options, err error) {
	c, engine := defaults(), (*inspect.Engine)(nil)
	var problems config.Problems
	from := config.OpenOptions{Environ: s.env.Environ, FileNews: func(f filewatch.Named) { followed.Log(s.log, f) }}
	switch {
	case s.flags.config != "":
		if s.live, problems = config.Follow(s.flags.config, from, s.changed); len(problems) == 0 {
			c, engine = s.live.Setup().Config, s.live.Setup().Engine
		}
	case s.flags.set.Changed("partner"):
		return o, cli.Usagef("--partner needs --config: only rules and layers of a configuration ask for it")
	default:
		var of *config.Setup
		if of, problems = config.OpenEnvironment(from); of != nil {
			c, engine = of.Config, of.Engine
		}
	}
	if len(problems) > 0 {
		fmt.Fprintln(s.env.Stderr, problems.Error())
		return o, cli.ErrReported
	}
	scope, err := s.flags.apply(c)
	if err != nil {
		return o, err
	}
	s.using.Store(scope)
	s.ends = chooseEnds(s.flags, scope)
	if err := s.flags.usage(scope); err != nil {
		return o, err
	}
	if err := s.ends.usage(); err != nil {
		return o, err
	}
	s.log = logs.New(s.env.Stderr, *logs.Configured.In(scope))
	o = stream.Configured(scope).Options
	o.Engine, o.Log, o.Jobs = engine, s.log, s.flags.jobs
	shared := gateway.ConfiguredOptions(scope) // what streams have in common with gateways
	o.FactHeaders, o.FullRejects = shared.FactHeaders, shared.FullRejects
	if o.Facts, err = facts(c, scope); err != nil {
		return o, err
	}
	if o.Windows, err = s.openWindows(scope); err != nil {
		return o, err
	}
	o.Candidate, o.CandidateShare, err = s.flags.candidate.Open(s.env, from, s.log, func(err error) { s.stream.CandidateReloaded(err) })
	if err != nil {
		return o, err
	}
	if err := s.openUpstream(&o, scope); err != nil {
		return o, cli.Usagef("%s", strings.TrimPrefix(err.Error(), "upstream: "))
	}
	if err := s.ends.connect(&o); err != nil {
		return o, cli.Usagef("%s", strings.TrimPrefix(err.Error(), "stream: "))
	}
	return o, nil
}

// facts are those of all records.
func facts(c *config.Config, scope *setting.Scope) (inspect.Facts, error) {
	partner := stream.Configured(scope).Partner
	return inspect.Facts{Partner: partner}, request.KnownPartner(c, partner)
}

// openUpstream makes the upstream, if there is one.
func (s *server) openUpstream(o *stream.Options, scope *setting.Scope) (err error) {
	own := *upstream.Configured(scope)
	if own.URL == "" {
		return nil
	}
	if own.Authorities, err = upstreams.Authorities(own.CAFiles); err != nil {
		return err
	}
	own.Connections, own.Log = o.Concurrency, s.log
	if s.upstream, err = upstream.New(own.Options); err != nil {
		return err
	}
	o.Upstream = s.upstream
	return nil
}

// openWindows returns the windows of a configuration: those in use, if it says the same as before.
func (s *server) openWindows(scope *setting.Scope) (*window.Windows, error) {
	if !stream.Configured(scope).Windowed {
		return nil, nil //nolint:nilnil // there are none
	}
	all, _ := gateway.ConfiguredWindows(scope)
	of, err := all.Only(stream.Configured(scope).Partner)
	if err != nil {
		return nil, err
	}
	of.EventTime = true
	switch {
	case s.windows == nil:
		s.windows, err = window.New(of)
	case !reflect.DeepEqual(of, s.of):
		s.windows, err = s.windows.Reconfigure(of)
	}
	s.of = of
	return s.windows, err
}

// report prints what --check found out.
func (s *server) report() error {
	if err := s.port().Check(); err != nil {
		return err
	}
	if s.live != nil {
		var windows *window.Options
		if s.windows != nil {
			windows = &s.of
		}
		found, err := review.Of(s.live.Setup(), s.scope(), windows)
		if err != nil {
			return err
		}
		if err := found.Print(s.env.Stdout); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(s.env.Stdout, "no problems: %s\n", s.ends)
	return err
}

// changed is told by the configuration when its files have changed.
func (s *server) changed(next *config.Setup, problems config.Problems) error {
	var fixed []string
	err := error(problems)
	if len(problems) == 0 {
		fixed, err = s.use(next)
	}
	if err != nil {
		s.stream.ReloadFailed(err)
		s.log.Error("the configuration was not loaded again; the old one stays in use", "error", err)
		return err
	}
	s.log.Info("the configuration was loaded again")
	if len(fixed) > 0 {
		s.log.Warn("some settings change at the next start only", "keys", fixed)
	}
	return nil
}

// use puts a configuration in use. fixed are the keys that change at the next start only.
func (s *server) use(next *config.Setup) (fixed []string, err error) {
	scope, err := s.flags.apply(next.Config)
	if err != nil {
		return nil, err
	}
	of, err := facts(next.Config, scope)
	if err != nil {
		return nil, err
	}
	windows, err := s.openWindows(scope)
	if err != nil {
		return nil, err
	}
	s.stream.Swap(stream.Judging{Engine: next.Engine, Facts: of, FactHeaders: gateway.ConfiguredOptions(scope).FactHeaders, Windows: windows})
	fixed = setting.KeepPaths(scope, s.scope(), fields())
	s.using.Store(scope)
	return fixed, nil
}

// scope is the configuration in use, with the flags.
func (s *server) scope() *setting.Scope { return s.using.Load() }

// port returns the port of administration.
func (s *server) port() *service.Admin {
	scope := s.scope()
	return &service.Admin{
		Address: *admin.StreamAddress.In(scope), Settings: *admin.Configured.In(scope), Transport: *transport.Configured.In(scope), Source: s.stream, Flow: s.ends.flow(), Files: s.followed,
		Origin: func() *filewatch.Origin { return service.Origin(s.live) }, CandidateOrigin: s.flags.candidate.Origin,
		Config: func() any { return setting.Show(s.scope(), fields()) }, Sockets: transport.Sockets{Passed: transport.Inherit()}, Env: s.env, Log: s.log,
	}
}

// followed returns what is known about the files that are followed.
func (s *server) followed() []filewatch.Named {
	if s.live == nil {
		return nil
	}
	return s.live.Files()
}

// serve runs the stream until the context ends, which a signal does.
func (s *server) serve(ctx context.Context) error {
	if err := s.register(); err != nil {
		return err
	}
	ended := make(chan error, 2)
	port := s.port()
	stopAdmin, err := port.Serve(ctx, ended)
	if err != nil {
		return err
	}
	defer stopAdmin()
	if len(vendor.ConfiguredNames(s.scope())) > 0 {
		s.log.Warn("gateway.vendors are not asked about records of streams")
	}
	if err := s.ends.check(ctx); err != nil {
		if ctx.Err() != nil {
			return nil // stopped before it began
		}
		return err
	}
	defer s.follow(port.Certificates())()
	s.tell(s.manager.Ready)
	watchdog, cancelWatchdog := context.WithCancel(context.WithoutCancel(ctx))
	defer cancelWatchdog()
	go s.tell(func() error { return s.manager.Watchdog(watchdog, func() bool { s.stream.Ready(); return true }) })
	running, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	go func() {
		select {
		case err := <-ended: // the port of administration can't go on
			stop(err)
		case <-running.Done():
		}
	}()
	defer context.AfterFunc(running, func() { s.log.Info("stopping"); s.tell(s.manager.Stopping) })()
	err = s.ends.explain(s.stream.Run(running))
	err = errors.Join(err, s.ends.close())
	if cause := context.Cause(running); ctx.Err() == nil && cause != nil {
		err = errors.Join(cause, err)
	}
	if s.upstream != nil {
		s.upstream.Close()
	}
	if err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "stream: "))
	}
	s.log.Info("stopped: everything that was read is delivered and committed")
	return nil
}

// register adds metrics of what is around the stream.
func (s *server) register() error {
	if s.upstream != nil {
		return s.stream.Register(s.upstream.Collector())
	}
	return s.stream.Register(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: stream.Namespace + "paused", Help: "Whether the upstream counts as down, and records wait for it.",
	}, func() float64 { return 0 })) // so that an alert may ask for it
}

// follow loads the configuration and certificates again when their files change, and at SIGHUP.
func (s *server) follow(certificates *transport.Certificates) (stop func()) {
	var sources []filewatch.Source
	var again []func()
	if certificates != nil {
		sources, again = append(sources, certificates), append(again, certificates.Refresh)
	}
	if s.live != nil {
		sources, again = append(sources, s.live), append(again, func() { s.live.Reload(service.Hangup) })
	}
	sources, again = s.flags.candidate.Follow(sources), append(again, func() { s.flags.candidate.Reload(service.Hangup) })
	return service.Follow(sources, s.hangups, func() {
		s.tell(s.manager.Reloading)
		for _, do := range again {
			do()
		}
		s.tell(s.manager.Ready)
	})
}

// tell tells the service manager something. That it can't be told is no reason to end.
func (s *server) tell(what func() error) {
	if err := what(); err != nil {
		s.log.Warn("the service manager was not told", "error", err)
	}
}
