package stream

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/internal/serving/admin"
	"github.com/rtbwire/rtbwire/internal/setting"
	"github.com/rtbwire/rtbwire/stream"
	"github.com/rtbwire/rtbwire/stream/files"
	"github.com/rtbwire/rtbwire/stream/kafka"
	"github.com/rtbwire/rtbwire/stream/upstream"
)

// folder is a folder of files: the source of a stream and its sinks.
type folder struct {
	flags    *flags
	settings *files.Settings
	topics   *kafka.Settings
	upstream string // its URL, "" without one
	closed   func() error
}

func newFolder(f *flags, scope *setting.Scope) *folder {
	return &folder{
		flags: f, settings: files.Configured(scope), topics: kafka.Configured(scope), upstream: upstream.Configured(scope).URL,
		closed: func() error { return nil },
	}
}

// written are the files of sinks, by their flags.
func (d *folder) written() []struct{ flag, path string } {
	s := d.settings
	return []struct{ flag, path string }{{"accepted-file", s.Accepted}, {"dead-letters-file", s.DeadLetters}, {"responses-file", s.Responses}, {"positions", s.Positions}}
}

// usage refuses what can't be read and written, before anything is opened.
func (d *folder) usage() error {
	s := d.settings
	switch {
	case s.Folder == "":
		return cli.Usagef("files without a folder to read; want --source-dir FOLDER")
	case len(d.topics.Topics) > 0:
		return cli.Usagef("--source-dir and --topic: records come from one of them; give one")
	case d.topics.Accepted+d.topics.DeadLetters+d.topics.Responses != "":
		return cli.Usagef("topics are not written with --source-dir; want --accepted-file, --dead-letters-file and --responses-file")
	case s.Positions == "":
		return cli.Usagef("nowhere to keep positions; want --positions FILE, outside of the folder that is read")
	case s.Accepted != "" && d.upstream != "":
		return cli.Usagef("--accepted-file and --upstream: accepted records go to one of them; give one")
	case s.Accepted == "" && d.upstream == "":
		return cli.Usagef("nowhere to put accepted records; want --accepted-file FILE or --upstream URL")
	case s.DeadLetters == "":
		return cli.Usagef("nowhere to put refused records; want --dead-letters-file FILE")
	case s.Responses != "" && d.upstream == "":
		return cli.Usagef("--responses-file needs --upstream URL, whose answers it takes")
	}
	written := d.written()
	for i, w := range written {
		for _, before := range written[:i] {
			if w.path != "" && filepath.Clean(w.path) == filepath.Clean(before.path) {
				return cli.Usagef("--%s and --%s are both %s; want a file for each", before.flag, w.flag, w.path)
			}
		}
	}
	return nil
}

// connect sets source and sinks. A check of flags opens none of the files.
func (d *folder) connect(o *stream.Options) (err error) {
	if !d.flags.check {
		d.closed, err = d.settings.Connect(o, o.Log)
		return err
	}
	of := d.settings.Options
	for _, w := range d.written() {
		if w.path != "" {
			of.Written = append(of.Written, w.path)
		}
	}
	var unopened struct{ stream.Sink }
	o.DeadLetters = unopened
	if o.Upstream == nil {
		o.Accepted = unopened
	}
	o.Source, err = files.NewSource(of)
	return err
}

// check does nothing: the files are open, and the source looks at its folder when it begins.
func (*folder) check(context.Context) error { return nil }

// explain returns the error, which says all.
func (*folder) explain(err error) error { return err }

func (d *folder) close() error { return d.closed() }

// flow says where records come from and go to.
func (d *folder) flow() *admin.Flow {
	s := d.settings
	return &admin.Flow{
		From: filepath.Join(s.Folder, s.Pattern), Accepted: cmp.Or(s.Accepted, d.upstream), DeadLetters: s.DeadLetters, Responses: s.Responses,
		Upstream: s.Accepted == "", Bytes: true,
	}
}

// String says what would be read, and where it would go.
func (d *folder) String() string {
	f := d.flow()
	return fmt.Sprintf("would read the files %s; accepted records go to %s, all others to %s", f.From, f.Accepted, f.DeadLetters)
}
