package replay

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/rtbwire/rtbwire/batch"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/internal/traffic/replay"
)

// flags are the verb's flags.
type flags struct {
	set *pflag.FlagSet

	url, unix   string
	rate        rate
	poisson     bool
	seed        uint64
	duration    time.Duration
	requests    int64
	once        bool
	connections int
	threads     int
	timeout     time.Duration

	contentType string
	header      []string
	layout      *cli.Choice
	memory      cli.Size

	check   bool
	against string
	expect  string
	record  string

	findLimit string
	maxErrors cli.Share
	maxLag    time.Duration
	interval  time.Duration

	json bool
	html string

	limit *replay.Limit // as validate has read it
}

// rate is a flag whose value is a number of requests a second, or max. It implements pflag.Value.
type rate float64

// String returns the value.
func (r *rate) String() string {
	if *r == 0 {
		return "max"
	}
	return strconv.FormatFloat(float64(*r), 'f', -1, 64)
}

// Type returns the word for the help text.
func (r *rate) Type() string { return "R" }

// Set takes a value from the command line.
func (r *rate) Set(text string) error {
	if text == "max" {
		*r = 0
		return nil
	}
	digits, thousands := strings.CutSuffix(text, "k")
	n, err := strconv.ParseFloat(digits, 64)
	if thousands {
		n *= 1000
	}
	if err != nil || !(n > 0 && n <= replay.RateMax) {
		return errors.New("want a number of requests a second such as 500 or 20k, or max")
	}
	*r = rate(n)
	return nil
}

// stepDefault is how long a step of --find-limit takes unless --duration says.
const stepDefault = 3 * time.Second

// newFlags defines the flags, in the order of the help text.
func newFlags(set *pflag.FlagSet) *flags {
	f := &flags{
		set: set, rate: replay.FirstRateDefault, layout: cli.NewChoice("auto", "lines", "values"), memory: replay.MemoryDefault, maxErrors: 0.01,
	}
	set.StringVarP(&f.url, "url", "u", "", "target `URL`: http://host:port/path or http://unix:/socket:/path")
	set.StringVar(&f.unix, "unix", "", "connect to the Unix socket `PATH`; --url then gives only the host and path")
	set.VarP(&f.rate, "rate", "r", "requests per second, or max: as many as the connections allow;\nwith --find-limit: the first rate")
	set.BoolVar(&f.poisson, "poisson", false, "random intervals between requests, as from independent clients")
	set.Uint64Var(&f.seed, "seed", 0, "`SEED` of the random intervals")
	set.DurationVarP(&f.duration, "duration", "d", replay.DurationDefault, "duration of the run; with --find-limit: of each step (then 3s by default)")
	set.Int64VarP(&f.requests, "requests", "n", 0, "send at most `N` requests; 0: no limit")
	set.BoolVar(&f.once, "once", false, "send each request of the files once, however long it takes")
	set.IntVarP(&f.connections, "connections", "c", replay.ConnectionsDefault, "use `N` keep-alive connections")
	set.IntVar(&f.threads, "threads", 1, "send with `N` threads")
	set.DurationVar(&f.timeout, "timeout", replay.TimeoutDefault, "maximum time from sending a request to its answer")
	set.StringVar(&f.contentType, "content-type", "application/json", "content `TYPE` of the requests")
	set.StringArrayVarP(&f.header, "header", "H", nil, "header `FIELD` of every request, such as 'X-Exchange: a'; repeatable")
	set.Var(f.layout, "layout", "one document per line, or a sequence or array of values;\nauto: detect for each file")
	set.Var(&f.memory, "memory", "maximum memory for requests; the rest of the files is not sent")
	set.BoolVar(&f.check, "check", false, "check that answers are valid and answer their requests")
	set.StringVar(&f.against, "against", "", "send the same requests to `URL` too, and compare the answers")
	set.StringVar(&f.expect, "expect", "", "compare the answers with the bid responses in `FILE`, by id")
	set.StringVar(&f.record, "record", "", "write the answers to `FILE`, one per line")
	set.StringVar(&f.findLimit, "find-limit", "", "find the highest rate that meets a `LIMIT` such as p99<5ms")
	set.Var(&f.maxErrors, "max-errors", "maximum share of requests without an answer, or with status 500 and above")
	set.DurationVar(&f.maxLag, "max-lag", replay.LagDefault, "lateness of the generator; the run is invalid if 1% of the requests\nare sent later")
	set.DurationVar(&f.interval, "interval", replay.IntervalDefault, "length of the intervals that --json and --html show")
	set.BoolVar(&f.json, "json", false, "print the results as JSON")
	set.StringVar(&f.html, "html", "", "write the results to `FILE` as a page with plots")
	return f
}

// validate refuses combinations of flags that contradict each other, and numbers out of range.
func (f *flags) validate(args []string) error {
	limited := f.findLimit != ""
	switch {
	case f.url == "" && f.unix == "":
		return cli.Usagef("no server given; name one with --url http://127.0.0.1:8080/openrtb2/auction")
	case len(args) == 0:
		return cli.Usagef("no files given; name files with bid requests, or - for standard input")
	case f.once && (f.set.Changed("duration") || f.set.Changed("requests")):
		return cli.Usagef("--once sends each request once; it can't be combined with --duration or --requests")
	case limited && (f.once || f.requests > 0):
		return cli.Usagef("--find-limit sends for a time in each step; it can't be combined with --once or --requests")
	case limited && (f.record != "" || f.against != "" || f.expect != "" || f.check):
		return cli.Usagef("--find-limit measures only; check and compare answers in a run at one rate")
	case f.against != "" && f.rate == 0 && !f.once:
		return cli.Usagef("--against needs a rate that both servers can carry; --rate max has none")
	case limited && f.rate == 0:
		return cli.Usagef("--find-limit needs a first rate; --rate max has none")
	case f.record == "-" || f.html == "-":
		return cli.Usagef("--record and --html write files; the results go to standard output")
	case f.record != "" && f.record == f.html:
		return cli.Usagef("--record and --html name the same file")
	case f.rate == 0 && f.poisson:
		return cli.Usagef("--poisson needs a rate; --rate max has none")
	case f.duration <= 0 || f.duration > replay.DurationMax:
		return cli.Usagef("--duration %v is not above 0 and at most %v", f.duration, replay.DurationMax)
	case f.timeout <= 0 || f.timeout > replay.TimeoutMax:
		return cli.Usagef("--timeout %v is not above 0 and at most %v", f.timeout, replay.TimeoutMax)
	case f.connections < 1 || f.connections > replay.ConnectionsMax:
		return cli.Usagef("--connections %d is not between 1 and %d", f.connections, replay.ConnectionsMax)
	case f.threads < 1 || f.threads > replay.LoopsMax:
		return cli.Usagef("--threads %d is not between 1 and %d", f.threads, replay.LoopsMax)
	case f.requests < 0:
		return cli.Usagef("--requests %d is negative; use 0 for no limit", f.requests)
	case f.memory < 1:
		return cli.Usagef("--memory 0 leaves room for no request")
	case f.interval < replay.IntervalDefault || f.interval > replay.DurationMax:
		return cli.Usagef("--interval %v is not between %v and %v", f.interval, replay.IntervalDefault, replay.DurationMax)
	case f.maxLag <= 0:
		return cli.Usagef("--max-lag %v is not above 0", f.maxLag)
	}
	if limited {
		limit, err := replay.ParseLimit(f.findLimit)
		if err != nil {
			return cli.Usagef("--find-limit: %w", err)
		}
		limit.Errors = float64(f.maxErrors)
		f.limit = &limit
		if !f.set.Changed("duration") {
			f.duration = stepDefault
		}
	}
	return nil
}

// target returns the server.
func (f *flags) target() (replay.Target, error) {
	url := f.url
	if url == "" {
		url = "http://localhost"
	}
	t, err := replay.ParseTarget(url)
	if err != nil {
		return t, cli.Usagef("--url: %w", err)
	}
	if f.unix != "" {
		t.Network, t.Address = "unix", f.unix
	}
	return t, nil
}

// config returns the configuration of a run, without files.
func (f *flags) config() (replay.Config, error) {
	target, err := f.target()
	if err != nil {
		return replay.Config{}, err
	}
	c := replay.Config{
		Target: target, Rate: float64(f.rate), Poisson: f.poisson, Seed: f.seed, Duration: f.duration, Requests: f.requests,
		Connections: f.connections, Loops: f.threads, Timeout: f.timeout, LagMax: f.maxLag, Interval: f.interval, Check: f.check,
	}
	if f.against != "" {
		other, err := replay.ParseTarget(f.against)
		if err != nil {
			return c, cli.Usagef("--against: %w", err)
		}
		c.Against = &other
	}
	c.Header, err = f.fields()
	return c, err
}

// fields returns the header fields of the requests.
func (f *flags) fields() (list []replay.Header, err error) {
	typed := false
	for _, field := range f.header {
		name, value, found := strings.Cut(field, ":")
		if !found {
			return nil, cli.Usagef("--header %q: want a field such as 'X-Exchange: a'", field)
		}
		typed = typed || strings.EqualFold(name, "Content-Type")
		list = append(list, replay.Header{Name: name, Value: strings.TrimSpace(value)})
	}
	if !typed {
		list = append(list, replay.Header{Name: "Content-Type", Value: f.contentType})
	}
	return list, nil
}

// loadOptions returns how files are read.
func (f *flags) loadOptions() replay.LoadOptions {
	layout, _ := batch.ParseLayout(f.layout.Value) // the flag has no other values
	return replay.LoadOptions{MaxMemory: int64(f.memory), Layout: layout}
}
