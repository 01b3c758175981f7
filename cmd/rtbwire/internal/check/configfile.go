package check

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/fraud"
	"github.com/rtbwire/rtbwire/inspect/payload"
	"github.com/rtbwire/rtbwire/inspect/schema"
	"github.com/rtbwire/rtbwire/wire"
)

// setup reads the configuration of --config with all that it names. Its problems are printed.
func (f *flags) setup(env *cli.Env) (*config.Setup, error) {
	if _, err := os.Stat(f.config); err != nil {
		return nil, fmt.Errorf("cannot read the configuration: %w", err)
	}
	s, problems := config.Open(f.config, config.OpenOptions{
		Environ:  env.Environ,
		Decoding: []wire.Option{wire.MaxSize(int(f.maxDocument))},
		Adjust: func(c *inspect.Config) {
			if f.set.Changed("preset") {
				c.Preset = schema.Preset(f.preset.Value)
			}
			if f.set.Changed("max-findings") {
				c.MaxFindings = f.maxFindings
			}
			c.Annotate = false // nothing is sent on
		},
	})
	if len(problems) > 0 {
		fmt.Fprintf(env.Stderr, "%v\nrtbwire check: %s has mistakes; rtbwire policy check %[2]s lists them\n", problems, f.config)
		return nil, cli.ErrReported
	}
	if f.partner != "" && !slices.Contains(s.Config.Scope.Names(), f.partner) {
		return nil, cli.Usagef("--partner %q: %s has no such partner", f.partner, f.config)
	}
	return s, nil
}

// judge returns the engine that judges requests, nil if the specification's rules are all there is.
// The setup may be nil.
func (f *flags) judge(setup *config.Setup) (*inspect.Engine, error) {
	switch {
	case setup != nil && (f.payload || f.fraud || f.parquet() || judges(setup.Config)):
		return setup.Engine, nil
	case !f.payload && !f.fraud && !f.parquet():
		return nil, nil
	}
	var asked inspect.Layer
	if !f.payload && !f.parquet() {
		asked.Severities = append(asked.Severities, inspect.Setting{Reasons: payloadPrefix + "*", Severity: inspect.Off})
	}
	if !f.fraud && !f.parquet() {
		asked.Severities = append(asked.Severities, inspect.Setting{Reasons: fraudPrefix + "*", Severity: inspect.Off})
	}
	e, err := inspect.New(inspect.Config{
		Preset: schema.Preset(f.preset.Value), Global: asked, MaxFindings: f.maxFindings, Decoding: []wire.Option{wire.MaxSize(int(f.maxDocument))},
	})
	if err != nil {
		return nil, fmt.Errorf("cannot configure the rules: %w", err)
	}
	return e, nil
}

// judges reports whether a configuration has more than settings of the specification's rules, so
// that package inspect has to judge.
func judges(c *config.Config) bool {
	l := inspect.ConfiguredLayer(&c.Scope)
	return len(l.Rules)+len(l.Scrubs)+len(c.Scope.Inner) > 0 || l.Shadow || l.Sample != 1 || l.Enforce != nil || l.ObserveScrubs || payloads(c) || frauds(c)
}

// The beginnings of reasons.
const (
	payloadPrefix = "payload."
	fraudPrefix   = "fraud."
)

// severitiesOf reports whether a configuration has severities of reasons that begin so.
func severitiesOf(c *config.Config, prefix string) bool {
	return slices.ContainsFunc(inspect.ConfiguredLayer(&c.Scope).Severities, func(s inspect.Setting) bool { return strings.HasPrefix(s.Reasons, prefix) })
}

// frauds reports whether a configuration says anything about the fraud score.
func frauds(c *config.Config) bool {
	silent := &nothing().Scope
	return len(fraud.ConfiguredLists(&c.Scope, &fraud.Data{})) > 0 || !reflect.DeepEqual(fraud.Configured(&c.Scope), fraud.Configured(silent)) ||
		fraud.ConfiguredLimits(&c.Scope) != fraud.ConfiguredLimits(silent) || severitiesOf(c, fraudPrefix)
}

// payloads reports whether a configuration says anything about payloads.
func payloads(c *config.Config) bool {
	return !reflect.DeepEqual(payload.Configured(&c.Scope), payload.Configured(&nothing().Scope)) || severitiesOf(c, payloadPrefix)
}

// nothing is a configuration that says nothing.
var nothing = sync.OnceValue(func() *config.Config {
	c, problems := config.Parse("", "version: 1", config.Options{})
	if len(problems) > 0 {
		panic(problems) // not reached: a version is enough
	}
	return c
})

// schemaOptions are the settings of the specification's rules but the preset: for responses, and
// for requests if the configuration has nothing else.
func schemaOptions(c *config.Config) (options []schema.Option) {
	own := inspect.Configured(&c.Scope)
	options = append(options, schema.WithMaxFindings(own.MaxFindings))
	for _, s := range own.Global.Severities {
		option := schema.WithSeverity(strings.TrimPrefix(s.Reasons, "schema."), s.Severity)
		if _, err := schema.New(option); err == nil { // otherwise it is about other inspectors
			options = append(options, option)
		}
	}
	return options
}
