package verdictlog

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/rtbwire/rtbwire/internal/serving/linefiles"
)

// files are the files of a folder.
type files struct{ linefiles.Files }

func newFiles(o *Options) (*files, error) {
	f := &files{}
	return f, f.Open(linefiles.Options{
		Folder: o.Folder, Name: "verdicts", FileMax: o.FileMax, DiskMax: o.DiskMax, AgeMax: o.AgeMax, What: "verdicts", Logger: o.Logger,
	})
}

// Write implements [Sink], as Flush, Lost and Close do.
func (f *files) Write(line []byte) bool { return f.Ready(time.Now()) && f.Files.Write(line) }
func (f *files) Flush()                 { f.Tick() }
func (f *files) Lost() uint64           { return f.Stats().Lost }

// Close completes the last file. Nobody writes any more.
func (f *files) Close(context.Context) error {
	f.Finish()
	return nil
}

// stdout is standard output.
type stdout struct {
	out    *bufio.Writer
	to     io.Writer
	log    *slog.Logger
	broken bool
}

// stdoutBuffer is how much is gathered before it is written.
const stdoutBuffer = 64 << 10

func newStdout(out io.Writer, log *slog.Logger) *stdout {
	return &stdout{out: bufio.NewWriterSize(out, stdoutBuffer), to: out, log: log}
}

// Write implements [Sink], as Flush, Lost and Close do. Lines are not cut: what has no room in the
// buffer is written first. After an error, which is one of a pipe that nobody reads any more,
// nothing is written.
func (s *stdout) Write(line []byte) bool {
	if s.broken {
		return false
	}
	if len(line) > s.out.Available() {
		s.Flush()
	}
	_, err := s.out.Write(line)
	s.failed(err)
	return !s.broken
}

// Flush writes what was gathered.
func (s *stdout) Flush() {
	if !s.broken {
		s.failed(s.out.Flush())
	}
}

func (s *stdout) failed(err error) {
	if err != nil && !s.broken {
		s.broken = true
		s.log.Error("verdicts can't be written to standard output; they are left out from now on", "error", err)
	}
}

// Lost returns 0: what is lost with the pipe was written, as far as anybody knows.
func (s *stdout) Lost() uint64 { return 0 }

// Close does nothing: standard output stays open.
func (s *stdout) Close(context.Context) error { return nil }
