package gateway

import (
	"fmt"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/inspect/vendor"
	"github.com/rtbwire/rtbwire/inspect/window"
	"github.com/rtbwire/rtbwire/internal/nearest"
	"github.com/rtbwire/rtbwire/internal/serving/balance"
	"github.com/rtbwire/rtbwire/internal/serving/upstreams"
	"github.com/rtbwire/rtbwire/internal/setting"
)

// Settings are what a configuration says about a gateway and the program that it is in.
type Settings struct {
	Options
	HTTP            string   // fast or std
	UpstreamCAFiles []string // for Options.UpstreamCAs
}

// Settings of configurations, and of their partners and publishers.
var (
	configured          setting.Slot[Settings]
	configuredPartner   setting.Slot[configuration]
	configuredPublisher setting.Slot[Limits]
	configuredRoutes    setting.Slot[[]setting.Named] // of partners and publishers
)

// configuration is a partner, with the place of its secret.
type configuration struct {
	Partner
	token setting.Secret
}

// Configured returns what a configuration says about a gateway: the settings, with the partners and
// their tokens. The environment is as os.Environ returns it.
//
// Engine, Windows, Vendors and Capture of the options are to be filled in.
func Configured(c *setting.Scope, environ []string) (s Settings, err error) {
	s = *configured.In(c)
	for _, own := range c.Inner {
		p := *configuredPartner.In(own)
		p.Partner.Upstreams = namesOfRoutes(own)
		p.Name, p.Vendors = own.Name, vendor.ConfiguredPartner(own)
		if p.Match.Token, err = p.token.Read(environ); err != nil {
			return s, fmt.Errorf("the token of the partner %s: %w", p.Name, err)
		}
		for _, publisher := range own.Inner {
			if l := *configuredPublisher.In(publisher); l != (Limits{}) {
				if p.Publishers == nil {
					p.Publishers = map[string]Limits{}
				}
				p.Publishers[publisher.Name] = l
			}
			if names := namesOfRoutes(publisher); len(names) > 0 {
				if p.PublisherUpstreams == nil {
					p.PublisherUpstreams = map[string][]string{}
				}
				p.PublisherUpstreams[publisher.Name] = names
			}
		}
		s.Partners = append(s.Partners, p.Partner)
	}
	return s, nil
}

// ConfiguredHTTP returns the HTTP server that a configuration chooses: fast or std.
func ConfiguredHTTP(c *setting.Scope) string { return configured.In(c).HTTP }

// ConfiguredOptions returns the options of [Configured] without partners.
func ConfiguredOptions(c *setting.Scope) Options { return configured.In(c).Options }

// ConfiguredWindows returns what a configuration says about windows, with the rates of partners,
// and whether a gateway has any.
func ConfiguredWindows(c *setting.Scope) (o window.Options, on bool) {
	return window.Configured(c, func(partner *setting.Scope) int { return configuredPartner.In(partner).Limits.Rate })
}

// keys are the settings of options.
var keys = []setting.Field[Options]{
	setting.F("upstreams", setting.ListOf(upstreamType), func(o *Options) *[]Upstream { return &o.Upstreams },
		"Upstreams of accepted requests: http://host:port, https://host:port or unix:/path. A path after the port replaces the path of the request.").
		Example(`upstreams: ["http://127.0.0.1:9000"]`).FlagName("upstream").Value("URL"),
	setting.F("balance", setting.Option("a way to share requests", RoundRobin, LeastRequest), func(o *Options) *Balance { return &o.Balance },
		"How requests are shared between upstreams: `round_robin` is exact; `least_request` takes, of two in turn, the one with fewer requests in flight for its weight.").Default(string(RoundRobin)).NoFlag(),
	setting.F("zone", zone, func(o *Options) *string { return &o.Zone },
		"Zone of the gateway. Upstreams in the same zone are preferred; others get what these can't carry.").Example("zone: eu-1").Value("NAME"),
	setting.F("panic_threshold", shareOrNever, func(o *Options) *float64 { return &o.PanicThreshold },
		"Share of healthy addresses below which all are used, so that the last ones are not overrun; `0%`: only healthy ones are.").Default("50%").NoFlag(),
	setting.F("slow_start", setting.Duration("a time such as 30s", 0, time.Hour), func(o *Options) *time.Duration { return &o.SlowStart },
		"Time in which an address that is new, or back, grows from a tenth of its share to all of it.").Default("0s").Loose().NoFlag(),
	setting.F("dns_interval", setting.Duration("a time such as 5s", 100*time.Millisecond, time.Hour), func(o *Options) *time.Duration { return &o.DNSInterval },
		"How often names of upstreams are resolved. Addresses that are gone drain.").Default(DNSIntervalDefault).Loose().NoFlag(),
	setting.F("outlier.consecutive_5xx", setting.Int("a number of requests", 1, 1_000_000), func(o *Options) *int { return &o.Outlier.Consecutive5xx },
		"Lost requests in a row that eject an address: answers of status 5xx, connections that break off, late answers.").Default(Consecutive5xxDefault).Loose().NoFlag(),
	setting.F("outlier.latency", setting.Int("a factor", 0, 1000), func(o *Options) *int { return &o.Outlier.Latency },
		"How many times as long as the median of all addresses the mean latency of one must be in an interval to eject it; 0: latency does not matter.").Default(0).Example("latency: 5").Loose().NoFlag(),
	setting.F("outlier.interval", setting.Duration("a time such as 10s", 10*time.Millisecond, time.Hour), func(o *Options) *time.Duration { return &o.Outlier.Interval },
		"How often latencies are compared. An address without an ejection for as long is forgiven one.").Default(OutlierIntervalDefault).Loose().NoFlag(),
	setting.F("outlier.base_ejection_time", setting.Duration("a time such as 30s", 10*time.Millisecond, 24*time.Hour), func(o *Options) *time.Duration { return &o.Outlier.BaseEjectionTime },
		"Time of the first ejection. The second one takes twice as long, and so on.").Default(BaseEjectionTimeDefault).Loose().NoFlag(),
	setting.F("outlier.max_ejection_time", setting.Duration("a time such as 5m", 10*time.Millisecond, 24*time.Hour), func(o *Options) *time.Duration { return &o.Outlier.MaxEjectionTime },
		"Maximum time of an ejection.").Default(MaxEjectionTimeDefault).Loose().NoFlag(),
	setting.F("outlier.max_ejection_percent", shareOrNever, func(o *Options) *float64 { return &o.Outlier.MaxEjected },
		"Share of the addresses that share requests which is ejected at most; one of several always may be. `0%`: none is.").Default("10%").Was("max_ejected").NoFlag(),
	setting.F("health_check.path", setting.URLPath(), func(o *Options) *string { return &o.HealthCheck.Path },
		"Path that is asked of every address. Status 2xx and 3xx are good. Without it there are no checks.").Example("path: /health").NoFlag(),
	setting.F("health_check.interval", setting.Duration("a time such as 2s", 10*time.Millisecond, time.Hour), func(o *Options) *time.Duration { return &o.HealthCheck.Interval },
		"Time between two checks of an address.").Default(CheckIntervalDefault).Loose().NoFlag(),
	setting.F("health_check.jitter", setting.Share("a share such as 10%"), func(o *Options) *float64 { return &o.HealthCheck.Jitter },
		"Part of the interval by which it varies, so that not all gateways ask at once.").Default("10%").NoFlag(),
	setting.F("health_check.timeout", setting.Duration("a time such as 1s", time.Millisecond, time.Hour), func(o *Options) *time.Duration { return &o.HealthCheck.Timeout },
		"Time for the answer to a check.").Default(CheckTimeoutDefault).Loose().NoFlag(),
	setting.F("health_check.healthy_threshold", setting.Int("a number of checks", 1, 1000), func(o *Options) *int { return &o.HealthCheck.Healthy },
		"Good checks in a row after which an address gets requests again. The first check of an address decides alone.").Default(HealthyThresholdDefault).Loose().NoFlag(),
	setting.F("health_check.unhealthy_threshold", setting.Int("a number of checks", 1, 1000), func(o *Options) *int { return &o.HealthCheck.Unhealthy },
		"Bad checks in a row after which an address gets none.").Default(UnhealthyThresholdDefault).Loose().NoFlag(),
	setting.F("path", setting.URLPath(), func(o *Options) *string { return &o.Path },
		"Path of bid requests, besides the paths of partners.").Default(PathDefault).Value("PATH"),
	setting.F("no_bid", noBid, func(o *Options) *NoBid { return &o.NoBid },
		"No-bid answer to requests of no partner.").Default(string(NoBid204)),
	setting.F("upstream_errors", setting.Option("what becomes of errors", ErrorsNoBid, ErrorsPass), func(o *Options) *UpstreamErrors { return &o.UpstreamErrors },
		"Answers of upstreams with status 5xx: `no_bid` sends the no-bid answer in their place, `pass` forwards them as they are.").Default(string(ErrorsNoBid)).NoFlag(),
	setting.F("trusted_proxies", setting.ListOf(setting.Network()), func(o *Options) *[]netip.Prefix { return &o.TrustedProxies },
		"Peers whose `X-Forwarded-For` is trusted.").Example("trusted_proxies: [10.0.0.0/8]").NoFlag(),
	setting.F("headers", setting.ListOf(setting.HeaderName()), func(o *Options) *[]string { return &o.FactHeaders },
		"Request headers that conditions can read.").Example("headers: [X-Region]").NoFlag(),
	setting.F("passthrough", setting.ListOf(passthrough.Type()), func(o *Options) *[]Passthrough { return &o.Passthrough },
		"Routes whose requests are forwarded unread, such as win notices.").Example("passthrough: [{path: /win}]").NoFlag(),
	setting.F("shadow", setting.Bool(), func(o *Options) *bool { return &o.Shadow },
		"Observe and forward everything, unchanged. For the first day in front of real traffic.").Default(false),
	setting.F("forward_gzip", setting.Bool(), func(o *Options) *bool { return &o.ForwardGzip },
		"Forward compressed requests as they were received, unless they are edited.").Default(false).NoFlag(),
	setting.F("lower_tmax", setting.Bool(), func(o *Options) *bool { return &o.LowerTMax },
		"Write the time that is left for the upstream into requests. It replaces a larger `tmax`.").Default(false),
	setting.F("operators.full_rejects", setting.Bool(), func(o *Options) *bool { return &o.FullRejects },
		"Show excerpts of refused requests as they were received. They can contain personal data; by default values are redacted.").Default(false).NoFlag(),
	setting.F("metrics.publishers", setting.Int("a number of publishers", 0, 1000), func(o *Options) *int { return &o.PublisherMetricsMax },
		"Publishers with metrics of their own: the first that have a forwarded request. All others are counted as `other`.").Default(0).NoFlag().Loose(),
	setting.F("responses.mode", responseMode, func(o *Options) *ResponseMode { return &o.Responses.Mode },
		"Inspection of upstreams' responses: `observe` judges a sample and counts findings; `enforce` judges all, and removes bids that a finding refuses.").
		Default(string(ResponsesObserve)).Example("mode: enforce").FlagName("responses"),
	setting.F("responses.sample", responseSample, func(o *Options) *float64 { return &o.Responses.Sample },
		"Share of responses that is judged in the mode `observe`, chosen by a hash of the request's id.").Default("1%").Example("sample: 5%").NoFlag(),
	setting.F("compress", setting.Size(0, 1<<30), func(o *Options) *int { return &o.CompressMin },
		"Minimum length of a response to be compressed for senders that accept gzip; 0: none is. 1400 is about one packet.").
		Default(0).Example("compress: 1400").WasFlag("compress-min").Loose(),
	timeout("head", time.Millisecond, func(o *Options) *time.Duration { return &o.HeadTimeout }, "Time for the header of a request.", HeadTimeoutDefault).Fixed(),
	timeout("body", time.Millisecond, func(o *Options) *time.Duration { return &o.BodyTimeout }, "Time for the whole body of a request.", BodyTimeoutDefault).Fixed(),
	timeout("write", time.Millisecond, func(o *Options) *time.Duration { return &o.WriteTimeout }, "Time for writing a response.", WriteTimeoutDefault).Fixed(),
	timeout("idle", time.Millisecond, func(o *Options) *time.Duration { return &o.IdleTimeout },
		"Time for the next request on a connection. It should be longer than that of a load balancer in front.", IdleTimeoutDefault).Fixed(),
	timeout("upstream", time.Millisecond, func(o *Options) *time.Duration { return &o.UpstreamTimeout },
		"Time for the upstream's response. `tmax` can leave less.", UpstreamTimeoutDefault),
	timeout("upstream_idle", time.Millisecond, func(o *Options) *time.Duration { return &o.UpstreamIdleTimeout },
		"Time for which idle connections to upstreams are kept. It should be shorter than that of the upstream.", UpstreamIdleTimeoutDefault),
	timeout("reserve", time.Microsecond, func(o *Options) *time.Duration { return &o.Reserve },
		"Part of `tmax` that is reserved for the way back to the sender.", ReserveDefault).FlagName("reserve"),
	timeout("drain_delay", 0, func(o *Options) *time.Duration { return &o.DrainDelay },
		"Time after SIGTERM for which requests are still accepted, while health checks fail.", 0).FlagName("drain-delay"),
	timeout("drain", time.Millisecond, func(o *Options) *time.Duration { return &o.DrainTimeout },
		"Time after the drain delay for requests in progress.", DrainTimeoutDefault),

	size("body", func(o *Options) *int { return &o.BodyMax }, "Maximum request body, after decompression.", BodyMaxDefault).Fixed(),
	size("head", func(o *Options) *int { return &o.HeadMax }, "Maximum header of a request or a response.", HeadMaxDefault).Fixed(),
	size("response", func(o *Options) *int { return &o.ResponseMax }, "Maximum body of an upstream's response.", ResponseMaxDefault),
	number("ratio", func(o *Options) *int { return &o.RatioMax }, "Maximum compression ratio of a request body.", RatioMaxDefault),
	number("connections", func(o *Options) *int { return &o.ConnectionsMax }, "Maximum number of connections.", ConnectionsMaxDefault).Fixed(),
	number("streams", func(o *Options) *int { return &o.StreamsMax }, "Concurrent requests on one HTTP/2 connection.", StreamsMaxDefault).Fixed(),
	number("resets", func(o *Options) *int { return &o.ResetsMax }, "Unanswered streams a client may reset on one HTTP/2 connection.", ResetsMaxDefault).Fixed(),
	number("in_flight", func(o *Options) *int { return &o.InFlightMax }, "Concurrent requests. The adaptive limit is below this.", InFlightMaxDefault).Fixed(),
	size("memory", func(o *Options) *int { return &o.MemoryMax }, "Maximum memory of requests in progress.", MemoryMaxDefault).Fixed(),
	number("upstream_connections", func(o *Options) *int { return &o.UpstreamConnectionsMax },
		"Connections to each address of an upstream. It needs the rate of requests times the upstream's latency, and a margin.", UpstreamConnectionsMaxDefault),
	setting.F("max.mirror_queue", setting.Int("a number", 1, 1<<20), func(o *Options) *int { return &o.MirrorQueueMax },
		"Copies of requests that wait to be sent to mirrors; more are dropped.").Default(MirrorQueueMaxDefault).Loose().Fixed().NoFlag(),
	setting.F("max.mirror_requests", setting.Int("a number", 1, 1<<20), func(o *Options) *int { return &o.MirrorRequestsMax },
		"Concurrent copies of requests to mirrors.").Default(MirrorRequestsMaxDefault).Loose().Fixed().NoFlag(),
}

var zone = setting.Form("a name of letters, digits, hyphens and dots", `[A-Za-z0-9][A-Za-z0-9._-]{0,63}`, setting.Dashed)

// shareOrNever is a percentage. 0% is a negative number in Go, where 0 is the default.
var shareOrNever = func() setting.Type[float64] {
	t := setting.Convert(setting.ShareOrNone(), func(v float64) float64 {
		if v == 0 {
			return -1
		}
		return v
	})
	t.Show = func(v float64) any { return max(0, v) }
	return t
}()

// upstreamKeys are what upstreams have that are more than a URL.
var upstreamKeys = &setting.Object[Upstream]{
	Name: "upstream", Doc: "An upstream. It is one of the normal ones, `routed`, a `canary` or a `mirror`. In place of the mapping the URL alone can stand.",
	Fields: []setting.Field[Upstream]{
		setting.F("name", zone, func(u *Upstream) *string { return &u.Name }, "Name for metrics, the log and `upstreams` of partners. Default: its first URL.").Example("name: core-a"),
		setting.F("url", setting.OneOrMore(upstreams.Name()), func(u *Upstream) *[]string { return &u.URLs },
			"Its URL, or several. All their addresses share what the upstream gets.").Required().Example(`url: "http://core-a.example:9000"`),
		setting.F("weight", setting.Int("a weight", 1, balance.WeightMax), func(u *Upstream) *int { return &u.Weight }, "Its share, in proportion to the weights of the others.").Default(1),
		setting.F("zone", zone, func(u *Upstream) *string { return &u.Zone }, "Where it is, see `gateway.zone`.").Example("zone: eu-1"),
		setting.F("routed", setting.Bool(), func(u *Upstream) *bool { return &u.Routed }, "It gets only the requests of partners and publishers whose `upstreams` name it.").Default(false),
		setting.F("canary", setting.Share("a share such as 5%"), func(u *Upstream) *float64 { return &u.Canary },
			"Share of requests that it gets, chosen by a hash of the request's id. The rest goes to normal upstreams, and all of it when this one is not healthy.").Example("canary: 5%"),
		setting.F("mirror", setting.Share("a share such as 1%"), func(u *Upstream) *float64 { return &u.Mirror },
			"Share of requests of which it gets copies with `X-Rtbwire-Mirror: 1`, chosen by a hash of the request's id. Its answers are ignored.").Example("mirror: 1%"),
		setting.F("health_path", setting.URLPath(), func(u *Upstream) *string { return &u.CheckPath }, "Replaces `gateway.health_check.path`.").Example("health_path: /ready"),
	},
	Check: func(r *setting.Reader, n *setting.Node, _ *Upstream) {
		if url := n.Get("url"); url != nil && url.Kind == setting.Sequence && len(url.Items) == 0 {
			r.Report(url.Problem("", "an upstream without a URL"))
		}
		setting.AtMostOne(r, n, "routed", "canary")
		setting.AtMostOne(r, n, "routed", "mirror")
		setting.AtMostOne(r, n, "canary", "mirror")
	},
}

// upstreamType is an upstream: a URL, or a mapping.
var upstreamType = func() setting.Type[Upstream] {
	url := setting.Convert(upstreams.Name(), func(url string) Upstream { return Upstream{URLs: []string{url}} })
	all := upstreamKeys.Type()
	t := setting.Either(url, all)
	t.Show = func(u Upstream) any {
		u = u.complete()
		if reflect.DeepEqual(u, Upstream{URLs: []string{u.Name}}.complete()) {
			return u.Name
		}
		return all.Show(u)
	}
	return t
}()

// routeKeys say where the requests of partners and publishers go.
var routeKeys = []setting.Field[[]setting.Named]{
	setting.F("upstreams", setting.ListOf(setting.NameOf("the name of an upstream")), func(names *[]setting.Named) *[]setting.Named { return names },
		"Names of the upstreams that get these requests, in place of those that get all.").Example("upstreams: [core-b]"),
}

// namesOfRoutes returns the names of upstreams that a partner or publisher has.
func namesOfRoutes(c *setting.Scope) (names []string) {
	for _, own := range *configuredRoutes.In(c) {
		names = append(names, own.Name)
	}
	return names
}

// checkRoutes reports names in upstreams of partners and publishers that no upstream has.
func checkRoutes(r *setting.Reader, file *setting.Scope) {
	o := configured.In(file).Options
	if o.validateUpstreams() != nil {
		return // that is reported, or flags say more
	}
	var names []string
	for i := range o.Upstreams {
		names = append(names, o.Upstreams[i].Name)
	}
	for _, partner := range file.Inner {
		for _, c := range append([]*setting.Scope{partner}, partner.Inner...) {
			for _, own := range *configuredRoutes.In(c) {
				if i := slices.Index(names, own.Name); i < 0 {
					r.Report(own.Place.Problem(nearest.Name(own.Name, names), fmt.Sprintf("no upstream has the name %q", own.Name)))
				} else if o.Upstreams[i].Mirror > 0 {
					r.Report(own.Place.Problem("", fmt.Sprintf("the upstream %s is a mirror, whose answers are ignored", own.Name)))
				}
			}
		}
	}
}

func timeout(name string, min time.Duration, at func(*Options) *time.Duration, doc string, otherwise time.Duration) setting.Field[Options] {
	flag := strings.ReplaceAll(name, "_", "-") + "-timeout"
	return setting.F("timeouts."+name, setting.Duration("a time such as 5s", min, time.Hour), at, doc).Default(otherwise).Loose().FlagName(flag)
}

func number(name string, at func(*Options) *int, doc string, otherwise int) setting.Field[Options] {
	return setting.F("max."+name, setting.Int("a number", 1, 1<<30), at, doc).Default(otherwise).Loose().WasFlag(was(name))
}

func size(name string, at func(*Options) *int, doc string, otherwise int) setting.Field[Options] {
	return setting.F("max."+name, setting.Size(1, 1<<30), at, doc).Default(otherwise).Loose().WasFlag(was(name))
}

// was is the name that the flag of a maximum had.
func was(name string) string { return strings.ReplaceAll(name, "_", "-") + "-max" }

// programKeys are the settings of the program around a gateway.
var programKeys = []setting.Field[Settings]{
	setting.F("http", setting.Option("a server", "fast", "std"), func(s *Settings) *string { return &s.HTTP },
		"HTTP server: `fast` is fasthttp, `std` is Go's own, which takes three times the processor time.").Default("fast").Fixed(),
	setting.F("upstream_ca", setting.OneOrMore(setting.FileName()), func(s *Settings) *[]string { return &s.UpstreamCAFiles },
		"Authorities that must have signed the certificates of upstreams, in place of the system's. They are read with the configuration.").Example("upstream_ca: cores.pem"),
}

var noBid = setting.Option("a no-bid answer", NoBid204, NoBid200, NoBid400, NoBid400JSON)

var (
	responseMode   = setting.Option("a mode", ResponsesOff, ResponsesObserve, ResponsesEnforce)
	responseSample = setting.Share("a share such as 5%")
)

var passthrough = &setting.Object[Passthrough]{
	Name: "passthrough", Doc: "A route whose requests are forwarded unread. Framing and limits are checked all the same.",
	Fields: []setting.Field[Passthrough]{
		setting.F("path", setting.URLPath(), func(p *Passthrough) *string { return &p.Path }, "The path of the URL.").Required().Example("path: /win"),
		setting.F("method", setting.Option("a method", "GET", "HEAD", "POST"), func(p *Passthrough) *string { return &p.Method }, "The method.").Default("GET"),
	},
}

// matchHeaders are shown without their values, which may be secret.
var matchHeaders = func() setting.Type[[]inspect.Header] {
	entries := setting.MapOf(setting.HeaderName(), setting.Text("the value of a header", setting.EntryMax))
	t := setting.Convert(entries, func(entries []setting.Entry[string]) (list []inspect.Header) {
		for _, e := range entries {
			list = append(list, inspect.Header{Name: e.Name, Value: e.Value})
		}
		return list
	})
	t.Show = func(list []inspect.Header) any {
		var names []string
		for _, h := range list {
			names = append(names, h.Name)
		}
		return names
	}
	return t
}()

// partnerKeys are the settings of partners.
var partnerKeys = []setting.Field[configuration]{
	setting.F("match.path", setting.URLPath(), func(c *configuration) *string { return &c.Match.Path }, "The path of the URL.").Example("path: /exchange-a"),
	setting.F("match.mtls", setting.Form("the name in a certificate", `[A-Za-z0-9*_][A-Za-z0-9._-]{0,252}`, nil), func(c *configuration) *string { return &c.Match.MTLS },
		"The name in the client's certificate.").Example("mtls: a.example"),
	setting.F("match.from", setting.ListOf(setting.Network()), func(c *configuration) *[]netip.Prefix { return &c.Match.From },
		"Ranges of peer addresses, in CIDR notation.").Example("from: [192.0.2.0/24, \"2001:db8::/32\"]"),
	setting.F("match.token_env", setting.Variable(), func(c *configuration) *string { return &c.token.Variable },
		"Environment variable with the bearer token.").Secret().Example("token_env: EXCHANGE_A_TOKEN"),
	setting.F("match.token_file", setting.SecretFile(), func(c *configuration) *string { return &c.token.File },
		"File with the bearer token, relative to this file.").Secret().Example("token_file: secrets/exchange-a"),
	setting.F("match.header", matchHeaders, func(c *configuration) *[]inspect.Header { return &c.Match.Headers }, "Headers with their values.").Example("header: {X-Exchange: a}"),

	setting.F("no_bid", noBid, func(c *configuration) *NoBid { return &c.NoBid },
		"No-bid answer to refused requests: status `204`, `200` with the no-bid reason, `400` without a body, or `400-json` with one.").Default(string(NoBid204)),
	setting.F("tmax", setting.Int("a number of milliseconds", 1, 60_000), func(c *configuration) *int { return &c.TMaxMs },
		"Maximum `tmax`, in milliseconds. It is also that of requests without one.").Example("tmax: 120"),
	setting.F("upstream_timeout", setting.Duration("a time such as 200ms", time.Millisecond, time.Hour), func(c *configuration) *time.Duration { return &c.UpstreamTimeout },
		"Replaces `gateway.timeouts.upstream`.").Example("upstream_timeout: 200ms"),
	setting.F("reserve", setting.Duration("a time such as 20ms", time.Microsecond, time.Hour), func(c *configuration) *time.Duration { return &c.Reserve },
		"Replaces `gateway.timeouts.reserve`: the time that the way back to the partner takes.").Example("reserve: 20ms"),
	setting.F("canary", setting.PointerTo(setting.ShareOrNone()), func(c *configuration) **float64 { return &c.Canary },
		"Share of the partner's requests that canaries get, in place of the sum of their shares; several canaries share it in proportion.").Example("canary: 100%"),
	setting.F("capture", setting.PointerTo(partnerShares.Type()), func(c *configuration) **Shares { return &c.CaptureShares },
		"Shares of the partner's requests that are captured, in place of those of `gateway.capture`.").Example("capture: {share: 0%, refused: 100%}"),
	setting.F("responses.mode", responseMode, func(c *configuration) *ResponseMode { return &c.Responses.Mode },
		"As in `gateway.responses`, which is the default.").Example("mode: enforce"),
	setting.F("responses.sample", responseSample, func(c *configuration) *float64 { return &c.Responses.Sample },
		"As in `gateway.responses`, which is the default.").Example("sample: 5%"),
}

// shareKeys are the shares of requests that are captured.
var shareKeys = []setting.Field[Shares]{
	setting.F("share", setting.ShareOrNone(), func(s *Shares) *float64 { return &s.Forwarded }, "Share of forwarded requests that is captured.").Default("1%"),
	setting.F("refused", setting.ShareOrNone(), func(s *Shares) *float64 { return &s.Refused }, "Share of refused requests that is captured.").Default("10%"),
}

var partnerShares = &setting.Object[Shares]{Name: "partner_capture", Doc: "Shares of the partner's requests that are captured.", Fields: shareKeys}

// limitKeys are the limits of partners and publishers.
var limitKeys = []setting.Field[Limits]{
	setting.F("limits.rate", setting.Int("a number of requests per second", 1, limitMax), func(l *Limits) *int { return &l.Rate }, "Requests per second.").Example("rate: 20000"),
	setting.F("limits.burst", setting.Int("a number of requests", 1, limitMax), func(l *Limits) *int { return &l.Burst },
		"Requests at once beyond the rate. Default: those of one second.").Example("burst: 5000"),
	setting.F("limits.in_flight", setting.Int("a number of requests", 1, limitMax), func(l *Limits) *int { return &l.InFlight }, "Concurrent requests.").Example("in_flight: 512"),
}

const limitMax = 100_000_000

var limitGroup = setting.Group[setting.Scope]{
	Path: "limits", Name: "limits", Help: "Limits on requests.", Example: "limits: {rate: 20000}",
	Doc: "Limits on requests, for the gateway. Requests above them are refused unread.",
	Check: func(r *setting.Reader, n *setting.Node, _ *setting.Scope) {
		if burst := n.Member("burst"); burst != nil && n.Member("rate") == nil {
			r.Report(burst.Key.Problem("", "burst without rate"))
		}
	},
}

var partnerGroups = []setting.Group[setting.Scope]{
	limitGroup,
	{
		Path: "match", Name: "match", Help: "How requests are recognized as the partner's.", Example: "match: {path: /exchange-a, mtls: a.example}",
		Doc: "How requests are recognized as the partner's; all that is given must hold. A path or a header alone proves nothing: without mtls, from or a token, anybody can be this partner.",
		Check: func(r *setting.Reader, n *setting.Node, _ *setting.Scope) {
			setting.AtMostOne(r, n, "token_env", "token_file")
		},
	},
	{Path: "responses", Name: "partner_responses", Doc: "Inspection of responses to the partner.", Help: "Inspection of responses to the partner.", Example: "responses: {mode: enforce}"},
}

// review warns of partners that anybody can be, or that are the same.
func review(c *setting.Scope, warn func(at setting.Place, format string, args ...any)) {
	for i, own := range c.Inner {
		p := configuredPartner.In(own)
		for _, other := range c.Inner[:i] {
			if before := configuredPartner.In(other); reflect.DeepEqual(p.Match, before.Match) && p.token == before.token {
				warn(own.Place, "the partners %s and %s match the same requests", other.Name, own.Name)
			}
		}
		if p.Match.MTLS == "" && len(p.Match.From) == 0 && p.token == (setting.Secret{}) {
			warn(own.Place, "anybody can be the partner %s: its match has none of mtls, from and a token", own.Name)
		}
	}
}

func init() {
	fields := configured.Fields(programKeys)
	for _, f := range keys {
		fields = append(fields, setting.Lift(f, func(c *setting.Scope) *Options { return &configured.In(c).Options }))
	}
	for _, f := range shareKeys {
		fields = append(fields, setting.Lift(f.Under("capture."), func(c *setting.Scope) *Shares { return &configured.In(c).CaptureShares }))
	}
	partner := configuredPartner.Fields(partnerKeys)
	partner = append(partner, configuredRoutes.Fields(routeKeys)...)
	for _, f := range limitKeys {
		partner = append(partner, setting.Lift(f, func(c *setting.Scope) *Limits { return &configuredPartner.In(c).Limits }))
	}
	setting.Register(setting.Module{
		Section: "gateway", Order: 2, Review: review, Fields: fields, Partner: partner, PartnerGroups: partnerGroups,
		Check:     checkRoutes,
		Publisher: append(configuredPublisher.Fields(limitKeys), configuredRoutes.Fields(routeKeys)...), PublisherGroups: []setting.Group[setting.Scope]{limitGroup},
		Name: "gateway", Doc: "The HTTP tier. Flags of `rtbwire serve` override the environment, and the environment overrides these keys.",
		Help: "The HTTP tier, `rtbwire serve` (docs/gateway.md).", Example: "gateway: {listen: \"127.0.0.1:8080\", upstreams: [\"http://127.0.0.1:9000\"]}",
		Groups: []setting.Group[setting.Scope]{
			{Path: "metrics", Name: "metrics", Doc: "Metrics besides those that every gateway has.", Help: "Further metrics (docs/gateway.md).", Example: "metrics: {publishers: 100}"},
			{Path: "responses", Name: "responses", Doc: "Inspection of upstreams' responses.", Example: "responses: {mode: enforce}",
				Help: "Inspection of upstreams' responses, for requests of no partner and partners without `responses`. `severities` say what becomes of findings, as for requests."},
			{Path: "outlier", Name: "outlier", Doc: "Addresses of upstreams that answer badly get no requests for a time, as by Envoy's outlier detection.",
				Help: "Ejection of addresses that answer badly (docs/gateway.md).", Example: "outlier: {base_ejection_time: 10s}"},
			{Path: "health_check", Name: "health_check", Doc: "Checks of all addresses of upstreams, besides what their answers say.",
				Help: "Health checks of upstreams (docs/gateway.md).", Example: "health_check: {path: /health}"},
			{Path: "timeouts", Name: "timeouts", Doc: "Timeouts of the gateway.", Help: "Timeouts.", Example: "timeouts: {upstream: 200ms}"},
			{Path: "max", Name: "max", Doc: "Limits of the gateway.", Help: "Limits.", Example: "max: {body: 128KiB}"},
		},
	})
}
