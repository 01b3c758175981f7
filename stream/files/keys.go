package files

import (
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/rtbwire/rtbwire/internal/setting"
	"github.com/rtbwire/rtbwire/stream"
)

// Settings are what a configuration says about the files of a stream: the source if Folder is set,
// and a sink for each of the other files that has a name.
type Settings struct {
	Options
	Accepted, DeadLetters, Responses string
	RotateSize                       int64
	SyncInterval                     time.Duration
}

var configured setting.Slot[Settings]

// Configured returns what a configuration says about the files of a stream. The caller may change
// it in a copy of the configuration that is its own ([setting.Scope.Clone]).
func Configured(c *setting.Scope) *Settings { return configured.In(c) }

// Connect sets the source and the sinks of a stream that there are names for, and returns what
// closes the sinks after Run.
func (s *Settings) Connect(o *stream.Options, log *slog.Logger) (closed func() error, err error) {
	var sinks []*Sink
	closed = func() (err error) {
		for _, sink := range sinks {
			err = errors.Join(err, sink.Close())
		}
		return err
	}
	outs := []struct {
		path string
		form Form
		sink *stream.Sink
	}{{s.Accepted, Values, &o.Accepted}, {s.DeadLetters, Objects, &o.DeadLetters}, {s.Responses, Objects, &o.Responses}}
	if s.Folder != "" {
		source := s.Options
		source.Written = slices.Clip(source.Written)
		for _, out := range outs {
			if out.path != "" {
				source.Written = append(source.Written, out.path)
			}
		}
		if o.Source, err = NewSource(source); err != nil {
			return nil, err
		}
	}
	for _, out := range outs {
		if out.path == "" {
			continue
		}
		sink, err := NewSink(SinkOptions{Path: out.path, Form: out.form, RotateSize: s.RotateSize, SyncInterval: s.SyncInterval, Log: log})
		if err != nil {
			return nil, errors.Join(err, closed())
		}
		sinks = append(sinks, sink)
		*out.sink = sink
	}
	return closed, nil
}

// keys are the settings of the source.
var keys = []setting.Field[Options]{
	setting.F("files.folder", setting.FileName(), func(o *Options) *string { return &o.Folder },
		"Folder whose files are read, one record on each line, in place of topics.").Example("folder: in").FlagName("source-dir").Value("FOLDER").Fixed(),
	setting.F("files.pattern", setting.Text("a pattern such as *.ndjson*", setting.AddressMax), func(o *Options) *string { return &o.Pattern },
		"Names of the files that are read. Let it match the names of rotated files too, but not those of copies. Compressed files that it matches are left out, with a message.").
		Default(PatternDefault).Example(`pattern: "bids-*.ndjson*"`).FlagName("source-pattern").Value("PATTERN").Fixed(),
	setting.F("files.positions", setting.FileName(), func(o *Options) *string { return &o.Positions },
		"File that says how far each file is delivered. One process uses it.").Example("positions: state/positions.json").FlagName("positions").Value("FILE").Fixed(),
	setting.F("files.at_end", setting.Bool(), func(o *Options) *bool { return &o.AtEnd },
		"Leave out what is in the files at the first start, without positions.").Default(false).NoFlag().Fixed(),
	setting.F("files.poll", setting.Duration("a time such as 500ms", PollIntervalMin, PollIntervalMax), func(o *Options) *time.Duration { return &o.PollInterval },
		"Time between two looks at the folder.").Default(PollIntervalDefault).NoFlag().Fixed(),
	setting.F("files.idle", setting.Duration("a time such as 1m", IdleAfterMin, IdleAfterMax), func(o *Options) *time.Duration { return &o.IdleAfter },
		"Time without growth after which a file is closed until it grows, and the last line of a rotated file needs no newline.").Default(IdleAfterDefault).NoFlag().Fixed(),
	setting.F("files.max_files", setting.Int("a number of files", 1, FilesMaxMax), func(o *Options) *int { return &o.FilesMax },
		"Maximum number of files that are followed.").Default(FilesMaxDefault).NoFlag().Fixed(),
}

// sinkKeys are the settings of the sinks.
var sinkKeys = []setting.Field[Settings]{
	setting.F("files.accepted", setting.FileName(), func(s *Settings) *string { return &s.Accepted },
		"File that accepted records are appended to, in place of a topic.").Example("accepted: out/ok.ndjson").FlagName("accepted-file").Value("FILE").Fixed(),
	setting.F("files.dead_letters", setting.FileName(), func(s *Settings) *string { return &s.DeadLetters },
		"File that dead letters are appended to, an object on each line.").Example("dead_letters: out/refused.ndjson").FlagName("dead-letters-file").Value("FILE").Fixed(),
	setting.F("files.responses", setting.FileName(), func(s *Settings) *string { return &s.Responses },
		"File that the upstream's answers are appended to, an object on each line.").Example("responses: out/answers.ndjson").FlagName("responses-file").Value("FILE").Fixed(),
	setting.F("files.rotate", setting.Size(RotateSizeMin, setting.SizeMax), func(s *Settings) *int64 { return &s.RotateSize },
		"Size from which on a file that is written is renamed, `FILE.000001` and so on, and the next one begins. Nothing deletes them.").Default("1GiB").NoFlag().Fixed(),
	setting.F("files.sync", setting.Duration("a time such as 10ms", time.Microsecond, SyncIntervalMax), func(s *Settings) *time.Duration { return &s.SyncInterval },
		"Maximum time a record waits to be synced to the disk together with others.").Default(SyncIntervalDefault).NoFlag().Fixed(),
}

// Fields returns the settings, for flags.
func Fields() []setting.Field[setting.Scope] {
	var fields []setting.Field[setting.Scope]
	for _, f := range keys {
		fields = append(fields, setting.Lift(f, func(c *setting.Scope) *Options { return &configured.In(c).Options }))
	}
	return append(fields, configured.Fields(sinkKeys)...)
}

func init() {
	setting.Register(setting.Module{
		Section: "stream", Order: 14, Fields: Fields(),
		Groups: []setting.Group[setting.Scope]{{
			Path: "files", Name: "stream_files", Doc: "Files in place of topics, with one record on each line (docs/stream.md).",
			Help: "Files in place of topics.", Example: "files: {folder: in, positions: state/positions.json, accepted: out/ok.ndjson, dead_letters: out/refused.ndjson}",
		}},
	})
}
