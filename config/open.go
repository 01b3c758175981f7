package config

import (
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/geoip"
	"github.com/rtbwire/rtbwire/inspect/lists"
	"github.com/rtbwire/rtbwire/inspect/rates"
	"github.com/rtbwire/rtbwire/inspect/scrub"
	"github.com/rtbwire/rtbwire/inspect/supply"
	"github.com/rtbwire/rtbwire/internal/filewatch"
	"github.com/rtbwire/rtbwire/internal/setting"
	"github.com/rtbwire/rtbwire/wire"
)

// Setup is a configuration with all that it names: lists, rates and keys are read, conditions and
// scrubs compiled.
type Setup struct {
	Config *Config
	Engine *inspect.Engine
	Lists  *lists.Set
	Rates  *rates.Rates // nil if no file has them
	GeoIP  *geoip.DB    // nil if there is none
	Supply *supply.Set  // nil if there is none
}

// sources are what changes while requests are judged, without a new engine.
func (s *Setup) sources() []filewatch.Source {
	all := []filewatch.Source{s.Lists}
	if s.GeoIP != nil {
		all = append(all, s.GeoIP)
	}
	if s.Supply != nil {
		all = append(all, s.Supply)
	}
	return all
}

// OpenOptions are what [Open] needs besides the files. The zero value is a useful one.
type OpenOptions struct {
	// Environ are environment variables as os.Environ returns them. They override the file, and
	// have the keys of scrubs. Default: none.
	Environ []string
	// Decoding are limits of the decoder, as in [inspect.Config].
	Decoding []wire.Option
	// Adjust changes the engine's configuration before it is compiled, for settings that do not
	// come from the file. May be nil.
	Adjust func(*inspect.Config)
	// FileNews is called by [Live] for each file that was loaded again, can't be used, can be used
	// again, or is too old since the last look at it. May be nil.
	FileNews func(filewatch.Named)

	inUse *Setup // nil at first
}

// Open reads a configuration and all that it names, and compiles an engine. The setup is nil if
// there is a problem, and there are as many problems as can be found at once.
func Open(name string, o OpenOptions) (*Setup, Problems) {
	c, problems := Load(name, Options{Environ: o.Environ, Conditions: &CEL{}})
	if len(problems) > 0 {
		return nil, problems
	}
	return c.Open(o)
}

// OpenEnvironment is [Open] for programs that run without a file: the environment alone makes the
// configuration. The setup is nil without a problem if no variable is that of a key.
func OpenEnvironment(o OpenOptions) (*Setup, Problems) {
	if !overridden(o.Environ) {
		return nil, nil
	}
	c, problems := Parse("", "version: 1", Options{Environ: o.Environ, Conditions: &CEL{}})
	if len(problems) > 0 {
		return nil, problems
	}
	return c.Open(o)
}

// Open is the function [Open] for a configuration that was read. It compiles its conditions again.
func (c *Config) Open(o OpenOptions) (*Setup, Problems) {
	var r setting.Reader
	before := o.inUse
	if before == nil {
		before = &Setup{}
	}
	s := &Setup{Config: c}
	var table *rates.Table
	table, s.Rates = rates.OpenConfigured(&r, &c.Scope, before.Rates)
	scrub.CompileConfigured(&r, &c.Scope, o.Environ)
	s.Lists = lists.OpenConfigured(&r, &c.Scope, before.Lists, nil)
	s.GeoIP = geoip.OpenConfigured(&r, &c.Scope, before.GeoIP)
	s.Supply = supply.OpenConfigured(&r, &c.Scope, before.Supply)
	if problems := r.Problems(); len(problems) > 0 {
		return nil, problems
	}
	if problems := c.Compile(&CEL{Lists: s.Lists, Rates: valuesOf(table)}); len(problems) > 0 {
		return nil, problems
	}
	engine := inspect.Configured(&c.Scope)
	var err error
	if engine.Fraud.Data, err = s.fraudData(table); err != nil {
		return nil, Problems{{File: c.Files[0], Message: err.Error()}}
	}
	if table != nil {
		engine.Response.Rates = table
	}
	engine.Decoding = o.Decoding
	if o.Adjust != nil {
		o.Adjust(&engine)
	}
	if s.Engine, err = inspect.New(engine); err != nil {
		return nil, Problems{{File: c.Files[0], Message: err.Error()}}
	}
	return s, nil
}

// valuesOf returns the rates of a table; nil without a table.
func valuesOf(table *rates.Table) map[string]float64 {
	if table == nil {
		return nil
	}
	return table.All()
}
