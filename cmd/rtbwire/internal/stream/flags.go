package stream

import (
	"slices"

	"github.com/spf13/pflag"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/service"
	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/internal/serving/admin"
	"github.com/rtbwire/rtbwire/internal/serving/logs"
	"github.com/rtbwire/rtbwire/internal/serving/tracing"
	"github.com/rtbwire/rtbwire/internal/setting"
	"github.com/rtbwire/rtbwire/internal/verdictlog"
	"github.com/rtbwire/rtbwire/stream/files"
	"github.com/rtbwire/rtbwire/stream/kafka"
	"github.com/rtbwire/rtbwire/stream/upstream"
)

// flags are the values of the command line. Those that are given win over the configuration.
type flags struct {
	set       *pflag.FlagSet
	config    string
	check     bool
	health    string
	jobs      int
	candidate *service.Candidate
	settings  *cli.Settings[setting.Scope] // each declared by the package that uses it
}

func newFlags(set *pflag.FlagSet) *flags {
	f := &flags{set: set, settings: cli.NewSettings[setting.Scope](set)}
	set.StringVarP(&f.config, "config", "c", "", "configuration `FILE` (docs/reference/configuration.md); also $RTBWIRE_CONFIG")
	set.StringVar(&f.config, "rules", "", "`FILE`, the same as --config")
	f.candidate = service.NewCandidate(set)
	set.BoolVar(&f.check, "check", false, "check flags and configuration, and exit; no broker is asked")
	set.StringVar(&f.health, "health", "", "check whether a running stream consumes, and exit with 0 or 1; `URL` is its admin address and /readyz, such as http://127.0.0.1:8082/readyz")
	set.IntVarP(&f.jobs, "jobs", "j", 0, "judge `N` records at the same time; 0: one per core")
	f.settings.Add(slices.Concat(fields(), admin.Operators(), logs.Keys(), tracing.Keys(), verdictlog.Keys()))
	return f
}

// fields are the settings of streams.
func fields() []setting.Field[setting.Scope] {
	list, _ := setting.Section("stream")
	return list
}

// defaults is a configuration that says nothing.
func defaults() *config.Config {
	c, problems := config.Parse("", "version: 1", config.Options{})
	if len(problems) > 0 {
		panic(problems) // not reached: that is enough
	}
	return c
}

// apply returns what a configuration says, with the flags that were given in place of its values.
func (f *flags) apply(from *config.Config) (*setting.Scope, error) {
	scope, given := from.Scope.Clone(), f.set.Changed
	// One of two destinations on the command line takes the place of the other one in the file.
	topics := kafka.Configured(scope)
	if given("accepted") && !given("upstream") {
		upstream.Configured(scope).URL, topics.Responses = "", ""
	}
	if given("upstream") && !given("accepted") {
		topics.Accepted = ""
	}
	if given("accepted-file") && !given("upstream") {
		upstream.Configured(scope).URL, files.Configured(scope).Responses = "", ""
	}
	if given("upstream") && !given("accepted-file") {
		files.Configured(scope).Accepted = ""
	}
	if err := f.settings.Apply(scope); err != nil {
		return nil, err
	}
	return scope, service.CheckFlags(f.settings.Given(), scope)
}
