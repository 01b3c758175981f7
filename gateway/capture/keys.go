package capture

import (
	"time"

	"github.com/rtbwire/rtbwire/internal/setting"
)

// configured is where configurations have their Options.
var configured setting.Slot[Options]

// Configured returns what a configuration says about captures. Without a folder there are none.
func Configured(c *setting.Scope) Options { return *configured.In(c) }

// Redacted returns what can be shown of options, by the names of their keys.
func (o Options) Redacted() map[string]any { return setting.Show(&o, keys) }

var keys = []setting.Field[Options]{
	setting.F("capture.folder", setting.FileName(), func(o *Options) *string { return &o.Folder },
		"Folder for a sample of requests.").Required().Example("folder: capture").FlagName("capture").Value("FOLDER"),
	setting.F("capture.max_file", setting.Size(FileMaxMin, setting.SizeMax), func(o *Options) *int64 { return &o.FileMax }, "Maximum size of a file.").Default("64MiB").NoFlag(),
	setting.F("capture.max_age", setting.Duration("a time such as 1h", AgeMaxMin, 24*time.Hour), func(o *Options) *time.Duration { return &o.AgeMax },
		"Maximum age of a file before the next one begins.").Default(AgeMaxDefault).NoFlag(),
	setting.F("capture.max_disk", setting.Size(2*FileMaxMin, setting.SizeMax), func(o *Options) *int64 { return &o.DiskMax },
		"Maximum size of all files together. The oldest are removed.").Default("1GiB").NoFlag(),
	setting.F("capture.max_rate", setting.Int("a number of requests a second", 1, RateMaxMax), func(o *Options) *int { return &o.RateMax },
		"Maximum number of captured requests per second.").Default(RateMaxDefault).NoFlag(),
	setting.F("capture.redact", setting.Not(), func(o *Options) *bool { return &o.Raw },
		"Remove personal data from captured requests. With `false`, they are stored as received, before any scrub.").Default(true),
}

func init() {
	group := setting.Group[Options]{
		Path: "capture", Name: "capture", Doc: "A sample of requests in files, for `rtbwire replay` and `rtbwire policy test`.",
		Help: "A sample of requests in files.", Example: "capture: {folder: capture, share: 1%}",
		Check: func(r *setting.Reader, n *setting.Node, o *Options) {
			if m := n.Member("max_disk"); m != nil && o.DiskMax > 0 && o.DiskMax < 2*o.FileMax {
				r.Report(m.Value.Problem("", "max_disk is less than two files (max_file)"))
			}
		},
	}
	setting.Register(setting.Module{Section: "gateway", Order: 5, Fields: configured.Fields(keys), Groups: configured.Groups([]setting.Group[Options]{group})})
}
