package simulate

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
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

// write writes the requests, and the labels, to files. After an interrupt they are complete with
// what was made until then.
func (r *run) write(ctx context.Context) error {
	f := r.flags
	requests, err := r.create(f.output)
	if err != nil {
		return err
	}
	defer requests.Discard()
	labels, err := r.createLabels()
	if err != nil {
		return err
	}
	defer labels.Discard()
	bar := r.startBar(!r.toTerminal(), f.end())
	done, err := r.generator.Write(ctx, simulate.Output{
		Requests: requests, Labels: labels.writer(), First: f.first, Count: f.end(), Jobs: f.jobs, Progress: bar.set,
	})
	bar.stop()
	interrupted := errors.Is(err, context.Canceled)
	if interrupted {
		err = nil
	}
	if err == nil {
		err = requests.Commit()
	}
	if err == nil {
		err = labels.Commit()
	}
	if err != nil {
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

// destination is an output that is written, compressed or not.
type destination struct {
	io.Writer
	finish func() error // writes what is left
	out    cli.Output
}

// writer returns the destination as a writer, nil for none.
func (d *destination) writer() io.Writer {
	if d == nil {
		return nil
	}
	return d
}

// Commit ends the compression and completes the file.
func (d *destination) Commit() error {
	if d == nil {
		return nil
	}
	if err := d.finish(); err != nil {
		return err
	}
	return d.out.Commit()
}

// Discard ends a destination that is not complete.
func (d *destination) Discard() {
	if d != nil {
		d.out.Discard()
	}
}

// create opens the file of a name; "" and "-" are standard output.
func (r *run) create(name string) (*destination, error) {
	if name == "" || name == "-" {
		return &destination{r.env.Stdout, func() error { return nil }, cli.StreamOutput(r.env.Stdout)}, nil
	}
	out, err := cli.CreateOutput(name)
	if err != nil {
		return nil, fmt.Errorf("cannot write: %w", err)
	}
	switch {
	case strings.HasSuffix(name, ".gz"):
		packer := gzip.NewWriter(out)
		return &destination{packer, packer.Close, out}, nil
	case strings.HasSuffix(name, ".zst"):
		packer, err := zstd.NewWriter(out)
		if err != nil { // no option is wrong
			out.Discard()
			return nil, err
		}
		return &destination{packer, packer.Close, out}, nil
	}
	buffer := bufio.NewWriterSize(out, 256<<10)
	return &destination{buffer, buffer.Flush, out}, nil
}

// createLabels opens the file of --labels, nil if it is not given.
func (r *run) createLabels() (*destination, error) {
	if r.flags.labels == "" {
		return nil, nil
	}
	return r.create(r.flags.labels)
}
