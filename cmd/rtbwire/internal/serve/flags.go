package serve

import (
	"time"

	"github.com/spf13/pflag"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/config"
	"github.com/rtbwire/rtbwire/gateway"
)

// flags are the values of the command line. Those that are given win over the configuration.
type flags struct {
	set    *pflag.FlagSet
	config string
	check  bool
	health string

	admin, noBid string
	transportFlags
	tokenFiles, hosts   []string
	logFormat, logLevel *cli.Choice
	server              *cli.Choice
	upstreams           []string
	path                string
	shadow              bool
	responses           *cli.Choice
	stateFlags
	options *cli.Options[gateway.Options]
}

func newFlags(set *pflag.FlagSet) *flags {
	f := &flags{
		set: set, server: cli.NewChoice("fast", "std"), responses: cli.NewChoice("observe", "off", "enforce"),
		logFormat: cli.NewChoice("text", "json"), logLevel: cli.NewChoice("info", "debug", "warn", "error"),
	}
	f.transportFlags.define(set)
	set.StringArrayVar(&f.upstreams, "upstream", nil, "where accepted requests go: http://host:port, https://host:port or unix:/path; can be repeated")
	set.StringVar(&f.config, "config", "", "the configuration `file`; also $RTBWIRE_CONFIG")
	set.StringVar(&f.config, "rules", "", "`FILE`, the same as --config")
	set.BoolVar(&f.check, "check", false, "check flags and configuration, and leave")
	set.StringVar(&f.health, "health", "", "ask the gateway that listens at `ADDRESS`, or a URL, whether it takes requests, and leave")
	set.BoolVar(&f.shadow, "shadow", false, "observe and forward everything")
	f.stateFlags.define(set)
	set.StringVar(&f.admin, "admin", "", "where metrics, health, profiles and a page are served: host:port")
	set.StringArrayVar(&f.tokenFiles, "admin-token-file", nil, "a `file` with tokens for --admin, one a line; also $RTBWIRE_ADMIN_TOKEN; can be repeated")
	set.StringArrayVar(&f.hosts, "admin-host", nil, "a name that browsers may know --admin by; can be repeated")
	set.Var(f.logFormat, "log-format", "the format of the log")
	set.Var(f.logLevel, "log-level", "the least level of what is logged")
	set.StringVar(&f.path, "path", gateway.PathDefault, "the path that bid requests are posted to")
	set.StringVar(&f.noBid, "no-bid", string(gateway.NoBid204), "how refusals are answered: 204, 200, 400 or 400-json")
	set.Var(f.responses, "responses", "answers of upstreams: judge a sample, none, or all and\nremove bids that break rules; partners in the file may say otherwise")
	set.Var(f.server, "http", "the server of HTTP: fasthttp, or Go's own")
	f.options = newOptions(set)
	return f
}

// newOptions defines the flags that are one option each.
func newOptions(set *pflag.FlagSet) *cli.Options[gateway.Options] {
	o := cli.NewOptions[gateway.Options](set)
	o.Duration("head-timeout", "for the head of a request", gateway.HeadTimeoutDefault, func(o *gateway.Options) *time.Duration { return &o.HeadTimeout })
	o.Duration("body-timeout", "for the whole body of a request", gateway.BodyTimeoutDefault, func(o *gateway.Options) *time.Duration { return &o.BodyTimeout })
	o.Duration("write-timeout", "for writing an answer", gateway.WriteTimeoutDefault, func(o *gateway.Options) *time.Duration { return &o.WriteTimeout })
	o.Duration("idle-timeout", "for the next request on a connection", gateway.IdleTimeoutDefault, func(o *gateway.Options) *time.Duration { return &o.IdleTimeout })
	o.Duration("upstream-timeout", "for the upstream, if tmax leaves as much", gateway.UpstreamTimeoutDefault, func(o *gateway.Options) *time.Duration { return &o.UpstreamTimeout })
	o.Duration("upstream-idle-timeout", "for which connections to upstreams are kept", gateway.UpstreamIdleTimeoutDefault, func(o *gateway.Options) *time.Duration { return &o.UpstreamIdleTimeout })
	o.Duration("reserve", "the part of tmax that is kept for the way back", gateway.ReserveDefault, func(o *gateway.Options) *time.Duration { return &o.Reserve })
	o.Duration("drain-delay", "for which requests are taken after SIGTERM", 0, func(o *gateway.Options) *time.Duration { return &o.DrainDelay })
	o.Duration("drain-timeout", "after that, for the requests that were read", gateway.DrainTimeoutDefault, func(o *gateway.Options) *time.Duration { return &o.DrainTimeout })

	o.Size("body-max", "the longest body, after inflation", gateway.BodyMaxDefault, func(o *gateway.Options) *int { return &o.BodyMax })
	o.Size("head-max", "the longest head", gateway.HeadMaxDefault, func(o *gateway.Options) *int { return &o.HeadMax })
	o.Size("response-max", "the longest body of an upstream's answer", gateway.ResponseMaxDefault, func(o *gateway.Options) *int { return &o.ResponseMax })
	o.Size("compress-min", "the shortest answer that is compressed for senders that accept gzip; 0 for none", 0, func(o *gateway.Options) *int { return &o.CompressMin })
	o.Size("memory-max", "bytes of requests that are being read and served", gateway.MemoryMaxDefault, func(o *gateway.Options) *int { return &o.MemoryMax })

	o.Number("ratio-max", "how many times as long as its compressed body a document may be", gateway.RatioMaxDefault, func(o *gateway.Options) *int { return &o.RatioMax })
	o.Number("connections-max", "connections at the same time", gateway.ConnectionsMaxDefault, func(o *gateway.Options) *int { return &o.ConnectionsMax })
	o.Number("streams-max", "requests at the same time on one connection of HTTP/2", gateway.StreamsMaxDefault, func(o *gateway.Options) *int { return &o.StreamsMax })
	o.Number("resets-max", "how many requests more than were answered a client may take back on a connection of HTTP/2", gateway.ResetsMaxDefault, func(o *gateway.Options) *int { return &o.ResetsMax })
	o.Number("in-flight-max", "requests at the same time", gateway.InFlightMaxDefault, func(o *gateway.Options) *int { return &o.InFlightMax })
	o.Number("upstream-connections-max", "connections to each upstream", gateway.UpstreamConnectionsMaxDefault, func(o *gateway.Options) *int { return &o.UpstreamConnectionsMax })
	return o
}

// apply puts the flags that were given in place of options.
func (f *flags) apply(o *gateway.Options) {
	given := f.set.Changed
	if given("upstream") {
		o.Upstreams = f.upstreams
	}
	if given("path") {
		o.Path = f.path
	}
	if given("no-bid") {
		o.NoBid = gateway.NoBid(f.noBid)
	}
	if given("responses") {
		o.Responses.Mode = gateway.ResponseMode(f.responses.Value)
	}
	if given("shadow") {
		o.Shadow = f.shadow
	}
	f.options.Apply(o)
}

// applyListen puts the flags that were given in place of the addresses and the server.
func (f *flags) applyListen(c config.Gateway) (config.Gateway, error) {
	if f.set.Changed("admin") {
		c.Admin = f.admin
	}
	if f.set.Changed("admin-token-file") {
		c.Operators.TokenFiles = f.tokenFiles
	}
	if f.set.Changed("admin-host") {
		c.Operators.Hosts = f.hosts
	}
	if f.set.Changed("log-format") || c.Log.Format == "" {
		c.Log.Format = f.logFormat.Value
	}
	if f.set.Changed("log-level") || c.Log.Level == "" {
		c.Log.Level = f.logLevel.Value
	}
	if f.set.Changed("http") || c.HTTP == "" {
		c.HTTP = f.server.Value
	}
	err := f.transportFlags.apply(f.set, &c)
	return c, err
}
