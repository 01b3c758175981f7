package serve

import (
	"slices"

	"github.com/spf13/pflag"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/service"
	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/gateway/capture"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/serving/transport"
	"github.com/rtbwire/rtbwire/internal/setting"
)

// flags are the values of the command line. Those that are given win over the configuration.
type flags struct {
	set      *pflag.FlagSet
	config   string
	check    bool
	health   string
	annotate bool
	// certs and keys are files of certificates and their keys.
	certs, keys []string
	candidate   *service.Candidate
	settings    *cli.Settings[setting.Scope]
}

func newFlags(set *pflag.FlagSet) *flags {
	f := &flags{set: set, settings: cli.NewSettings[setting.Scope](set)}
	set.StringVar(&f.config, "config", "", "configuration `FILE`; also $RTBWIRE_CONFIG")
	set.StringVar(&f.config, "rules", "", "alias of --config `FILE`")
	f.candidate = service.NewCandidate(set)
	set.BoolVar(&f.check, "check", false, "check flags and configuration, and exit")
	set.StringVar(&f.health, "health", "", "ask the gateway at `ADDRESS`, or at a URL, whether it accepts requests, and exit")
	fields, _ := setting.Section("gateway")
	f.settings.Add(fields)
	set.StringArrayVar(&f.certs, "tls-cert", nil, "certificate `FILE`; repeatable")
	set.StringArrayVar(&f.keys, "tls-key", nil, "private key `FILE`, one for each --tls-cert")
	set.BoolVar(&f.annotate, "annotate", false, "write the verdict into requests, at /ext/rtbwire")
	return f
}

// apply returns what a configuration says about the gateway, with the flags that were given in
// place of its values. The setup may be nil.
func (f *flags) apply(of *config.Setup) (*setting.Scope, error) {
	var c *config.Config
	if of != nil {
		c = of.Config
	} else {
		var problems config.Problems
		if c, problems = config.Parse("", "version: 1", config.Options{}); len(problems) > 0 {
			return nil, problems // not reached: that is enough
		}
	}
	scope := c.Scope.Clone()
	if err := f.settings.Apply(scope); err != nil {
		return nil, err
	}
	given := f.set.Changed
	if given("tls-cert") || given("tls-key") {
		if len(f.certs) != len(f.keys) {
			return nil, cli.Usagef("%d times --tls-cert and %d times --tls-key (want as many)", len(f.certs), len(f.keys))
		}
		t := transport.Configured.In(scope)
		t.TLS.Pairs = nil
		for i := range f.certs {
			t.TLS.Pairs = append(t.TLS.Pairs, transport.Pair{Certificate: f.certs[i], Key: f.keys[i]})
		}
	}
	if capture.Configured(scope).Folder == "" {
		for _, name := range f.settings.Given() {
			if slices.Contains([]string{"capture-share", "capture-refused", "capture-redact"}, name) {
				return nil, cli.Usagef("--%s needs --capture, which names a folder", name)
			}
		}
	}
	return scope, service.CheckFlags(f.settings.Given(), scope)
}

// adjust changes what the engine is made of.
func (f *flags) adjust(c *inspect.Config) {
	if f.set.Changed("annotate") {
		c.Annotate = f.annotate
	}
}
