package explain

import (
	"fmt"
	"io"
	"os"

	"github.com/rtbwire/rtbwire/cmd/rtbwire/internal/cli"
	"github.com/rtbwire/rtbwire/inspect"
)

// stdinName is the name of standard input in the output.
const stdinName = "stdin"

// run judges the request and prints the verdict.
func run(env *cli.Env, f *flags, config inspect.Config, args []string) error {
	engine, err := inspect.New(config)
	if err != nil {
		return cli.Usagef("%s", plain(err))
	}
	name, body, err := read(env, args, int(f.maxDocument)+1)
	if err != nil {
		return err
	}
	v := engine.NewWorker().Inspect(body, inspect.Facts{})
	e := &explanation{file: name, preset: f.preset.Value, verdict: &v, text: body, excerpts: !f.noExcerpt, color: color(env, f)}
	if f.format.Value == "json" {
		err = e.writeJSON(env.Stdout)
	} else {
		err = e.writeText(env.Stdout)
	}
	switch {
	case err != nil:
		return fmt.Errorf("cannot write the verdict: %w", err)
	case v.Action == inspect.ActionRefuse:
		return cli.ErrRefused
	}
	return nil
}

// explanation is a verdict and what is needed to print it.
type explanation struct {
	file     string
	preset   string
	verdict  *inspect.Verdict
	text     []byte
	excerpts bool
	color    bool
}

// read returns the name and the text of the request, at most limit bytes of it.
func read(env *cli.Env, args []string, limit int) (name string, body []byte, err error) {
	in, name := env.Stdin, stdinName
	switch {
	case len(args) == 1 && args[0] != "-":
		name = args[0]
		f, err := os.Open(name)
		if err != nil {
			return "", nil, fmt.Errorf("cannot read the request: %w", err)
		}
		defer f.Close()
		in = f
	case len(args) == 0 && env.StdinTerminal:
		return "", nil, cli.Usagef("no file given, and standard input is a terminal; name a file, or - to type a request")
	}
	body, err = io.ReadAll(io.LimitReader(in, int64(limit)))
	if err != nil {
		return "", nil, fmt.Errorf("cannot read the request: %w", err)
	}
	return name, body, nil
}

// color reports whether the text has colors.
func color(env *cli.Env, f *flags) bool {
	switch f.color.Value {
	case "always":
		return true
	case "never":
		return false
	}
	return env.StdoutTerminal && env.Getenv("NO_COLOR") == "" && env.Getenv("TERM") != "dumb"
}
