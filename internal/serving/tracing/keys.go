package tracing

import (
	"errors"
	"net/url"
	"time"

	"github.com/rtbwire/rtbwire/internal/setting"
)

// MetricsIntervalDefault is the default of [Settings.Metrics].
const MetricsIntervalDefault = 30 * time.Second

// Settings are what a configuration says about telemetry: where it goes, and what is sent. They are
// for both tiers.
type Settings struct {
	// Endpoint is the URL of a collector that takes OTLP by HTTP, "" for none.
	Endpoint string
	Sampling
	// Metrics is the time between two exports of metrics; 0: none are sent.
	Metrics time.Duration
}

// Configured is where configurations have their Settings.
var Configured setting.Slot[Settings]

var keys = []setting.Field[Settings]{
	setting.F("telemetry.endpoint", endpoint(), func(s *Settings) *string { return &s.Endpoint },
		"URL of an OpenTelemetry collector that takes OTLP over HTTP. Spans go to `/v1/traces` below it, metrics to `/v1/metrics`. Without it, nothing is sent.").
		Required().Example("endpoint: http://127.0.0.1:4318").FlagName("otlp").Value("URL").Fixed(),
	setting.F("telemetry.spans", setting.ShareOrNone(), func(s *Settings) *float64 { return &s.Share },
		"Share of requests or records that have spans, chosen by chance.").Default("0%").Example("spans: 1%").FlagName("otlp-spans"),
	setting.F("telemetry.sampled_flag", setting.Option("what becomes of the flag", FlagIgnore, FlagFollow), func(s *Settings) *Flag { return &s.Flag },
		"The flag `sampled` in a `traceparent` that was received: `ignore` lets `spans` decide, and rewrites the flag; `follow` does what it says, however many requests have it.").
		Default(string(FlagIgnore)).NoFlag(),
	setting.F("telemetry.metrics", setting.Duration("a time such as 30s", 0, time.Hour), func(s *Settings) *time.Duration { return &s.Metrics },
		"Time between two exports of metrics, the same ones that `/metrics` has; `0s`: none are sent.").
		Default(MetricsIntervalDefault).NoFlag().Fixed(),
}

// endpoint is the URL of a collector. An empty flag takes back the one of the file.
func endpoint() setting.Type[string] {
	t := setting.Checked(setting.Text("the URL of a collector, such as http://127.0.0.1:4318", setting.EntryMax), func(text string) (string, string, error) {
		return text, "", checkEndpoint(text)
	})
	t.Flag = &setting.FlagOf[string]{Kind: setting.FlagText, Value: "URL", From: func(v any) (string, error) {
		text, _ := v.(string)
		if text == "" {
			return "", nil
		}
		return text, checkEndpoint(text)
	}}
	return t
}

func checkEndpoint(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return errors.New("want http://host:port or https://host:port, with a path or without; no user, query or fragment")
	}
	return nil
}

// Keys returns the settings, for flags.
func Keys() []setting.Field[setting.Scope] { return Configured.Fields(keys) }

func init() {
	setting.Register(setting.Module{
		Section: "gateway", Order: 9, Fields: Keys(),
		Groups: []setting.Group[setting.Scope]{{
			Path: "telemetry", Name: "telemetry", Doc: "Spans and metrics for OpenTelemetry, of both tiers. Off by default.",
			Help: "OpenTelemetry (docs/gateway.md).", Example: "telemetry: {endpoint: \"http://127.0.0.1:4318\", spans: 1%}",
		}},
	})
}
