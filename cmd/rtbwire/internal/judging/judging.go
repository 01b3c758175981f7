// Package judging defines the flags of verbs that judge requests, with or without a configuration.
package judging

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/rtbwire/rtbwire/batch"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/request"
	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/schema"
	"github.com/rtbwire/rtbwire/wire"
)

// Flags are the flags.
type Flags struct {
	ConfigFile  string // "" without a configuration
	MaxDocument cli.Size

	set         *pflag.FlagSet
	facts       *request.Facts
	preset      *cli.Choice
	severities  []string
	maxFindings int
}

// New defines the flags.
func New(set *pflag.FlagSet) *Flags {
	presets := []string{string(inspect.PresetDefault)}
	for _, p := range schema.Presets() {
		if p != inspect.PresetDefault {
			presets = append(presets, string(p))
		}
	}
	f := &Flags{set: set, preset: cli.NewChoice(presets...), MaxDocument: batch.MaxDocumentDefault}
	set.StringVarP(&f.ConfigFile, "config", "c", "", "judge by the configuration `FILE` (docs/reference/configuration.md)")
	f.facts = request.NewFacts(set)
	set.Var(f.preset, "preset", "base severities, as in rtbwire check")
	set.StringArrayVar(&f.severities, "severity", nil, "severity of a reason, `REASON=LEVEL`; one * in REASON matches any\ntext, LEVEL is off, observe, warn or refuse; repeatable")
	set.Var(&f.MaxDocument, "max-document", "maximum request size; larger ones are refused (limit.size)")
	set.IntVar(&f.maxFindings, "max-findings", inspect.MaxFindingsDefault, "keep the `N` most severe findings; count the others")
	return f
}

// Check checks the flags.
func (f *Flags) Check() error {
	switch {
	case f.maxFindings < 1:
		return cli.Usagef("--max-findings is %d (want at least 1)", f.maxFindings)
	case f.MaxDocument < 1 || f.MaxDocument > batch.MaxDocumentLimit:
		limit := cli.Size(batch.MaxDocumentLimit)
		return cli.Usagef("--max-document %s is not between 1 and %s", f.MaxDocument.String(), limit.String())
	case f.ConfigFile == "" && f.facts.Given() != "":
		return cli.Usagef("--%s needs --config: only rules and layers of a configuration ask for it", f.facts.Given())
	}
	return nil
}

// Judging is what the flags ask for.
type Judging struct {
	Engine *inspect.Engine
	Facts  inspect.Facts // of all requests
	Preset string
}

// Open returns what the flags ask for. change, which may be nil, changes the configuration last.
func (f *Flags) Open(env *cli.Env, change func(*inspect.Config)) (*Judging, error) {
	j := &Judging{}
	if f.ConfigFile == "" {
		var c inspect.Config
		err := f.adjust(&c, change)
		if err != nil {
			return nil, err
		}
		if j.Engine, err = inspect.New(c); err != nil {
			return nil, cli.Usagef("%s", plain(err))
		}
		j.Preset = string(c.Preset)
		return j, nil
	}
	var wrong error
	setup, problems := config.Open(f.ConfigFile, config.OpenOptions{Environ: env.Environ, Adjust: func(c *inspect.Config) {
		wrong = f.adjust(c, change)
		j.Preset = string(c.Preset)
	}})
	switch {
	case wrong != nil:
		return nil, wrong
	case len(problems) > 0:
		return nil, fmt.Errorf("the configuration has problems:\n%w", problems)
	}
	j.Engine = setup.Engine
	var err error
	j.Facts, err = f.facts.Facts(setup.Config)
	return j, err
}

// adjust applies the flags to a configuration: those that are given, if it comes from a file.
func (f *Flags) adjust(c *inspect.Config, change func(*inspect.Config)) error {
	fromFile := f.ConfigFile != ""
	if !fromFile || f.set.Changed("preset") {
		c.Preset = schema.Preset(f.preset.Value)
	}
	if !fromFile || f.set.Changed("max-findings") {
		c.MaxFindings = f.maxFindings
	}
	c.Decoding = []wire.Option{wire.MaxSize(int(f.MaxDocument))}
	for _, text := range f.severities {
		reasons, word, found := strings.Cut(text, "=")
		if !found || reasons == "" {
			return cli.Usagef("--severity %q: want REASON=LEVEL, such as Imp.id.required=warn", text)
		}
		severity, err := inspect.ParseSeverity(word)
		if err != nil {
			return cli.Usagef("--severity %q: %s", text, plain(err))
		}
		c.Global.Severities = append(c.Global.Severities, inspect.Setting{Reasons: reasons, Severity: severity})
	}
	if change != nil {
		change(c)
	}
	return nil
}

// plain returns an error's text without the name of the package it is from.
func plain(err error) string { return strings.TrimPrefix(err.Error(), "inspect: ") }
