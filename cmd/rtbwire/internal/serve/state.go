package serve

import (
	"github.com/spf13/pflag"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/gateway"
	"github.com/rtbwire/rtbwire/gateway/setup"
	"github.com/rtbwire/rtbwire/inspect"
)

// stateFlags are those about windows, captures, and what is written into requests.
type stateFlags struct {
	windows             bool
	capture             string
	share, refused      cli.Share
	redact              bool
	lowerTMax, annotate bool
}

func (f *stateFlags) define(set *pflag.FlagSet) {
	own := defaults().Gateway.Capture
	f.share, f.refused = cli.Share(own.Forwarded), cli.Share(own.Refused)
	set.BoolVar(&f.windows, "windows", true, "count requests by identifier and address, for signals of fraud")
	set.StringVar(&f.capture, "capture", "", "keep a sample of requests in files of the `FOLDER`")
	set.Var(&f.share, "capture-share", "the share of forwarded requests that is kept")
	set.Var(&f.refused, "capture-refused", "the share of refused requests that is kept")
	set.BoolVar(&f.redact, "capture-redact", own.Redact, "take personal data out of what is kept")
	set.BoolVar(&f.lowerTMax, "lower-tmax", false, "write the time that is left for the upstream into requests")
	set.BoolVar(&f.annotate, "annotate", false, "write the verdict into requests, at /ext/rtbwire")
}

// defaults is a configuration that says nothing but that there are captures.
func defaults() *config.Config {
	c, problems := config.Parse("", "version: 1\ngateway: {capture: {folder: x}}", config.Options{})
	if len(problems) > 0 {
		panic(problems) // not reached: that is enough
	}
	return c
}

// configuration returns the configuration of a file with the flags that were given. The setup may
// be nil.
func (f *flags) configuration(s *config.Setup) *config.Config {
	base := defaults()
	own := base.Gateway.Capture
	base.Gateway.Capture = config.Capture{}
	if s != nil {
		copied := *s.Config
		base = &copied
	}
	g := &base.Gateway
	given := f.set.Changed
	if given("windows") {
		g.Windows = f.windows
	}
	if given("capture") {
		if g.Capture.Folder == "" {
			g.Capture = own
		}
		g.Capture.Folder = f.capture
	}
	if given("capture-share") {
		g.Capture.Forwarded = float64(f.share)
	}
	if given("capture-refused") {
		g.Capture.Refused = float64(f.refused)
	}
	if given("capture-redact") {
		g.Capture.Redact = f.redact
	}
	return base
}

// applyState puts the flags that were given in place of options.
func (f *flags) applyState(c *config.Config, o *gateway.Options) {
	o.CaptureShares = gateway.Shares(c.Gateway.Capture.Shares)
	if f.set.Changed("lower-tmax") {
		o.LowerTMax = f.lowerTMax
	}
}

// adjust changes what the engine is made of.
func (f *flags) adjust(c *inspect.Config) {
	if f.set.Changed("annotate") {
		c.Annotate = f.annotate
	}
}

// complete adds to options what does not come from the file, and what has state. done is to be
// called with whether the options are in use.
func (s *server) complete(of *config.Setup, o *gateway.Options) (done func(used bool), err error) {
	s.flags.apply(o)
	if s.flags.set.Changed("upstream-ca") {
		if o.UpstreamCAs, err = setup.Authorities(s.flags.upstreamCAs); err != nil {
			return nil, err
		}
	}
	if len(o.Upstreams) == 0 {
		return nil, cli.Usagef("nowhere to send accepted requests; want --upstream URL, such as --upstream http://127.0.0.1:9000")
	}
	o.Logger = s.log
	c := s.flags.configuration(of)
	for _, name := range []string{"capture-share", "capture-refused", "capture-redact"} {
		if s.flags.set.Changed(name) && c.Gateway.Capture.Folder == "" {
			return nil, cli.Usagef("--%s needs --capture, which names a folder", name)
		}
	}
	s.flags.applyState(c, o)
	if of == nil && s.flags.annotate {
		if o.Engine, err = inspect.New(inspect.Config{Annotate: true}); err != nil {
			return nil, err
		}
	}
	s.state.Logger, s.state.Dry = s.log, s.flags.check
	return s.state.Use(c, s.env.Environ, o)
}
