package simulate

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/internal/traffic/simulate"
)

// run is one run of the verb.
type run struct {
	flags     *flags
	env       *cli.Env
	generator *simulate.Generator
}

// write writes the requests, and the labels, to files.
func (r *run) write(ctx context.Context) (err error) {
	f := r.flags
	requests, err := r.create(f.output)
	if err != nil {
		return err
	}
	labels, err := r.createLabels()
	if err != nil {
		return errors.Join(err, requests.Close())
	}
	bar := r.startBar(!r.toTerminal(), f.end())
	done, err := r.generator.Write(ctx, simulate.Output{
		Requests: requests, Labels: labels.writer(), First: f.first, Count: f.end(), Jobs: f.jobs, Progress: bar.set,
	})
	bar.stop()
	interrupted := errors.Is(err, context.Canceled)
	if interrupted {
		err = nil
	}
	if err = firstError(err, requests.Close(), labels.Close()); err != nil {
		return fmt.Errorf("cannot write: %w", err)
	}
	if interrupted {
		return r.interrupted(done.Requests)
	}
	if !r.toTerminal() {
		r.summary(&done)
	}
	return nil
}

// interrupted returns the error after an interrupt. A run without an end has no other end.
func (r *run) interrupted(requests uint64) error {
	if r.flags.count == 0 {
		fmt.Fprintf(r.env.Stderr, "interrupted after %d requests\n", requests)
		return nil
	}
	return fmt.Errorf("interrupted after %d of %d requests", requests, r.flags.count)
}

// firstError returns the first error: those after it are often its consequences.
func firstError(list ...error) error {
	for _, err := range list {
		if err != nil {
			return err
		}
	}
	return nil
}

// summary says on standard error what was written.
func (r *run) summary(w *simulate.Written) {
	fmt.Fprintf(r.env.Stderr, "requests: %d written, %d bytes", w.Requests, w.Bytes)
	for c := simulate.Defect; c <= simulate.Fraud; c++ {
		if n := w.Classes[c]; n > 0 {
			fmt.Fprintf(r.env.Stderr, ", %d %s", n, c)
		}
	}
	fmt.Fprintln(r.env.Stderr)
}

// toTerminal reports whether the requests go to a terminal.
func (r *run) toTerminal() bool {
	return r.env.StdoutTerminal && (r.flags.output == "" || r.flags.output == "-")
}

// destination is a file that is written, compressed or not, or standard output.
type destination struct {
	io.Writer
	closers []func() error
}

// writer returns the destination as a writer, nil for none.
func (d *destination) writer() io.Writer {
	if d == nil {
		return nil
	}
	return d
}

// Close ends the compression and closes the file. It returns the first error.
func (d *destination) Close() error {
	if d == nil {
		return nil
	}
	var first error
	for _, closer := range d.closers {
		first = firstError(first, closer())
	}
	return first
}

// create opens the file of a name; "" and "-" are standard output.
func (r *run) create(name string) (*destination, error) {
	if name == "" || name == "-" {
		return &destination{Writer: r.env.Stdout}, nil
	}
	file, err := os.Create(name)
	if err != nil {
		return nil, fmt.Errorf("cannot write: %w", err)
	}
	d := &destination{Writer: file, closers: []func() error{file.Close}}
	var packer io.WriteCloser
	switch {
	case strings.HasSuffix(name, ".gz"):
		packer = gzip.NewWriter(file)
	case strings.HasSuffix(name, ".zst"):
		packer, err = zstd.NewWriter(file)
		if err != nil { // no option is wrong
			return nil, errors.Join(err, file.Close())
		}
	default:
		buffer := bufio.NewWriterSize(file, 256<<10)
		d.Writer, d.closers = buffer, []func() error{buffer.Flush, file.Close}
		return d, nil
	}
	d.Writer, d.closers = packer, []func() error{packer.Close, file.Close}
	return d, nil
}

// createLabels opens the file of --labels, nil if it is not given.
func (r *run) createLabels() (*destination, error) {
	if r.flags.labels == "" {
		return nil, nil
	}
	return r.create(r.flags.labels)
}
