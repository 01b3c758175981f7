package demo

import (
	"time"

	"github.com/spf13/pflag"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/internal/traffic/core"
	"github.com/rtbwire/rtbwire/internal/traffic/simulate"
)

// flags are the verb's flags.
type flags struct {
	duration                 time.Duration
	rate, connections        int
	defects, payloads, fraud string
	seed                     uint64
	config                   string
	admin                    string
	keep, json, printConfig  bool
}

// The limits of flags. All requests of a run are in memory, and the core keeps their ids.
const (
	durationMax    = 10 * time.Minute
	rateMax        = 100_000
	connectionsMax = 4096
	requestsMax    = core.IDsMax
)

func newFlags(set *pflag.FlagSet) *flags {
	f := &flags{}
	set.DurationVar(&f.duration, "duration", 5*time.Second, "duration of the traffic")
	set.IntVar(&f.rate, "rate", 1000, "send `N` requests per second")
	set.IntVar(&f.connections, "connections", 32, "use `N` connections")
	set.StringVar(&f.defects, "defects", "3%", "`SHARE` of broken requests")
	set.StringVar(&f.payloads, "payloads", "0.5%", "`SHARE` of requests with an attack payload in a string")
	set.StringVar(&f.fraud, "fraud", "2%", "`SHARE` of valid requests with signs of fraud")
	set.Uint64Var(&f.seed, "seed", 26, "`SEED` of all choices")
	set.StringVar(&f.config, "config", "", "configuration `FILE` of the gateway")
	set.StringVar(&f.admin, "admin", "127.0.0.1:0", "`ADDRESS` of the gateway's admin page; port 0: any free port")
	set.BoolVar(&f.keep, "keep", false, "keep sending after the summary, until interrupted")
	set.BoolVar(&f.json, "json", false, "print the summary as JSON")
	set.BoolVar(&f.printConfig, "print-config", false, "print the built-in configuration, and exit")
	return f
}

// validate refuses numbers out of range.
func (f *flags) validate(args []string) error {
	switch {
	case len(args) > 0:
		return cli.Usagef("demo takes no arguments, but %q is given", args[0])
	case f.duration <= 0 || f.duration > durationMax:
		return cli.Usagef("--duration %v is not between 0 and %v", f.duration, durationMax)
	case f.rate < 1 || f.rate > rateMax:
		return cli.Usagef("--rate %d is not between 1 and %d", f.rate, rateMax)
	case f.connections < 1 || f.connections > connectionsMax:
		return cli.Usagef("--connections %d is not between 1 and %d", f.connections, connectionsMax)
	case f.requests() > requestsMax:
		return cli.Usagef("--rate and --duration make %d requests, more than %d", f.requests(), requestsMax)
	case f.keep && f.json:
		return cli.Usagef("--json can't be combined with --keep, which has no end")
	}
	_, err := f.generator()
	return err
}

// requests is how many requests a round has; at least one.
func (f *flags) requests() uint64 {
	return max(1, uint64(f.duration.Seconds()*float64(f.rate)))
}

// generator makes the generator that the flags describe.
func (f *flags) generator() (*simulate.Generator, error) {
	c := simulate.Config{Seed: f.seed}
	for _, s := range []struct {
		name, text string
		at         *simulate.Share
	}{{"defects", f.defects, &c.Defects}, {"payloads", f.payloads, &c.Payloads}, {"fraud", f.fraud, &c.Fraud}} {
		share, err := simulate.ParseShare(s.text)
		if err != nil {
			return nil, cli.Usagef("--%s: %w", s.name, err)
		}
		*s.at = share
	}
	g, err := simulate.New(c)
	if err != nil {
		return nil, cli.Usagef("%w", err)
	}
	return g, nil
}
