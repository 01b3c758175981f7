package simulate

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/schema"
	"github.com/rtbwire/rtbwire/internal/setting"
	"github.com/rtbwire/rtbwire/internal/traffic/simulate"
)

// flags are the verb's flags.
type flags struct {
	set *pflag.FlagSet

	count, first, seed       uint64
	shape                    *cli.Choice
	defects, payloads, fraud share
	listKinds                bool
	output, labels           string
	jobs                     int

	url         string
	connections int
	rate        int
	timeout     time.Duration

	judge  bool
	config string
	preset *cli.Choice
	format *cli.Choice
}

// share is a flag of type [simulate.Share].
type share simulate.Share

func (s *share) String() string { return simulate.Share(*s).String() }
func (s *share) Type() string   { return "SHARE" }

func (s *share) Set(text string) error {
	parsed, err := simulate.ParseShare(text)
	*s = share(parsed)
	return err
}

// The limits of flags.
const (
	jobsMax        = 4096
	connectionsMax = 65536
	rateMax        = 10_000_000
)

// newFlags defines the flags, in the order of the help text.
func newFlags(set *pflag.FlagSet) *flags {
	var shapes, about []string
	for _, s := range simulate.Shapes() {
		shapes = append(shapes, s.String())
		about = append(about, s.String()+": "+s.About())
	}
	presets := []string{string(inspect.PresetDefault)}
	for _, p := range schema.Presets() {
		if p != inspect.PresetDefault {
			presets = append(presets, string(p))
		}
	}
	f := &flags{set: set, shape: cli.NewChoice(shapes...), preset: cli.NewChoice(presets...), format: cli.NewChoice("text", "json")}
	set.Uint64VarP(&f.count, "count", "n", 1000, "make `N` requests; 0: until interrupted")
	set.Uint64Var(&f.seed, "seed", 26, "`SEED` of all choices")
	set.Uint64Var(&f.first, "first", 0, "begin at request `N` of the seed")
	set.Var(f.shape, "shape", strings.Join(about, ";\n"))
	set.Var(&f.defects, "defects", "share of broken requests, such as 3% or 0.03")
	set.Var(&f.payloads, "payloads", "share of requests with an attack payload in a string")
	set.Var(&f.fraud, "fraud", "share of valid requests with signs of fraud")
	set.BoolVar(&f.listKinds, "list-kinds", false, "list the kinds of planted faults, and exit")
	set.StringVarP(&f.output, "output", "o", "", "write requests to `FILE` instead of standard output; .gz and .zst\nare compressed")
	set.StringVar(&f.labels, "labels", "", "write the true label of each request to `FILE`, one JSON object per line")
	set.IntVarP(&f.jobs, "jobs", "j", 0, "use `N` cores; 0: all")
	set.StringVar(&f.url, "url", "", "post requests to `URL` and count the answers, instead of writing")
	set.IntVar(&f.connections, "connections", 8, "with --url: send `N` requests concurrently")
	set.IntVar(&f.rate, "rate", 0, "with --url: send at most `N` requests per second; 0: no limit")
	set.DurationVar(&f.timeout, "timeout", simulate.TimeoutDefault, "with --url: maximum time to wait for an answer")
	set.BoolVar(&f.judge, "judge", false, "judge the requests and compare the verdicts with the labels, instead\nof writing")
	set.StringVar(&f.config, "config", "", "with --judge: configuration `FILE`")
	set.Var(f.preset, "preset", "with --judge: base severities, as in rtbwire check")
	set.VarP(f.format, "format", "f", "with --judge: output format")
	return f
}

// validate refuses combinations of flags that contradict each other, and numbers out of range.
func (f *flags) validate(args []string) error {
	switch {
	case len(args) > 0:
		return cli.Usagef("simulate takes no arguments, but %q is given; name a file with --output", args[0])
	case f.judge && f.url != "":
		return cli.Usagef("--judge can't be combined with --url")
	case f.judge && (f.output != "" || f.labels != ""):
		return cli.Usagef("--judge prints a table; --output and --labels are for requests that are written")
	case f.url != "" && f.output != "":
		return cli.Usagef("--output can't be combined with --url; write the file first, the same flags make the same requests")
	case f.url != "" && f.labels != "" && f.count == 0:
		return cli.Usagef("--labels needs an end with --url: give --count")
	case f.judge && f.count == 0:
		return cli.Usagef("--judge needs an end: give --count")
	case f.labels != "" && f.labels == f.output:
		return cli.Usagef("--labels and --output name the same file %s", f.output)
	case f.labels == "-" && (f.output == "" || f.output == "-") && f.url == "":
		return cli.Usagef("--labels - and the requests would share standard output; give --output")
	case f.jobs < 0 || f.jobs > jobsMax:
		return cli.Usagef("--jobs %d is not between 0 and %d", f.jobs, jobsMax)
	case f.connections < 1 || f.connections > connectionsMax:
		return cli.Usagef("--connections %d is not between 1 and %d", f.connections, connectionsMax)
	case f.rate < 0 || f.rate > rateMax:
		return cli.Usagef("--rate %d is not between 0 and %d", f.rate, rateMax)
	case f.timeout <= 0:
		return cli.Usagef("--timeout %v is not positive", f.timeout)
	}
	if f.count != 0 && f.first+f.count < f.first {
		return cli.Usagef("--first and --count go beyond the last request")
	}
	if err := f.needs("url", "connections", "rate", "timeout"); err != nil {
		return err
	}
	if err := f.needs("judge", "config", "preset", "format"); err != nil {
		return err
	}
	if f.url == "" {
		return nil
	}
	if u, err := url.Parse(f.url); err != nil || u.Host == "" || !slices.Contains([]string{"http", "https"}, u.Scheme) {
		return cli.Usagef("--url %s: want an address such as http://127.0.0.1:8080/openrtb2/auction", setting.Quote(f.url))
	}
	return nil
}

// needs refuses flags that mean nothing without another one.
func (f *flags) needs(other string, names ...string) error {
	if f.set.Changed(other) {
		return nil
	}
	for _, name := range names {
		if f.set.Changed(name) {
			return cli.Usagef("--%s is for --%s", name, other)
		}
	}
	return nil
}

// generator makes the generator that the flags describe.
func (f *flags) generator() (*simulate.Generator, error) {
	shape, err := simulate.ParseShape(f.shape.Value)
	if err != nil {
		return nil, err
	}
	g, err := simulate.New(simulate.Config{
		Seed: f.seed, Shape: shape,
		Defects: simulate.Share(f.defects), Payloads: simulate.Share(f.payloads), Fraud: simulate.Share(f.fraud),
	})
	if err != nil {
		return nil, cli.Usagef("%s", strings.TrimPrefix(err.Error(), "simulate: "))
	}
	return g, nil
}

// end is the number of requests, for the library.
func (f *flags) end() uint64 {
	if f.count == 0 {
		return simulate.Endless
	}
	return f.count
}
