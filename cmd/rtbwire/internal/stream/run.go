package stream

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/service"
	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/gateway"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/vendor"
	"github.com/rtbwire/rtbwire/inspect/window"
	"github.com/rtbwire/rtbwire/internal/filewatch"
	"github.com/rtbwire/rtbwire/internal/serving/admin"
	"github.com/rtbwire/rtbwire/internal/serving/logs"
	"github.com/rtbwire/rtbwire/internal/serving/transport"
	"github.com/rtbwire/rtbwire/internal/serving/upstreams"
	"github.com/rtbwire/rtbwire/stream"
	"github.com/rtbwire/rtbwire/stream/kafka"
	"github.com/rtbwire/rtbwire/stream/upstream"
)

// server is a stream with what is around it.
type server struct {
	env    *cli.Env
	flags  *flags
	log    *slog.Logger
	live   *config.Live   // nil without a file
	config *config.Config // with the flags

	brokers  kafka.Options
	upstream *upstream.Upstream // nil without one
	windows  *window.Windows    // nil without them
	of       window.Options
	stream   *stream.Stream
	manager  transport.Manager // of services
	hangups  chan os.Signal    // each SIGHUP since the process began
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
	switch name := s.flags.facts.Given(); {
	case s.flags.config != "":
		live, problems := config.Follow(s.flags.config, config.OpenOptions{Environ: s.env.Environ}, s.changed)
		if len(problems) > 0 {
			fmt.Fprintln(s.env.Stderr, problems.Error())
			return o, cli.ErrReported
		}
		s.live = live
		c, engine = live.Setup().Config, live.Setup().Engine
	case name != "":
		return o, cli.Usagef("--%s needs --config: only rules and layers of a configuration ask for it", name)
	default:
		of, problems := config.OpenEnvironment(config.OpenOptions{Environ: s.env.Environ})
		if len(problems) > 0 {
			fmt.Fprintln(s.env.Stderr, problems.Error())
			return o, cli.ErrReported
		}
		if of != nil {
			c, engine = of.Config, of.Engine
		}
	}
	s.config = s.flags.apply(c)
	if err := s.flags.usage(&s.config.Stream); err != nil {
		return o, err
	}
	s.log = logs.New(s.env.Stderr, *logs.Configured.In(&s.config.Scope))
	if o.Facts, err = s.facts(s.config); err != nil {
		return o, err
	}
	o.Engine = engine
	return o, s.options(&o)
}

// facts are those of all records.
func (s *server) facts(c *config.Config) (inspect.Facts, error) {
	s.flags.facts.SetPartner(c.Stream.Partner)
	return s.flags.facts.Facts(c)
}

// options makes the options of the stream, and what it uses.
func (s *server) options(o *stream.Options) (err error) {
	c := &s.config.Stream
	s.brokers = kafka.Options{Brokers: c.Brokers, ClientID: c.ClientID, Log: s.log}
	if c.TLS != nil {
		s.brokers.TLS, s.brokers.CAFile, s.brokers.CertificateFile, s.brokers.KeyFile = true, c.TLS.CA, c.TLS.Certificate, c.TLS.Key
	}
	if c.SASL != nil {
		s.brokers.Mechanism, s.brokers.User, s.brokers.PasswordFile = kafka.Mechanism(c.SASL.Mechanism), c.SASL.User, c.SASL.PasswordFile
	}
	of := kafka.GroupOptions{
		Topics: c.Topics, Group: c.Group, Accepted: c.Accepted, DeadLetters: c.DLQ, Responses: c.Responses,
		ExactlyOnce: c.ExactlyOnce, SessionTimeout: c.Timeouts.Session,
	}
	if of.Client, err = s.brokers.Client(); err != nil {
		return cli.Usagef("%s", err)
	}
	if of.From, err = kafka.ParseFrom(c.From); err != nil {
		return err
	}
	if c.Upstream != "" {
		if s.upstream, err = s.openUpstream(c); err != nil {
			return cli.Usagef("%s", strings.TrimPrefix(err.Error(), "upstream: "))
		}
		o.Upstream = s.upstream
	}
	if o.Windows, err = s.openWindows(s.config); err != nil {
		return err
	}
	o.CommitInterval, o.DrainTimeout = c.Timeouts.Commit, c.Timeouts.Drain
	o.MaxRecord, o.MaxInFlight, o.Concurrency, o.Jobs = c.Maximums.Record, c.Maximums.InFlight, c.Concurrency, s.flags.jobs
	shared := gateway.ConfiguredOptions(&s.config.Scope) // what streams have in common with gateways
	o.FactHeaders, o.FullRejects, o.Log = shared.FactHeaders, shared.FullRejects, s.log
	group, err := kafka.NewGroup(of)
	if err == nil {
		err = group.Connect(o)
	}
	if err != nil {
		return cli.Usagef("%s", strings.TrimPrefix(err.Error(), "stream: "))
	}
	return nil
}

func (s *server) openUpstream(c *config.Stream) (*upstream.Upstream, error) {
	authorities, err := upstreams.Authorities(c.UpstreamCAs)
	if err != nil {
		return nil, err
	}
	return upstream.New(upstream.Options{
		URL: c.Upstream, Authorities: authorities, Timeout: c.Timeouts.Upstream, Attempts: c.Attempts, Connections: c.Concurrency, Log: s.log,
	})
}

// openWindows returns the windows of a configuration: those in use, if it says the same as before.
func (s *server) openWindows(c *config.Config) (*window.Windows, error) {
	if !c.Stream.Windows {
		return nil, nil //nolint:nilnil // there are none
	}
	of, _ := window.Configured(&c.Scope)
	of.EventTime = true
	var err error
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
		for _, w := range s.live.Setup().Review() {
			p := w.Place.Problem("", "warning: "+w.Message)
			fmt.Fprintln(s.env.Stdout, p.Summary())
		}
	}
	c := &s.config.Stream
	to := c.Accepted
	if to == "" {
		to = c.Upstream
	}
	_, err := fmt.Fprintf(s.env.Stdout, "no problems: would read %s as the group %s from %s; accepted records go to %s, all others to %s\n",
		strings.Join(c.Topics, ", "), c.Group, strings.Join(c.Brokers, ", "), to, c.DLQ)
	return err
}

// changed is told by the configuration when its files have changed.
func (s *server) changed(next *config.Setup, problems config.Problems) {
	err := error(problems)
	if len(problems) == 0 {
		err = s.use(next)
	}
	if err != nil {
		s.stream.ReloadFailed(err)
		s.log.Error("the configuration was not loaded again; the old one stays in use", "error", err)
		return
	}
	s.log.Info("the configuration was loaded again")
}

// use puts a configuration in use.
func (s *server) use(next *config.Setup) error {
	c := s.flags.apply(next.Config)
	facts, err := s.facts(c)
	if err != nil {
		return err
	}
	windows, err := s.openWindows(c)
	if err != nil {
		return err
	}
	s.stream.Swap(stream.Judging{Engine: next.Engine, Facts: facts, FactHeaders: gateway.ConfiguredOptions(&c.Scope).FactHeaders, Windows: windows})
	now, after := s.config.Stream, c.Stream
	after.Windows, after.Partner = now.Windows, now.Partner // these changes take effect
	if !reflect.DeepEqual(now, after) {
		s.log.Warn("the keys of stream change at the next start only, except partner and windows")
	}
	return nil
}

// port returns the port of administration.
func (s *server) port() *service.Admin {
	return &service.Admin{
		Address: s.config.Stream.Admin, Settings: *admin.Configured.In(&s.config.Scope), Transport: *transport.Configured.In(&s.config.Scope), Source: s.stream, Plain: "rtbwire_stream_",
		Config: func() any { return shown(&s.config.Stream) }, Sockets: transport.Sockets{Passed: transport.Inherit()}, Env: s.env, Log: s.log,
	}
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
	if s.brokers.Cleartext() {
		s.log.Warn("the password goes over the network as it is: add --tls, or use --sasl scram-sha-512")
	}
	if len(vendor.ConfiguredNames(&s.config.Scope)) > 0 {
		s.log.Warn("gateway.vendors are not asked about records of streams")
	}
	if err := kafka.Check(ctx, s.brokers, s.uses()); err != nil {
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
	err = s.brokers.Explain(s.stream.Run(running))
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
		Name: "rtbwire_stream_paused", Help: "Whether the upstream counts as down, and records wait for it.",
	}, func() float64 { return 0 })) // so that an alert may ask for it
}

// uses is what the brokers are asked about first.
func (s *server) uses() kafka.Use {
	c := &s.config.Stream
	return kafka.Use{Read: c.Topics, Group: c.Group, Write: slices.DeleteFunc([]string{c.Accepted, c.DLQ, c.Responses}, func(t string) bool { return t == "" })}
}

// follow loads the configuration and certificates again when their files change, and at SIGHUP.
func (s *server) follow(certificates *transport.Certificates) (stop func()) {
	var sources []filewatch.Source
	var again []func()
	if certificates != nil {
		sources, again = append(sources, certificates), append(again, certificates.Refresh)
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

// tell tells the service manager something. That it can't be told is no reason to end.
func (s *server) tell(what func() error) {
	if err := what(); err != nil {
		s.log.Warn("the service manager was not told", "error", err)
	}
}
