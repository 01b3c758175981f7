package verdictlog

import (
	"time"

	"github.com/rtbwire/rtbwire/internal/setting"
)

// Configured is where configurations have their Settings. They are for both tiers.
var Configured setting.Slot[Settings]

var keys = []setting.Field[Settings]{
	setting.F("verdict_log.to", setting.Option("a place", Files, Stdout, Kafka), func(s *Settings) *To { return &s.To },
		"Where verdicts are written. `files` are in `folder`, `kafka` is the topic `topic` at `stream.brokers`.").
		Required().Example("to: files").FlagName("verdict-log"),
	setting.F("verdict_log.share", setting.ShareOrNone(), func(s *Settings) *float64 { return &s.Share },
		"Share of forwarded requests that is written, chosen by a hash of the request's id.").Default("1%").FlagName("verdict-log-share"),
	setting.F("verdict_log.refused", setting.ShareOrNone(), func(s *Settings) *float64 { return &s.Refused },
		"Share of requests that is written of those that are refused, or would be.").Default("100%").FlagName("verdict-log-refused"),
	setting.F("verdict_log.folder", setting.FileName(), func(s *Settings) *string { return &s.Folder },
		"Folder of the files.").Example("folder: verdicts").FlagName("verdict-log-folder").Value("FOLDER"),
	setting.F("verdict_log.max_file", setting.Size(FileMaxMin, setting.SizeMax), func(s *Settings) *int64 { return &s.FileMax }, "Maximum size of a file.").Default("64MiB").NoFlag(),
	setting.F("verdict_log.max_age", setting.Duration("a time such as 1h", AgeMaxMin, 24*time.Hour), func(s *Settings) *time.Duration { return &s.AgeMax },
		"Maximum age of a file before the next one begins.").Default(AgeMaxDefault).NoFlag(),
	setting.F("verdict_log.max_disk", setting.Size(2*FileMaxMin, setting.SizeMax), func(s *Settings) *int64 { return &s.DiskMax },
		"Maximum size of all files together. The oldest are removed.").Default("1GiB").NoFlag(),
	setting.F("verdict_log.topic", setting.Form("the name of a topic", `[A-Za-z0-9._-]{1,249}`, nil), func(s *Settings) *string { return &s.Topic },
		"Topic of verdicts, which must exist.").Example("topic: bids-verdicts").FlagName("verdict-log-topic").Value("TOPIC"),
}

// Keys returns the settings, for flags.
func Keys() []setting.Field[setting.Scope] { return Configured.Fields(keys) }

func init() {
	group := setting.Group[Settings]{
		Path: "verdict_log", Name: "verdict_log", Doc: "A line of JSON for each verdict, or for a share of them, of both tiers. No personal data is in it.",
		Help: "A log of verdicts (docs/gateway.md).", Example: "verdict_log: {to: files, folder: verdicts, share: 1%, refused: 100%}",
		Check: func(r *setting.Reader, n *setting.Node, s *Settings) {
			if m := n.Member("max_disk"); m != nil && s.DiskMax > 0 && s.DiskMax < 2*s.FileMax {
				r.Report(m.Value.Problem("", "max_disk is less than two files (max_file)"))
			}
		},
	}
	setting.Register(setting.Module{Section: "gateway", Order: 10, Fields: Keys(), Groups: Configured.Groups([]setting.Group[Settings]{group})})
}
