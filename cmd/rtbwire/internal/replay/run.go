package replay

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"

	"github.com/rtbwire/rtbwire/batch"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/internal/traffic/replay"
)

// stdinName is the name of standard input in messages.
const stdinName = "stdin"

// run is one call of the verb.
type run struct {
	flags  *flags
	env    *cli.Env
	bodies *replay.Bodies
}

// replay reads the files, sends, and reports.
func (r *run) replay(ctx context.Context, names []string) error {
	f := r.flags
	config, err := f.config()
	if err != nil {
		return err
	}
	inputs, err := r.open(names)
	if err != nil {
		return err
	}
	loaded := make(chan error, 1)
	go func() { loaded <- r.load(inputs, &config) }()
	select {
	case err := <-loaded:
		if err != nil {
			return err
		}
	case <-ctx.Done(): // a read of a terminal or a pipe can't be ended
		return errors.New("interrupted while the files were read; nothing was sent")
	}
	record, err := r.create("record", f.record, names)
	if err != nil {
		return err
	}
	defer record.Discard()
	page, err := r.create("html", f.html, names)
	if err != nil {
		return err
	}
	defer page.Discard()
	if f.record != "" {
		config.Record = record
	}
	// A loop that waits for the system must not wait for another goroutine's turn as well.
	runtime.GOMAXPROCS(max(runtime.GOMAXPROCS(0), f.threads+1))
	live := r.startLive()
	config.Progress = live.show
	if f.limit != nil {
		found, err := replay.FindLimit(ctx, config, *f.limit)
		live.stop()
		if err != nil {
			return plain(err)
		}
		return r.reportLimit(found, page)
	}
	result, err := replay.Run(ctx, config)
	live.stop()
	if result == nil {
		return plain(err)
	}
	return r.report(result, page, errors.Join(err, record.Commit()))
}

// plain returns an error of the library as one of the command.
func plain(err error) error {
	if err == nil {
		return nil
	}
	const prefix = "replay: "
	if text := err.Error(); len(text) > len(prefix) && text[:len(prefix)] == prefix {
		return errors.New(text[len(prefix):])
	}
	return err
}

// open returns the inputs with the given names.
func (r *run) open(names []string) ([]batch.Input, error) {
	inputs := make([]batch.Input, len(names))
	stdin := 0
	for i, name := range names {
		if inputs[i] = batch.File(name); name == "-" {
			stdin++
			inputs[i] = batch.From(stdinName, r.env.Stdin)
		}
	}
	if stdin > 1 {
		return nil, cli.Usagef("- is given %d times, but standard input can be read only once", stdin)
	}
	return inputs, nil
}

// load reads the requests and the expected answers.
func (r *run) load(inputs []batch.Input, config *replay.Config) (err error) {
	f := r.flags
	if r.bodies, err = replay.Load(inputs, f.loadOptions()); err != nil {
		return fmt.Errorf("cannot read the requests: %w", err)
	}
	config.Bodies = r.bodies
	switch n := r.bodies.Len(); {
	case n == 0 && r.bodies.More():
		return cli.Usagef("--memory %s is less than the first request", f.memory.String())
	case n == 0:
		return errors.New("no requests found; is it the right file?")
	case r.bodies.More():
		fmt.Fprintf(r.env.Stderr, "rtbwire replay: only the first %s sent; --memory says how much is kept\n", countAre(n))
	}
	if f.once {
		config.Requests, config.Duration = int64(r.bodies.Len()), replay.DurationMax
	}
	if n := r.bodies.Cut(); n > 0 {
		fmt.Fprintf(r.env.Stderr, "rtbwire replay: %d lines of captures are cut, and are left out\n", n)
	}
	if n := r.bodies.TooLarge(); n > 0 {
		fmt.Fprintf(r.env.Stderr, "rtbwire replay: %d documents are too large to be sent\n", n)
	}
	if f.expect == "" {
		return nil
	}
	config.Expect, err = replay.LoadExpected([]batch.Input{batch.File(f.expect)}, f.loadOptions())
	if err != nil {
		return fmt.Errorf("cannot read the expected answers: %w", err)
	}
	return nil
}

// countAre returns a number of requests with its verb.
func countAre(n int) string {
	if n == 1 {
		return "request is"
	}
	return grouped(int64(n)) + " requests are"
}

// output is a file that is written, or nothing.
type output struct {
	*bufio.Writer
	file cli.Output // nil for nothing
}

// Commit writes what is left, and completes the file.
func (o *output) Commit() error {
	if o.file == nil {
		return nil
	}
	if err := o.Flush(); err != nil {
		return err
	}
	return o.file.Commit()
}

// Discard ends a file that is not complete.
func (o *output) Discard() {
	if o.file != nil {
		o.file.Discard()
	}
}

// create opens a file for writing before anything is sent. It refuses to overwrite an input.
func (r *run) create(flag, name string, inputs []string) (*output, error) {
	if name == "" {
		return &output{}, nil
	}
	if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
		for _, input := range append(inputs, r.flags.expect) {
			if other, err := os.Stat(input); err == nil && os.SameFile(info, other) {
				return nil, cli.Usagef("--%s %s would overwrite an input; choose another name", flag, name)
			}
		}
	}
	file, err := cli.CreateOutput(name)
	if err != nil {
		return nil, fmt.Errorf("cannot write --%s: %w", flag, err)
	}
	return &output{bufio.NewWriterSize(file, 64<<10), file}, nil
}

// report writes the outcome of a run. failed is what went wrong besides.
func (r *run) report(result *replay.Result, page *output, failed error) error {
	var err error
	w := bufio.NewWriter(r.env.Stdout)
	if r.flags.json {
		err = writeJSON(w, r.jsonOf(result))
	} else {
		writeText(w, result)
	}
	err = errors.Join(err, w.Flush())
	if page.file != nil && err == nil {
		err = writePage(page, r.page(result, nil))
	}
	switch {
	case err != nil:
		return fmt.Errorf("cannot write the outcome: %w", err)
	case failed != nil:
		return plain(failed)
	case result.Interrupted:
		return fmt.Errorf("interrupted after %d requests; the outcome is about these", result.Target.Sent)
	case result.Invalid != "":
		return fmt.Errorf("the run is invalid: %s; use a lower rate, more --threads or a quieter machine", result.Invalid)
	case r.refused(result):
		return cli.ErrRefused
	}
	return nil
}

// writePage writes the page of --html, and completes it.
func writePage(out *output, p *page) error {
	if err := writeHTML(out, p); err != nil {
		return err
	}
	return out.Commit()
}

// refused reports whether the answers are reason for exit status 1, and says why.
func (r *run) refused(result *replay.Result) bool {
	var why []string
	if share := result.Target.ErrorShare(); share > float64(r.flags.maxErrors) {
		why = append(why, fmt.Sprintf("%.3g%% of the requests have no answer, or one with 500 and above; at most %s are allowed (--max-errors)",
			100*share, r.flags.maxErrors.String()))
	}
	if other := result.Against; other != nil {
		if share := other.ErrorShare(); share > float64(r.flags.maxErrors) {
			why = append(why, fmt.Sprintf("%.3g%% of the requests have no answer of the other server, or one with 500 and above; at most %s are allowed (--max-errors)",
				100*share, r.flags.maxErrors.String()))
		}
	}
	if j := result.Judgement; j != nil {
		if r.flags.check && j.Checked == 0 {
			why = append(why, "no answer could be checked: none has a status below 300")
		}
		if (r.flags.against != "" || r.flags.expect != "") && j.Compared == 0 {
			why = append(why, "no answer could be compared")
		}
		switch {
		case r.flags.once && j.Skipped > 0:
			why = append(why, fmt.Sprintf("%d answers were not looked at, although --once is for all; use a lower rate", j.Skipped))
		case 2*j.Skipped > j.Checked+j.Compared+j.Skipped:
			why = append(why, fmt.Sprintf("%d answers were not looked at, more than half; use a lower rate", j.Skipped))
		}
		if j.Wrong > 0 {
			why = append(why, fmt.Sprintf("%d of %d answers are wrong", j.Wrong, j.Checked))
		}
		if j.Different > 0 {
			why = append(why, fmt.Sprintf("%d of %d answers are different", j.Different, j.Compared))
		}
	}
	for _, w := range why {
		fmt.Fprintf(r.env.Stderr, "rtbwire replay: %s\n", w)
	}
	return len(why) > 0
}

// reportLimit writes the outcome of a search.
func (r *run) reportLimit(found *replay.LimitResult, page *output) error {
	var err error
	w := bufio.NewWriter(r.env.Stdout)
	if r.flags.json {
		err = writeJSON(w, r.jsonLimit(found))
	} else {
		writeLimit(w, found)
	}
	err = errors.Join(err, w.Flush())
	if page.file != nil && err == nil && found.Best != nil {
		err = writePage(page, r.page(found.Best, found))
	}
	switch {
	case err != nil:
		return fmt.Errorf("cannot write the outcome: %w", err)
	case found.Interrupted:
		return fmt.Errorf("interrupted after %d steps; the outcome is about these", len(found.Steps))
	case found.Generator:
		return errors.New("the generator could not keep its own schedule; use more --threads or a quieter machine")
	case found.Rate == 0:
		fmt.Fprintf(r.env.Stderr, "rtbwire replay: no rate kept %v\n", found.Limit)
		return cli.ErrRefused
	}
	return nil
}
