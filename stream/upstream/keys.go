package upstream

import (
	"time"

	"github.com/rtbwire/rtbwire/internal/serving/upstreams"
	"github.com/rtbwire/rtbwire/internal/setting"
)

// Settings are what a configuration says about the upstream of a stream.
type Settings struct {
	Options
	CAFiles []string // for Options.Authorities
}

var configured setting.Slot[Settings]

// Configured returns what a configuration says about the upstream of a stream. The caller may
// change it in a copy of the configuration that is its own ([setting.Scope.Clone]).
//
// Authorities, Connections and Log of the options are to be filled in.
func Configured(c *setting.Scope) *Settings { return configured.In(c) }

// keys are the settings of options.
var keys = []setting.Field[Options]{
	setting.F("upstream", upstreams.Name(), func(o *Options) *string { return &o.URL },
		"Upstream of accepted records: http://host:port, https://host:port or unix:/path. Either this or `accepted` is needed.").
		Example(`upstream: "http://127.0.0.1:9000"`).Value("URL").Fixed(),
	setting.F("attempts", setting.Int("a number of attempts", 1, AttemptsMax), func(o *Options) *int { return &o.Attempts },
		"Attempts to post a record while others are delivered; after the last one it is a dead letter.").Default(AttemptsDefault).Fixed(),
	setting.F("timeouts.upstream", setting.Duration("a time such as 5s", time.Millisecond, time.Hour), func(o *Options) *time.Duration { return &o.Timeout },
		"Time for one attempt to post a record.").Default(TimeoutDefault).FlagName("upstream-timeout").Fixed(),
}

// programKeys are the settings of the program around an upstream.
var programKeys = []setting.Field[Settings]{
	setting.F("upstream_ca", setting.OneOrMore(setting.FileName()), func(s *Settings) *[]string { return &s.CAFiles },
		"Authorities that must have signed the upstream's certificate, in place of the system's.").Example("upstream_ca: cores.pem").Fixed(),
}

// Fields returns the settings, for flags.
func Fields() []setting.Field[setting.Scope] {
	var fields []setting.Field[setting.Scope]
	for _, f := range keys {
		fields = append(fields, setting.Lift(f, func(c *setting.Scope) *Options { return &configured.In(c).Options }))
	}
	return append(fields, configured.Fields(programKeys)...)
}

func init() { setting.Register(setting.Module{Section: "stream", Order: 12, Fields: Fields()}) }
