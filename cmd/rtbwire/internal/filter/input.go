package filter

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/rtbwire/rtbwire/batch"
	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/internal/compressed"
)

// input is the text of files, one after the other. The last line of each ends there. A file is
// opened when the one before it has been read.
type input struct {
	names []string // of the files that are not open yet
	from  io.Reader
	stdin bool // standard input is among them

	name string        // of the open file
	text io.ReadCloser // nil between files
	end  bool          // the last byte was a line end, or there was none
}

// open returns the named files, or standard input. It checks first that all
// files exist: output with the lines of one file missing would be useless.
func open(env *cli.Env, names []string) (*input, error) {
	if len(names) == 0 {
		names = []string{"-"}
	}
	stdin := 0
	for _, name := range names {
		if name == "-" {
			stdin++
		} else if _, err := os.Stat(name); err != nil {
			return nil, inputError(name, err)
		}
	}
	if stdin > 1 {
		return nil, cli.Usagef("- is given %d times, but standard input can be read only once", stdin)
	}
	return &input{names: names, from: env.Stdin, stdin: stdin > 0, end: true}, nil
}

// Read reads the open file, or the next one.
func (in *input) Read(p []byte) (int, error) {
	for in.text != nil || len(in.names) > 0 {
		if in.text == nil {
			in.name, in.names = in.names[0], in.names[1:]
			var err error
			if in.text, err = in.openText(); err != nil {
				return 0, inputError(in.name, err)
			}
		}
		n, err := in.text.Read(p)
		switch {
		case n > 0:
			in.end = p[n-1] == '\n'
			return n, nil // the next call returns the error
		case err == nil:
			return 0, nil
		case err != io.EOF:
			return 0, inputError(in.name, err)
		}
		_ = in.text.Close() // it was only read
		in.text = nil
		if !in.end && len(in.names) > 0 {
			in.end = true
			return copy(p, "\n"), nil
		}
	}
	return 0, io.EOF
}

// openText returns the text of a file, decompressed. Of standard input only the beginning of gzip
// and zstd data is told from lines: there, any other text has a line of output for each line.
func (in *input) openText() (io.ReadCloser, error) {
	if in.name != "-" {
		return batch.File(in.name).Text()
	}
	in.name = "standard input"
	r := bufio.NewReader(in.from)
	if compressed.Peek(r) != "" {
		return batch.From(in.name, r).Text()
	}
	return io.NopCloser(r), nil
}

// inputError names the file of an error.
func inputError(name string, err error) error {
	if path := (*os.PathError)(nil); errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("%s: %w", name, err)
}
