package config

import (
	"net/netip"
	"time"

	"github.com/rtbwire/rtbwire/internal/setting"
)

// Gateway is the section about the HTTP tier. Package gateway/setup makes the options of a gateway
// of it, and tests there hold the defaults to those of package gateway.
type Gateway struct {
	Listen         []string
	Listeners      int
	UnixMode       string // octal, or ""
	ProxyProtocol  []netip.Prefix
	TLS            TLS
	Admin          string
	HTTP           string // "fast" or "std"
	Upstreams      []string
	UpstreamCAs    []string // names of files
	Path           string
	NoBid          string // as in [Partner]
	TrustedProxies []netip.Prefix
	Headers        []string
	Passthrough    []Passthrough
	Shadow         bool
	ForwardGzip    bool
	Responses      Responses
	Compress       int
	Windows        bool
	WindowTables   WindowTables
	Vendors        []Vendor
	Capture        Capture
	LowerTMax      bool
	Operators      Operators
	Metrics        Metrics
	Log            Log
	Timeouts       Timeouts
	Maximums       Maximums
}

// Operators says who may use the port of administration, and what they see.
type Operators struct {
	ClientCAs   []string // names of files
	TokenFiles  []string
	Hosts       []string
	FullRejects bool
}

// Metrics says what is counted besides.
type Metrics struct{ Publishers int }

// Log says what the log is like.
type Log struct {
	Format, Level string
	Refusals      int // lines in a second
}

// Passthrough is a route whose requests pass unread.
type Passthrough struct{ Path, Method string }

// Responses says how the answers of upstreams are inspected.
type Responses struct {
	Mode   string // "off", "observe" or "enforce"; "" for a partner's: that of the gateway
	Sample float64
}

// Timeouts are the times of the gateway.
type Timeouts struct {
	Handshake               time.Duration
	Head, Body, Write, Idle time.Duration
	Upstream, UpstreamIdle  time.Duration
	Reserve                 time.Duration
	DrainDelay, Drain       time.Duration
}

// Maximums are the limits of the gateway. Sizes are in bytes.
type Maximums struct {
	Body, Head, Response, Ratio   int
	Connections, InFlight, Memory int
	Handshakes, Streams, Resets   int
	UpstreamConnections           int
	MarkupMax                     int
}

var styleOfAnswers = setting.Word("a style of answers", []string{"204", "200", "400", "400-json"}, func(w string) string { return w })

var urlPath = setting.Form("a path of a URL such as /exchange-a", `/[^\s?#]*`, func(s string) string { return "/" + s })

// addressMax is the length of the longest address or URL.
const addressMax = 512

var gatewayObject = func() *setting.Object[Gateway] {
	o := gatewayFields
	o.Fields = append(o.Fields, stateFields()...)
	return &o
}()

var gatewayFields = setting.Object[Gateway]{
	Name: "gateway", Doc: "The HTTP tier. Flags of `rtbwire serve` win over the environment, and that over these keys.",
	Fields: []setting.Field[Gateway]{
		setting.F("listen", oneOrMore(setting.Text("an address and a port", addressMax)), func(g *Gateway) *[]string { return &g.Listen },
			"Where bid requests are taken, one address or several: host and port, `unix:` and the path of a socket, or `systemd:` and the name of a socket that systemd passes. "+
				"With `http://` before it, an address is never of TLS, with `https://` always, and otherwise if there are certificates.").Default("127.0.0.1:8080"),
		setting.F("listeners", setting.Int("a number", 1, 1024), func(g *Gateway) *int { return &g.Listeners },
			"How many sockets each address of IP gets (`SO_REUSEPORT`, on Linux). More than one help where many connections are opened.").Default("1"),
		setting.F("unix_mode", setting.Form("a mode such as \"0660\"", "0?[0-7]{3}", nil), func(g *Gateway) *string { return &g.UnixMode },
			"The mode of sockets in the file system; without it umask says which.").Example(`unix_mode: "0660"`),
		setting.F("proxy_protocol", setting.ListOf(setting.Prefix("a range of addresses such as 192.0.2.0/24")), func(g *Gateway) *[]netip.Prefix { return &g.ProxyProtocol },
			"The peers whose connections must begin with a header of the PROXY protocol, version 1 or 2. From others it is a bad request.").Example("proxy_protocol: [10.0.0.0/8]"),
		setting.F("tls", tlsObject.Type(), func(g *Gateway) *TLS { return &g.TLS }, "TLS, and certificates of clients.").
			Example("tls: {certificates: [{cert: rtb.pem, key: rtb.key}]}"),
		setting.F("admin", setting.Text("an address and a port", addressMax), func(g *Gateway) *string { return &g.Admin },
			"Where metrics, health, profiles and the page for operators are served. Off loopback it takes a token of `operators`.").Example(`admin: "127.0.0.1:8081"`),
		setting.F("http", setting.Word("a server", []string{"fast", "std"}, func(w string) string { return w }), func(g *Gateway) *string { return &g.HTTP },
			"The server of HTTP: `fast` is fasthttp, `std` Go's own, which takes three times the processor time.").Default("fast"),
		setting.F("upstreams", setting.ListOf(setting.Text("a URL such as http://127.0.0.1:9000", addressMax)), func(g *Gateway) *[]string { return &g.Upstreams },
			"Where accepted requests go: `http://host:port` or `https://host:port`, with a path in place of the request's if it has one, or `unix:` and the path of a socket.").
			Example(`upstreams: ["http://127.0.0.1:9000"]`),
		setting.F("upstream_ca", oneOrMore(fileName), func(g *Gateway) *[]string { return &g.UpstreamCAs },
			"Authorities whose signature the certificates of upstreams must have; without one, those of the system. They are read with the configuration.").Example("upstream_ca: cores.pem"),
		setting.F("path", urlPath, func(g *Gateway) *string { return &g.Path },
			"The path that bid requests are posted to, besides those of partners.").Default("/openrtb2/auction"),
		setting.F("no_bid", styleOfAnswers, func(g *Gateway) *string { return &g.NoBid },
			"How refusals are answered to senders that are no partner.").Default("204"),
		setting.F("trusted_proxies", setting.ListOf(setting.Prefix("a range of addresses such as 192.0.2.0/24")), func(g *Gateway) *[]netip.Prefix { return &g.TrustedProxies },
			"The peers whose `X-Forwarded-For` counts.").Example("trusted_proxies: [10.0.0.0/8]"),
		setting.F("headers", setting.ListOf(setting.Form("the name of a header", "[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}", nil)), func(g *Gateway) *[]string { return &g.Headers },
			"The headers that conditions can ask for.").Example("headers: [X-Region]"),
		setting.F("passthrough", setting.ListOf(passthroughObject.Type()), func(g *Gateway) *[]Passthrough { return &g.Passthrough },
			"Routes whose requests pass to an upstream unread, such as notices of wins.").Example("passthrough: [{path: /win}]"),
		setting.F("shadow", setting.Bool(), func(g *Gateway) *bool { return &g.Shadow },
			"Observe and forward everything, unchanged: for the first day in front of real traffic.").Default("false"),
		setting.F("forward_gzip", setting.Bool(), func(g *Gateway) *bool { return &g.ForwardGzip },
			"Send a document on as it was compressed, unless it is edited.").Default("false"),
		setting.F("operators", operatorsObject.Type(), func(g *Gateway) *Operators { return &g.Operators },
			"Who may use the port of administration.").Default("{}").Example("operators: {token_files: [/run/secrets/rtbwire-admin]}"),
		setting.F("metrics", metricsObject.Type(), func(g *Gateway) *Metrics { return &g.Metrics },
			"What is counted besides (docs/gateway.md).").Default("{}").Example("metrics: {publishers: 100}"),
		setting.F("log", logObject.Type(), func(g *Gateway) *Log { return &g.Log }, "What the log is like.").Default("{}").Example("log: {format: json}"),
		setting.F("responses", responsesObject("observe", "1%").Type(), func(g *Gateway) *Responses { return &g.Responses },
			"How the answers of upstreams are inspected, for senders that are no partner and partners that say nothing. What becomes of findings is said by `severities`, as for requests.").
			Default("{}").Example("responses: {mode: enforce}"),
		setting.F("compress", setting.Int("a number of bytes, 0 for never", 0, 1<<30), func(g *Gateway) *int { return &g.Compress },
			"How long an answer must be, in bytes, to be compressed for senders that accept gzip; 0 compresses none.").Default("0").Example("compress: 1400"),
		setting.F("timeouts", timeoutsObject.Type(), func(g *Gateway) *Timeouts { return &g.Timeouts }, "How long things may take.").Default("{}").Example("timeouts: {upstream: 200ms}"),
		setting.F("max", maximumsObject.Type(), func(g *Gateway) *Maximums { return &g.Maximums }, "How much there may be of things.").Default("{}").Example("max: {body: 131072}"),
	},
}

var hostName = setting.Form("a name of a host such as rtbwire.example", `[A-Za-z0-9_]([A-Za-z0-9_.-]{0,251}[A-Za-z0-9_])?`, nil)

var operatorsObject = &setting.Object[Operators]{
	Name: "operators", Doc: "Who may use the port of administration, and what they see there. With a token everything but `/healthz` and `/readyz` takes one.",
	Fields: []setting.Field[Operators]{
		setting.F("token_files", setting.ListOf(fileName), func(o *Operators) *[]string { return &o.TokenFiles },
			"Files with tokens, one a line, of 16 characters or more, relative to this file. They are read again when they change. The environment variable `RTBWIRE_ADMIN_TOKEN` can have tokens too.").Example("token_files: [/run/secrets/rtbwire-admin]"),
		setting.F("client_ca", oneOrMore(fileName), func(o *Operators) *[]string { return &o.ClientCAs },
			"Authorities for certificates of operators, where the address begins with `https://`. Who has such a certificate needs no token.").Example("client_ca: operators.pem"),
		setting.F("hosts", setting.ListOf(hostName), func(o *Operators) *[]string { return &o.Hosts },
			"Names that the header `Host` may have, besides `localhost` and addresses: pages of strangers can read nothing by giving their own name this address.").
			Example("hosts: [rtbwire.internal.example]"),
		setting.F("full_rejects", setting.Bool(), func(o *Operators) *bool { return &o.FullRejects },
			"Show excerpts of refused requests as they were sent. They can hold personal data; without this, values are redacted.").Default("false"),
	},
}

var metricsObject = &setting.Object[Metrics]{
	Name: "metrics", Doc: "What is counted besides what always is.",
	Fields: []setting.Field[Metrics]{
		setting.F("publishers", setting.Int("a number of publishers", 0, 1000), func(m *Metrics) *int { return &m.Publishers },
			"How many publishers are counted each on its own: the first that have a forwarded request. All others are counted as `other`.").Default("0"),
	},
}

var logObject = &setting.Object[Log]{
	Name: "log", Doc: "The log, which is written to standard error. Accepted requests are never in it.",
	Fields: []setting.Field[Log]{
		setting.F("format", setting.Word("a format", []string{"text", "json"}, func(w string) string { return w }), func(l *Log) *string { return &l.Format },
			"Lines of text, or of JSON.").Default("text"),
		setting.F("level", setting.Word("a level", []string{"debug", "info", "warn", "error"}, func(w string) string { return w }), func(l *Log) *string { return &l.Level },
			"The least level of what is written.").Default("info"),
		setting.F("refusals", setting.Int("a number of lines", 0, 20), func(l *Log) *int { return &l.Refusals },
			"How many refused requests are logged in a second; the rest is counted.").Default("1"),
	},
}

var passthroughObject = &setting.Object[Passthrough]{
	Name: "passthrough", Doc: "A route whose requests pass unread. Framing and limits are checked all the same.",
	Fields: []setting.Field[Passthrough]{
		setting.F("path", urlPath, func(p *Passthrough) *string { return &p.Path }, "The path of the URL.").Required().Example("path: /win"),
		setting.F("method", setting.Word("a method", []string{"GET", "HEAD", "POST"}, func(w string) string { return w }), func(p *Passthrough) *string { return &p.Method },
			"The method.").Default("GET"),
	},
}

// responsesObject has no defaults for partners: they have those of the gateway.
func responsesObject(mode, sample string) *setting.Object[Responses] {
	name, inherit := "responses", ""
	if mode == "" {
		name, inherit = "partner_responses", " The gateway's, if it is not given."
	}
	o := &setting.Object[Responses]{Name: name, Doc: "How the answers of upstreams are inspected."}
	add := func(f setting.Field[Responses], otherwise string) {
		if otherwise != "" {
			f = f.Default(otherwise)
		}
		o.Fields = append(o.Fields, f)
	}
	add(setting.F("mode", setting.Word("a mode", []string{"off", "observe", "enforce"}, func(w string) string { return w }), func(r *Responses) *string { return &r.Mode },
		"`observe` judges a sample and counts findings; `enforce` judges all, and removes bids that a finding refuses."+inherit).Example("mode: enforce"), mode)
	add(setting.F("sample", share, func(r *Responses) *float64 { return &r.Sample },
		"The share of answers that is judged in the mode `observe`, chosen by a hash of the request's id."+inherit).Example("sample: 5%"), sample)
	return o
}

// timeoutMax is the longest time that can be configured.
const timeoutMax = time.Hour

func timeout(name string, least time.Duration, at func(*Timeouts) *time.Duration, doc, otherwise string) setting.Field[Timeouts] {
	return setting.F(name, setting.Duration("a time such as 5s", least, timeoutMax), at, doc).Default(otherwise)
}

var timeoutsObject = &setting.Object[Timeouts]{
	Name: "timeouts", Doc: "The times of the gateway.",
	Fields: []setting.Field[Timeouts]{
		timeout("handshake", time.Millisecond, func(t *Timeouts) *time.Duration { return &t.Handshake }, "For the header of the PROXY protocol and the TLS handshake together.", "5s"),
		timeout("head", time.Millisecond, func(t *Timeouts) *time.Duration { return &t.Head }, "For the head of a request.", "5s"),
		timeout("body", time.Millisecond, func(t *Timeouts) *time.Duration { return &t.Body }, "For its whole body.", "5s"),
		timeout("write", time.Millisecond, func(t *Timeouts) *time.Duration { return &t.Write }, "For writing the answer.", "5s"),
		timeout("idle", time.Millisecond, func(t *Timeouts) *time.Duration { return &t.Idle }, "For the next request on a connection. It should be longer than that of a load balancer in front.", "1m15s"),
		timeout("upstream", time.Millisecond, func(t *Timeouts) *time.Duration { return &t.Upstream }, "For the upstream, if `tmax` leaves as much.", "1s"),
		timeout("upstream_idle", time.Millisecond, func(t *Timeouts) *time.Duration { return &t.UpstreamIdle }, "For which connections to upstreams are kept. It should be shorter than that of the upstream.", "4s"),
		timeout("reserve", time.Microsecond, func(t *Timeouts) *time.Duration { return &t.Reserve }, "The part of `tmax` that is kept for the way back.", "10ms"),
		timeout("drain_delay", 0, func(t *Timeouts) *time.Duration { return &t.DrainDelay }, "From SIGTERM on, for which requests are still taken while health checks fail.", "0s"),
		timeout("drain", time.Millisecond, func(t *Timeouts) *time.Duration { return &t.Drain }, "After that, for the requests that were read.", "10s"),
	},
}

func maximum(name string, at func(*Maximums) *int, doc, otherwise string) setting.Field[Maximums] {
	return setting.F(name, setting.Int("a number", 1, 1<<30), at, doc).Default(otherwise)
}

var maximumsObject = &setting.Object[Maximums]{
	Name: "max", Doc: "The limits of the gateway. Sizes are in bytes.",
	Fields: []setting.Field[Maximums]{
		maximum("body", func(m *Maximums) *int { return &m.Body }, "The body of a request, after inflation.", "262144"),
		maximum("head", func(m *Maximums) *int { return &m.Head }, "The head of a request or an answer.", "16384"),
		maximum("response", func(m *Maximums) *int { return &m.Response }, "The body of an upstream's answer.", "1048576"),
		maximum("adm", func(m *Maximums) *int { return &m.MarkupMax }, "The markup of a bid, where responses are inspected.", "262144"),
		maximum("ratio", func(m *Maximums) *int { return &m.Ratio }, "How many times as long as the compressed body a document may be.", "100"),
		maximum("connections", func(m *Maximums) *int { return &m.Connections }, "Connections at the same time.", "16384"),
		maximum("handshakes", func(m *Maximums) *int { return &m.Handshakes }, "TLS handshakes in progress. Above it those that take longer than a second are cut.", "1024"),
		maximum("streams", func(m *Maximums) *int { return &m.Streams }, "Requests at the same time on one connection of HTTP/2.", "250"),
		maximum("resets", func(m *Maximums) *int { return &m.Resets }, "How many requests more than were answered a client may take back on a connection of HTTP/2.", "1000"),
		maximum("in_flight", func(m *Maximums) *int { return &m.InFlight }, "Requests at the same time. The adaptive limit is below that.", "4096"),
		maximum("memory", func(m *Maximums) *int { return &m.Memory }, "Bytes of requests that are being read and served, in all.", "268435456"),
		maximum("upstream_connections", func(m *Maximums) *int { return &m.UpstreamConnections },
			"Connections to each upstream: the rate of requests times the time of an answer, and some.", "1024"),
	},
}

// partnerGatewayFields are the keys of a partner that only the gateway knows.
func partnerGatewayFields() []setting.Field[Partner] {
	return append(partnerStateFields(), []setting.Field[Partner]{
		setting.F("tmax", setting.Int("a number of milliseconds", 1, 60_000), func(p *Partner) *int { return &p.TMaxMs },
			"The time that the partner gives, in milliseconds, where a request gives none or more.").Example("tmax: 120"),
		setting.F("responses", responsesObject("", "").Type(), func(p *Partner) *Responses { return &p.Responses },
			"How answers to the partner are inspected.").Example("responses: {mode: enforce}"),
	}...)
}
