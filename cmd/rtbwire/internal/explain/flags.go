package explain

import (
	"strings"

	"github.com/spf13/pflag"

	"github.com/rtbwire/rtbwire/batch"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/request"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/schema"
	"github.com/rtbwire/rtbwire/wire"
)

// flags are the verb's flags.
type flags struct {
	set         *pflag.FlagSet
	format      *cli.Choice
	color       *cli.Choice
	configFile  string
	response    string
	facts       *request.Facts
	noExcerpt   bool
	preset      *cli.Choice
	severities  []string
	maxDocument cli.Size
	maxFindings int
}

// newFlags defines the flags, in the order of the help text.
func newFlags(set *pflag.FlagSet) *flags {
	presets := []string{string(inspect.PresetDefault)}
	for _, p := range schema.Presets() {
		if p != inspect.PresetDefault {
			presets = append(presets, string(p))
		}
	}
	f := &flags{
		set:         set,
		format:      cli.NewChoice("text", "json"),
		color:       cli.NewChoice("auto", "always", "never"),
		preset:      cli.NewChoice(presets...),
		maxDocument: batch.MaxDocumentDefault,
	}
	set.VarP(f.format, "format", "f", "text for people, json for programs")
	set.BoolVar(&f.noExcerpt, "no-excerpt", false, "print nothing of the request but the paths of findings")
	set.Var(f.color, "color", "colors in text; auto: on a terminal, unless NO_COLOR is set")
	set.StringVarP(&f.configFile, "config", "c", "", "judge by a configuration `FILE` (docs/configuration.md)")
	set.StringVar(&f.response, "response", "", "explain the verdict on the response in `FILE`, which answers\nthe request")
	f.facts = request.NewFacts(set)
	set.Var(f.preset, "preset", "severities to begin with, as in rtbwire check")
	set.StringArrayVar(&f.severities, "severity", nil, "set a severity: `REASON=LEVEL`, where one * in REASON matches any\ntext, and LEVEL is off, observe, warn or refuse; repeatable")
	set.Var(&f.maxDocument, "max-document", "refuse larger requests (limit.size)")
	set.IntVar(&f.maxFindings, "max-findings", inspect.MaxFindingsDefault, "keep the `N` most severe findings, and count the others")
	return f
}

// check checks the flags and arguments.
func (f *flags) check(args []string) error {
	switch {
	case len(args) > 1:
		return cli.Usagef("%d files given; explain takes one, and rtbwire check takes many", len(args))
	case f.response == "-" && (len(args) == 0 || args[0] == "-"):
		return cli.Usagef("--response - and the request can't both be standard input")
	case f.maxFindings < 1:
		return cli.Usagef("--max-findings %d is less than 1", f.maxFindings)
	case f.maxDocument < 1 || f.maxDocument > batch.MaxDocumentLimit:
		limit := cli.Size(batch.MaxDocumentLimit)
		return cli.Usagef("--max-document %s is not between 1 and %s", f.maxDocument.String(), limit.String())
	case f.configFile == "" && f.facts.Given() != "":
		return cli.Usagef("--%s needs --config: only rules and layers of a configuration ask for it", f.facts.Given())
	}
	return nil
}

// adjust applies the flags to a configuration: those that are given, if it comes from a file.
func (f *flags) adjust(c *inspect.Config) error {
	fromFile := f.configFile != ""
	if !fromFile || f.set.Changed("preset") {
		c.Preset = schema.Preset(f.preset.Value)
	}
	if !fromFile || f.set.Changed("max-findings") {
		c.MaxFindings = f.maxFindings
	}
	c.Decoding = []wire.Option{wire.MaxSize(int(f.maxDocument))}
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
	return nil
}

// plain returns an error's text without the name of the package it is from.
func plain(err error) string { return strings.TrimPrefix(err.Error(), "inspect: ") }
