package stream

import (
	"time"

	"github.com/rtbwire/rtbwire/internal/setting"
)

// Settings are what a configuration says about a stream and the program that it is in. Sources,
// sinks and upstreams have settings of their own in the same section.
type Settings struct {
	Options
	// Partner is the name of the partner that all records are from, "" for none.
	Partner string
	// Windowed is whether Options.Windows are wanted.
	Windowed bool
}

var configured setting.Slot[Settings]

// Configured returns what a configuration says about a stream. The caller may change it in a copy
// of the configuration that is its own ([setting.Scope.Clone]).
//
// Source, sinks, Engine, Facts, Windows and Log of the options are to be filled in.
func Configured(c *setting.Scope) *Settings { return configured.In(c) }

// keys are the settings of options.
var keys = []setting.Field[Options]{
	setting.F("concurrency", setting.Int("a number of records", 1, concurrencyMax), func(o *Options) *int { return &o.Concurrency },
		"Records that are posted to the upstream at the same time.").Default(ConcurrencyDefault).Fixed(),
	setting.F("timeouts.commit", duration(), func(o *Options) *time.Duration { return &o.CommitInterval },
		"Time between two commits; with `exactly_once`, the length of a transaction, at most 1s.").
		Default(CommitIntervalDefault).FlagName("commit-interval").Fixed(),
	setting.F("timeouts.drain", duration(), func(o *Options) *time.Duration { return &o.DrainTimeout },
		"Time after SIGTERM for records in progress.").Default(DrainTimeoutDefault).FlagName("drain-timeout").Fixed(),
	setting.F("max.record", setting.Size(1, MaxRecordMax), func(o *Options) *int { return &o.MaxRecord },
		"Maximum value of a record; longer ones are dead letters.").Default(MaxRecordDefault).Fixed(),
	setting.F("max.in_flight", setting.Size(MaxInFlightMin, MaxInFlightMax), func(o *Options) *int { return &o.MaxInFlight },
		"Maximum size of the records that were read and are not yet delivered.").Default(MaxInFlightDefault).Fixed(),
}

// programKeys are the settings of the program around a stream.
var programKeys = []setting.Field[Settings]{
	setting.F("partner", setting.Text("the name of a partner", setting.NameMax), func(s *Settings) *string { return &s.Partner },
		"Partner that the records are from, whose layers apply.").Example("partner: exchange-a").Value("NAME"),
	setting.F("windows", setting.Bool(), func(s *Settings) *bool { return &s.Windowed },
		"Count requests per advertising identifier and address, by the time of their records, for signals of fraud. `gateway.window_tables` has the capacities (docs/lookups.md).").
		Default(false),
}

func duration() setting.Type[time.Duration] {
	return setting.Duration("a time such as 1s", time.Millisecond, time.Hour)
}

func init() {
	fields := configured.Fields(programKeys)
	for _, f := range keys {
		fields = append(fields, setting.Lift(f, func(c *setting.Scope) *Options { return &configured.In(c).Options }))
	}
	setting.Register(setting.Module{
		Section: "stream", Order: 13, Fields: fields,
		Name: "stream", Doc: "The Kafka tier. Flags of `rtbwire stream` override the environment, and the environment overrides these keys. `gateway.operators` and `gateway.log` are for both tiers.",
		Help:    "The Kafka tier, `rtbwire stream` (docs/stream.md).",
		Example: "stream: {brokers: [\"127.0.0.1:9092\"], topics: bids, group: edge, accepted: bids-ok, dead_letters: bids-refused}",
		Groups: []setting.Group[setting.Scope]{
			{Path: "timeouts", Name: "stream_timeouts", Doc: "Timeouts of the stream.", Help: "Timeouts.", Example: "timeouts: {commit: 500ms}"},
			{Path: "max", Name: "stream_max", Doc: "Limits of the stream.", Help: "Limits.", Example: "max: {record: 256KiB}"},
		},
	})
}
