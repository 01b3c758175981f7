package logs

import "github.com/rtbwire/rtbwire/internal/setting"

// Configured is where configurations have their Options.
var Configured setting.Slot[Options]

var keys = []setting.Field[Options]{
	setting.F("log.format", setting.Option("a format", "text", "json"), func(o *Options) *string { return &o.Format }, "Log format.").Default("text"),
	setting.F("log.level", setting.Option("a level", "debug", "info", "warn", "error"), func(o *Options) *string { return &o.Level }, "Minimum log level.").Default("info"),
	setting.F("log.refusals", setting.Int("a number of lines", 0, 20), func(o *Options) *int { return &o.Refusals },
		"Refused requests that are logged per second. The rest is counted.").Default(1).NoFlag(),
}

// Keys returns the settings, for flags.
func Keys() []setting.Field[setting.Scope] { return Configured.Fields(keys) }

func init() {
	setting.Register(setting.Module{
		Section: "gateway", Order: 7, Fields: Keys(),
		Groups: []setting.Group[setting.Scope]{{
			Path: "log", Name: "log", Doc: "The log, on standard error. Accepted requests are never logged.", Help: "What the log is like.", Example: "log: {format: json}",
		}},
	})
}
